// SPDX-License-Identifier: Apache-2.0
// tweed/arch/bulkCopy.cuh - copies that one thread starts and the copy engine (TMA) carries out.
#pragma once

#include <tweed/arch/target.cuh>

namespace tweed::arch {

/// What the copy engine knows of a tensor in global memory; made on the host (memory/tensorMap.cuh)
/// and passed to the kernel by value: `TensorMap const __grid_constant__ map`.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

// Shape    tensors of three dimensions, as tweed makes their maps; z is 0 for a matrix. Coordinates
//          are elements from 0 on, x contiguous; what lies outside of the tensor is read as 0 and
//          never written, but that a row is written to the end of a piece of 16 bytes. Shared
//          addresses by sharedAddress(), a multiple of 128, of 1024 for a swizzled box; global ones
//          and byte counts a multiple of 16.
// Sync     a load ends on the mbarrier, which counts its bytes (mbarrierArriveExpect). Stores
//          belong to the thread that starts them: bulkCommit(), then one of the waits. Data that
//          was stored to shared memory by ordinary stores needs fenceAsyncProxy() by each thread
//          that stored and a barrier, before a copy reads it.
// Needs    compute capability 9.0.
// Source   PTX ISA, cp.async.bulk, cp.async.bulk.tensor, fence.proxy.async.

/// A box of a tensor to shared memory.
template <bool Has = hasHopper>
TWEED_DEVICE void tensorLoad(unsigned shared, TensorMap const* map, unsigned barrier, int x, int y,
                             int z) {
  needsHopper<Has>();
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(shared),
      "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z)
      : "memory");
}

/// The same to each block of the cluster whose bit is set in `blocks`, at the same addresses, and
/// counted by the barrier of each. Needs the target sm_90a.
template <bool Has = hasWgmma>
TWEED_DEVICE void tensorLoadMulticast(unsigned shared, TensorMap const* map, unsigned barrier,
                                      int x, int y, int z, unsigned blocks) {
  needsWgmma<Has>();
  asm volatile(
      "{.reg .b16 blocks;\n"
      "cvt.u16.u32 blocks, %6;\n"
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], blocks;}" ::"r"(shared),
      "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "r"(blocks)
      : "memory");
}

/// A box from shared memory into a tensor.
template <bool Has = hasHopper>
TWEED_DEVICE void tensorStore(TensorMap const* map, unsigned shared, int x, int y, int z) {
  needsHopper<Has>();
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], "
      "[%1];" ::"l"(map),
      "r"(shared), "r"(x), "r"(y), "r"(z)
      : "memory");
}

/// Fetches the map itself ahead of its first use.
template <bool Has = hasHopper>
TWEED_DEVICE void tensorPrefetch(TensorMap const* map) {
  needsHopper<Has>();
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/// `bytes` contiguous bytes of global memory to shared memory.
template <bool Has = hasHopper>
TWEED_DEVICE void bulkLoad(unsigned shared, void const* global, unsigned bytes, unsigned barrier) {
  needsHopper<Has>();
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
      "[%3];" ::"r"(shared),
      "l"(global), "r"(bytes), "r"(barrier)
      : "memory");
}

/// The way back.
template <bool Has = hasHopper>
TWEED_DEVICE void bulkStore(void* global, unsigned shared, unsigned bytes) {
  needsHopper<Has>();
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
               "r"(shared), "r"(bytes)
               : "memory");
}

/// Makes one group of the stores that this thread has started since the last.
template <bool Has = hasHopper>
TWEED_DEVICE void bulkCommit() {
  needsHopper<Has>();
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Waits until at most `Groups` of this thread's groups still read shared memory.
template <int Groups, bool Has = hasHopper>
TWEED_DEVICE void bulkWaitRead() {
  needsHopper<Has>();
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Groups) : "memory");
}

/// Waits until at most `Groups` of them have not yet written.
template <int Groups, bool Has = hasHopper>
TWEED_DEVICE void bulkWait() {
  needsHopper<Has>();
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Groups) : "memory");
}

/// Orders this thread's ordinary stores to shared memory ahead of what the copy engine and wgmma do
/// with them, once a barrier has passed.
template <bool Has = hasHopper>
TWEED_DEVICE void fenceAsyncProxy() {
  needsHopper<Has>();
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace tweed::arch
