// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r11_interleaved.cu && ./a.out
//
// Since r10: the partner is half a block away, then a quarter and so on, so that neighbours read
// neighbours.
//
// The working threads are the first ones, as in r10, and now so are the values: each warp reads and
// writes whole lines, and in each level half of what it did in the level before. The profiler shows
// the fewest sectors possible, 101 a block in place of 287. It is also the order of r3, in whose
// shared memory it keeps the lanes of a warp in different banks.

#include <ladder/runSum.cuh>
#include <tweed/core/math.cuh>

namespace r11 {

constexpr int threads = 256;
static_assert(tweed::isPow2(threads), "the tree halves the block");

__global__ void interleaved(float const* in, long long n, float* work, float* sums) {
  int const t = int(threadIdx.x);
  long long const first = 1ll * blockIdx.x * threads;
  int const count = int(tweed::smaller(n - first, 1ll * threads));
  float* const values = work + first;
  if (t < count) values[t] = in[first + t];
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half && t + half < count) values[t] += values[t + half];
  }
  if (t == 0) sums[blockIdx.x] = values[0];
}

void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  ladder::addInLevels(
      "r11", threads, threads, in, n, out, workspace,
      [&](float const* from, long long count, long long blocks, float* work, float* sums) {
        tweed::launch(interleaved, {blocks, threads, 0, workspace.stream()}, from, count, work,
                      sums);
      });
}

constexpr ladder::SumRung rung{"r11 interleaved", "partners half a block apart, coalesced", sum,
                               true};

}  // namespace r11

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r11::rung}, argc, argv); }
#endif
