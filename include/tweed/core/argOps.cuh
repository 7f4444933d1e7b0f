// SPDX-License-Identifier: Apache-2.0
// tweed/core/argOps.cuh - operators that find where the minimum or maximum stands.
#pragma once

#include <tweed/core/ops.cuh>

namespace tweed {

/// A value and where it stands. Index is 32 or 64 bits wide, or any integer.
template <class T, class Index = long long>
struct Indexed {
  static_assert(isInteger<Index>, "tweed::Indexed: the index must be an integer");
  T value;
  Index index;

  template <class U, class J>
  TWEED_HOST_DEVICE explicit constexpr operator Indexed<U, J>() const {
    return {U(value), J(index)};
  }
  friend TWEED_HOST_DEVICE constexpr bool operator==(Indexed const& a, Indexed const& b) {
    return a.value == b.value && a.index == b.index;
  }
  friend TWEED_HOST_DEVICE constexpr bool operator!=(Indexed const& a, Indexed const& b) {
    return !(a == b);
  }
};

template <class T, class Index>
Indexed(T, Index) -> Indexed<T, Index>;

namespace detail {

template <class V>
inline constexpr bool isIndexed = false;
template <class T, class Index>
inline constexpr bool isIndexed<Indexed<T, Index>> = true;

// Whether x is better than y. A NaN is better than all numbers (Propagate), or worse (Ignore); one
// negated comparison covers the NaN on one side, so the other side alone is asked.
template <Nan Policy, bool IsMin, class T>
TWEED_HOST_DEVICE constexpr bool isBetter(T const& x, T const& y) {
  if constexpr (Limits<T>::isInteger) {
    return IsMin ? x < y : y < x;
  } else {
    bool const isWorseOrSame = IsMin ? y <= x : x <= y;
    bool const isTaken = isNan(Policy == Nan::Propagate ? y : x);
    return !(isWorseOrSame | isTaken);
  }
}

}  // namespace detail

/// The extreme value and the lowest index where it stands. `ArgMin` and `ArgMax` propagate NaN: the
/// first one is the answer; `ArgMinNumber` and `ArgMaxNumber` ignore it, and answer the first NaN
/// if there is nothing else. So value[arg] is what Min, Max, MinNumber or MaxNumber gives, but -0
/// and +0 are one value here: the first of them is the answer, with its sign.
///
///     auto const best = tweed::blockReduce<256>(tweed::Indexed{x, i}, tweed::ArgMin{});
///     out[best.index] = best.value;
///
/// Result   one of its two operands. The extreme of nothing is the worst value at the greatest
///          index, which any element replaces, an infinite one too.
/// Op       associative and commutative, where elements of one index are one element.
/// Needs    T with Limits. lift(x, i) makes an Indexed of input x at place i.
/// Cost     float and a 32-bit index: 8 instructions and no branch; 5 for integers. next: half of
///          them.
template <Nan Policy, bool IsMin>
struct BasicArg {
  static constexpr bool isCommutative = true;

  template <class V>
  static TWEED_HOST_DEVICE constexpr auto identity() -> EnableIf<detail::isIndexed<V>, V> {
    using T = decltype(V::value);
    T const worst = IsMin ? Limits<T>::greatest() : Limits<T>::least();
    return {detail::extremeIdentity<Policy>(worst), Limits<decltype(V::index)>::greatest()};
  }
  template <class T, class Index>
  TWEED_HOST_DEVICE constexpr Indexed<T, Index> operator()(Indexed<T, Index> const& a,
                                                           Indexed<T, Index> const& b) const {
    bool const isLess = detail::isBetter<Policy, IsMin>(a.value, b.value);
    bool const isMore = detail::isBetter<Policy, IsMin>(b.value, a.value);
    bool const isEarlier = b.index < a.index;
    bool const bWins = isMore | (isEarlier & !isLess);  // no &&: it may branch
    return bWins ? b : a;
  }
  /// The same where b's index is higher, and a is no extreme of nothing.
  template <class T, class Index>
  TWEED_HOST_DEVICE constexpr Indexed<T, Index> next(Indexed<T, Index> const& a,
                                                     Indexed<T, Index> const& b) const {
    return detail::isBetter<Policy, IsMin>(b.value, a.value) ? b : a;
  }

  template <class T, class Index>
  static TWEED_HOST_DEVICE constexpr Indexed<T, Index> lift(T const& x, Index i) {
    return {x, i};
  }
  /// An input that says itself where it stands.
  template <class T, class Index>
  static TWEED_HOST_DEVICE constexpr Indexed<T, Index> lift(Indexed<T, Index> const& x) {
    return x;
  }
};
using ArgMin = BasicArg<Nan::Propagate, true>;
using ArgMax = BasicArg<Nan::Propagate, false>;
using ArgMinNumber = BasicArg<Nan::Ignore, true>;
using ArgMaxNumber = BasicArg<Nan::Ignore, false>;

}  // namespace tweed
