// SPDX-License-Identifier: Apache-2.0
// tweed/arch/redux.cuh - fold a 32-bit integer of each lane in one instruction (PTX redux.sync).
#pragma once

#include <tweed/core/math.cuh>

namespace tweed::arch {

/// True if the target has these instructions: sm_80 and later, and the loom.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr bool hasRedux = false;
#else
inline constexpr bool hasRedux = true;
#endif

// Shape    one integer per lane of `mask`, which is any set of lanes. They are templates so that a
//          target without the instruction meets it only where it is called.
// Result   every lane of `mask`; sums wrap around.
// Needs    int or unsigned; And, Or and Xor: unsigned.
// Sync     all lanes of `mask` call it together.
// Cost     one instruction, half as fast as a shuffle.
// Source   PTX ISA, redux.sync; CUDA C++ Programming Guide, warp reduce functions.

template <class T>
inline constexpr bool isReduxType = isSame<T, int> || isSame<T, unsigned>;

template <class T>
TWEED_DEVICE T reduxAdd(unsigned mask, T value) {
  static_assert(isReduxType<T>, "tweed::arch::reduxAdd: T is int or unsigned");
  return __reduce_add_sync(mask, value);
}

template <class T>
TWEED_DEVICE T reduxMin(unsigned mask, T value) {
  static_assert(isReduxType<T>, "tweed::arch::reduxMin: T is int or unsigned");
  return __reduce_min_sync(mask, value);
}

template <class T>
TWEED_DEVICE T reduxMax(unsigned mask, T value) {
  static_assert(isReduxType<T>, "tweed::arch::reduxMax: T is int or unsigned");
  return __reduce_max_sync(mask, value);
}

template <class T>
TWEED_DEVICE T reduxAnd(unsigned mask, T value) {
  static_assert(isSame<T, unsigned>, "tweed::arch::reduxAnd: T is unsigned");
  return __reduce_and_sync(mask, value);
}

template <class T>
TWEED_DEVICE T reduxOr(unsigned mask, T value) {
  static_assert(isSame<T, unsigned>, "tweed::arch::reduxOr: T is unsigned");
  return __reduce_or_sync(mask, value);
}

template <class T>
TWEED_DEVICE T reduxXor(unsigned mask, T value) {
  static_assert(isSame<T, unsigned>, "tweed::arch::reduxXor: T is unsigned");
  return __reduce_xor_sync(mask, value);
}

}  // namespace tweed::arch
