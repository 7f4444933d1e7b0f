// SPDX-License-Identifier: Apache-2.0
// expect: tweed::warpReduce: Width must be 1, 2, 4, 8, 16 or 32
#include <tweed/warp/warpReduce.cuh>

__global__ void kernel(float* out) { *out = tweed::warpReduce<7>(1.f, tweed::Sum{}); }
