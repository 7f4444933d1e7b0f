// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r13a_unrolledWarp.cu && ./a.out
//
// Since r12 with 8: the last warp's levels are written out, with barriers of the warp in place of
// those of the block.
//
// From 64 values on one warp does all that is left, and the other seven need not wait for it: five
// of eight barriers go. Older texts declare the memory volatile and rely on lanes that run in step;
// since Volta they need not, and the right form is __syncwarp between reads and writes. Lanes above
// the distance add what nobody needs, within the 64 values. The profiler shows fewer stalls at
// barriers, but hardly another time: eight loads a thread hide the tree already. r6 does the same
// by shuffles, without memory.

#include <ladder/runSum.cuh>
#include <tweed/core/math.cuh>

namespace r13a {

constexpr int threads = 256;
constexpr int loads = 8;
static_assert(tweed::isPow2(threads) && threads >= 64, "the last warp has 64 values");

// All lanes have read before one writes, and all have written before one reads.
__device__ void addFrom(float* values, int t, int distance) {
  float const other = values[t + distance];
  __syncwarp();
  values[t] += other;
  __syncwarp();
}

__global__ void unrolledWarp(float const* in, long long n, float* work, float* sums) {
  int const t = int(threadIdx.x);
  long long const first = 1ll * blockIdx.x * (loads * threads) + t;
  float share = 0;
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    long long const i = first + k * threads;
    share += i < n ? in[i] : 0.f;
  }
  float* const values = work + 1ll * blockIdx.x * threads;
  values[t] = share;
  for (int half = threads / 2; half > 32; half /= 2) {
    __syncthreads();
    if (t < half) values[t] += values[t + half];
  }
  __syncthreads();
  if (t < 32) {
    addFrom(values, t, 32);
    addFrom(values, t, 16);
    addFrom(values, t, 8);
    addFrom(values, t, 4);
    addFrom(values, t, 2);
    addFrom(values, t, 1);
    if (t == 0) sums[blockIdx.x] = values[0];
  }
}

void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  ladder::addInLevels(
      "r13a", 1ll * loads * threads, threads, in, n, out, workspace,
      [&](float const* from, long long count, long long blocks, float* work, float* sums) {
        tweed::launch(unrolledWarp, {blocks, threads, 0, workspace.stream()}, from, count, work,
                      sums);
      });
}

constexpr ladder::SumRung rung{"r13a unrolledWarp",
                               "the last warp written out, with its own barriers", sum, true};

}  // namespace r13a

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r13a::rung}, argc, argv); }
#endif
