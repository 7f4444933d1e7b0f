// SPDX-License-Identifier: Apache-2.0
// A user's test: the argument names the kernel, right or with a planted error. 77: no device.
#include <tweed/block/blockReduce.cuh>
#include <tweed/launch/launch.cuh>

#include <cstdio>
#include <cstring>

#if defined(USE_LIBCUXX)
#include <cuda/std/functional>
using Plus = cuda::std::plus<>;
#else
using Plus = tweed::Sum;
#endif

constexpr int threads = 64;

// out[i] = in[threads - 1 - i] - sum of in
__global__ void right(int const* in, int* out) {
  __shared__ int values[threads];
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = values[threads - 1 - threadIdx.x];
  out[threadIdx.x] -= tweed::blockReduce<threads>(in[threadIdx.x], Plus{});
}

__global__ void missingBarrier(int const* in, int* out) {
  __shared__ int values[threads];
  values[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = values[threads - 1 - threadIdx.x];
  out[threadIdx.x] -= tweed::blockReduce<threads>(in[threadIdx.x], Plus{});
}

__global__ void barrierInBranch(int const* in, int* out) {
  __shared__ int values[threads];
  values[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 32) __syncthreads();
  out[threadIdx.x] = values[threads - 1 - threadIdx.x];
}

int main(int count, char** arguments) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  char const* const name = count > 1 ? arguments[1] : "right";
  auto const kernel = std::strcmp(name, "missingBarrier") == 0    ? missingBarrier
                      : std::strcmp(name, "barrierInBranch") == 0 ? barrierInBranch
                                                                  : right;
  int in[threads], out[threads], sum = 0;
  for (int i = 0; i < threads; ++i) sum += in[i] = i * i;
  int* device = nullptr;
  TWEED_CHECK(cudaMalloc(&device, 2 * sizeof in));
  TWEED_CHECK(cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice));
  tweed::launch(kernel, {1, threads}, device, device + threads);
  TWEED_CHECK(cudaMemcpy(out, device + threads, sizeof out, cudaMemcpyDeviceToHost));
  TWEED_CHECK(cudaFree(device));
  for (int i = 0; i < threads; ++i) {
    int const wanted = in[threads - 1 - i] - sum;
    if (out[i] == wanted) continue;
    std::printf("out[%d] is %d, not %d\n", i, out[i], wanted);
    return 1;
  }
  std::puts("right");
}
