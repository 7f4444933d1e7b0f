// SPDX-License-Identifier: Apache-2.0
// expect: tweed::arch::ldmatrix: needs compute capability 7.5 or later: pass -arch=sm_75 or later, and no earlier one
// target: sm_75
// As on a target before it, which new compilers do not have.
#if defined(__CUDA_ARCH__)
#undef __CUDA_ARCH__
#define __CUDA_ARCH__ 700
#endif
#include <tweed/arch/ldmatrix.cuh>

__global__ void kernel(unsigned* out) {
  unsigned word[4];
  tweed::arch::ldmatrix(word, out);
  *out = word[0];
}
