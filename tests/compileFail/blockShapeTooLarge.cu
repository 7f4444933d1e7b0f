// SPDX-License-Identifier: Apache-2.0
// expect: tweed::Block: a block has 1 to 1024 threads
#include <tweed/block/blockReduce.cuh>

__global__ void kernel(float* out) { *out = tweed::blockReduce<tweed::Block<33, 32>>(1.f); }
