// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/wgmmaImage.cuh - whether the code that this program runs on this device has wgmma.
#pragma once

#include <tweed/arch/target.cuh>
#include <tweed/core/error.cuh>

// Hidden: the answer of another library, built for other targets, must not be taken for this one's.
#pragma GCC visibility push(hidden)
namespace tweed {

namespace detail {

// Never launched. How many threads a block of it may have says for which target it was compiled,
// which its version does not: 9.0 and 9.0a are both 90.
inline constexpr int probeThreadsWithWgmma = 96;
template <class>
TWEED_KERNEL void __launch_bounds__(arch::hasWgmma ? probeThreadsWithWgmma : 64) probeWgmma() {}

}  // namespace detail

/// For which target the code of this source was compiled that the current device runs.
struct ImageTarget {
  int version;    ///< compute capability, major * 10 + minor; 0 if there is no code for it
  bool hasWgmma;  ///< sm_90a
};

/// Result   on the loom, all that its device has, but no wgmma.
/// Cost     one query of a kernel's attributes.
/// Errors   throws tweed::Error: earlier work failed.
[[maybe_unused]] static inline ImageTarget imageTarget() {
#if defined(TWEED_LOOM)
  return {90, false};
#else
  cudaFuncAttributes attributes{};
  cudaError_t const code =
      cudaFuncGetAttributes(&attributes, reinterpret_cast<void const*>(&detail::probeWgmma<void>));
  if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction) {
    (void)cudaGetLastError();
    return {0, false};
  }
  TWEED_CHECK(code);
  return {attributes.ptxVersion, attributes.maxThreadsPerBlock == detail::probeThreadsWithWgmma};
#endif
}

/// True if the current device runs code of this source that was compiled for sm_90a. False on other
/// devices, on the loom, and where the source was compiled for plain 90.
[[maybe_unused]] static inline bool imageHasWgmma() { return imageTarget().hasWgmma; }

}  // namespace tweed
#pragma GCC visibility pop
