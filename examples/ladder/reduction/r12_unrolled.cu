// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r12_unrolled.cu && ./a.out
//
// Since r11: a block takes 2, 4 or 8 data blocks, each thread adding one value of each before the
// tree.
//
// r4 again, and further: the loads of a thread do not wait for each other, so 8 of them are under
// way at a time, and a tree is done for 2048 values in place of 256. Each load has a guard of its
// own. A single guard for all of them, as often printed, skips the last data blocks of an array
// that is no multiple of 2048. The profiler shows fewer blocks, more bytes in flight and memory
// busier with each doubling.

#include <ladder/runSum.cuh>
#include <tweed/core/math.cuh>

namespace r12 {

constexpr int threads = 256;
static_assert(tweed::isPow2(threads), "the tree halves the block");

template <int Loads>
__global__ void unrolled(float const* in, long long n, float* work, float* sums) {
  int const t = int(threadIdx.x);
  long long const first = 1ll * blockIdx.x * (Loads * threads) + t;
  float share = 0;
#pragma unroll
  for (int k = 0; k < Loads; ++k) {
    long long const i = first + k * threads;
    share += i < n ? in[i] : 0.f;
  }
  float* const values = work + 1ll * blockIdx.x * threads;
  values[t] = share;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) values[t] += values[t + half];
  }
  if (t == 0) sums[blockIdx.x] = values[0];
}

template <int Loads>
void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  ladder::addInLevels(
      "r12", 1ll * Loads * threads, threads, in, n, out, workspace,
      [&](float const* from, long long count, long long blocks, float* work, float* sums) {
        tweed::launch(unrolled<Loads>, {blocks, threads, 0, workspace.stream()}, from, count, work,
                      sums);
      });
}

constexpr ladder::SumRung rungs[] = {
    {"r12 unrolled 2", "a block takes two data blocks", sum<2>, true},
    {"r12 unrolled 4", "a block takes four data blocks", sum<4>, true},
    {"r12 unrolled 8", "a block takes eight data blocks", sum<8>, true}};

}  // namespace r12

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) {
  return ladder::runSum({std::begin(r12::rungs), std::end(r12::rungs)}, argc, argv);
}
#endif
