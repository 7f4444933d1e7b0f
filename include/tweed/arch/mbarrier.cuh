// SPDX-License-Identifier: Apache-2.0
// tweed/arch/mbarrier.cuh - barriers in shared memory that also count the bytes of copies.
#pragma once

#include <tweed/arch/target.cuh>

namespace tweed::arch {

// A barrier is 8 bytes of shared memory, aligned to them. One phase of it ends when `arrivals`
// threads have arrived and all bytes that were announced have come; the next phase begins at once.
// Phases are numbered from 0 on, and a wait names the parity of the phase that it waits for.
//
// Shape    `barrier` is the address of one, by sharedAddress(). Each call is of one thread.
// Sync     what a thread wrote before it arrived is seen by those that waited, within the block.
// Needs    compute capability 9.0.
// Source   PTX ISA, mbarrier.

/// Begins phase 0. fenceMbarrierInit() and a barrier of the block or the cluster come before the
/// first use by others.
template <bool Has = hasHopper>
TWEED_DEVICE void mbarrierInit(unsigned barrier, unsigned arrivals) {
  needsHopper<Has>();
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/// Makes new barriers visible to the copy engine and to the cluster.
template <bool Has = hasHopper>
TWEED_DEVICE void fenceMbarrierInit() {
  needsHopper<Has>();
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

template <bool Has = hasHopper>
TWEED_DEVICE void mbarrierArrive(unsigned barrier) {
  needsHopper<Has>();
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/// Arrives when all copies that this thread has started by copyAsync() are done.
/// Source   PTX ISA, cp.async.mbarrier.arrive.noinc.
template <bool Has = hasHopper>
TWEED_DEVICE void mbarrierArriveCopied(unsigned barrier) {
  needsHopper<Has>();
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

/// Arrives, and announces `bytes` of copies that complete on this barrier in this phase.
template <bool Has = hasHopper>
TWEED_DEVICE void mbarrierArriveExpect(unsigned barrier, unsigned bytes) {
  needsHopper<Has>();
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

/// Arrives at the barrier of the same address in block `rank` of the cluster. It orders what this
/// thread did before at the scope of its block alone: enough to give back memory that only the copy
/// engine writes next. (The form that releases at cluster scope is a fence of the whole device.)
template <bool Has = hasHopper>
TWEED_DEVICE void mbarrierArriveAt(unsigned barrier, unsigned rank) {
  needsHopper<Has>();
  asm volatile(
      "{.reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];}" ::"r"(barrier),
      "r"(rank)
      : "memory");
}

/// Whether the phase of this parity has ended; may wait a while for it.
template <bool Has = hasHopper>
TWEED_DEVICE bool mbarrierTryWait(unsigned barrier, unsigned parity) {
  needsHopper<Has>();
  unsigned hasEnded;
  asm volatile(
      "{.reg .pred p;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "selp.u32 %0, 1, 0, p;}"
      : "=r"(hasEnded)
      : "r"(barrier), "r"(parity)
      : "memory");
  return hasEnded != 0;
}

/// Waits until the phase of this parity has ended. A barrier that has just begun counts as one
/// whose phase of parity 1 has.
template <bool Has = hasHopper>
TWEED_DEVICE void mbarrierWait(unsigned barrier, unsigned parity) {
  needsHopper<Has>();
  while (!mbarrierTryWait<Has>(barrier, parity)) {
  }
}

}  // namespace tweed::arch
