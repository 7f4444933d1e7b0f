// SPDX-License-Identifier: Apache-2.0
/// What one request costs.
#pragma once
#include <tweed/loom/recording.hpp>

#include <array>
#include <cstdint>

namespace tweed::loom {

/// One instruction of one warp.
struct Request {
  std::uint32_t lanes = 0;  ///< those that have come
  std::array<std::uintptr_t, 32> address;
};

/// Adds the costs of a request for `bytes` a lane. `isWhole`: by one access of an aligned 1, 2, 4,
/// 8 or 16 bytes; else by as many as it takes.
void addCost(Counts& counts, Event event, Request const& request, unsigned bytes, bool isWhole,
             bool isDivergent);

}  // namespace tweed::loom
