// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/activations.cuh - activation functions as pieces of an epilogue.
#pragma once

#include <tweed/arch/specialFunctions.cuh>
#include <tweed/matmul/epilogue.cuh>

namespace tweed {

// What holds for all:
//
// Result   in the accumulator's type, of the thread that has the item. NaN stays NaN.
// Needs    gelu, geluTanh, silu: a floating accumulator.
// Sync     none.
// Cost     of float 10 to 20 instructions without a branch, so that the compiler may interleave
//          those of several items; relu two.
// Errors   compile time: integers where floats are needed.

namespace detail {

// Templates, so that a host file needs no <math.h> before it includes this.
template <class T>
TWEED_HOST_DEVICE T exponential(T x) {
  return exp(x);
}
template <class T>
TWEED_HOST_DEVICE T errorFunction(T x) {
  return erf(x);
}

// x / (1 + exp(-y)).
template <class T>
TWEED_HOST_DEVICE T timesLogistic(T x, T y) {
  if constexpr (isSame<T, float>)
    return x * arch::approxReciprocal(1 + arch::approxExp2(y * -1.44269504f));
  else
    return x / (T(1) + exponential(-y));
}

// |x| times what the normal distribution has beyond |x|: |x| times 2 to the power of a polynomial,
// fitted so that what is off, over |x|, is 1.2e-7 at most. From 20 on it is 0 in a float.
TWEED_HOST_DEVICE float geluTail(float x) {
  float const size = __builtin_fabsf(x);
  float const a = size < 20 ? size : 20;
  float p = 1.77551e-05f;
  p = p * a - 0.000647757202f;
  p = p * a + 0.00772404205f;
  p = p * a - 0.0529267378f;
  p = p * a - 0.459082752f;
  p = p * a - 1.15111685f;
  p = p * a - 1;
  return a * arch::approxExp2(p);
}

template <class Acc>
TWEED_HOST_DEVICE constexpr void checkFloating() {
  static_assert(!isInteger<Acc>,
                "tweed::matmul: gelu and silu are for floating accumulators, not for integers");
}

}  // namespace detail

/// Op       max(x, 0).
struct Relu {
  static constexpr bool isPiece = true;
  template <class Acc>
  TWEED_HOST_DEVICE Acc operator()(Acc x, Coord) const {
    return x < Acc(0) ? Acc(0) : x;
  }
};
TWEED_HOST_DEVICE constexpr Relu relu() { return {}; }

/// Op       x times the normal distribution function at x.
/// Result   of a float off by 2^-21 |x| at most, and 0 for -infinity; of a double NaN for that.
/// Source   D. Hendrycks and K. Gimpel, "Gaussian error linear units", 2016.
struct Gelu {
  static constexpr bool isPiece = true;
  template <class Acc>
  TWEED_HOST_DEVICE Acc operator()(Acc x, Coord) const {
    detail::checkFloating<Acc>();
    if constexpr (isSame<Acc, float>)
      return (x < 0 ? 0 : x) - detail::geluTail(x);
    else
      return Acc(0.5) * x * (Acc(1) + detail::errorFunction(x * Acc(0.70710678118654752)));
  }
};
TWEED_HOST_DEVICE constexpr Gelu gelu() { return {}; }

/// Op       the approximation of gelu by a hyperbolic tangent: other values, up to 5e-4 away.
/// Result   rounding adds 2^-23 |x| at most for a float. NaN for -infinity.
/// Source   as gelu.
struct GeluTanh {
  static constexpr bool isPiece = true;
  template <class Acc>
  TWEED_HOST_DEVICE Acc operator()(Acc x, Coord) const {
    detail::checkFloating<Acc>();
    // (1 + tanh(y / 2)) / 2 is the logistic function.
    Acc const y = x * (Acc(0.07135481627260025) * (x * x) + Acc(1.5957691216057308));
    return detail::timesLogistic(x, y);
  }
};
TWEED_HOST_DEVICE constexpr GeluTanh geluTanh() { return {}; }

/// Op       x times the logistic function at x.
/// Result   of a float off by a relative 2^-23 (4 + |x|) at most, and by 2^-126 |x|: below -87.3 it
///          is 0. NaN for -infinity.
/// Source   S. Elfwing, E. Uchibe and K. Doya, "Sigmoid-weighted linear units", 2018.
struct Silu {
  static constexpr bool isPiece = true;
  template <class Acc>
  TWEED_HOST_DEVICE Acc operator()(Acc x, Coord) const {
    detail::checkFloating<Acc>();
    return detail::timesLogistic(x, x);
  }
};
TWEED_HOST_DEVICE constexpr Silu silu() { return {}; }

}  // namespace tweed
