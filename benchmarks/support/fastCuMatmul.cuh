// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/fastCuMatmul.cuh - the fastest product of bfloat16 of
// github.com/pranjalssh/fast.cu, its kernel 12, from TWEED_FAST_CU_DIR.
#pragma once

#include "timing.cuh"

#include <tweed/core/half.cuh>

// What the file needs and does not include.
#include <cuda.h>

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
#define cudaCheck(call) TWEED_CHECK(call)
namespace fastCu {
using bf16 = __nv_bfloat16;
using std::max;
#include <examples/matmul/matmul_12.cuh>
}  // namespace fastCu
#undef CEIL_DIV
#undef cudaCheck

namespace bench {

/// C = A * B of n x n matrices, n a multiple of 256, A row-major, B column-major: as its program
/// launches it, but in the stream that is measured. Its C is column-major, so it gets the
/// transposed product, of whose operands the layouts are the same.
inline std::function<void()> fastCuMatmul(int n, fastCu::bf16 const* a, fastCu::bf16 const* b,
                                          fastCu::bf16* c) {
  namespace m12 = fastCu::M12;
  auto* const first = const_cast<fastCu::bf16*>(b);
  auto* const second = const_cast<fastCu::bf16*>(a);
  m12::_prev_m = 0;  // or it would keep the maps of other matrices of this size
  m12::runKernel12(n, n, n, first, second, c, nullptr);
  TWEED_CHECK(cudaDeviceSynchronize());
  return [n, mapA = m12::d_tma_map_A, mapB = m12::d_tma_map_B, mapC = m12::d_tma_map_C,
          space = m12::_dspace] {
    m12::matmulKernel12<128, 256, 64, 384, 3, 128, 2, 1>
        <<<128, 384, sizeof(m12::SMem<128, 256, 64, 3>), stream()>>>(n, n, n, mapC, mapA, mapB,
                                                                     space);
    TWEED_CHECK(cudaGetLastError());
  };
}

}  // namespace bench
