// SPDX-License-Identifier: Apache-2.0
// expect: tweed::arch::mma: needs compute capability 8.0 or later: pass -arch=sm_80 or later, and no earlier one
// target: sm_75
#include <tweed/arch/mma.cuh>

__global__ void kernel(unsigned const* in, float* out) {
  float c[4] = {};
  unsigned const a[4] = {in[0], in[1], in[2], in[3]}, b[2] = {in[4], in[5]};
  tweed::arch::mma<tweed::arch::MmaInput::Half>(c, a, b);
  *out = c[0];
}
