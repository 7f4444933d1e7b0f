// SPDX-License-Identifier: Apache-2.0
#include <tweed/tweed.cuh>

__global__ void blockSums(float const* in, float* out) {
  out[blockIdx.x] = tweed::blockReduce<128>(in[blockIdx.x * 128 + threadIdx.x]);
}

void sumAll(float const* in, std::size_t n, float* out, tweed::Workspace& workspace) {
  tweed::deviceReduce(in, n, out, tweed::Sum{}, workspace);
}
