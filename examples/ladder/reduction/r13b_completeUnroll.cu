// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r13b_completeUnroll.cu && ./a.out
//
// Since r13a: all levels are written out, for any power of two from 64 to 1024 threads, told apart
// at run time.
//
// The loop's counter, comparison and jump go, but each level must now ask whether the block is
// large enough for it, so a block of 256 asks twice in vain. blockDim is the same in all threads,
// so the barriers inside the branches are reached by all or none. The profiler shows fewer
// instructions a block, the memory traffic of r13a, and its time: memory is what all wait for.

#include <ladder/runSum.cuh>
#include <tweed/core/math.cuh>

namespace r13b {

constexpr int loads = 8;

// All lanes have read before one writes, and all have written before one reads.
__device__ void addFrom(float* values, int t, int distance) {
  float const other = values[t + distance];
  __syncwarp();
  values[t] += other;
  __syncwarp();
}

__global__ void completeUnroll(float const* in, long long n, float* work, float* sums) {
  int const threads = int(blockDim.x);
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
  __syncthreads();
  if (threads >= 1024) {
    if (t < 512) values[t] += values[t + 512];
    __syncthreads();
  }
  if (threads >= 512) {
    if (t < 256) values[t] += values[t + 256];
    __syncthreads();
  }
  if (threads >= 256) {
    if (t < 128) values[t] += values[t + 128];
    __syncthreads();
  }
  if (threads >= 128) {
    if (t < 64) values[t] += values[t + 64];
    __syncthreads();
  }
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

template <int Threads>
void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  static_assert(tweed::isPow2(Threads) && Threads >= 64 && Threads <= 1024,
                "the levels are those of a power of two from 64 to 1024");
  ladder::addInLevels(
      "r13b", 1ll * loads * Threads, Threads, in, n, out, workspace,
      [&](float const* from, long long count, long long blocks, float* work, float* sums) {
        tweed::launch(completeUnroll, {blocks, Threads, 0, workspace.stream()}, from, count, work,
                      sums);
      });
}

constexpr ladder::SumRung rung{"r13b completeUnroll", "all levels written out, chosen at run time",
                               sum<256>, true};

}  // namespace r13b

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r13b::rung}, argc, argv); }
#endif
