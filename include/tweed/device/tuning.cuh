// SPDX-License-Identifier: Apache-2.0
// tweed/device/tuning.cuh - every number of the whole-array functions that a measurement chose.
#pragma once

namespace tweed::tuning {

/// deviceReduce, by accumulator. Measured on an H200 by benchmarks/device/deviceReduceTuning.cu.
/// IsIndexed: items that are combined together with where they stand, in twice the registers, so
/// that a multiprocessor holds one large block.
template <class Acc, bool IsIndexed = false>
struct Reduce {
  /// A large accumulator takes registers and shared memory that fewer threads have more of.
  static constexpr bool isSmall = sizeof(Acc) <= 16;
  /// Threads of a block, and the 16-byte loads that each has on their way. Input that fits so is
  /// read by one block, without partials or workspace;
  struct OneBlock {
    static constexpr int threads = isSmall ? 1024 : 256;
    static constexpr int loads = isSmall ? 4 : 2;
  };
  /// more of it by many small blocks that load once, which start and end sooner;
  struct Small {
    static constexpr int threads = 256;
    static constexpr int loads = isSmall ? 4 : 2;
  };
  /// and still more by large ones that load once, or again and again.
  struct Large {
    static constexpr int threads = isSmall ? 512 : 256;
    static constexpr int loads = isSmall ? 8 : 2;
  };
  /// The most blocks for each multiprocessor.
  static constexpr int blocksPerProcessor = IsIndexed && isSmall ? 1 : 2;
};

}  // namespace tweed::tuning
