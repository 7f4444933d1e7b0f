// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples m4_vectorised.cu && ./a.out
//
// Since m3: a thread moves four neighbours at a time, 16 bytes in one instruction, and computes
// four neighbours of C.
//
// A quarter of the instructions that load and store, and of shared memory less than a sixth: five
// loads for 16 multiplications, where m3 has 32. Such an access needs an address that is a multiple
// of 16. Rows of 4 i items keep to that, others do not: those are moved item by item, and so would
// a row's last items be, if not whole fours of them were left. RowPieces asks all that, for whole
// rows at a time: to compare an offset in the matrix with the length of a row, as often printed,
// loads nothing but the first one. Both tiles stay as they lie in memory: eight threads read one
// word of A together, so that no padding is needed. The profiler shows fewer and wider requests,
// and shared memory still busier than the arithmetic.

#include <ladder/rowPieces.cuh>
#include <ladder/runProduct.cuh>

namespace m4 {

constexpr int edge = 32;
constexpr int across = edge / 4;  // threads

__global__ void __launch_bounds__(across* edge)
    vectorised(float const* a, float const* b, float* c, ladder::ProductShape shape) {
  using Four = tweed::Vector<float, 4>;
  __shared__ Four tileA[edge][across], tileB[edge][across];
  auto const [m, n, k] = shape;
  ladder::RowPieces<4, float const> const fromA(a, m, n), fromB(b, n, k);
  auto const place = ladder::tilePlace<edge>(shape);
  int const x = int(threadIdx.x), y = int(threadIdx.y);
  long long const row = place.row + y, column = place.column + 4 * x;
  Four sums{};
  for (long long first = 0; first < n; first += edge) {
    tileA[y][x] = fromA.load(row, first + 4 * x);
    tileB[y][x] = fromB.load(first + y, column);
    __syncthreads();
#pragma unroll
    for (int four = 0; four < across; ++four) {
      Four const fourOfA = tileA[y][four];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        Four const fourOfB = tileB[4 * four + i][x];
#pragma unroll
        for (int j = 0; j < 4; ++j) sums.item[j] += fourOfA.item[i] * fourOfB.item[j];
      }
    }
    __syncthreads();
  }
  ladder::RowPieces<4, float>(c, m, k).store(row, column, sums);
}

void product(float const* a, float const* b, float* c, ladder::ProductShape shape,
             tweed::Workspace& workspace) {
  tweed::launch(vectorised, {ladder::tilesOf<edge>(shape), {across, edge}, 0, workspace.stream()},
                a, b, c, shape);
}

constexpr ladder::ProductRung rung{"m4 vectorised", "16-byte loads and stores, four items a thread",
                                   product};

}  // namespace m4

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runProduct({m4::rung}, argc, argv); }
#endif
