// SPDX-License-Identifier: Apache-2.0
// tweed/device/tuning.cuh - every number of the whole-array functions that a measurement chose.
#pragma once

namespace tweed::tuning {

// deviceReduce. Measured on an H200 by benchmarks/device/deviceReduceTuning.cu.

/// Input up to this size is folded by one block: no partials, no workspace.
inline constexpr unsigned long long reduceOneBlockBytes = 1ull << 16;
inline constexpr int reduceOneBlockThreads = 1024;
/// Above, blocks of this size, and at most so many for each multiprocessor.
inline constexpr int reduceThreads = 512;
inline constexpr int reduceBlocksPerProcessor = 4;
/// 16-byte loads that each thread has in flight.
inline constexpr int reduceLoads = 4;

}  // namespace tweed::tuning
