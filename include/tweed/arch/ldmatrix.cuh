// SPDX-License-Identifier: Apache-2.0
// tweed/arch/ldmatrix.cuh - load 8x8 matrices of 16-bit items from shared memory, as mma() takes
// them (PTX ldmatrix).
#pragma once

#include <tweed/arch/sharedMemory.cuh>
#include <tweed/arch/shuffle.cuh>

namespace tweed::arch {

/// Loads Count matrices of 8 rows of 16 bytes: 8x8 items of 16 bits, or 8x4 of 32.
///
///     lane           0      1      2      3     4      5     ...   31
///     word[i]     (0,0:1) (0,2:3) (0,4:5) (0,6:7) (1,0:1) (1,2:3)  (7,6:7)  row, columns of
///     Transposed  (0:1,0) (2:3,0) (4:5,0) (6:7,0) (0:1,1) (2:3,1)  (6:7,7)  matrix i; 16 bits only
///
/// Shape    a whole warp; Count is 1, 2 or 4.
/// Result   word[i] of each lane: two items of matrix i, the first in the low half.
/// Needs    lane 8 * i + r names row r of matrix i, in shared memory, a multiple of 16 bytes; the
///          rows of lanes from 8 * Count on are not looked at.
/// Sync     all 32 lanes call it together.
/// Cost     one instruction; a bank pass for each matrix whose rows lie in 32 different banks.
/// Errors   compile time: Count; a target before sm_75. On the loom a lane that never comes.
/// Source   PTX ISA, ldmatrix.
template <int Count, bool Transposed = false>
TWEED_DEVICE void ldmatrix(unsigned (&word)[Count], void const* row) {
  static_assert(Count == 1 || Count == 2 || Count == 4,
                "tweed::arch::ldmatrix: one instruction loads 1, 2 or 4 matrices");
#if defined(TWEED_LOOM)
  struct Lane {
    unsigned short item[8];
    unsigned word[Count];
  } lane;
  bool const names = laneId() < 8 * Count;
  TWEED_ASSERT(!names || reinterpret_cast<unsigned long long>(row) % 16 == 0,
               "tweed::arch::ldmatrix: row %p is no multiple of 16 bytes", row);
  // By the lane that names it, which a sanitizer then blames; one access, to the recorder.
  if (names) memcpy(lane.item, __builtin_assume_aligned(row, 16), 16);
  for (unsigned& w : lane.word) w = ~0u;
  loom::device::warpExchange(
      0xffffffffu, &lane,
      [](void* const* payloads, unsigned arrived) {
        if (arrived != 0xffffffffu) return;
        auto const lanes = reinterpret_cast<Lane* const*>(payloads);
        for (int to = 0; to < 32; ++to)
          for (int i = 0; i < Count; ++i) {
            auto const item = [&](int k) -> unsigned {
              int const across = 2 * (to % 4) + k, down = to / 4;
              return Transposed ? lanes[8 * i + across]->item[down]
                                : lanes[8 * i + down]->item[across];
            };
            lanes[to]->word[i] = item(0) | item(1) << 16;
          }
      },
      "ldmatrix");
  for (int i = 0; i < Count; ++i) word[i] = lane.word[i];
#elif defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ >= 750
  unsigned const address = sharedAddress(row);
  if constexpr (Count == 1 && !Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(word[0])
                 : "r"(address)
                 : "memory");
  if constexpr (Count == 1 && Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(word[0])
                 : "r"(address)
                 : "memory");
  if constexpr (Count == 2 && !Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(word[0]), "=r"(word[1])
                 : "r"(address)
                 : "memory");
  if constexpr (Count == 2 && Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(word[0]), "=r"(word[1])
                 : "r"(address)
                 : "memory");
  if constexpr (Count == 4 && !Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(address)
                 : "memory");
  if constexpr (Count == 4 && Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(address)
                 : "memory");
#else
  static_assert(Count == 0,
                "tweed::arch::ldmatrix: needs compute capability 7.5 or later: pass "
                "-arch=sm_75 or later, and no earlier one");
#endif
#endif
}

}  // namespace tweed::arch
