// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/activations.cuh - activation functions as pieces of an epilogue.
#pragma once

#include <tweed/matmul/epilogue.cuh>

namespace tweed {

// All keep NaN. GELU and SiLU need a floating accumulator, and give NaN for -infinity, as 0 times
// infinity does.

namespace detail {

// Templates, so that a host file needs no <math.h> before it includes this.
template <class T>
TWEED_HOST_DEVICE T exponential(T x) {
  if constexpr (isSame<T, float>)
    return expf(x);
  else
    return exp(x);
}
template <class T>
TWEED_HOST_DEVICE T errorFunction(T x) {
  if constexpr (isSame<T, float>) return erff(x);
  return erf(x);
}
template <class T>
TWEED_HOST_DEVICE T hyperbolicTangent(T x) {
  if constexpr (isSame<T, float>) return tanhf(x);
  return tanh(x);
}

template <class Acc>
TWEED_HOST_DEVICE constexpr void checkFloating() {
  static_assert(!isInteger<Acc>,
                "tweed::matmul: gelu and silu are for floating accumulators, not for integers");
}

}  // namespace detail

/// max(x, 0).
struct Relu {
  static constexpr bool isPiece = true;
  template <class Acc>
  TWEED_HOST_DEVICE Acc operator()(Acc x, Coord) const {
    return x < Acc(0) ? Acc(0) : x;
  }
};
TWEED_HOST_DEVICE constexpr Relu relu() { return {}; }

/// x times the normal distribution function at x.
/// Source   D. Hendrycks and K. Gimpel, "Gaussian error linear units", 2016.
struct Gelu {
  static constexpr bool isPiece = true;
  template <class Acc>
  TWEED_HOST_DEVICE Acc operator()(Acc x, Coord) const {
    detail::checkFloating<Acc>();
    return Acc(0.5) * x * (Acc(1) + detail::errorFunction(x * Acc(0.70710678118654752)));
  }
};
TWEED_HOST_DEVICE constexpr Gelu gelu() { return {}; }

/// The approximation of gelu by a hyperbolic tangent: other values, up to 5e-4 away.
struct GeluTanh {
  static constexpr bool isPiece = true;
  template <class Acc>
  TWEED_HOST_DEVICE Acc operator()(Acc x, Coord) const {
    detail::checkFloating<Acc>();
    Acc const inner = Acc(0.79788456080286536) * (x + Acc(0.044715) * x * x * x);
    return Acc(0.5) * x * (Acc(1) + detail::hyperbolicTangent(inner));
  }
};
TWEED_HOST_DEVICE constexpr GeluTanh geluTanh() { return {}; }

/// x times the logistic function at x.
struct Silu {
  static constexpr bool isPiece = true;
  template <class Acc>
  TWEED_HOST_DEVICE Acc operator()(Acc x, Coord) const {
    detail::checkFloating<Acc>();
    return x / (Acc(1) + detail::exponential(-x));
  }
};
TWEED_HOST_DEVICE constexpr Silu silu() { return {}; }

}  // namespace tweed
