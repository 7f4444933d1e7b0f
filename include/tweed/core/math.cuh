// SPDX-License-Identifier: Apache-2.0
// tweed/core/math.cuh - integer arithmetic and the limits of number types, from compiler builtins.
#pragma once

#include <tweed/core/config.cuh>

namespace tweed {

/// How many pieces of size `b` cover `a` items; both at least 0 and `b` positive. Never overflows.
template <class T>
TWEED_HOST_DEVICE constexpr T ceilDiv(T a, T b) {
  return a == 0 ? T(0) : T(1 + (a - 1) / b);
}

/// `a` rounded up to a multiple of `b`.
template <class T>
TWEED_HOST_DEVICE constexpr T roundUp(T a, T b) {
  return ceilDiv(a, b) * b;
}

template <class T>
TWEED_HOST_DEVICE constexpr bool isPow2(T a) {
  return a > 0 && (a & (a - 1)) == 0;
}

/// The largest k with 2^k <= a, for a >= 1.
template <class T>
TWEED_HOST_DEVICE constexpr int log2Floor(T a) {
  int k = 0;
  while (a > 1) a /= 2, ++k;
  return k;
}

/// The smallest power of two that is at least `a`, for a >= 1.
TWEED_HOST_DEVICE constexpr int nextPow2(int a) {
  int p = 1;
  while (p < a) p *= 2;
  return p;
}

template <class T>
TWEED_HOST_DEVICE constexpr T smaller(T a, T b) {
  return b < a ? b : a;
}

template <class T>
TWEED_HOST_DEVICE constexpr T larger(T a, T b) {
  return a < b ? b : a;
}

template <class A, class B>
inline constexpr bool isSame = false;
template <class A>
inline constexpr bool isSame<A, A> = true;

template <bool Condition, class A, class B>
struct Conditional {
  using Type = A;
};
template <class A, class B>
struct Conditional<false, A, B> {
  using Type = B;
};

template <class T>
struct RemoveConstOf {
  using Type = T;
};
template <class T>
struct RemoveConstOf<T const> {
  using Type = T;
};
template <class T>
using RemoveConst = typename RemoveConstOf<T>::Type;

/// T, in a parameter that does not take part in deducing it.
template <class T>
using Same = typename Conditional<true, T, void>::Type;

template <bool Condition, class T = void>
struct EnableIfType {
  using Type = T;
};
template <class T>
struct EnableIfType<false, T> {};

/// T, if the condition holds; else nothing, which takes a template out of the choice.
template <bool Condition, class T = void>
using EnableIf = typename EnableIfType<Condition, T>::Type;

namespace detail {
template <class T>
TWEED_HOST_DEVICE T declare();
template <class T>
TWEED_HOST_DEVICE auto divides(int) -> decltype(void(declare<T>() % declare<T>()), int());
template <class T>
TWEED_HOST_DEVICE char divides(...);
}  // namespace detail

/// True for the integers, whatever their width, and for what is used as one: it has a remainder.
template <class T>
inline constexpr bool isInteger = sizeof(detail::divides<T>(0)) == sizeof(int);

template <class T>
inline constexpr bool isTriviallyCopyable = __is_trivially_copyable(T);

/// Range of a number type. `least` and `greatest` bound every value that is not NaN: -inf and +inf
/// where the type has them, so no finite value and no infinity lies outside. Known of all integers,
/// float and double, and with core/half.cuh of half and bfloat16. A specialisation adds a type of
/// your own: these members, and nan() if isInteger is false.
template <class T>
struct Limits {
  static_assert(tweed::isInteger<T>,
                "tweed::Limits: the limits of this type are not known, which Min, Max and their "
                "like need; specialise tweed::Limits for it");
  static constexpr bool isInteger = true;
  static constexpr bool isSigned = T(-1) < T(0);
  static TWEED_HOST_DEVICE constexpr T greatest() {
    // All ones, or all ones below the sign bit; shifted once, so that no step overflows.
    return isSigned ? T(((T(1) << (8 * sizeof(T) - 2)) - T(1)) * T(2) + T(1)) : T(~T(0));
  }
  static TWEED_HOST_DEVICE constexpr T least() { return isSigned ? T(-greatest() - T(1)) : T(0); }
};

template <>
struct Limits<bool> {
  static constexpr bool isInteger = true;
  static constexpr bool isSigned = false;
  static TWEED_HOST_DEVICE constexpr bool greatest() { return true; }
  static TWEED_HOST_DEVICE constexpr bool least() { return false; }
};

template <>
struct Limits<float> {
  static constexpr bool isInteger = false;
  static constexpr bool isSigned = true;
  static TWEED_HOST_DEVICE constexpr float greatest() {
    return __builtin_bit_cast(float, 0x7f800000u);
  }
  static TWEED_HOST_DEVICE constexpr float least() {
    return __builtin_bit_cast(float, 0xff800000u);
  }
  static TWEED_HOST_DEVICE constexpr float nan() { return __builtin_bit_cast(float, 0x7fc00000u); }
};

template <>
struct Limits<double> {
  static constexpr bool isInteger = false;
  static constexpr bool isSigned = true;
  static TWEED_HOST_DEVICE constexpr double greatest() {
    return __builtin_bit_cast(double, 0x7ff0000000000000ull);
  }
  static TWEED_HOST_DEVICE constexpr double least() {
    return __builtin_bit_cast(double, 0xfff0000000000000ull);
  }
  static TWEED_HOST_DEVICE constexpr double nan() {
    return __builtin_bit_cast(double, 0x7ff8000000000000ull);
  }
};

}  // namespace tweed
