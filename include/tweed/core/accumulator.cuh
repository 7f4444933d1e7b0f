// SPDX-License-Identifier: Apache-2.0
// tweed/core/accumulator.cuh - in which type values are added up.
#pragma once

#include <tweed/core/ops.cuh>

namespace tweed {

/// The type in which values of type T are added up where the caller names no other. Specialise it
/// for a type of your own that is too short to add up in, by one that is no smaller nor less
/// aligned and converts from it and back, explicitly too.
template <class T>
struct Accumulator {
  using Type = T;
};
template <class T>
using AccumulatorOf = typename Accumulator<T>::Type;

namespace detail {

// What warp, block and grid functions combine values of type T as: sums and products in T's
// accumulator, all else as it is.
template <class Op, class T>
struct WideOf {
  using Type = T;
};
template <class T>
struct WideOf<Sum, T> : Accumulator<T> {};
template <class T>
struct WideOf<Product, T> : Accumulator<T> {};
template <class Op, class T>
using Wide = typename WideOf<Op, T>::Type;
template <class Op, class T>
inline constexpr bool isWidened = !isSame<Wide<Op, T>, T>;

// The value as that, which is itself where nothing is to be done.
template <class Op, class T>
using Widened = typename Conditional<isWidened<Op, T>, Wide<Op, T>, T const&>::Type;
template <class Op, class T>
TWEED_HOST_DEVICE constexpr Widened<Op, T> widen(T const& value) {
  return static_cast<Widened<Op, T>>(value);
}

// Memory for a T holds either.
template <class T>
inline constexpr bool holdsAccumulator = sizeof(AccumulatorOf<T>) >= sizeof(T) &&
                                         alignof(AccumulatorOf<T>) >= alignof(T);

}  // namespace detail

}  // namespace tweed
