// SPDX-License-Identifier: Apache-2.0
// expect: tweed::blockInclusiveScan: BlockThreads must be 1 to 1024
#include <tweed/block/blockScan.cuh>

__global__ void kernel(float* out) {
  *out = tweed::blockInclusiveScan<1025>(1.f, tweed::Sum{}).total;
}
