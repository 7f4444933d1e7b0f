// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples m6b_asyncMma.cu && ./a.out
//
// Since m6a: the next tiles are copied while these are multiplied, and the tensor core's own
// instruction, mma.sync, takes them. From compute capability 8.0 on.
//
// cp.async goes from global to shared memory by itself, through no register: a thread starts its
// copies to one buffer, multiplies from the other, and waits for the copies only then. One barrier
// a step does for both: all copies are there, and nobody reads the buffer that is filled next. Of
// mma.sync it is said which lane holds what, so ldmatrix loads fragments as they are needed, B's
// turned over on the way, and the sums are stored from where they are. The tiles are not padded but
// swizzled, which takes no memory. The profiler shows tensor cores that wait less.

#include <ladder/rowPieces.cuh>
#include <ladder/runProduct.cuh>
#include <tweed/arch/ldmatrix.cuh>
#include <tweed/arch/mma.cuh>
#include <tweed/memory/dynamicShared.cuh>
#include <tweed/memory/swizzle.cuh>

namespace m6b {

constexpr int edge = 128, depth = 64, threads = 256;
constexpr int blocksM = 4, blocksK = 4;  // of 16 x 8 items of C; a warp has 64 x 32

struct Stage {
  tweed::SwizzledTile<__half, edge, depth> a;
  tweed::SwizzledTile<__half, depth, edge> b;
};

__global__ void __launch_bounds__(threads, 2)
    asyncMma(__half const* a, __half const* b, float* c, ladder::ProductShape shape) {
  Stage* const stages = tweed::dynamicShared<Stage>(2);
  auto const [m, n, k] = shape;
  ladder::RowPieces<8, __half const> const fromA(a, m, n), fromB(b, n, k);
  auto const place = ladder::tilePlace<edge>(shape);
  int const t = int(threadIdx.x), warp = t / 32, lane = t % 32;
  int const row = warp / 4 * 64, column = warp % 4 * 32;

  auto const fill = [&](Stage& stage, long long first) {
    for (int p = t; p < edge * depth / 8; p += threads) {
      int const rowA = p / (depth / 8), columnA = p % (depth / 8) * 8;
      int const rowB = p / (edge / 8), columnB = p % (edge / 8) * 8;
      fromA.copyAsync(&stage.a(rowA, columnA), place.row + rowA, first + columnA);
      fromB.copyAsync(&stage.b(rowB, columnB), first + rowB, place.column + columnB);
    }
  };

  float sums[blocksM][blocksK][4] = {};
  if (n > 0) fill(stages[0], 0);
  for (long long first = 0; first < n; first += depth) {
    int const now = int(first / depth % 2);
    tweed::arch::waitForAllCopies();
    __syncthreads();
    if (first + depth < n) fill(stages[1 - now], first + depth);
#pragma unroll
    for (int step = 0; step < depth; step += 16) {
      unsigned x[blocksM][4], y[blocksK / 2][4];
#pragma unroll
      for (int i = 0; i < blocksM; ++i)
        tweed::arch::ldmatrix(x[i], &stages[now].a(row + i * 16 + lane % 16, step + lane / 16 * 8));
#pragma unroll
      for (int j = 0; j < blocksK / 2; ++j)
        tweed::arch::ldmatrix<4, true>(
            y[j], &stages[now].b(step + lane % 16, column + j * 16 + lane / 16 * 8));
#pragma unroll
      for (int i = 0; i < blocksM; ++i)
#pragma unroll
        for (int j = 0; j < blocksK; ++j) {
          unsigned const pair[2] = {y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]};
          tweed::arch::mma<tweed::arch::MmaInput::Half>(sums[i][j], x[i], pair);
        }
    }
  }

  ladder::RowPieces<2, float> const toC(c, m, k);
#pragma unroll
  for (int i = 0; i < blocksM; ++i)
#pragma unroll
    for (int j = 0; j < blocksK; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        toC.store(place.row + row + i * 16 + half * 8 + lane / 4,
                  place.column + column + j * 8 + lane % 4 * 2,
                  {sums[i][j][2 * half], sums[i][j][2 * half + 1]});
}

void product(__half const* a, __half const* b, float* c, ladder::ProductShape shape,
             tweed::Workspace& workspace) {
  tweed::launch(asyncMma,
                {ladder::tilesOf<edge>(shape), threads, 2 * sizeof(Stage), workspace.stream()}, a,
                b, c, shape);
}

constexpr ladder::ProductRung rung{"m6b asyncMma", "cp.async in two buffers, and mma.sync", nullptr,
                                   product};

}  // namespace m6b

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runProduct({m6b::rung}, argc, argv); }
#endif
