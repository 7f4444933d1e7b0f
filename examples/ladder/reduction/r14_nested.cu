// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -rdc=true -Itweed/include -Itweed/examples r14_nested.cu && ./a.out
//
// Since r13c, two changes: the kernel itself launches what is left, and the tree of a block is
// tweed::blockReduce, in registers. Each block adds up 2048 values; the partial sums are the input
// of the same kernel with fewer blocks, until one is left. For the GPU alone.
//
// A tail launch starts when the whole grid that asked for it has ended, and sees all that it wrote.
// It is the form of recursion that CUDA has since version 12, where a kernel can no longer wait for
// one that it launched. It needs relocatable device code, and a launch from the device for each
// level above the first: two for 2^28 values, where r8 has one more kernel for any n and r15 none.
// A launch from the device costs more than one from the host, which shows unless n is so large that
// launches are a small part; then the other change shows, which saves what r13c's tree reads and
// writes in global memory. The profiler shows one kernel after the other, each of 2048 times fewer
// blocks.

#include <ladder/runSum.cuh>
#include <tweed/block/blockReduce.cuh>
#include <tweed/core/math.cuh>

namespace r14 {

constexpr int threads = 256;
constexpr int loads = 8;
constexpr long long blockItems = 1ll * loads * threads;

__global__ void nested(float const* in, long long n, float* partials, float* out) {
  long long const first = blockIdx.x * blockItems + threadIdx.x;
  float share = 0;
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    long long const i = first + k * threads;
    share += i < n ? in[i] : 0.f;
  }
  float const total = tweed::blockReduce<threads>(share);
  if (threadIdx.x != 0) return;
  if (gridDim.x == 1) {
    *out = total;
    return;
  }
  partials[blockIdx.x] = total;
  if (blockIdx.x != 0) return;
  long long const left = gridDim.x;
  nested<<<unsigned(tweed::ceilDiv(left, blockItems)), threads, 0, cudaStreamTailLaunch>>>(
      partials, left, partials + left, out);
  if (cudaGetLastError() != cudaSuccess) __trap();
}

void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  long long const blocks = tweed::larger(1ll, tweed::ceilDiv(n, blockItems));
  auto* const partials = static_cast<float*>(workspace.takeScratch(
      "r14", (2 * std::size_t(blocks) + 4) * sizeof(float), workspace.stream()));
  tweed::launch(nested, {blocks, threads, 0, workspace.stream()}, in, n, partials, out);
}

constexpr ladder::SumRung rung{"r14 nested", "kernels that launch the next, smaller one", sum,
                               true};

}  // namespace r14

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r14::rung}, argc, argv); }
#endif
