// SPDX-License-Identifier: Apache-2.0
// expect: tweed::warpInclusiveScan: Width must be 1, 2, 4, 8, 16 or 32
#include <tweed/warp/warpScan.cuh>

__global__ void kernel(float* out) { *out = tweed::warpInclusiveScan<3>(1.f, tweed::Sum{}).prefix; }
