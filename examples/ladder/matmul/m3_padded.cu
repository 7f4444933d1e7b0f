// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples m3_padded.cu && ./a.out
//
// Since m2: tiles of 32 x 32 halve the loads again, and A's tile is kept by columns, as m5 needs
// it. Its rows are one item longer than they have to be.
//
// Shared memory has 32 banks, each a word of 4 bytes a turn. To store a row of A as a column, the
// 32 threads of a warp write 32 words that are a row's length apart: with 32 words all are in one
// bank, and the store takes 32 turns (`m3 unpadded`, the same but for that); with 33 each is in a
// bank of its own. The profiler shows the stores' bank conflicts, a third of all turns, and that
// they go. Against m2 something is lost, too: of a row the compiler reads four items in one load,
// of a column it cannot, and makes 64 loads a step where 40 would do. That may cost more than half
// the global loads save; m5, which reads four rows at once, gets it back.
//
// And where padding does nothing: m2's tile of 16 x 16. The two rows that a warp writes are 16
// banks apart, and when it reads, threads ask for the same word or for neighbours: no conflict to
// cure. Rows of 24 words make one, since the second row then begins in bank 24 and ends in bank 7,
// where the first one is: `m3 m2 padded` is m2 with such rows.

#include <ladder/runProduct.cuh>
#include <tweed/memory/bankConflicts.cuh>
#include <tweed/memory/paddedTile.cuh>

namespace m3 {

template <int Edge, int Pad>
using Tile = tweed::PaddedTile<float, Edge, Edge, Pad>;

static_assert(tweed::bankConflicts<Tile<32, 0>, tweed::ColumnAccess<>>() == 31);
static_assert(tweed::bankConflicts<Tile<32, 1>, tweed::ColumnAccess<>>() == 0);
// m2 stores two rows, reads one item of two rows, and reads one row twice.
static_assert(tweed::bankConflicts<Tile<16, 0>, tweed::BlockAccess<16>>() == 0);
static_assert(tweed::bankConflicts<Tile<16, 0>, tweed::GridAccess<16, 1, 0>>() == 0);
static_assert(tweed::bankConflicts<Tile<16, 0>, tweed::GridAccess<16, 0, 1>>() == 0);
static_assert(tweed::bankConflicts<Tile<16, 8>, tweed::BlockAccess<16>>() == 1);

template <int Edge, int Pad, bool IsByColumns>
__global__ void __launch_bounds__(Edge* Edge)
    padded(float const* a, float const* b, float* c, ladder::ProductShape shape) {
  __shared__ Tile<Edge, Pad> tileA, tileB;
  auto const [m, n, k] = shape;
  auto const place = ladder::tilePlace<Edge>(shape);
  int const x = int(threadIdx.x), y = int(threadIdx.y);
  long long const row = place.row + y, column = place.column + x;
  float sum = 0;
  for (long long first = 0; first < n; first += Edge) {
    tileA(IsByColumns ? x : y, IsByColumns ? y : x) =
        row < m && first + x < n ? a[row * n + first + x] : 0.f;
    tileB(y, x) = first + y < n && column < k ? b[(first + y) * k + column] : 0.f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Edge; ++i)
      sum += tileA(IsByColumns ? i : y, IsByColumns ? y : i) * tileB(i, x);
    __syncthreads();
  }
  if (row < m && column < k) c[row * k + column] = sum;
}

template <int Edge, int Pad, bool IsByColumns>
void product(float const* a, float const* b, float* c, ladder::ProductShape shape,
             tweed::Workspace& workspace) {
  tweed::launch(padded<Edge, Pad, IsByColumns>,
                {ladder::tilesOf<Edge>(shape), {Edge, Edge}, 0, workspace.stream()}, a, b, c,
                shape);
}

constexpr ladder::ProductRung rungs[] = {
    {"m3 unpadded", "32 x 32 tiles, A's by columns in rows of 32 words", product<32, 0, true>},
    {"m3 padded", "the same in rows of 33 words", product<32, 1, true>},
    {"m3 m2 padded", "m2 in rows of 24 words", product<16, 8, false>}};

}  // namespace m3

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) {
  return ladder::runProduct({std::begin(m3::rungs), std::end(m3::rungs)}, argc, argv);
}
#endif
