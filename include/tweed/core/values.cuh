// SPDX-License-Identifier: Apache-2.0
// tweed/core/values.cuh - several values as one, and several operators as one.
#pragma once

#include <tweed/core/accumulator.cuh>

namespace tweed {

/// 1 to 8 values as one, so that a reduction or scan takes several in one pass.
///
///     auto const [low, high] = tweed::blockReduce<256>(tweed::Values{x, x}, tweed::MinMax{});
///
/// Shape    an aggregate: Values{x, y} is a Values<X, Y>. Structured bindings or get<I>(values)
///          name the members; static_cast<Values<To...>>(values) converts each of them.
/// Needs    any types; trivially copyable if all of them are.
/// Cost     that of a struct of these members, padding included.
/// Errors   compile time: no value, or more than 8.
template <class... T>
struct Values {
  static_assert(sizeof...(T) >= 1 && sizeof...(T) <= 8, "tweed::Values: holds 1 to 8 values");
};

template <class... T>
Values(T...) -> Values<T...>;

/// Operator i for member i of a Values, all in one pass.
///
///     auto const [sum, top] = tweed::blockReduce<256>(tweed::Values{x, y},
///                                                     tweed::Ops{tweed::Sum{}, tweed::Max{}});
///
/// Shape    an aggregate of as many operators as there are values.
/// Result   the same Values type, each member combined by its operator.
/// Op       commutative if all are: one that is not keeps the order for all. Has an identity if all
///          have one.
/// Errors   compile time, as of one operator: one that does not take its member, too few or many.
template <class... Op>
struct Ops;

namespace detail {

template <int... I>
struct Indices {};
template <int N, int... I>
struct IndicesBelow : IndicesBelow<N - 1, N - 1, I...> {};
template <int... I>
struct IndicesBelow<0, I...> {
  using Type = Indices<I...>;
};

template <class V>
inline constexpr int memberCount = 0;
template <class... T>
inline constexpr int memberCount<Values<T...>> = int(sizeof...(T));

template <class V, class I>
struct Members;
template <class V>
using EachMember = Members<V, typename IndicesBelow<memberCount<V>>::Type>;

}  // namespace detail

template <class A>
struct Values<A> {
  A value0;
  template <class... To>
  TWEED_HOST_DEVICE explicit constexpr operator Values<To...>() const {
    return detail::EachMember<Values<To...>>::convert(*this);
  }
};
template <class A, class B>
struct Values<A, B> {
  A value0;
  B value1;
  template <class... To>
  TWEED_HOST_DEVICE explicit constexpr operator Values<To...>() const {
    return detail::EachMember<Values<To...>>::convert(*this);
  }
};
template <class A, class B, class C>
struct Values<A, B, C> {
  A value0;
  B value1;
  C value2;
  template <class... To>
  TWEED_HOST_DEVICE explicit constexpr operator Values<To...>() const {
    return detail::EachMember<Values<To...>>::convert(*this);
  }
};
template <class A, class B, class C, class D>
struct Values<A, B, C, D> {
  A value0;
  B value1;
  C value2;
  D value3;
  template <class... To>
  TWEED_HOST_DEVICE explicit constexpr operator Values<To...>() const {
    return detail::EachMember<Values<To...>>::convert(*this);
  }
};
template <class A, class B, class C, class D, class E>
struct Values<A, B, C, D, E> {
  A value0;
  B value1;
  C value2;
  D value3;
  E value4;
  template <class... To>
  TWEED_HOST_DEVICE explicit constexpr operator Values<To...>() const {
    return detail::EachMember<Values<To...>>::convert(*this);
  }
};
template <class A, class B, class C, class D, class E, class F>
struct Values<A, B, C, D, E, F> {
  A value0;
  B value1;
  C value2;
  D value3;
  E value4;
  F value5;
  template <class... To>
  TWEED_HOST_DEVICE explicit constexpr operator Values<To...>() const {
    return detail::EachMember<Values<To...>>::convert(*this);
  }
};
template <class A, class B, class C, class D, class E, class F, class G>
struct Values<A, B, C, D, E, F, G> {
  A value0;
  B value1;
  C value2;
  D value3;
  E value4;
  F value5;
  G value6;
  template <class... To>
  TWEED_HOST_DEVICE explicit constexpr operator Values<To...>() const {
    return detail::EachMember<Values<To...>>::convert(*this);
  }
};
template <class A, class B, class C, class D, class E, class F, class G, class H>
struct Values<A, B, C, D, E, F, G, H> {
  A value0;
  B value1;
  C value2;
  D value3;
  E value4;
  F value5;
  G value6;
  H value7;
  template <class... To>
  TWEED_HOST_DEVICE explicit constexpr operator Values<To...>() const {
    return detail::EachMember<Values<To...>>::convert(*this);
  }
};

namespace detail {
template <int I, class V>
TWEED_HOST_DEVICE constexpr auto& member(V& values) {
  static_assert(I >= 0 && I < 8, "tweed::get: there are at most 8 values");
  if constexpr (I == 0) return (values.value0);
  if constexpr (I == 1) return (values.value1);
  if constexpr (I == 2) return (values.value2);
  if constexpr (I == 3) return (values.value3);
  if constexpr (I == 4) return (values.value4);
  if constexpr (I == 5) return (values.value5);
  if constexpr (I == 6) return (values.value6);
  if constexpr (I == 7) return (values.value7);
}
}  // namespace detail

/// Member I of a Values.
template <int I, class... T>
TWEED_HOST_DEVICE constexpr auto& get(Values<T...>& values) {
  static_assert(I >= 0 && I < int(sizeof...(T)),
                "tweed::get: I must be below the number of values");
  return detail::member<I>(values);
}
template <int I, class... T>
TWEED_HOST_DEVICE constexpr auto const& get(Values<T...> const& values) {
  static_assert(I >= 0 && I < int(sizeof...(T)),
                "tweed::get: I must be below the number of values");
  return detail::member<I>(values);
}

namespace detail {

// What is done to each member of a Values.
template <class... T, int... I>
struct Members<Values<T...>, Indices<I...>> {
  template <class From>
  static TWEED_HOST_DEVICE constexpr Values<T...> convert(From const& from) {
    return {T(get<I>(from))...};
  }
  static TWEED_HOST_DEVICE constexpr bool equal(Values<T...> const& a, Values<T...> const& b) {
    return ((get<I>(a) == get<I>(b)) && ...);
  }
  template <class Operators>
  static TWEED_HOST_DEVICE constexpr Values<T...> combine(Operators const& ops,
                                                          Values<T...> const& a,
                                                          Values<T...> const& b) {
    return {T(get<I>(ops)(get<I>(a), get<I>(b)))...};
  }
};

template <class... T>
TWEED_HOST_DEVICE constexpr Values<T...> together(T const&... values) {
  return {values...};
}
template <class Operators, class T, class Index, int... I>
TWEED_HOST_DEVICE constexpr auto liftEach(Operators const& ops, T const& x, Index index,
                                          Indices<I...>) {
  if constexpr (memberCount<T> == int(sizeof...(I))) {
    return together(tweed::lift(get<I>(ops), get<I>(x), index)...);
  } else {
    return together(tweed::lift(get<I>(ops), x, index)...);
  }
}

// What operators know about the members of V: nothing, if their numbers differ.
template <bool IsPaired, class V, class... Op>
struct Pairs {
  static constexpr bool areReductions = false;
  static constexpr bool haveIdentities = false;
  static constexpr bool needAnIndex = (needsIndex<Op, V> || ...);
  using Wide = V;
};
template <class... T, class... Op>
struct Pairs<true, Values<T...>, Op...> {
  static constexpr bool areReductions = (isReduction<Op, T> && ...);
  static constexpr bool haveIdentities = (hasIdentity<Op, T> && ...);
  static constexpr bool needAnIndex = (needsIndex<Op, T> || ...);
  using Wide = Values<detail::Wide<Op, T>...>;
  static TWEED_HOST_DEVICE constexpr Values<T...> identities() { return {identityOf<Op, T>()...}; }
};
template <class V, class... Op>
using PairsOf = Pairs<memberCount<V> == int(sizeof...(Op)), V, Op...>;

}  // namespace detail

template <class... T>
TWEED_HOST_DEVICE constexpr bool operator==(Values<T...> const& a, Values<T...> const& b) {
  return detail::EachMember<Values<T...>>::equal(a, b);
}
template <class... T>
TWEED_HOST_DEVICE constexpr bool operator!=(Values<T...> const& a, Values<T...> const& b) {
  return !(a == b);
}

template <class... Op>
struct Ops {
  Values<Op...> each;

  static constexpr bool isCommutative = (tweed::isCommutative<Op> && ...);

  template <class V>
  static TWEED_HOST_DEVICE constexpr auto identity()
      -> EnableIf<detail::PairsOf<V, Op...>::haveIdentities, V> {
    return detail::PairsOf<V, Op...>::identities();
  }
  template <class V>
  TWEED_HOST_DEVICE constexpr auto operator()(V const& a, V const& b) const
      -> EnableIf<detail::PairsOf<V, Op...>::areReductions, V> {
    return detail::EachMember<V>::combine(each, a, b);
  }

  /// One input for all operators, or a Values with one for each: Values of what they make of it.
  template <class T, class Index>
  TWEED_HOST_DEVICE constexpr auto lift(T const& x, Index index) const {
    return detail::liftEach(each, x, index, typename detail::IndicesBelow<sizeof...(Op)>::Type{});
  }
  template <class T, class = EnableIf<!detail::PairsOf<T, Op...>::needAnIndex>>
  TWEED_HOST_DEVICE constexpr auto lift(T const& x) const {
    return lift(x, 0);
  }
};

template <class... Op>
Ops(Op...) -> Ops<Op...>;

using MinMax = Ops<Min, Max>;
using MinMaxNumber = Ops<MinNumber, MaxNumber>;

/// Members accumulate each in its own accumulator.
template <class... T>
struct Accumulator<Values<T...>> {
  using Type = Values<AccumulatorOf<T>...>;
};
namespace detail {
template <class... Op, class V>
struct WideOf<Ops<Op...>, V> {
  using Type = typename PairsOf<V, Op...>::Wide;
};
}  // namespace detail

}  // namespace tweed
