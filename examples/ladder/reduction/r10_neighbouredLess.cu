// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r10_neighbouredLess.cu && ./a.out
//
// Since r9: the same partners, but the threads that work are the first ones, side by side.
//
// In the first level threads 0 to 127 work: four warps in full, and the other four skip the
// addition together. A warp diverges only once fewer than 32 threads work. The accesses are as
// scattered as before, since the values are. The profiler shows 11 divergent loads a block in place
// of 95, and the same 287 sectors. Where these are the limit, as on an H200, it is no faster than
// r9.

#include <ladder/runSum.cuh>
#include <tweed/core/math.cuh>

namespace r10 {

constexpr int threads = 256;

__global__ void neighbouredLess(float const* in, long long n, float* work, float* sums) {
  int const t = int(threadIdx.x);
  long long const first = 1ll * blockIdx.x * threads;
  int const count = int(tweed::smaller(n - first, 1ll * threads));
  float* const values = work + first;
  if (t < count) values[t] = in[first + t];
  for (int distance = 1; distance < threads; distance *= 2) {
    __syncthreads();
    int const at = 2 * distance * t;
    if (at + distance < count) values[at] += values[at + distance];
  }
  if (t == 0) sums[blockIdx.x] = values[0];
}

void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  ladder::addInLevels(
      "r10", threads, threads, in, n, out, workspace,
      [&](float const* from, long long count, long long blocks, float* work, float* sums) {
        tweed::launch(neighbouredLess, {blocks, threads, 0, workspace.stream()}, from, count, work,
                      sums);
      });
}

constexpr ladder::SumRung rung{"r10 neighbouredLess",
                               "the same partners, the working threads side by side", sum, true};

}  // namespace r10

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r10::rung}, argc, argv); }
#endif
