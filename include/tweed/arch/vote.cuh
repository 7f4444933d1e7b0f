// SPDX-License-Identifier: Apache-2.0
// tweed/arch/vote.cuh - one bit from each lane (PTX vote.sync, match.sync) and what is in a mask.
#pragma once

#include <tweed/core/config.cuh>

namespace tweed::arch {

// Sync     all lanes of `mask` call these together; each gets the same answer (matchAny: its own).
// Source   PTX ISA, vote.sync and match.sync.

/// The lanes of `mask` whose predicate holds.
TWEED_DEVICE unsigned ballot(unsigned mask, bool predicate) {
  return __ballot_sync(mask, predicate);
}

/// True if the predicate of any lane of `mask` holds.
TWEED_DEVICE bool any(unsigned mask, bool predicate) { return __any_sync(mask, predicate) != 0; }

/// True if the predicates of all lanes of `mask` hold.
TWEED_DEVICE bool all(unsigned mask, bool predicate) { return __all_sync(mask, predicate) != 0; }

/// The lanes of `mask` that hold the same bits as this one. Needs a 4- or 8-byte number.
template <class T>
TWEED_DEVICE unsigned matchAny(unsigned mask, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "tweed::arch::matchAny: T has 4 or 8 bytes");
  return __match_any_sync(mask, value);
}

/// How many lanes of a mask are set.
TWEED_DEVICE int countLanes(unsigned mask) { return __popc(mask); }

/// How many lanes of a mask are set below `lane`.
TWEED_DEVICE int lanesBelow(unsigned mask, int lane) { return __popc(mask & ((1u << lane) - 1u)); }

}  // namespace tweed::arch
