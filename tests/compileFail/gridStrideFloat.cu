// SPDX-License-Identifier: Apache-2.0
// expect: tweed::gridStride: count must be an integer of at most 64 bits
#include <tweed/grid/gridStride.cuh>

__global__ void kernel(float* out, float n) {
  for (auto const i : tweed::gridStride(n)) out[int(i)] = 1;
}
