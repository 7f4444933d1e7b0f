// SPDX-License-Identifier: Apache-2.0
// tweed/arch/specialFunctions.cuh - what the special function unit computes, in one instruction.
#pragma once

#include <tweed/core/config.cuh>

namespace tweed::arch {

// Shape    any thread by itself, the host too.
// Cost     one instruction at a quarter of the rate of an addition.
// Result   on the host, and so on the loom, the nearest float.
// Source   PTX ISA, rcp.approx and ex2.approx.

/// 1 / x, off by one unit in the last place at most. 0 where that is below 2^-126, and infinity for
/// x below that.
TWEED_HOST_DEVICE float approxReciprocal(float x) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  float const size = x < 0 ? -x : x;
  return size > 0x1p126f ? 0 : 1 / (size < 0x1p-126f ? 0 : x);
#endif
}

/// 2 to the power of x, with a relative error of 2^-22 at most. 0 where that is below 2^-126.
TWEED_HOST_DEVICE float approxExp2(float x) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return x < -126 ? 0 : __builtin_exp2f(x);
#endif
}

}  // namespace tweed::arch
