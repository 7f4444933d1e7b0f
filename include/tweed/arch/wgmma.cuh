// SPDX-License-Identifier: Apache-2.0
// tweed/arch/wgmma.cuh - Hopper's matrix instruction: descriptors, fences, and the product itself.
#pragma once

#include <tweed/arch/wgmmaShapes.cuh>

namespace tweed::arch {

// The rows of an operand in shared memory are 128 bytes, swizzled as TMA's 128-byte mode does: the
// 16-byte piece c of row r is at piece c ^ (r % 8). The tile starts at a multiple of 1024.
//
//   K-major   rows are m (or n), 128 bytes of k each.
//   Mn-major  rows are k, 128 bytes of m (or n) each; the next 128 bytes of m follow `chunkBytes`
//             later, which is rows of k * 128. 16-bit types alone.

inline constexpr int wgmmaRowBytes = 128;
inline constexpr int wgmmaK = 32;  // bytes of k that one instruction takes

/// The 64-bit descriptor of an operand that begins at `address`, by sharedAddress().
/// Source   PTX ISA, wgmma: matrix descriptor; strides between core matrices.
template <bool IsMn, bool Has = hasWgmma>
TWEED_DEVICE unsigned long long wgmmaDescriptor(unsigned address, unsigned chunkBytes) {
  needsWgmma<Has>();
  unsigned long long const leading = IsMn ? chunkBytes / 16 : 1;
  return (unsigned long long)((address & 0x3ffff) >> 4) | leading << 16 |
         (unsigned long long)(8 * wgmmaRowBytes / 16) << 32 | 1ull << 62;
}

/// How far the descriptor moves for each further k of one instruction (`wgmmaK` bytes of K-major
/// rows, as many rows as half of that of the others).
template <bool IsMn>
inline constexpr unsigned wgmmaStep = (IsMn ? wgmmaK / 2 * wgmmaRowBytes : wgmmaK) / 16;

/// Before the first wgmma, and where the accumulators were touched since the last.
template <bool Has = hasWgmma>
TWEED_DEVICE void wgmmaFence() {
  needsWgmma<Has>();
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/// No instruction: what touches d before stays before, and what does after stays after. Around
/// products whose accumulators are the caller's, whose code the compiler otherwise mixes with them.
template <int Registers, bool Has = hasWgmma>
TWEED_DEVICE void wgmmaPin(float (&d)[Registers]) {
  needsWgmma<Has>();
#pragma unroll
  for (int i = 0; i < Registers; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

/// Makes one group of the products since the last commit.
template <bool Has = hasWgmma>
TWEED_DEVICE void wgmmaCommit() {
  needsWgmma<Has>();
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Waits until at most `Groups` of the groups of this warp are under way.
template <int Groups, bool Has = hasWgmma>
TWEED_DEVICE void wgmmaWait() {
  needsWgmma<Has>();
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Groups) : "memory");
}

/// d = A * B + (accumulate ? d : 0), for A of 64 x 32 bytes and B of 32 bytes x N.
///
/// Shape    element i of thread t of the warpgroup: row 16 * (t / 32) + t % 32 / 4 + i / 2 % 2 * 8,
///          column i / 4 * 8 + t % 4 * 2 + i % 2.
/// Needs    T: __half, __nv_bfloat16, or float, whose low 13 bits are ignored (tf32), with both
///          operands K-major. N = 8 or a multiple of 16 up to 256. The target sm_90a.
/// Sync     the whole warpgroup; asynchronous: wgmmaFence() before, wgmmaCommit() and wgmmaWait()
///          after, and no use of d until then.
/// Source   PTX ISA, wgmma.mma_async; register fragments.
template <class Input, bool IsMnA, bool IsMnB, int Registers, bool Has = hasWgmma>
TWEED_DEVICE void wgmma(float (&d)[Registers], unsigned long long a, unsigned long long b,
                        bool accumulate) {
  needsWgmma<Has>();
  static_assert(!Input::isTf32 || (!IsMnA && !IsMnB),
                "tweed::arch::wgmma: float (tf32) operands are K-major: A row-major and B "
                "column-major");
  WgmmaShape<Registers * 2>::template multiply<Input, int(IsMnA), int(IsMnB)>(d, a, b,
                                                                              int(accumulate));
}

}  // namespace tweed::arch
