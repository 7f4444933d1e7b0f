// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples m5_registerTile.cu && ./a.out
//
// Since m4: a thread computes 8 x 8 items of C, a block 128 x 128, and the next items of A and B
// are under way while these are multiplied.
//
// Eight items of A and eight of B are four loads of 16 bytes and make 64 multiplications, for which
// m4 loads 20 times. An item that came from global memory is used 128 times. What this costs is
// registers: 64 for the sums alone. __launch_bounds__ says how many blocks must fit on a
// multiprocessor, and the compiler keeps to the registers that this leaves a thread. For two it is
// 128, just enough: a quarter of the warps that there could be, each with much to do that does not
// wait for the rest of it. For three it is 80, and sums are spilled to memory: more warps, each
// with more to do. For one it takes more than 128, and a second block does not fit. The program
// prints what does; the profiler shows the multipliers busier than all else for the first time.
//
// A's tile is kept by columns, so that a thread reads eight rows of one k in two loads; its rows
// are padded by four, which keeps them at multiples of 16 bytes and the stores free of conflicts.
// With two buffers one barrier a step is enough: who writes one knows that nobody reads it, since
// all have passed the barrier behind which the other one was begun.

#include <ladder/rowPieces.cuh>
#include <ladder/runProduct.cuh>
#include <tweed/launch/occupancy.cuh>
#include <tweed/memory/bankConflicts.cuh>
#include <tweed/memory/paddedTile.cuh>

namespace m5 {

constexpr int edge = 128;
constexpr int depth = 8;
constexpr int threads = 256;
using TileA = tweed::PaddedTile<float, depth, edge, 4>;  // by columns
using TileB = tweed::PaddedTile<float, depth, edge>;

struct StoreA {  // pairs of threads load a row's eight items, and each stores its first one
  static constexpr int items = 1;
  static TWEED_HOST_DEVICE constexpr int row(int lane) { return lane % 2 * 4; }
  static TWEED_HOST_DEVICE constexpr int column(int lane) { return lane / 2; }
};
static_assert(tweed::bankConflicts<TileA, StoreA>() == 0);

template <int MinBlocks>
__global__ void __launch_bounds__(threads, MinBlocks)
    registerTile(float const* a, float const* b, float* c, ladder::ProductShape shape) {
  __shared__ TileA tileA[2];
  __shared__ TileB tileB[2];
  auto const [m, n, k] = shape;
  ladder::RowPieces<4, float const> const fromA(a, m, n), fromB(b, n, k);
  auto const place = ladder::tilePlace<edge>(shape);
  int const t = int(threadIdx.x), warp = t / 32, lane = t % 32;
  int const rowA = t / 2, columnA = t % 2 * 4;  // of what this thread loads
  int const rowB = t / 32, columnB = t % 32 * 4;
  // A warp has 64 x 32 items of C, a thread fours 32 rows and 16 columns apart. Of eight threads
  // that read together two have the same rows and four the same columns.
  int const row = warp / 4 * 64 + (lane / 8 * 2 + lane % 2) * 4;
  int const column = warp % 4 * 32 + lane / 2 % 4 * 4;

  float sums[8][8] = {};
  auto nextA = fromA.load(place.row + rowA, columnA);
  auto nextB = fromB.load(rowB, place.column + columnB);
  for (long long first = 0; first < n; first += depth) {
    int const stage = int(first / depth % 2);
#pragma unroll
    for (int j = 0; j < 4; ++j) tileA[stage](columnA + j, rowA) = nextA.item[j];
    tweed::storeVector(&tileB[stage](rowB, columnB), nextB);
    __syncthreads();
    nextA = fromA.load(place.row + rowA, first + depth + columnA);
    nextB = fromB.load(first + depth + rowB, place.column + columnB);
#pragma unroll
    for (int i = 0; i < depth; ++i) {
      tweed::Vector<float, 4> x[2], y[2];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        x[half] = tweed::loadVector<4>(&tileA[stage](i, row + half * 32));
        y[half] = tweed::loadVector<4>(&tileB[stage](i, column + half * 16));
      }
#pragma unroll
      for (int r = 0; r < 8; ++r)
#pragma unroll
        for (int s = 0; s < 8; ++s) sums[r][s] += x[r / 4].item[r % 4] * y[s / 4].item[s % 4];
    }
  }

  ladder::RowPieces<4, float> const toC(c, m, k);
#pragma unroll
  for (int r = 0; r < 8; ++r)
#pragma unroll
    for (int s = 0; s < 8; s += 4)
      toC.store(place.row + row + r / 4 * 32 + r % 4, place.column + column + s / 4 * 16,
                {sums[r][s], sums[r][s + 1], sums[r][s + 2], sums[r][s + 3]});
}

template <int MinBlocks>
void product(float const* a, float const* b, float* c, ladder::ProductShape shape,
             tweed::Workspace& workspace) {
  tweed::launch(registerTile<MinBlocks>,
                {ladder::tilesOf<edge>(shape), threads, 0, workspace.stream()}, a, b, c, shape);
}

constexpr ladder::ProductRung rungs[] = {
    {"m5 bounds 1", "8 x 8 items a thread, in any number of registers", product<1>},
    {"m5 registerTile", "the same, so that two blocks fit", product<2>},
    {"m5 bounds 3", "the same, so that three blocks fit", product<3>}};

template <int MinBlocks>
void printOccupancy() {
  tweed::Occupancy const found = tweed::occupancy(registerTile<MinBlocks>, threads);
  std::printf("__launch_bounds__(%d, %d): %d blocks fit, %.0f%% of the warps; one more lacks %s\n",
              threads, MinBlocks, found.blocks, 100 * found.fraction,
              tweed::resourceName(found.limit));
}

}  // namespace m5

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) {
  int const code = ladder::runProduct({std::begin(m5::rungs), std::end(m5::rungs)}, argc, argv);
  if (code != 0 || argc == 2 || tweed::deviceInfo().isLoom) return code;  // it has no registers
  m5::printOccupancy<1>();
  m5::printOccupancy<2>();
  m5::printOccupancy<3>();
  return 0;
}
#endif
