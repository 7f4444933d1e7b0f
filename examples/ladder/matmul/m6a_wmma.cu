// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples m6a_wmma.cu && ./a.out
//
// Since m5: A and B are half, and tensor cores multiply, by the interface that C++ has for them.
// For the GPU alone.
//
// A warp multiplies 16 x 16 by 16 x 16 items in one call, 8192 operations that would be 128
// instructions of m5; sums are floats. How a fragment lies in the registers of a warp is not said,
// so it goes through shared memory, also on its way out, where rows and columns beyond C are cut
// off. Padding of 16 bytes a row makes the eight rows that are read together lie in different
// banks. The profiler shows tensor cores at work, and waiting: nothing is loaded while they
// multiply, and nothing multiplied while the next tile comes.

#include <ladder/rowPieces.cuh>
#include <ladder/runProduct.cuh>
#include <tweed/memory/bankConflicts.cuh>
#include <tweed/memory/paddedTile.cuh>

#include <mma.h>

namespace m6a {

namespace wmma = nvcuda::wmma;

constexpr int edge = 128, depth = 32, threads = 256;
constexpr int fragmentsM = 2, fragmentsK = 4;  // of a warp: 32 x 64 items of C
using TileA = tweed::PaddedTile<__half, edge, depth, 8>;
using TileB = tweed::PaddedTile<__half, depth, edge, 8>;
static_assert(tweed::bankConflicts<TileA, tweed::ColumnAccess<8>>() == 0);
static_assert(tweed::bankConflicts<TileB, tweed::ColumnAccess<8>>() == 0);

__global__ void __launch_bounds__(threads)
    byWmma(__half const* a, __half const* b, float* c, ladder::ProductShape shape) {
  __shared__ alignas(32) TileA tileA;
  __shared__ alignas(32) TileB tileB;
  __shared__ alignas(32) float results[threads / 32][16][16];
  auto const [m, n, k] = shape;
  ladder::RowPieces<8, __half const> const fromA(a, m, n), fromB(b, n, k);
  auto const place = ladder::tilePlace<edge>(shape);
  int const t = int(threadIdx.x), warp = t / 32, lane = t % 32;
  int const row = warp / 2 * 32, column = warp % 2 * 64;

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[fragmentsM][fragmentsK];
  for (auto& rowOfSums : sums)
    for (auto& sum : rowOfSums) wmma::fill_fragment(sum, 0.f);
  for (long long first = 0; first < n; first += depth) {
    for (int p = t; p < edge * depth / 8; p += threads) {
      int const rowA = p / (depth / 8), columnA = p % (depth / 8) * 8;
      int const rowB = p / (edge / 8), columnB = p % (edge / 8) * 8;
      tweed::storeVector(&tileA(rowA, columnA), fromA.load(place.row + rowA, first + columnA));
      tweed::storeVector(&tileB(rowB, columnB), fromB.load(first + rowB, place.column + columnB));
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < depth; step += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x[fragmentsM];
#pragma unroll
      for (int i = 0; i < fragmentsM; ++i)
        wmma::load_matrix_sync(x[i], &tileA(row + i * 16, step), TileA::pitch);
#pragma unroll
      for (int j = 0; j < fragmentsK; ++j) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> y;
        wmma::load_matrix_sync(y, &tileB(step, column + j * 16), TileB::pitch);
#pragma unroll
        for (int i = 0; i < fragmentsM; ++i) wmma::mma_sync(sums[i][j], x[i], y, sums[i][j]);
      }
    }
    __syncthreads();
  }

  ladder::RowPieces<4, float> const toC(c, m, k);
#pragma unroll
  for (int i = 0; i < fragmentsM; ++i)
#pragma unroll
    for (int j = 0; j < fragmentsK; ++j) {
      wmma::store_matrix_sync(&results[warp][0][0], sums[i][j], 16, wmma::mem_row_major);
      __syncwarp();
      for (int p = lane; p < 64; p += 32)
        toC.store(place.row + row + i * 16 + p / 4, place.column + column + j * 16 + p % 4 * 4,
                  tweed::loadVector<4>(&results[warp][p / 4][p % 4 * 4]));
      __syncwarp();
    }
}

void product(__half const* a, __half const* b, float* c, ladder::ProductShape shape,
             tweed::Workspace& workspace) {
  tweed::launch(byWmma, {ladder::tilesOf<edge>(shape), threads, 0, workspace.stream()}, a, b, c,
                shape);
}

constexpr ladder::ProductRung rung{"m6a wmma", "tensor cores, by nvcuda::wmma", nullptr, product};

}  // namespace m6a

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runProduct({m6a::rung}, argc, argv); }
#endif
