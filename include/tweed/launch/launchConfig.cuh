// SPDX-License-Identifier: Apache-2.0
// tweed/launch/launchConfig.cuh - how a kernel is launched.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace tweed {

/// Numbers of blocks or threads in three dimensions, from any integer or a dim3. Wider than dim3,
/// so that what does not fit is refused by launch() and does not become another number.
struct Extent {
  long long x = 1;
  long long y = 1;
  long long z = 1;

  template <class Integer, class = decltype(Integer(1) % Integer(1))>
  Extent(Integer count) : x(static_cast<long long>(count)) {}
  Extent(dim3 d) : x(d.x), y(d.y), z(d.z) {}
  Extent(long long columns, long long rows, long long layers = 1)
      : x(columns), y(rows), z(layers) {}

  dim3 native() const { return {unsigned(x), unsigned(y), unsigned(z)}; }
};

/// Grid and block in threads and blocks, dynamic shared memory in bytes, and the stream.
///
///     tweed::launch(kernel, {blocks, 256}, arguments...);
struct LaunchConfig {
  Extent grid = 1;
  Extent block = 1;
  std::size_t sharedBytes = 0;
  cudaStream_t stream = nullptr;
  /// Blocks that run at once on neighbouring multiprocessors and can read each other's shared
  /// memory: 1 to 8 in all, 16 on some devices; each number divides the grid's. 1 before compute
  /// capability 9.0 and on the loom.
  Extent cluster = 1;
  /// Lets the kernel start before the stream's kernel ahead of it has ended. It must wait for that
  /// one (cudaGridDependencySynchronize) before it ends, and before it touches what that one reads
  /// or writes. Without effect before compute capability 9.0 and on the loom.
  bool overlapPrevious = false;
};

}  // namespace tweed
