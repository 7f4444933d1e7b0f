// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/fastCu.cuh - the sums of ints of github.com/pranjalssh/fast.cu, from its
// sum.cu in TWEED_FAST_CU_DIR.
#pragma once

#include "deviceCase.cuh"

// What sum.cu includes or needs, so that only its own names come into the namespace.
#include <cub/cub.cuh>

#include <cassert>
#include <chrono>
#include <iostream>

namespace fastCu {
#include <sum.cu>
}

namespace bench {

/// Its kernels for vectors, launched as its own program does: *out becomes 0 in the first block,
/// and each block adds its sum to it.
template <class Kernel>
MakeCall<int, int> fastCuSum(Kernel kernel) {
  return [kernel](std::uint64_t n) {
    return Call<int, int>([kernel, n](int const* in, int* out) {
      constexpr std::uint64_t share = 1024 * 4 * 16;
      kernel<<<unsigned((n + share - 1) / share), 1024, 0, stream()>>>(
          reinterpret_cast<int4*>(const_cast<int*>(in)), out, int(n / 4));
      TWEED_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace bench
