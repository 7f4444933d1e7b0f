// SPDX-License-Identifier: Apache-2.0
// expect: tweed: a count must be an integer
#include <tweed/warp/warpReduce.cuh>

__global__ void kernel(float* out, float n) { *out = tweed::warpReduce(1.f, tweed::Sum{}, n); }
