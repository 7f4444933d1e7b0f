// SPDX-License-Identifier: Apache-2.0
// tweed/memory/workspace.cuh - device scratch that whole-array functions use again and again.
#pragma once

#include <tweed/core/error.cuh>

#if !defined(__CUDACC_RTC__)

#include <cstddef>

namespace tweed {

/// Scratch memory on the device, of one stream. Zeroed once; from then on each call finds in it what
/// the last one left, and knows what of that to ignore: nothing is reset between calls.
///
///     tweed::Workspace workspace(stream);
///     tweed::deviceReduce(in, n, out, tweed::Sum{}, workspace);  // as often as you like
///
/// Shape    `bytes` of memory; the default serves every reduction of values up to 64 bytes on
///          devices of up to 256 multiprocessors. Calls name what they need: ...Bytes().
/// Sync     allocated, zeroed and freed in order of the stream; never waits. Calls on other streams
///          throw, as two of them at once would use the same memory. Not to be used by two host
///          threads at once. The stream must outlive it.
/// Errors   throws tweed::Error: no memory.
class Workspace {
 public:
  static constexpr std::size_t defaultBytes = std::size_t(1) << 18;

  explicit Workspace(cudaStream_t stream = nullptr, std::size_t bytes = defaultBytes)
      : stream_(stream), bytes_(bytes) {
    if (bytes == 0) return;
    TWEED_CHECK(cudaMallocAsync(&data_, bytes, stream));
    cudaError_t const code = cudaMemsetAsync(data_, 0, bytes, stream);
    if (code != cudaSuccess) {
      (void)cudaFreeAsync(data_, stream);
      detail::failCall(code, "cudaMemsetAsync of a tweed::Workspace", __FILE__, __LINE__);
    }
  }
  ~Workspace() {
    if (data_ != nullptr) (void)cudaFreeAsync(data_, stream_);
  }
  Workspace(Workspace const&) = delete;
  Workspace& operator=(Workspace const&) = delete;

  cudaStream_t stream() const { return stream_; }
  std::size_t bytes() const { return bytes_; }

  /// The memory, for a call that needs `bytes` of it on `stream`.
  /// Errors   throws tweed::Error: too small; another stream.
  void* take(char const* call, std::size_t bytes, cudaStream_t stream) {
    if (stream != stream_)
      detail::fail(cudaErrorInvalidValue,
                   std::string(call) + ": the workspace belongs to another stream than the call's");
    if (bytes > bytes_)
      detail::fail(cudaErrorInvalidValue, std::string(call) + ": needs a workspace of " +
                                              std::to_string(bytes) + " bytes, this one has " +
                                              std::to_string(bytes_));
    return data_;
  }

 private:
  cudaStream_t stream_;
  std::size_t bytes_;
  void* data_ = nullptr;
};

}  // namespace tweed

#endif  // !defined(__CUDACC_RTC__)
