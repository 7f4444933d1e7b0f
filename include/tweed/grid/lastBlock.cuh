// SPDX-License-Identifier: Apache-2.0
// tweed/grid/lastBlock.cuh - find out which block of a launch finishes last.
#pragma once

#include <tweed/arch/atomic.cuh>
#include <tweed/arch/barrier.cuh>
#include <tweed/core/config.cuh>

namespace tweed {

namespace detail {

TWEED_DEVICE unsigned long long gridBlocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }

// x counts fastest, as for threads.
TWEED_DEVICE unsigned long long gridBlockRank() {
  return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

}  // namespace detail

/// True in all threads of the block that calls last of all blocks of the launch, false in all other
/// blocks. What any thread of any block wrote before its call is seen by the last block after it.
///
///     partials[blockIdx.x] = tweed::blockReduce<256>(x);
///     if (!tweed::lastBlock(state)) return;
///     ...                                              // all partials are there
///
/// Shape    any grid of up to 2^32 blocks of any shape.
/// Needs    *state in global memory, 0 before the first launch that uses it: a `__device__`
///          variable, or the start of a Workspace:
///          `static_cast<unsigned*>(workspace.takeState("kernel", sizeof(unsigned), stream))`.
///          It is 0 again when the launch ends, so nothing resets it between launches or replays of
///          a graph. Launches that may run at once need a state each, and so do several calls in
///          one launch. Every block calls, or none: one that is left out leaves a state that
///          is not 0.
/// Sync     call it from all threads of the block. Holds two __syncthreads(). No block waits for
///          another, so it is safe in grids of any size.
/// Cost     per block two barriers and one atomic with acquire and release by one thread, about two
///          round trips to L2; all blocks of the launch meet at one address.
/// Errors   more than 2^32 blocks stop the kernel under TWEED_DEBUG and on the loom.
/// Source   CUDA C++ Programming Guide, memory fence functions; PTX ISA, memory consistency model:
///          barriers and the ticket's release and acquire together are cumulative.
TWEED_DEVICE bool lastBlock(unsigned* state) {
  unsigned long long const blocks = detail::gridBlocks();
  TWEED_ASSERT(blocks - 1 <= ~0u, "tweed::lastBlock: %llu blocks; 2^32 are allowed", blocks);
  arch::syncBlock();  // the writes of all threads come before the ticket of one
  bool isLast = false;
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)
    isLast = arch::takeTicket(state, unsigned(blocks - 1)) == unsigned(blocks - 1);
  return arch::syncBlockOr(isLast);  // and its acquire before the reads of all
}

}  // namespace tweed
