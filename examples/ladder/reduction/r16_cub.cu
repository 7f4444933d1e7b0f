// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r16_cub.cu && ./a.out
//
// The peer: the sum of CUB, the library that comes with CUDA. For the GPU alone.
//
// Since r15: the same means (resident blocks, 16-byte loads, several under way), in two launches
// where n is large, the second for the sums of blocks, as in r8. Of 2^24 values that shows, of 2^28
// hardly. It asks for scratch in a first call and adds up in a second. The profiler shows two
// kernels, the first limited by memory.

#include <ladder/runSum.cuh>

#include <cub/device/device_reduce.cuh>

namespace r16 {

void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  std::size_t bytes = 0;
  TWEED_CHECK(cub::DeviceReduce::Sum(nullptr, bytes, in, out, n, workspace.stream()));
  void* const scratch = workspace.takeScratch("r16", bytes, workspace.stream());
  TWEED_CHECK(cub::DeviceReduce::Sum(scratch, bytes, in, out, n, workspace.stream()));
}

constexpr ladder::SumRung rung{"r16 cub", "cub::DeviceReduce::Sum", sum, true};

}  // namespace r16

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r16::rung}, argc, argv); }
#endif
