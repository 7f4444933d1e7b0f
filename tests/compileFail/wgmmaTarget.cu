// SPDX-License-Identifier: Apache-2.0
// expect: wgmma, setmaxnreg and multicast need the target sm_90a, which sm_90 does not include: pass -gencode=arch=compute_90a,code=sm_90a to nvcc, or CMAKE_CUDA_ARCHITECTURES=90a-real
#include <tweed/arch/wgmma.cuh>

__global__ void kernel() { tweed::arch::wgmmaFence(); }
