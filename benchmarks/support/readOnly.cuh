// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/readOnly.cuh - a kernel that reads all there is, and combines nothing.
#pragma once

#include <cuda_runtime.h>

namespace bench::detail {

// The sum stays in registers; `sink` is never written.
template <int Threads, int Loads>
__global__ void __launch_bounds__(Threads)
    readOnly(float4 const* in, unsigned long long vectors, void* sink) {
  unsigned long long const stride = gridDim.x * (Threads * 1ull);
  unsigned long long at = blockIdx.x * (Threads * 1ull) + threadIdx.x;
  float sum = 0;
  for (; at + (Loads - 1) * stride < vectors; at += Loads * stride) {
    float4 loaded[Loads];
#pragma unroll
    for (int u = 0; u < Loads; ++u) loaded[u] = __ldcs(in + at + u * stride);
#pragma unroll
    for (int u = 0; u < Loads; ++u)
      sum += (loaded[u].x + loaded[u].y) + (loaded[u].z + loaded[u].w);
  }
  for (; at < vectors; at += stride) {
    float4 const loaded = __ldcs(in + at);
    sum += (loaded.x + loaded.y) + (loaded.z + loaded.w);
  }
  if (sum == 1e30f) *static_cast<char*>(sink) = 1;
}

}  // namespace bench::detail
