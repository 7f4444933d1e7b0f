// SPDX-License-Identifier: Apache-2.0
// tweed/memory/workspace.cuh - device scratch that whole-array functions use again and again.
#pragma once

#include <tweed/core/error.cuh>

#if !defined(__CUDACC_RTC__)

#include <cstddef>

namespace tweed {

/// Scratch memory on the device, of one stream. Zeroed once; from then on each call finds in it
/// what the last one left, and knows what of that to ignore: nothing is reset between calls.
///
///     tweed::Workspace workspace(stream);
///     tweed::deviceReduce(in, n, out, tweed::Sum{}, workspace);  // as often as you like
///
/// Shape    `bytes` of memory; the default serves every reduction of values up to 64 bytes on
///          devices of up to 256 multiprocessors. Calls name what they need: ...Bytes().
///          A workspace serves whole-array functions or, by takeState(), kernels of your own, or
///          products (matmul), by takeScratch().
/// Sync     allocated, zeroed and freed in order of the stream; never waits. Calls on other streams
///          throw, as two of them at once would use the same memory. Not to be used by two host
///          threads at once. It must outlive the graphs that use it, and its stream must outlive
///          it. One that is made while its stream is captured must be gone before the capture ends.
/// Errors   throws tweed::Error: no memory; use for more than one kind.
class Workspace {
 public:
  static constexpr std::size_t defaultBytes = std::size_t(1) << 18;

  explicit Workspace(cudaStream_t stream = nullptr, std::size_t bytes = defaultBytes)
      : stream_(stream), bytes_(bytes), computeCapability_(currentCapability()) {
    if (bytes == 0) return;
    TWEED_CHECK(cudaMallocAsync(&data_, bytes, stream));
    cudaError_t const code = cudaMemsetAsync(data_, 0, bytes, stream);
    if (code != cudaSuccess) {
      (void)cudaFreeAsync(data_, stream);
      detail::failCall(code, "cudaMemsetAsync of a tweed::Workspace", __FILE__, __LINE__);
    }
  }
  ~Workspace() {
    if (data_ != nullptr && cudaFreeAsync(data_, stream_) != cudaSuccess) (void)cudaGetLastError();
  }
  Workspace(Workspace const&) = delete;
  Workspace& operator=(Workspace const&) = delete;

  cudaStream_t stream() const { return stream_; }
  std::size_t bytes() const { return bytes_; }

  /// Of its device: major * 10 + minor.
  int computeCapability() const { return computeCapability_; }

  /// Whether a kernel that waits (arch::waitForPrevious) may be launched with overlapPrevious, if
  /// there is code that does (arch::canOverlapOn). In a capture only behind one that lets it start,
  /// which is known of tweed's own: elsewhere in a graph an overlapping launch costs more than it
  /// gains. noteLaunch() comes after each launch of one.
  bool mayOverlap() const {
    if (computeCapability_ < 90) return false;
    Capture const now = capture();
    return !now.isActive || (now.id == last_.id && now.node == last_.node && now.node != nullptr);
  }
  void noteLaunch() {
    if (computeCapability_ >= 90) last_ = capture();
  }

  /// The memory, for a call that needs `bytes` of it on `stream`.
  /// Errors   throws tweed::Error: too small; another stream.
  void* take(char const* call, std::size_t bytes, cudaStream_t stream) {
    return takeFor(Use::Functions, call, bytes, stream);
  }

  /// The memory, as the state of a kernel of your own that calls lastBlock() or gridReduce():
  /// `bytes` of it for launches on `stream`.
  /// Errors   throws tweed::Error: too small; another stream.
  void* takeState(char const* call, std::size_t bytes, cudaStream_t stream) {
    return takeFor(Use::Kernels, call, bytes, stream);
  }

  /// The memory, for a call that needs nothing to be in it.
  /// Errors   throws tweed::Error: too small; another stream.
  void* takeScratch(char const* call, std::size_t bytes, cudaStream_t stream) {
    return takeFor(Use::Scratch, call, bytes, stream);
  }

 private:
  // Each kind leaves in the memory what another would take for its own.
  enum class Use { None, Functions, Kernels, Scratch };
  static char const* nameOf(Use use) {
    return use == Use::Kernels   ? "kernels (takeState)"
           : use == Use::Scratch ? "products (takeScratch)"
                                 : "whole-array functions";
  }

  void* takeFor(Use use, char const* call, std::size_t bytes, cudaStream_t stream) {
    if (stream != stream_)
      detail::fail(cudaErrorInvalidValue,
                   std::string(call) + ": the workspace belongs to another stream than the call's");
    if (bytes > bytes_)
      detail::fail(cudaErrorInvalidValue, std::string(call) + ": needs a workspace of " +
                                              std::to_string(bytes) + " bytes, this one has " +
                                              std::to_string(bytes_));
    if (use_ != Use::None && use_ != use)
      detail::fail(cudaErrorInvalidValue, std::string(call) + ": the workspace serves " +
                                              nameOf(use_) + " already; another one is needed");
    use_ = use;
    return data_;
  }

  // The capture of the stream, and the one node that comes before whatever is captured next.
  struct Capture {
    bool isActive = false;
    unsigned long long id = 0;
    cudaGraphNode_t node = nullptr;
  };
  Capture capture() const {
    Capture found;
#if !defined(TWEED_LOOM)  // whose launches never overlap
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraphNode_t const* before = nullptr;
    std::size_t count = 0;
#if CUDART_VERSION >= 13000
    TWEED_CHECK(
        cudaStreamGetCaptureInfo(stream_, &status, &found.id, nullptr, &before, nullptr, &count));
#else
    TWEED_CHECK(cudaStreamGetCaptureInfo_v2(stream_, &status, &found.id, nullptr, &before, &count));
#endif
    found.isActive = status == cudaStreamCaptureStatusActive;
    if (found.isActive && count == 1) found.node = *before;
#endif
    return found;
  }
  static int currentCapability() {
    int device = 0, major = 0, minor = 0;
    TWEED_CHECK(cudaGetDevice(&device));
    TWEED_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    TWEED_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    return 10 * major + minor;
  }

  cudaStream_t stream_;
  std::size_t bytes_;
  int computeCapability_;
  void* data_ = nullptr;
  Capture last_;
  Use use_ = Use::None;
};

}  // namespace tweed

#endif  // !defined(__CUDACC_RTC__)
