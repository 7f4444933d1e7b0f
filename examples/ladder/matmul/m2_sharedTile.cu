// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples m2_sharedTile.cu && ./a.out
//
// Since m1: a block loads 16 x 16 items of A and of B into shared memory, multiplies them there,
// and goes on to the next 16 of the sum.
//
// An item that came from global memory is now used by 16 threads: a sixteenth of the loads. Two
// barriers a tile: before it is read, and before it is written anew. A thread beyond the edge of C
// must not leave early. It loads what the others need, zeros beyond the edges of A and B, and comes
// to every barrier; only the store at the end is not its own. The profiler shows global memory at
// rest, and shared memory busy: still an item of A and one of B for each multiplication, though
// the compiler reads four neighbours of A at once.

#include <ladder/runProduct.cuh>

namespace m2 {

constexpr int edge = 16;

__global__ void sharedTile(float const* a, float const* b, float* c, ladder::ProductShape shape) {
  __shared__ float tileA[edge][edge], tileB[edge][edge];
  auto const [m, n, k] = shape;
  auto const place = ladder::tilePlace<edge>(shape);
  int const x = int(threadIdx.x), y = int(threadIdx.y);
  long long const row = place.row + y, column = place.column + x;
  float sum = 0;
  for (long long first = 0; first < n; first += edge) {
    tileA[y][x] = row < m && first + x < n ? a[row * n + first + x] : 0.f;
    tileB[y][x] = first + y < n && column < k ? b[(first + y) * k + column] : 0.f;
    __syncthreads();
    for (int i = 0; i < edge; ++i) sum += tileA[y][i] * tileB[i][x];
    __syncthreads();
  }
  if (row < m && column < k) c[row * k + column] = sum;
}

void product(float const* a, float const* b, float* c, ladder::ProductShape shape,
             tweed::Workspace& workspace) {
  tweed::launch(sharedTile, {ladder::tilesOf<edge>(shape), {edge, edge}, 0, workspace.stream()}, a,
                b, c, shape);
}

constexpr ladder::ProductRung rung{"m2 sharedTile", "16 x 16 tiles in shared memory", product};

}  // namespace m2

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runProduct({m2::rung}, argc, argv); }
#endif
