// SPDX-License-Identifier: Apache-2.0
// expect: tweed::Limits: the limits of this type are not known
#include <cuda_fp16.h>
#include <tweed/block/blockReduce.cuh>

// Limits of half are in core/half.cuh.
__global__ void kernel(__half* out) { *out = tweed::blockReduce<64>(*out, tweed::Min{}); }
