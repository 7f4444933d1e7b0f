// SPDX-License-Identifier: Apache-2.0
// Kernels in a library, and a host function that launches one of tweed's.
#include <tweed/block/blockReduce.cuh>
#include <tweed/device/deviceReduce.cuh>

__global__ void blockSums(float const* in, float* out) {
  out[blockIdx.x] = tweed::blockReduce<128>(in[blockIdx.x * 128 + threadIdx.x]);
}

void sumAll(float const* in, std::size_t n, float* out, tweed::Workspace& workspace) {
  tweed::deviceReduce(in, n, out, tweed::Sum{}, workspace);
}
