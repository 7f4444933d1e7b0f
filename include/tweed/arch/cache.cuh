// SPDX-License-Identifier: Apache-2.0
// tweed/arch/cache.cuh - 16-byte loads with a hint about reuse.
#pragma once

#include <tweed/core/config.cuh>

namespace tweed::arch {

/// 16 bytes as the unit that one load instruction moves.
struct alignas(16) Bytes16 {
  unsigned word[4];
};

/// Loads 16 aligned bytes that this kernel reads once: they take no place in L1, and L2 fetches 256
/// bytes around them. The memory must not be written while the kernel runs.
/// Source   PTX ISA, ld.global.nc with cache eviction priority and prefetch size.
TWEED_DEVICE Bytes16 loadOnce(Bytes16 const* p) {
#if defined(__CUDA_ARCH__)
  Bytes16 v;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
               : "l"(p));
  return v;
#else
  return *p;
#endif
}

}  // namespace tweed::arch
