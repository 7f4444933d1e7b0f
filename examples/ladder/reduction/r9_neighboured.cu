// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r9_neighboured.cu && ./a.out
//
// Back to r3, with the tree in global memory and neighbours as partners: at distance 1, then 2, 4
// and so on.
//
// Rungs r9 to r13 are the second classic climb: what order of work a tree should have. Here thread
// t works if t is a multiple of twice the distance. In the first level every other lane of each
// warp idles, in the fifth one lane of each works: all 8 warps run through all levels. The profiler
// shows 95 divergent loads a block and, in late levels, a sector for each 4 bytes. The tree is in a
// copy of the block's values, since a sum must not destroy its input; threads without a value come
// to every barrier, and a partner beyond the end is not read. Each block leaves its sum, and the
// same kernel adds those up, until one is left: an atomic a block, as in r3, would hide what a tree
// costs, since atomics at one address come one by one, and r3's are most of its time.

#include <ladder/runSum.cuh>
#include <tweed/core/math.cuh>

namespace r9 {

constexpr int threads = 256;

__global__ void neighboured(float const* in, long long n, float* work, float* sums) {
  int const t = int(threadIdx.x);
  long long const first = 1ll * blockIdx.x * threads;
  int const count = int(tweed::smaller(n - first, 1ll * threads));
  float* const values = work + first;
  if (t < count) values[t] = in[first + t];
  for (int distance = 1; distance < threads; distance *= 2) {
    __syncthreads();
    if (t % (2 * distance) == 0 && t + distance < count) values[t] += values[t + distance];
  }
  if (t == 0) sums[blockIdx.x] = values[0];
}

void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  ladder::addInLevels(
      "r9", threads, threads, in, n, out, workspace,
      [&](float const* from, long long count, long long blocks, float* work, float* sums) {
        tweed::launch(neighboured, {blocks, threads, 0, workspace.stream()}, from, count, work,
                      sums);
      });
}

constexpr ladder::SumRung rung{"r9 neighboured", "a tree of neighbours in global memory, divergent",
                               sum, true};

}  // namespace r9

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r9::rung}, argc, argv); }
#endif
