// SPDX-License-Identifier: Apache-2.0
// tweed/arch/cache.cuh - 16-byte loads with a hint about reuse.
#pragma once

#include <tweed/core/config.cuh>

namespace tweed::arch {

/// 16 bytes as the unit that one load instruction moves.
struct alignas(16) Bytes16 {
  unsigned word[4];
};

/// Loads p[Offset], which this kernel reads once: it takes no place in L1, and L2 fetches the rest
/// of its 128 bytes with it. (Fetching 256 is 2 % faster at 16 MB and 8 % slower from 256 MB on.)
/// The offset is part of the instruction, so several loads share one address register.
/// Needs    p aligned to 16 bytes; memory that is not written while the kernel runs.
/// Source   PTX ISA, ld.global.nc with cache eviction priority and prefetch size.
template <int Offset = 0>
TWEED_DEVICE Bytes16 loadOnce(Bytes16 const* p) {
#if defined(__CUDA_ARCH__)
  Bytes16 v;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4 + %5];"
               : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
               : "l"(p), "n"(Offset * 16));
  return v;
#else
  return p[Offset];
#endif
}

}  // namespace tweed::arch
