// SPDX-License-Identifier: Apache-2.0
// tweed/launch/launch.cuh - start a kernel, with a sentence instead of a code when it cannot start.
#pragma once

#include <tweed/launch/deviceInfo.cuh>
#include <tweed/launch/launchConfig.cuh>

#include <utility>

namespace tweed {

namespace detail {

inline std::string text(dim3 d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

inline std::size_t threadsOf(dim3 d) { return std::size_t(d.x) * d.y * d.z; }

// Limits that every device of compute capability 3.0 and later shares: checked without asking.
inline void checkShape(LaunchConfig const& config) {
  auto const refuse = [](std::string const& what) {
    fail(cudaErrorInvalidConfiguration, "tweed::launch: " + what);
  };
  dim3 const b = config.block;
  dim3 const g = config.grid;
  if (threadsOf(b) == 0) refuse("block " + text(b) + " has no threads; 1 to 1024 are allowed");
  if (threadsOf(b) > 1024)
    refuse("block " + text(b) + " has " + std::to_string(threadsOf(b)) +
           " threads; at most 1024 are allowed");
  if (b.z > 64) refuse("block.z is " + std::to_string(b.z) + "; at most 64 is allowed");
  if (g.x > 2147483647u)
    refuse("grid.x is " + std::to_string(g.x) + "; at most 2147483647 is allowed");
  if (g.y > 65535) refuse("grid.y is " + std::to_string(g.y) + "; at most 65535 is allowed");
  if (g.z > 65535) refuse("grid.z is " + std::to_string(g.z) + "; at most 65535 is allowed");
}

// Converts an argument as a call would, and no further.
template <class Param>
struct Implicit {
  static Param from(Param param) { return param; }
};

// The shared memory of a kernel's blocks, in bytes.
struct SharedBytes {
  std::size_t fixed;  // its static part
  std::size_t limit;  // of both parts, with opting in
};

// Opts the kernel in to all the dynamic shared memory that its static part leaves: once and to the
// limit, since a value per launch would race between host threads. False: a block has less.
inline bool allowShared(void const* kernel, std::size_t bytes, SharedBytes& shared) {
  cudaFuncAttributes attributes;
  TWEED_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  if (bytes <= std::size_t(attributes.maxDynamicSharedSizeBytes)) return true;
  shared.fixed = attributes.sharedSizeBytes;
  shared.limit =
      std::size_t(deviceAttribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, currentDevice()));
  if (shared.fixed > shared.limit || bytes > shared.limit - shared.fixed) return false;
  TWEED_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   int(shared.limit - shared.fixed)));
  return true;
}

inline void requireShared(void const* kernel, std::size_t bytes) {
  SharedBytes shared;
  if (!allowShared(kernel, bytes, shared))
    fail(cudaErrorInvalidValue,
         "tweed::launch: " + std::to_string(bytes) + " bytes of dynamic and " +
             std::to_string(shared.fixed) +
             " of static shared memory are asked for; a block of this device has " +
             std::to_string(shared.limit));
}

// Why a launch was refused: only now is there time to ask.
[[noreturn]] inline void failLaunch(cudaError_t code, void const* kernel,
                                    LaunchConfig const& config) {
  (void)cudaGetLastError();
  cudaFuncAttributes attributes{};
  std::size_t const threads = threadsOf(config.block);
  if (cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess) {
    auto const limit = std::size_t(attributes.maxThreadsPerBlock);
    if (limit > 0 && threads > limit) {
      int const registers = deviceAttribute(cudaDevAttrMaxRegistersPerBlock, currentDevice());
      fail(code, "tweed::launch: a block of " + std::to_string(threads) +
                     " threads is asked for; this kernel allows " + std::to_string(limit) + " (" +
                     std::to_string(attributes.numRegs) + " registers a thread make " +
                     std::to_string(std::size_t(attributes.numRegs) * threads) + ", a block has " +
                     std::to_string(registers) + ", and its __launch_bounds__ may say less)");
    }
  } else {
    (void)cudaGetLastError();
  }
  if (code == cudaErrorInvalidConfiguration || code == cudaErrorInvalidValue ||
      code == cudaErrorLaunchOutOfResources || code == cudaErrorNoKernelImageForDevice ||
      code == cudaErrorInvalidDeviceFunction)
    fail(code, std::string("tweed::launch: grid ") + text(config.grid) + ", block " +
                   text(config.block) + ", " + std::to_string(config.sharedBytes) +
                   " bytes of dynamic shared memory: " + cudaGetErrorString(code));
  fail(code,
       std::string("tweed::launch: did not start, since earlier work of this process failed: ") +
           cudaGetErrorString(code));
}

}  // namespace detail

/// Waits for a stream and reports what its work did.
/// Errors   throws tweed::Error naming the fault of any kernel or copy before it.
inline void synchronize(cudaStream_t stream = nullptr) {
  cudaError_t const code = cudaStreamSynchronize(stream);
  if (code != cudaSuccess)
    detail::fail(code, std::string("tweed::synchronize: work on this stream failed: ") +
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
///          it waits for the kernel, outside a capture.
/// Cost     that of cudaLaunchKernelEx; with dynamic shared memory, one more query.
/// Errors   throws tweed::Error naming the limit and both numbers, with nothing started and no
///          error left behind: block of 0 or more than 1024 threads, grid.y or grid.z above 65535,
///          shared memory or registers beyond the device's. An error of earlier work is reported as
///          such.
/// Source   CUDA C++ Programming Guide, compute capabilities: technical specifications.
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), LaunchConfig const& config, Args&&... args) {
  static_assert(sizeof...(Params) == sizeof...(Args),
                "tweed::launch: the kernel takes another number of arguments");
  detail::checkShape(config);
  if (detail::threadsOf(config.grid) == 0) return;
  void const* const address = reinterpret_cast<void const*>(kernel);
  if (config.sharedBytes > 0) detail::requireShared(address, config.sharedBytes);

  cudaLaunchConfig_t native{};
  native.gridDim = config.grid;
  native.blockDim = config.block;
  native.dynamicSmemBytes = config.sharedBytes;
  native.stream = config.stream;
  cudaError_t const code = cudaLaunchKernelEx(
      &native, kernel, detail::Implicit<Params>::from(std::forward<Args>(args))...);
  if (code != cudaSuccess) detail::failLaunch(code, address, config);
#if defined(TWEED_DEBUG)
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  TWEED_CHECK(cudaStreamIsCapturing(config.stream, &capture));
  if (capture == cudaStreamCaptureStatusNone) synchronize(config.stream);
#endif
}

}  // namespace tweed
