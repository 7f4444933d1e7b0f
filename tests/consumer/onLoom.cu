// SPDX-License-Identifier: Apache-2.0
// A user's kernel on the loom: right, and with a barrier that not all threads reach.
#include <tweed/tweed.cuh>

#include <cstdio>
#include <cstring>

__global__ void sumOfBlock(float* x) {
  x[threadIdx.x] = tweed::blockReduce<64>(float(threadIdx.x));
}
__global__ void barrierInBranch(float* x) {
  if (threadIdx.x < 32) __syncthreads();
  x[threadIdx.x] = 0;
}

int main() {
  float* x = nullptr;
  float result[64];
  TWEED_CHECK(cudaMalloc(&x, sizeof result));
  tweed::launch(sumOfBlock, {1, 64}, x);
  TWEED_CHECK(cudaMemcpy(result, x, sizeof result, cudaMemcpyDeviceToHost));
  bool good = result[0] == 2016 && result[63] == 2016;
  try {
    tweed::launch(barrierInBranch, {1, 64}, x);
    good = false;
  } catch (tweed::loom::Fault const& fault) {
    std::puts(fault.what());
    good = good && std::strstr(fault.what(), "reached by 32 of 64 threads") != nullptr;
  }
  TWEED_CHECK(cudaFree(x));
  return good ? 0 : 1;
}
