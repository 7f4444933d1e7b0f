// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r8_twoPass.cu && ./a.out
//
// Since r7: a block writes its sum to a place of its own, and the same kernel, with one block, adds
// those up. No atomics. (The block's sum is by tweed::blockReduce now, which lets one warp add up
// what all threads have stored, with one shuffle in place of 45: that changes no time here.)
//
// The order of all additions is fixed by the grid, so the bits are the same on every run of one
// device, which atomics never promise. It costs a second launch and saves as many atomics as there
// are blocks, which are too few to notice after r5: of 2^24 values it is slower than r7, of 2^28 as
// fast. tweed::gridReduce has both, in one launch. The profiler shows two kernels, the second with
// one block.

#include <ladder/runSum.cuh>
#include <tweed/block/blockReduce.cuh>
#include <tweed/grid/gridStride.cuh>
#include <tweed/launch/occupancy.cuh>

namespace r8 {

constexpr int threads = 256;

__global__ void partialSums(float const* in, long long n, float* out) {
  float share = 0;
  for (auto const i : tweed::gridStride(n)) share += in[i];
  float const total = tweed::blockReduce<threads>(share);
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  unsigned const blocks = tweed::gridFor(n, partialSums, threads);
  auto* const partials =
      static_cast<float*>(workspace.takeScratch("r8", blocks * sizeof(float), workspace.stream()));
  tweed::launch(partialSums, {blocks, threads, 0, workspace.stream()}, in, n, partials);
  tweed::launch(partialSums, {1, threads, 0, workspace.stream()}, partials, 1ll * blocks, out);
}

constexpr ladder::SumRung rung{
    "r8 twoPass", "partial sums and a second kernel, the same bits every run", sum, true};

}  // namespace r8

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r8::rung}, argc, argv); }
#endif
