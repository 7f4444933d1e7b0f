// SPDX-License-Identifier: Apache-2.0
// expect: tweed::blockReduce: op must be callable as T = op(T, T)
#include <tweed/block/blockReduce.cuh>

struct TakesOne {
  TWEED_DEVICE float operator()(float x) const { return x; }
};
__global__ void kernel(float* out) { *out = tweed::blockReduce<256>(1.f, TakesOne{}); }
