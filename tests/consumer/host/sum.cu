// SPDX-License-Identifier: Apache-2.0
// A user's kernel and program.
#include <tweed/block/blockReduce.cuh>
#include <tweed/launch/launch.cuh>

__global__ void sumOfBlock(int* out) {
  int const sum = tweed::blockReduce<96>(int(threadIdx.x));
  if (threadIdx.x == 95) *out = sum;
}

int main() {
  int* out = nullptr;
  int sum = 0;
  TWEED_CHECK(cudaMalloc(&out, sizeof *out));
  tweed::launch(sumOfBlock, {1, 96}, out);
  TWEED_CHECK(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
  TWEED_CHECK(cudaFree(out));
  return sum == 95 * 96 / 2 ? 0 : 1;
}
