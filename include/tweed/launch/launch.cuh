// SPDX-License-Identifier: Apache-2.0
// tweed/launch/launch.cuh - start a kernel, with a sentence instead of a code when it cannot start.
#pragma once

#include <tweed/launch/launchChecks.cuh>

#include <type_traits>
#include <utility>

// Hidden: a shared library starts its own kernels, by its own runtime, also where another one in
// the process has the same functions.
#pragma GCC visibility push(hidden)
namespace tweed {

namespace detail {

// Converts an argument as a call would, and no further.
template <class Param>
struct Implicit {
  static Param from(Param param) { return param; }
};

// Whether the stream is being captured; throws where that cannot be told, with `call` in the text.
inline cudaStreamCaptureStatus captureStatus(char const* call, cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaError_t const code = cudaStreamIsCapturing(stream, &status);
  if (code == cudaSuccess) return status;
  (void)cudaGetLastError();
  if (code == cudaErrorStreamCaptureImplicit)
    fail(code, std::string(call) +
                   ": the default stream cannot be used while a stream that waits for it is being "
                   "captured; the capture goes on");
  return cudaStreamCaptureStatusNone;  // the call that follows says better what is wrong
}

#if defined(TWEED_DEBUG)
// Waits, to tell the faults of one kernel from those of the work before it.
inline void awaitEarlier(cudaStream_t stream) {
  cudaError_t const code = cudaStreamSynchronize(stream);
  if (code != cudaSuccess) (void)cudaGetLastError();
  if (isKernelFault(code)) failEarlier(code);
}
inline void awaitKernel(std::string const& name, LaunchConfig const& config) {
  cudaError_t const code = cudaStreamSynchronize(config.stream);
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();
  fail(code, "tweed::launch: " + name + " failed, with grid " + text(config.grid) + " and block " +
                 text(config.block) + ": " + cudaGetErrorString(code));
}
#endif

}  // namespace detail

/// Waits for a stream and reports what its work did.
/// Errors   throws tweed::Error naming the fault of any kernel or copy before it. While the stream
///          is being captured it throws before it waits, and the capture goes on.
inline void synchronize(cudaStream_t stream = nullptr) {
  char const* const call = "tweed::synchronize";
  switch (detail::captureStatus(call, stream)) {
    case cudaStreamCaptureStatusActive:
      detail::fail(cudaErrorStreamCaptureUnsupported,
                   std::string(call) +
                       ": the stream is being captured into a graph, so there is "
                       "nothing to wait for yet; the capture goes on");
    case cudaStreamCaptureStatusInvalidated:
      detail::fail(cudaErrorStreamCaptureInvalidated,
                   std::string(call) + ": the stream's capture failed at an earlier call");
    default:
      break;
  }
  cudaError_t const code = cudaStreamSynchronize(stream);
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();
  detail::fail(code, std::string(call) +
                         (detail::isKernelFault(code) ? ": work before it failed: "
                                                      : ": cannot wait for this stream: ") +
                         cudaGetErrorString(code));
}

/// Launches a kernel.
///
///     tweed::launch(saxpy, {tweed::gridFor(n, saxpy, 256), 256}, a, x, y, n);
///
/// Shape    config: grid and block sizes; an empty grid is success and does nothing.
/// Needs    arguments convertible to the kernel's parameters. Dynamic shared memory above 48 KiB is
///          opted in to by itself.
/// Sync     asynchronous, ordered by config.stream; can be captured in a graph. Under TWEED_DEBUG
///          it waits before and after, outside a capture, and names the kernel that failed.
/// Cost     that of cudaLaunchKernelEx; with dynamic shared memory, one more query.
/// Errors   throws tweed::Error naming the limit and both numbers, with nothing started and no
///          error left behind: block of 0 or more than 1024 threads, grid.y or grid.z above 65535,
///          shared memory or registers beyond the device's, a cluster that does not divide the grid
///          or is larger than the device allows. A fault of earlier work is reported as such; an
///          error that an earlier call left behind stays for its caller to read.
/// Source   CUDA C++ Programming Guide, compute capabilities: technical specifications.
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), LaunchConfig const& config, Args&&... args) {
  static_assert(sizeof...(Params) == sizeof...(Args),
                "tweed::launch: the kernel takes another number of arguments");
  static_assert((std::is_convertible_v<Args&&, Params> && ...),
                "tweed::launch: an argument does not convert to the kernel's parameter");
  detail::checkShape(config);
  if (detail::isEmpty(config.grid)) return;
  void const* const address = reinterpret_cast<void const*>(kernel);
  if (address == nullptr)
    detail::fail(cudaErrorInvalidDeviceFunction, "tweed::launch: the kernel is a null pointer");
  if (config.sharedBytes > 0) detail::requireShared(address, config.sharedBytes);
  bool const hasCluster = detail::blocksOf(config.cluster) > 1;
  if (hasCluster) detail::requireCluster(address, config.cluster);

#if defined(TWEED_DEBUG)
  std::string const name = detail::nameOf(address);  // after a fault there would be none
  bool const isCaptured =
      detail::captureStatus("tweed::launch", config.stream) != cudaStreamCaptureStatusNone;
  if (!isCaptured) detail::awaitEarlier(config.stream);
#endif
  cudaLaunchConfig_t native{};
  native.gridDim = config.grid.native();
  native.blockDim = config.block.native();
  native.dynamicSmemBytes = config.sharedBytes;
  native.stream = config.stream;
  cudaLaunchAttribute attributes[2];
  native.attrs = attributes;
  if (hasCluster) {
    dim3 const cluster = config.cluster.native();
    cudaLaunchAttribute& attribute = attributes[native.numAttrs++];
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
  }
  if (config.overlapPrevious) {
    cudaLaunchAttribute& attribute = attributes[native.numAttrs++];
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  cudaError_t const code = cudaLaunchKernelEx(
      &native, kernel, detail::Implicit<Params>::from(std::forward<Args>(args))...);
  if (code != cudaSuccess) detail::failLaunch(code, address, config, native);
#if defined(TWEED_DEBUG)
  if (!isCaptured) detail::awaitKernel(name, config);
#endif
}

}  // namespace tweed
#pragma GCC visibility pop
