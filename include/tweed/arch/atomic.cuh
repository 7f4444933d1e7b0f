// SPDX-License-Identifier: Apache-2.0
// tweed/arch/atomic.cuh - single accesses to global memory that other blocks may see at once.
#pragma once

#include <tweed/core/config.cuh>

namespace tweed::arch {

// Scope    the device. Relaxed: the access itself is whole, and orders nothing else.
// Source   PTX ISA, ld.relaxed, st.relaxed, ld.acquire, st.release, atom.acq_rel.inc.

TWEED_DEVICE unsigned long long loadRelaxed(unsigned long long const* p) {
#if defined(TWEED_LOOM)
  return loom::device::atomicLoad(p, __ATOMIC_RELAXED);
#else
  unsigned long long value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
  return value;
#endif
}

TWEED_DEVICE void storeRelaxed(unsigned long long* p, unsigned long long value) {
#if defined(TWEED_LOOM)
  loom::device::atomicStore(p, value, __ATOMIC_RELAXED);
#else
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
#endif
}

/// What was stored before the matching storeRelease() is seen after this load.
TWEED_DEVICE unsigned loadAcquire(unsigned const* p) {
#if defined(TWEED_LOOM)
  return loom::device::atomicLoad(p, __ATOMIC_ACQUIRE);
#else
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
  return value;
#endif
}

TWEED_DEVICE void storeRelease(unsigned* p, unsigned value) {
#if defined(TWEED_LOOM)
  loom::device::atomicStore(p, value, __ATOMIC_RELEASE);
#else
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
#endif
}

/// Returns the old value and stores old + 1, or 0 when old was `last`: a ticket that resets itself.
/// Acquire and release: who gets a later ticket sees what was stored before an earlier one was
/// taken.
TWEED_DEVICE unsigned takeTicket(unsigned* p, unsigned last) {
#if defined(TWEED_LOOM)
  __threadfence();
  unsigned const ticket = atomicInc(p, last);
  __threadfence();
#else
  unsigned ticket;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(ticket)
               : "l"(p), "r"(last)
               : "memory");
#endif
  return ticket;
}

}  // namespace tweed::arch
