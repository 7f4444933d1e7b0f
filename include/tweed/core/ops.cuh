// SPDX-License-Identifier: Apache-2.0
// tweed/core/ops.cuh - operators for reductions and scans, and what is known about one.
#pragma once

#include <tweed/core/math.cuh>

namespace tweed {

namespace detail {
template <class T>
inline constexpr bool isShortUnsigned = isSame<T, unsigned short> || isSame<T, char16_t>;
}  // namespace detail

// An operator is any callable T = op(T, T) that is associative: a struct, a lambda, std::plus<>,
// cuda::std::plus<>. It may say more about itself, and then more is possible:
//
//   static constexpr bool isCommutative = true;   op(a, b) and op(b, a) are the same bits
//   static T identity();                          op(identity(), a) == a; allows counts of 0
//   template <class T> static T identity();       the same for an operator of many types
//   A lift(T x) const;                            what one input is combined as, if not as itself
//   A lift(T x, Index i) const;                   the same for input i: where it stands matters
//   A next(A a, A b) const;                       op(a, b) at less cost, where lift(x, i) made
//                                                 both, and each i in a is less than each in b
//
// Nothing is assumed of an operator that says nothing: order is kept, no identity is invented.

// The return types say what compiles, so that hasIdentity and isReduction can ask.

/// Addition.
struct Sum {
  static constexpr bool isCommutative = true;
  template <class T>
  static TWEED_HOST_DEVICE constexpr auto identity() -> decltype(T(0)) {
    return T(0);
  }
  template <class T>
  TWEED_HOST_DEVICE constexpr auto operator()(T const& a, T const& b) const -> decltype(T(a + b)) {
    return T(a + b);
  }
};

/// Multiplication. Exactly commutative for numbers; a matrix product needs an operator of its own.
struct Product {
  static constexpr bool isCommutative = true;
  template <class T>
  static TWEED_HOST_DEVICE constexpr auto identity() -> decltype(T(1)) {
    return T(1);
  }
  // 1u * a: two unsigned shorts would be multiplied as ints, and overflow.
  template <class T>
  TWEED_HOST_DEVICE constexpr auto operator()(T const& a, T const& b) const -> decltype(T(a * b)) {
    if constexpr (detail::isShortUnsigned<T>) return T(1u * a * b);
    return T(a * b);
  }
};

struct BitAnd {
  static constexpr bool isCommutative = true;
  template <class T>
  static TWEED_HOST_DEVICE constexpr auto identity() -> decltype(T(T(0) & T(0))) {
    if constexpr (isSame<T, bool>) {
      return true;
    } else {
      return T(~T(0));
    }
  }
  template <class T>
  TWEED_HOST_DEVICE constexpr auto operator()(T const& a, T const& b) const -> decltype(T(a & b)) {
    return T(a & b);
  }
};

struct BitOr {
  static constexpr bool isCommutative = true;
  template <class T>
  static TWEED_HOST_DEVICE constexpr T identity() {
    return T(0);
  }
  template <class T>
  TWEED_HOST_DEVICE constexpr auto operator()(T const& a, T const& b) const -> decltype(T(a | b)) {
    return T(a | b);
  }
};

struct BitXor {
  static constexpr bool isCommutative = true;
  template <class T>
  static TWEED_HOST_DEVICE constexpr T identity() {
    return T(0);
  }
  template <class T>
  TWEED_HOST_DEVICE constexpr auto operator()(T const& a, T const& b) const -> decltype(T(a ^ b)) {
    return T(a ^ b);
  }
};

/// What a NaN does to a minimum or maximum, as in IEEE 754-2019 `minimum` and `minimumNumber`.
enum class Nan {
  Propagate,  ///< one NaN makes the result NaN, wherever it stands
  Ignore      ///< NaN only if every value is NaN
};

namespace detail {

template <class T>
TWEED_HOST_DEVICE constexpr bool isNan(T const& a) {
  return !(a == a);
}

// The two policies of minimum and maximum; `bWins` says that b comes before a. The result has the
// same bits for (a, b) and (b, a), or the lanes of a butterfly would differ: one NaN for all, and
// -0 before +0. On the device the instruction for float does that, but that it ignores one NaN.
// Elsewhere by arithmetic that is exact: of two zeros, a + b is -0 only if both are.
template <Nan Policy, bool IsMin, class T>
TWEED_HOST_DEVICE constexpr T chooseExtreme(T const& a, T const& b, bool bWins) {
  if constexpr (Limits<T>::isInteger) {
    return bWins ? b : a;
  } else {
    bool const isNanA = isNan(a), isNanB = isNan(b);
    bool const isNanTaken = Policy == Nan::Propagate ? isNanA || isNanB : isNanA && isNanB;
    if constexpr (isDeviceCode && isSame<T, float>) {
      if (!__builtin_is_constant_evaluated()) {
        float const extreme = IsMin ? fminf(a, b) : fmaxf(a, b);
        return isNanTaken ? Limits<T>::nan() : extreme;
      }
    }
    if (isNanTaken) return Limits<T>::nan();
    if (isNanA || isNanB) return isNanA ? b : a;
    if (a == T(0) && b == T(0)) return IsMin ? -(-a + -b) : a + b;
    return bWins ? b : a;
  }
}

// Ignore: NaN is what op(NaN, x) == x asks for, and what a row of NaN must give.
template <Nan Policy, class T>
TWEED_HOST_DEVICE constexpr T extremeIdentity(T worst) {
  if constexpr (Policy == Nan::Ignore && !Limits<T>::isInteger) return Limits<T>::nan();
  return worst;
}

}  // namespace detail

/// Minimum. `Min` propagates NaN, `MinNumber` ignores it. The minimum of nothing is +infinity
/// (integers: the greatest value; MinNumber: NaN).
template <Nan Policy>
struct BasicMin {
  static constexpr bool isCommutative = true;
  template <class T>
  static TWEED_HOST_DEVICE constexpr T identity() {
    return detail::extremeIdentity<Policy>(Limits<T>::greatest());
  }
  template <class T>
  TWEED_HOST_DEVICE constexpr T operator()(T const& a, T const& b) const {
    return detail::chooseExtreme<Policy, true>(a, b, b < a);
  }
};
using Min = BasicMin<Nan::Propagate>;
using MinNumber = BasicMin<Nan::Ignore>;

/// Maximum. `Max` propagates NaN, `MaxNumber` ignores it. The maximum of nothing is -infinity
/// (integers: the least value; MaxNumber: NaN).
template <Nan Policy>
struct BasicMax {
  static constexpr bool isCommutative = true;
  template <class T>
  static TWEED_HOST_DEVICE constexpr T identity() {
    return detail::extremeIdentity<Policy>(Limits<T>::least());
  }
  template <class T>
  TWEED_HOST_DEVICE constexpr T operator()(T const& a, T const& b) const {
    return detail::chooseExtreme<Policy, false>(a, b, a < b);
  }
};
using Max = BasicMax<Nan::Propagate>;
using MaxNumber = BasicMax<Nan::Ignore>;

namespace detail {

template <class Op>
TWEED_HOST_DEVICE constexpr auto saysCommutative(int) -> decltype(bool(Op::isCommutative)) {
  return Op::isCommutative;
}
template <class Op>
TWEED_HOST_DEVICE constexpr bool saysCommutative(...) {
  return false;
}

template <class Op, class T>
TWEED_HOST_DEVICE auto plainIdentity(int) -> decltype(T(Op::identity()), int());
template <class Op, class T>
TWEED_HOST_DEVICE char plainIdentity(...);
template <class Op, class T>
TWEED_HOST_DEVICE auto typedIdentity(int) -> decltype(T(Op::template identity<T>()), int());
template <class Op, class T>
TWEED_HOST_DEVICE char typedIdentity(...);
template <class Op, class T>
TWEED_HOST_DEVICE auto calls(int)
    -> decltype(T(declare<Op const&>()(declare<T const&>(), declare<T const&>())), int());
template <class Op, class T>
TWEED_HOST_DEVICE char calls(...);
template <class Op, class T>
TWEED_HOST_DEVICE auto lifts(int)
    -> decltype(void(declare<Op const&>().lift(declare<T const&>())), int());
template <class Op, class T>
TWEED_HOST_DEVICE char lifts(...);
template <class Op, class T>
TWEED_HOST_DEVICE auto liftsAt(int)
    -> decltype(void(declare<Op const&>().lift(declare<T const&>(), 0ll)), int());
template <class Op, class T>
TWEED_HOST_DEVICE char liftsAt(...);
template <class Op, class T>
TWEED_HOST_DEVICE auto nexts(int)
    -> decltype(T(declare<Op const&>().next(declare<T const&>(), declare<T const&>())), int());
template <class Op, class T>
TWEED_HOST_DEVICE char nexts(...);

}  // namespace detail

/// True if op(a, b) has the same bits as op(b, a), as the operator itself says. Order is kept for
/// all others.
template <class Op>
inline constexpr bool isCommutative = detail::saysCommutative<Op>(0);

/// True if T = op(T, T) compiles.
template <class Op, class T>
inline constexpr bool isReduction = sizeof(detail::calls<Op, T>(0)) == sizeof(int);

/// True if the operator names its identity for T.
template <class Op, class T>
inline constexpr bool hasIdentity = sizeof(detail::plainIdentity<Op, T>(0)) == sizeof(int) ||
                                    sizeof(detail::typedIdentity<Op, T>(0)) == sizeof(int);

/// The operator's identity for T. Errors: compile time, if it has none.
template <class Op, class T>
TWEED_HOST_DEVICE constexpr T identityOf() {
  static_assert(hasIdentity<Op, T>,
                "tweed::identityOf: this operator names no identity; give it a static identity()");
  if constexpr (sizeof(detail::typedIdentity<Op, T>(0)) == sizeof(int)) {
    return Op::template identity<T>();
  } else {
    return Op::identity();
  }
}

/// True if the operator must know where an input of type T stands: lift(x, i), and no lift(x).
template <class Op, class T>
inline constexpr bool needsIndex = sizeof(detail::lifts<Op, T>(0)) != sizeof(int) &&
                                   sizeof(detail::liftsAt<Op, T>(0)) == sizeof(int);

/// Input number `index` as the operator combines it: by its lift, or as it is.
/// Source   K. Tangwongsan et al., "General incremental sliding-window aggregation", VLDB 2015.
template <class Op, class T, class Index>
TWEED_HOST_DEVICE constexpr auto lift(Op const& op, T const& x, [[maybe_unused]] Index index) {
  if constexpr (needsIndex<Op, T>) {
    return op.lift(x, index);
  } else if constexpr (sizeof(detail::lifts<Op, T>(0)) == sizeof(int)) {
    return op.lift(x);
  } else {
    return x;
  }
}

/// op(a, b) where all inputs of type T in `a` stand before those in `b`: by the operator's next, if
/// it has one and was told where they stand.
template <class T, class Op, class A>
TWEED_HOST_DEVICE constexpr A combineNext(Op const& op, A const& a, A const& b) {
  if constexpr (needsIndex<Op, T> && sizeof(detail::nexts<Op, A>(0)) == sizeof(int)) {
    return op.next(a, b);
  } else {
    return op(a, b);
  }
}

}  // namespace tweed
