// SPDX-License-Identifier: Apache-2.0
// expect: tweed::arch::copyAsync: one instruction copies 4, 8 or 16 bytes
#include <tweed/arch/copyAsync.cuh>

__global__ void kernel(short const* in) {
  __shared__ short to[2];
  tweed::arch::copyAsync<2>(to, in);
}
