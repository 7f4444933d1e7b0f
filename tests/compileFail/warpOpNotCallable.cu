// SPDX-License-Identifier: Apache-2.0
// expect: tweed::warpReduce: op must be callable as T = op(T, T)
#include <tweed/warp/warpReduce.cuh>

struct TakesOne {
  TWEED_DEVICE float operator()(float x) const { return x; }
};
__global__ void kernel(float* out) { *out = tweed::warpReduce(1.f, TakesOne{}); }
