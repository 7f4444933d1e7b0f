// SPDX-License-Identifier: Apache-2.0
// expect: tweed::Dynamic: a block has 1 to 1024 threads
#include <tweed/block/blockReduce.cuh>

__global__ void kernel(float* out) { *out = tweed::blockReduce<tweed::Dynamic<1025>>(1.f); }
