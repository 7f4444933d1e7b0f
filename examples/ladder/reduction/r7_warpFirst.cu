// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r7_warpFirst.cu && ./a.out
//
// Since r6: each warp adds up its registers first, and leaves one value in shared memory; the first
// warp adds those.
//
// 256 words of shared memory become 8, three barriers become one, and 5 shuffles 45. The warps are
// counted exactly because the block is a multiple of 32; a block of 48 would have two warps, not
// one. The profiler shows shared memory nearly unused, and the same time: r6 was not waiting for
// it. This is the shape of tweed::blockReduce with a BlockScratch, which also does any block size,
// type and operator.

#include <ladder/runSum.cuh>
#include <tweed/grid/gridStride.cuh>
#include <tweed/launch/occupancy.cuh>
#include <tweed/warp/warpReduce.cuh>

namespace r7 {

constexpr int threads = 256;
constexpr int warps = threads / 32;
static_assert(threads % 32 == 0, "warps are whole");

__global__ void warpFirst(float const* in, long long n, float* out) {
  __shared__ float warpSums[warps];
  int const t = int(threadIdx.x);
  float share = 0;
  for (auto const i : tweed::gridStride(n)) share += in[i];
  float const mine = tweed::warpReduce(share);
  if (t % 32 == 0) warpSums[t / 32] = mine;
  __syncthreads();
  if (t < 32) {
    float const total = tweed::warpReduce(t < warps ? warpSums[t] : 0.f);
    if (t == 0) atomicAdd(out, total);
  }
}

void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  TWEED_CHECK(cudaMemsetAsync(out, 0, sizeof(float), workspace.stream()));
  tweed::launch(warpFirst, {tweed::gridFor(n, warpFirst, threads), threads, 0, workspace.stream()},
                in, n, out);
}

constexpr ladder::SumRung rung{"r7 warpFirst",
                               "each warp in registers, one word a warp, one barrier", sum, false};

}  // namespace r7

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r7::rung}, argc, argv); }
#endif
