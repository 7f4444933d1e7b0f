// SPDX-License-Identifier: Apache-2.0
// tweed/core/thread.cuh - the shape of a thread block, and where a thread stands in it.
#pragma once

#include <tweed/core/math.cuh>

namespace tweed {

inline constexpr int warpThreads = 32;
inline constexpr int maxBlockThreads = 1024;
inline constexpr unsigned fullMask = 0xffffffffu;

/// The lanes [0, lanes) of a warp as a mask, for lanes in 1..32.
TWEED_HOST_DEVICE constexpr unsigned firstLanes(int lanes) {
  return fullMask >> (warpThreads - lanes);
}

/// A block of exactly X * Y * Z threads, known at compile time. Ranks count x fastest, as lanes do.
template <int X, int Y = 1, int Z = 1>
struct Block {
  static_assert(X >= 1 && Y >= 1 && Z >= 1 && X * Y * Z <= maxBlockThreads,
                "tweed::Block: a block has 1 to 1024 threads");
  static_assert(Z <= 64, "tweed::Block: Z is at most 64");
  static constexpr bool isStatic = true;
  static constexpr int maxThreads = X * Y * Z;
  static TWEED_DEVICE constexpr int threads() { return X * Y * Z; }
  static TWEED_DEVICE int rank() {
    if constexpr (Y == 1 && Z == 1) return int(threadIdx.x);
    return int((threadIdx.z * Y + threadIdx.y) * X + threadIdx.x);
  }
  /// With TWEED_DEBUG, and always on the loom: stops a kernel that was launched with another block.
  static TWEED_DEVICE void check([[maybe_unused]] char const* call) {
    TWEED_ASSERT(
        blockDim.x == X && blockDim.y == Y && blockDim.z == Z,
        "tweed::%s: written for a block of (%d, %d, %d) threads, launched with (%u, %u, %u)", call,
        X, Y, Z, blockDim.x, blockDim.y, blockDim.z);
  }
};

/// A block of 1 to Max threads, whose size and shape are those of the launch.
template <int Max>
struct Dynamic {
  static_assert(Max >= 1 && Max <= maxBlockThreads,
                "tweed::Dynamic: a block has 1 to 1024 threads");
  static constexpr bool isStatic = false;
  static constexpr int maxThreads = Max;
  static TWEED_DEVICE int threads() { return int(blockDim.x * blockDim.y * blockDim.z); }
  static TWEED_DEVICE int rank() {
    return int((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
  }
  static TWEED_DEVICE void check([[maybe_unused]] char const* call) {
    TWEED_ASSERT(threads() <= Max, "tweed::%s: written for at most %d threads, launched with %d",
                 call, Max, threads());
  }
};

/// The lanes that this thread's warp has, as a mask: fewer than 32 in the last warp of a block
/// whose size is no multiple of 32.
TWEED_DEVICE unsigned presentLanes() {
  using Any = Dynamic<maxBlockThreads>;
  int const others = Any::threads() - Any::rank() / warpThreads * warpThreads;
  return firstLanes(smaller(others, warpThreads));
}

}  // namespace tweed
