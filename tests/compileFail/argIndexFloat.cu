// SPDX-License-Identifier: Apache-2.0
// expect: tweed::Indexed: the index must be an integer
#include <tweed/block/blockArg.cuh>

__global__ void kernel(float* out) { *out = tweed::blockArgMin<64>(*out, 2.5f).value; }
