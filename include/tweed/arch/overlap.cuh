// SPDX-License-Identifier: Apache-2.0
// tweed/arch/overlap.cuh - kernels of one stream that overlap (programmatic dependent launch).
#pragma once

#include <tweed/core/config.cuh>

namespace tweed::arch {

/// Lets the next kernel of the stream start before this one ends, once all blocks of this one have
/// said so or have ended, if its launch allows that (LaunchConfig::overlapPrevious). Without effect
/// before compute capability 9.0 and on the loom.
/// Source   PTX ISA, griddepcontrol.launch_dependents.
TWEED_DEVICE void letNextStart() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Waits until the kernels before this one have ended and what they wrote can be seen. Comes before
/// the first access to global memory. At once if this launch does not overlap.
/// Source   PTX ISA, griddepcontrol.wait.
TWEED_DEVICE void waitForPrevious() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

#if !defined(__CUDACC_RTC__)
/// For the host: true if this build holds code for just this compute capability (major * 10 +
/// minor) in which waitForPrevious() waits. A device that runs code for another one must not
/// overlap: nothing in that code waits. Static: the answer of another source or library, built for
/// other devices, must not be taken for this one's.
[[maybe_unused]] static inline bool canOverlapOn([[maybe_unused]] int computeCapability) {
#if defined(__CUDA_ARCH_LIST__)
  constexpr int built[] = {__CUDA_ARCH_LIST__};
  for (int const arch : built)
    if (arch >= 900 && arch == computeCapability * 10) return true;
#endif
  return false;
}
#endif

}  // namespace tweed::arch
