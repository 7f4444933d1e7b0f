// SPDX-License-Identifier: Apache-2.0
// tweed/launch/launchConfig.cuh - how a kernel is launched.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace tweed {

/// Grid and block in threads and blocks, dynamic shared memory in bytes, and the stream.
///
///     tweed::launch(kernel, {blocks, 256}, arguments...);
struct LaunchConfig {
  dim3 grid = 1;
  dim3 block = 1;
  std::size_t sharedBytes = 0;
  cudaStream_t stream = nullptr;
};

}  // namespace tweed
