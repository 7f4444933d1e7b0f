// SPDX-License-Identifier: Apache-2.0
// expect: tweed::blockReduce: BlockThreads must be 1 to 1024
#include <tweed/block/blockReduce.cuh>

__global__ void kernel(float* out) { *out = tweed::blockReduce<0>(1.f); }
