// SPDX-License-Identifier: Apache-2.0
// expect: tweed::gridStrideVectors: N must be a power of two from 1 to 64
#include <tweed/grid/gridStrideVectors.cuh>

__global__ void kernel(float* out, float const* in, int n) {
  tweed::gridStrideVectors<3>(out, in, n, [](float x) { return x; });
}
