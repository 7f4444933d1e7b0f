// SPDX-License-Identifier: Apache-2.0
// tweed/warp/laneMask.cuh - a set of lanes of a warp, for functions that only these lanes call.
#pragma once

#include <tweed/arch/shuffle.cuh>
#include <tweed/core/thread.cuh>

namespace tweed {

/// A set of lanes of one warp: bit i stands for lane i.
struct LaneMask {
  unsigned bits;
};

// On the loom the call's place tells branches apart, as the place of the instruction does on a GPU.
#if defined(TWEED_LOOM)
TWEED_DEVICE LaneMask activeLanes(loom::Site site = loom::Site::here()) {
  return {__activemask(site)};
}
#else
/// The lanes that run this call together with this one, itself among them.
///
///     if (x > 0) sum = tweed::warpReduce(tweed::activeLanes(), x, tweed::Sum{});
///
/// Result   each lane a set that holds it, the same in all lanes of the set. CUDA does not promise
///          that all lanes which take a branch are in one set; a sum that needs them all takes a
///          mask from a vote before the branch.
/// Sync     none.
/// Cost     one instruction.
/// Source   CUDA C++ Programming Guide, warp vote functions, __activemask.
TWEED_DEVICE LaneMask activeLanes() { return {__activemask()}; }
#endif

namespace detail {

// Stops a kernel in which a lane uses a set that it is not in, as no lane is in an empty one, or a
// set with lanes that its warp has not.
TWEED_DEVICE void checkMask([[maybe_unused]] char const* call, [[maybe_unused]] unsigned mask,
                            [[maybe_unused]] int lane) {
  TWEED_ASSERT((mask >> lane & 1u) != 0,
               "tweed::%s: the mask is 0x%08x, which does not hold the calling lane %d", call, mask,
               lane);
  TWEED_ASSERT((mask & ~presentLanes()) == 0,
               "tweed::%s: the mask is 0x%08x, this warp has only the lanes 0x%08x", call, mask,
               presentLanes());
}

TWEED_DEVICE int lowestLane(unsigned mask) { return __ffs(int(mask)) - 1; }

// The lowest lane of `mask` above `lane`, or 32.
TWEED_DEVICE int nextLane(unsigned mask, int lane) {
  unsigned const above = (mask >> lane) & ~1u;
  return above != 0 ? lane + lowestLane(above) : 32;
}

}  // namespace detail
}  // namespace tweed
