// SPDX-License-Identifier: Apache-2.0
// tweed/arch/target.cuh - which of Hopper's instructions the code being compiled may use.
#pragma once

#include <tweed/core/config.cuh>

namespace tweed::arch {

// Of the GPU's code that is being compiled; the host's part of the same compilation, which only
// parses device code, says true, and the loom false. A kernel for several targets puts its use of
// an instruction behind `if constexpr` in a template, and what it calls there is never instantiated
// for the others.

/// mbarrier, bulk copies and TMA, clusters, stmatrix: compute capability 9.0 and later.
#if defined(TWEED_LOOM) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900)
inline constexpr bool hasHopper = false;
#else
inline constexpr bool hasHopper = true;
#endif

/// wgmma, setmaxnreg and multicast: the target sm_90a alone, which neither sm_90 nor a later one
/// includes.
#if defined(TWEED_LOOM) || (defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL))
inline constexpr bool hasWgmma = false;
#else
inline constexpr bool hasWgmma = true;
#endif

// The first line of each instruction's function. `Has` is a parameter of that function, so that
// a header with the instruction compiles for every target, and only its use is refused.

template <bool Has>
TWEED_DEVICE constexpr void needsHopper() {
  static_assert(Has,
                "tweed::arch: this instruction needs compute capability 9.0: pass -arch=sm_90 to "
                "nvcc, or CMAKE_CUDA_ARCHITECTURES=90-real; the loom has none");
}

template <bool Has>
TWEED_DEVICE constexpr void needsWgmma() {
  static_assert(
      Has,
      "tweed::arch: wgmma, setmaxnreg and multicast need the target sm_90a, which sm_90 does not "
      "include: pass -gencode=arch=compute_90a,code=sm_90a to nvcc, or "
      "CMAKE_CUDA_ARCHITECTURES=90a-real; the loom has none");
}

/// The body of a kernel on the targets without its instructions: a launch there is a fault, as it
/// would leave its result unwritten in silence.
TWEED_DEVICE void stopWithoutTarget() {
#if defined(TWEED_LOOM)
  loom::device::trap("tweed: a kernel was launched whose instructions the loom does not have");
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

}  // namespace tweed::arch
