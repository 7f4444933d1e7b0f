// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r6_warpTail.cu && ./a.out
//
// Since r5: the tree stops at one warp, which adds up the rest by shuffles.
//
// The last five levels have at most 32 threads at work, yet all 256 wait for their barriers. A
// shuffle reads another lane's register: no shared memory, no barrier. Three barriers of eight are
// left. The warp is whole, so the full mask names lanes that all come. The profiler shows fewer
// barrier stalls; as r5 comes to its tree once a resident block, little is at stake.

#include <ladder/runSum.cuh>
#include <tweed/core/math.cuh>
#include <tweed/grid/gridStride.cuh>
#include <tweed/launch/occupancy.cuh>

namespace r6 {

constexpr int threads = 256;
static_assert(tweed::isPow2(threads) && threads >= 64, "the tree halves the block down to a warp");

__global__ void warpTail(float const* in, long long n, float* out) {
  __shared__ float values[threads];
  int const t = int(threadIdx.x);
  float share = 0;
  for (auto const i : tweed::gridStride(n)) share += in[i];
  values[t] = share;
  for (int half = threads / 2; half >= 32; half /= 2) {
    __syncthreads();
    if (t < half) values[t] += values[t + half];
  }
  if (t < 32) {
    float total = values[t];  // its own, from the last level: no barrier is due
    for (int d = 16; d > 0; d /= 2) total += __shfl_down_sync(0xffffffffu, total, unsigned(d));
    if (t == 0) atomicAdd(out, total);
  }
}

void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  TWEED_CHECK(cudaMemsetAsync(out, 0, sizeof(float), workspace.stream()));
  tweed::launch(warpTail, {tweed::gridFor(n, warpTail, threads), threads, 0, workspace.stream()},
                in, n, out);
}

constexpr ladder::SumRung rung{"r6 warpTail", "the tree down to a warp, then shuffles", sum, false};

}  // namespace r6

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r6::rung}, argc, argv); }
#endif
