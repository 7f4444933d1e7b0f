// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/newestCub.cu - a library of its own, with nothing visible but one function, so
// that two versions of CUB and libcu++ live in one process. Its headers come from TWEED_CCCL_DIR.
#include "peer.hpp"

#include <cub/device/device_reduce.cuh>

#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#include <cuda/stream_ref>

namespace bench {

namespace newest {

// Hands CUB's environment form the storage that the caller has allocated.
class Borrowed {
 public:
  using default_queries = cuda::mr::properties_list<cuda::mr::device_accessible>;

  Borrowed(void* data, std::size_t bytes) : data_(data), bytes_(bytes) {}

  void* allocate(cuda::stream_ref, std::size_t bytes, std::size_t = 0) {
    return bytes <= bytes_ ? data_ : nullptr;
  }
  void deallocate(cuda::stream_ref, void*, std::size_t, std::size_t = 0) noexcept {}
  void* allocate_sync(std::size_t bytes, std::size_t = 0) {
    return bytes <= bytes_ ? data_ : nullptr;
  }
  void deallocate_sync(void*, std::size_t, std::size_t = 0) noexcept {}
  bool operator==(Borrowed const& other) const { return data_ == other.data_; }
  bool operator!=(Borrowed const& other) const { return data_ != other.data_; }
  friend void get_property(Borrowed const&, cuda::mr::device_accessible) noexcept {}

 private:
  void* data_;
  std::size_t bytes_;
};

cudaError_t sum(void* temp, std::size_t& bytes, float const* in, float* out, int n,
                cudaStream_t stream) {
  return CUB_NS_QUALIFIER::DeviceReduce::Sum(temp, bytes, in, out, n, stream);
}

cudaError_t sumUnordered(void* temp, std::size_t& bytes, float const* in, float* out, int n,
                         cudaStream_t stream) {
  if (temp == nullptr) {
    bytes = std::size_t(1) << 20;
    return cudaSuccess;
  }
  cuda::stream_ref const where{stream};
  auto const memory =
      cuda::std::execution::prop{cuda::mr::get_memory_resource_t{}, Borrowed(temp, bytes)};
  auto const order = cuda::execution::require(cuda::execution::determinism::not_guaranteed);
  auto const environment = cuda::std::execution::env{where, memory, order};
  return CUB_NS_QUALIFIER::DeviceReduce::Sum(in, out, n, environment);
}

cudaError_t argMin(void* temp, std::size_t& bytes, float const* in, float* value, long long* index,
                   int n, cudaStream_t stream) {
  return CUB_NS_QUALIFIER::DeviceReduce::ArgMin(temp, bytes, in, value, index, n, stream);
}

}  // namespace newest

CubPeer newestCub() { return {CUB_VERSION, newest::sum, newest::sumUnordered, newest::argMin}; }

}  // namespace bench
