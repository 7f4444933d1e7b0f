// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples m1_naive.cu && ./a.out
//
// One thread for each item of C, global memory alone: the baseline.
//
// A thread reads a row of A and a column of B, two loads for each multiplication, and its
// neighbours read the same rows and columns again. A warp's 32 threads stand in two rows of 16: of
// A they read two items, of B 16 neighbours in a row, so the sectors are used, but each comes n
// times as often as it would have to. The profiler shows the caches busy, not the arithmetic.

#include <ladder/runProduct.cuh>

namespace m1 {

constexpr int edge = 16;

__global__ void naive(float const* a, float const* b, float* c, ladder::ProductShape shape) {
  auto const [m, n, k] = shape;
  auto const place = ladder::tilePlace<edge>(shape);
  long long const row = place.row + threadIdx.y;
  long long const column = place.column + threadIdx.x;
  if (row >= m || column >= k) return;
  float sum = 0;
  for (long long i = 0; i < n; ++i) sum += a[row * n + i] * b[i * k + column];
  c[row * k + column] = sum;
}

void product(float const* a, float const* b, float* c, ladder::ProductShape shape,
             tweed::Workspace& workspace) {
  tweed::launch(naive, {ladder::tilesOf<edge>(shape), {edge, edge}, 0, workspace.stream()}, a, b, c,
                shape);
}

constexpr ladder::ProductRung rung{"m1 naive", "a thread for each item, global memory alone",
                                   product};

}  // namespace m1

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runProduct({m1::rung}, argc, argv); }
#endif
