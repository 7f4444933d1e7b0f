// SPDX-License-Identifier: Apache-2.0
// expect: tweed::blockArgMax: count must be an integer
#include <tweed/block/blockArg.cuh>

__global__ void kernel(float* out) { *out = tweed::blockArgMax<64>(*out, 2, 2.5f).value; }
