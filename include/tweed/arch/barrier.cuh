// SPDX-License-Identifier: Apache-2.0
// tweed/arch/barrier.cuh - barriers of a block and of a warp, fences, and the pause of a spin loop.
#pragma once

#include <tweed/core/config.cuh>

namespace tweed::arch {

// Each inlines to one instruction; on the loom each reports the threads that never come.
// Source   CUDA C++ Programming Guide, synchronization functions; PTX ISA, barrier.cta.

/// Waits for all threads of the block; what they wrote before is seen by all after it.
TWEED_DEVICE void syncBlock() { __syncthreads(); }

/// The same; the result is whether any of them said `isTrue`.
TWEED_DEVICE bool syncBlockOr(bool isTrue) { return __syncthreads_or(isTrue) != 0; }

/// Waits for the lanes of `mask`; what they wrote before is seen by all of them after it.
TWEED_DEVICE void syncWarp(unsigned mask = 0xffffffffu) { __syncwarp(mask); }

/// Barrier `Id` (1..15) of the first `Threads` threads to come, a multiple of 32. Barrier 0 is
/// syncBlock()'s. The id is a constant, since a run-time one reserves all sixteen.
template <int Id, int Threads>
TWEED_DEVICE void syncNamed() {
  static_assert(Id >= 1 && Id <= 15, "tweed::arch::syncNamed: the barrier is 1 to 15");
  static_assert(Threads >= 32 && Threads <= 1024 && Threads % 32 == 0,
                "tweed::arch::syncNamed: threads are a multiple of 32 up to 1024");
#if defined(TWEED_LOOM)
  loom::device::namedBarrier(Id, Threads);
#else
  asm volatile("barrier.cta.sync.aligned %0, %1;" ::"n"(Id), "n"(Threads) : "memory");
#endif
}

/// Orders this thread's writes before the fence ahead of those after it, for the whole device.
TWEED_DEVICE void fenceDevice() { __threadfence(); }

/// The same for the block.
TWEED_DEVICE void fenceBlock() { __threadfence_block(); }

/// In the body of each loop that waits for another thread's store. On the loom the others run here;
/// on a GPU a load that goes to L2 is pause enough.
TWEED_DEVICE void spinPause() {
#if defined(TWEED_LOOM)
  loom::device::spinPause();
#endif
}

}  // namespace tweed::arch
