// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/peer.hpp - the CUB of another CCCL checkout, compiled apart from the
// toolkit's.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace bench {

/// Functions of cub::DeviceReduce. `temp` and `bytes` as there: a null temp asks for the bytes.
struct CubPeer {
  int version;
  cudaError_t (*sum)(void* temp, std::size_t& bytes, float const* in, float* out, int n,
                     cudaStream_t stream);
  /// The form that may add in any order (atomics): other bits on every run.
  cudaError_t (*sumUnordered)(void* temp, std::size_t& bytes, float const* in, float* out, int n,
                              cudaStream_t stream);
  cudaError_t (*argMin)(void* temp, std::size_t& bytes, float const* in, float* value,
                        long long* index, int n, cudaStream_t stream);
};

#if defined(TWEED_HAS_NEWEST_CUB)
__attribute__((visibility("default"))) CubPeer newestCub();
#endif

}  // namespace bench
