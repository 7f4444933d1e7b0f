// SPDX-License-Identifier: Apache-2.0
// tweed/device/tuning.cuh - every number of the whole-array functions that a measurement chose.
#pragma once

namespace tweed::tuning {

/// deviceReduce, by accumulator. Measured on an H200 by benchmarks/device/deviceReduceTuning.cu.
template <class Acc>
struct Reduce {
  /// A large accumulator takes registers and shared memory that fewer threads have more of.
  static constexpr bool isSmall = sizeof(Acc) <= 16;
  /// Input up to so many bytes is folded by one block: no partials, no workspace.
  static constexpr unsigned long long oneBlockBytes = 1ull << 17;
  static constexpr int oneBlockThreads = isSmall ? 1024 : 256;
  static constexpr int oneBlockLoads = isSmall ? 4 : 2;
  /// Above, blocks of so many threads, and at most so many blocks for each multiprocessor.
  static constexpr int threads = isSmall ? 512 : 256;
  static constexpr int blocksPerProcessor = 2;
  /// 16-byte loads that a thread has on their way.
  static constexpr int loads = isSmall ? 8 : 2;
};

}  // namespace tweed::tuning
