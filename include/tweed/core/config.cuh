// SPDX-License-Identifier: Apache-2.0
// tweed/core/config.cuh - what compiles this, and the closed list of macros.
#pragma once

#if !defined(__CUDACC_RTC__) && __cplusplus < 201703L
#error "tweed needs C++17: pass -std=c++17 or later"
#endif

// Function qualifiers. On the loom (kernels as plain C++) and in host files they are `inline`.
#if defined(__CUDACC__)
#define TWEED_DEVICE __device__ __forceinline__
#define TWEED_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define TWEED_DEVICE inline
#define TWEED_HOST_DEVICE inline
#endif

// Internal linkage: two libraries that hold the same kernel for different targets stay apart.
#if defined(__CUDACC__) || defined(TWEED_LOOM)
#define TWEED_KERNEL static __global__
#else
#define TWEED_KERNEL static
#endif

// TWEED_ASSERT(condition, format, numbers...): a promise of the caller, checked in device code when
// TWEED_DEBUG is defined and always on the loom. A broken one prints the text and stops the kernel.
#if defined(TWEED_LOOM)
#define TWEED_ASSERT(condition, ...) \
  ((condition) ? void() : ::tweed::detail::stopKernel(__VA_ARGS__))
#elif defined(TWEED_DEBUG) && defined(__CUDA_ARCH__)
#define TWEED_ASSERT(condition, ...) \
  ((condition) ? void() : (void(printf(__VA_ARGS__)), void(printf("\n")), __trap()))
#else
#define TWEED_ASSERT(condition, ...) void()
#endif

namespace tweed::detail {
// Whether this is the compilation for a GPU, in which its own functions have their own bits.
#if defined(__CUDA_ARCH__)
inline constexpr bool isDeviceCode = true;
#else
inline constexpr bool isDeviceCode = false;
#endif
}  // namespace tweed::detail

#if defined(TWEED_LOOM)
namespace tweed::detail {
template <class... Number>
[[noreturn]] inline void stopKernel(char const* format, Number... number) {
  if constexpr (sizeof...(Number) == 0) {
    loom::device::trap(format);
  } else {
    char text[256];
    __builtin_snprintf(text, sizeof text, format, number...);
    loom::device::trap(text);
  }
}
}  // namespace tweed::detail
#endif
