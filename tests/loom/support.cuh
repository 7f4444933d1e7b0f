// SPDX-License-Identifier: Apache-2.0
/// What the loom's own tests share. Plain CUDA: the loom is tested beneath tweed's headers.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace loomTest {

inline void require(cudaError_t error, char const* call) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
  std::abort();
}
#define LOOM_REQUIRE(call) ::loomTest::require(call, #call)

inline cudaLaunchConfig_t shape(dim3 grid, dim3 block, std::size_t sharedBytes = 0) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = sharedBytes;
  return config;
}

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), cudaLaunchConfig_t config, Arguments... arguments) {
  LOOM_REQUIRE(cudaLaunchKernelEx(&config, kernel, arguments...));
  LOOM_REQUIRE(cudaDeviceSynchronize());
}

/// Device memory with the host's end of it.
template <typename T>
class Array {
 public:
  explicit Array(std::size_t items) : items_(items) {
    LOOM_REQUIRE(cudaMalloc(&data_, items * sizeof(T)));
    LOOM_REQUIRE(cudaMemset(data_, 0, items * sizeof(T)));
  }
  explicit Array(std::vector<T> const& values) : Array(values.size()) { set(values); }
  ~Array() { cudaFree(data_); }
  Array(Array const&) = delete;
  Array& operator=(Array const&) = delete;

  void set(std::vector<T> const& values) {
    LOOM_REQUIRE(cudaMemcpy(data_, values.data(), items_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> get() const {
    std::vector<T> values(items_);
    LOOM_REQUIRE(cudaMemcpy(values.data(), data_, items_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
  std::size_t items_;
};

template <typename T>
__device__ inline T* dynamicShared() {
#if defined(TWEED_LOOM)
  return static_cast<T*>(tweed::loom::device::dynamicShared());
#else
  extern __shared__ __align__(16) unsigned char bytes[];
  return reinterpret_cast<T*>(bytes);
#endif
}

}  // namespace loomTest
