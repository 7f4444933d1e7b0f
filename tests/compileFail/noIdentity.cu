// SPDX-License-Identifier: Apache-2.0
// expect: tweed::identityOf: this operator names no identity
#include <tweed/core/ops.cuh>

struct First {
  TWEED_HOST_DEVICE int operator()(int a, int) const { return a; }
};
__global__ void kernel(int* out) { *out = tweed::identityOf<First, int>(); }
