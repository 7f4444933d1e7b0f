// SPDX-License-Identifier: Apache-2.0
// tweed/arch/sharedMemory.cuh - the dynamic shared memory of a block.
#pragma once

#include <tweed/core/config.cuh>

namespace tweed::arch {

#if !defined(TWEED_LOOM) && defined(__CUDACC__)
// One declaration for all element types: two of one name would clash, and two of different
// alignment start at different addresses (behind 20 static bytes at 32 and at 128: seen in SASS).
extern __shared__ __align__(128) unsigned char dynamicSharedStart[];
#endif

/// Where it begins, aligned to 128 bytes.
TWEED_DEVICE void* dynamicShared() {
#if defined(TWEED_LOOM)
  return loom::device::dynamicShared();
#else
  return dynamicSharedStart;
#endif
}

/// How many bytes of it the launch asked for.
/// Source   PTX ISA, special register %dynamic_smem_size.
TWEED_DEVICE unsigned dynamicSharedBytes() {
#if defined(TWEED_LOOM)
  return unsigned(loom::device::dynamicSharedBytes());
#else
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
#endif
}

/// A pointer to shared memory as the 32-bit address that the instructions of matrices and of the
/// copy engine take, none of which the loom has.
TWEED_DEVICE unsigned sharedAddress([[maybe_unused]] void const* p) {
#if defined(TWEED_LOOM)
  loom::device::trap("tweed::arch::sharedAddress: the loom has no such addresses");
#else
  return unsigned(__cvta_generic_to_shared(p));
#endif
}

}  // namespace tweed::arch
