// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r15_tweed.cu && ./a.out
//
// The top: tweed::deviceReduce, one call, any type and operator, one launch.
//
// What the rungs taught is in it: resident blocks that stride (r5), several loads under way (r12),
// 16 bytes each at any alignment, one warp that adds up what a block has left in shared memory
// (r8), the block size as a template argument (r13c), the same bits on every run (r8); and the
// block that comes last adds up the partial sums, so the second launch goes. The profiler shows one
// kernel, limited by memory.

#include <ladder/runSum.cuh>
#include <tweed/device/deviceReduce.cuh>

namespace r15 {

void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  tweed::deviceReduce(in, std::size_t(n), out, tweed::Sum{}, workspace);
}

constexpr ladder::SumRung rung{"r15 tweed", "tweed::deviceReduce", sum, true};

}  // namespace r15

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r15::rung}, argc, argv); }
#endif
