// SPDX-License-Identifier: Apache-2.0
// expect: this instruction needs compute capability 9.0: pass -arch=sm_90 to nvcc, or CMAKE_CUDA_ARCHITECTURES=90-real
#include <tweed/arch/mbarrier.cuh>

// As on a target without it.
__global__ void kernel() { tweed::arch::mbarrierArrive<false>(0); }
