// SPDX-License-Identifier: Apache-2.0
// expect: tweed::deviceReduce: op must be callable as Acc = op(Acc, Acc)
#include <tweed/device/deviceReduce.cuh>

struct TakesOne {
  TWEED_HOST_DEVICE float operator()(float x) const { return x; }
};
void start(float const* in, float* out) { tweed::deviceReduce(in, 256, out, TakesOne{}); }
