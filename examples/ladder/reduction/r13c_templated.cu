// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r13c_templated.cu && ./a.out
//
// Since r13b: the block size is a template argument, so the branches on it are decided by the
// compiler.
//
// What a block of 256 does not need is not in its code, and the offsets are constants. This is the
// reason for block sizes at compile time, and why tweed::blockReduce<256> has one. The host chooses
// among the sizes that it compiled. The profiler shows fewer instructions than r13b; where memory
// is the limit, as for large n, this is no gain in time.

#include <ladder/runSum.cuh>
#include <tweed/core/math.cuh>

namespace r13c {

constexpr int loads = 8;

// All lanes have read before one writes, and all have written before one reads.
__device__ void addFrom(float* values, int t, int distance) {
  float const other = values[t + distance];
  __syncwarp();
  values[t] += other;
  __syncwarp();
}

template <int Threads>
__global__ void templated(float const* in, long long n, float* work, float* sums) {
  static_assert(tweed::isPow2(Threads) && Threads >= 64 && Threads <= 1024,
                "the levels are those of a power of two from 64 to 1024");
  int const t = int(threadIdx.x);
  long long const first = 1ll * blockIdx.x * (loads * Threads) + t;
  float share = 0;
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    long long const i = first + k * Threads;
    share += i < n ? in[i] : 0.f;
  }
  float* const values = work + 1ll * blockIdx.x * Threads;
  values[t] = share;
  __syncthreads();
  if constexpr (Threads >= 1024) {
    if (t < 512) values[t] += values[t + 512];
    __syncthreads();
  }
  if constexpr (Threads >= 512) {
    if (t < 256) values[t] += values[t + 256];
    __syncthreads();
  }
  if constexpr (Threads >= 256) {
    if (t < 128) values[t] += values[t + 128];
    __syncthreads();
  }
  if constexpr (Threads >= 128) {
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
  ladder::addInLevels(
      "r13c", 1ll * loads * Threads, Threads, in, n, out, workspace,
      [&](float const* from, long long count, long long blocks, float* work, float* sums) {
        tweed::launch(templated<Threads>, {blocks, Threads, 0, workspace.stream()}, from, count,
                      work, sums);
      });
}

constexpr ladder::SumRung rung{"r13c templated", "the block size is a template argument", sum<256>,
                               true};

}  // namespace r13c

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r13c::rung}, argc, argv); }
#endif
