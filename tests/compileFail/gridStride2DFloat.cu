// SPDX-License-Identifier: Apache-2.0
// expect: tweed::gridStride2D: rows and cols must be integers of at most 64 bits
#include <tweed/grid/gridStride2D.cuh>

__global__ void kernel(float* out, float n) {
  for (auto const [row, col] : tweed::gridStride2D(3, n)) out[row] = col;
}
