// SPDX-License-Identifier: Apache-2.0
// expect: N * sizeof(T) must be a power of two
#include <tweed/memory/loadStore.cuh>

__global__ void kernel(float* out) { *out = tweed::loadVector<3>(out + 4).item[0]; }
