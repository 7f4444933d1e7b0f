// SPDX-License-Identifier: Apache-2.0
// tweed/arch/stmatrix.cuh - a warp stores 8x8 matrices of 16-bit values to shared memory.
#pragma once

#include <tweed/arch/target.cuh>

namespace tweed::arch {

/// Stores `Count` matrices, whose rows are 16 bytes in shared memory.
///
/// Shape    word i of a lane holds row lane / 4, columns 2 * (lane % 4) and one more, of matrix i:
///          where the results of matrix instructions are. Lane 8 * i + r gives the address of row r
///          of matrix i, a multiple of 16, by sharedAddress().
/// Needs    compute capability 9.0; Count 1, 2 or 4.
/// Sync     the whole warp.
/// Source   PTX ISA, stmatrix.
template <int Count, bool Has = hasHopper>
TWEED_DEVICE void storeMatrices(unsigned address, unsigned const (&word)[Count]) {
  needsHopper<Has>();
  static_assert(Count == 1 || Count == 2 || Count == 4,
                "tweed::arch::storeMatrices: 1, 2 or 4 matrices");
  if constexpr (Count == 1) {
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared::cta.b16 [%0], {%1};" ::"r"(address),
                 "r"(word[0])
                 : "memory");
  } else if constexpr (Count == 2) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared::cta.b16 [%0], {%1, %2};" ::"r"(address),
                 "r"(word[0]), "r"(word[1])
                 : "memory");
  } else {
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
        "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])
        : "memory");
  }
}

}  // namespace tweed::arch
