// SPDX-License-Identifier: Apache-2.0
// tests/property/data.cuh - the data of drawn cases, and when two results are the same.
#pragma once

#include <tweed/core/argOps.cuh>
#include <tweed/core/values.cuh>

#include <cmath>

#include "support/ops.cuh"
#include "support/property.cuh"

namespace tweedTest {

/// Kinds of data. Sums of floats are exact up to Ties, and no bound holds from Extremes on.
enum Kind : unsigned { Ascending, Ties, Random, Extremes, Nans };

template <class T>
struct Draw {  // integers and floats
  static T at(Case const& c, unsigned i) {
    std::uint64_t const random = noise(c.seed * 0x100000001ull + i);
    if (c.kind == Ascending) return T(i % 97 + 1);
    if (c.kind == Ties) return T(int(random % 7) - (tweed::Limits<T>::isSigned ? 3 : 0));
    if constexpr (tweed::Limits<T>::isInteger) {
      if (c.kind == Random) return T(random);
      constexpr T ends[] = {tweed::Limits<T>::least(), tweed::Limits<T>::greatest(), T(0), T(1)};
      return ends[random % 4];
    } else {
      if (c.kind == Random) return T(double(random >> 11) * 0x1p-52 - 1);
      T const inf = tweed::Limits<T>::greatest();
      T const ends[] = {inf, -inf, T(0), -T(0), T(1), T(-1), T(3e38f), T(1e-38f)};
      bool const isNan = c.kind == Nans && (random >> 8) % 29 == 0;
      return isNan ? tweed::Limits<T>::nan() : ends[random % 8];
    }
  }
};
template <>
struct Draw<Affine> {
  static Affine at(Case const& c, unsigned i) {
    if (c.kind == Ascending) return {3, i + 1};
    return {unsigned(noise(c.seed + i)) | 1u, unsigned(noise(c.seed + i) >> 32)};
  }
};
template <>
struct Draw<Stretch> {
  static Stretch at(Case const& c, unsigned i) { return Stretch::at(c.seed % 4096 + i); }
};
template <>
struct Draw<Wide> {
  static Wide at(Case const& c, unsigned i) {
    auto const value = (long long)(noise(c.seed + i) >> 16);
    return {{i, -value, value, i % 7, 1}};
  }
};
template <class T, class Index>
struct Draw<tweed::Indexed<T, Index>> {
  static tweed::Indexed<T, Index> at(Case const& c, unsigned i) {
    return {Draw<T>::at(c, i), Index(i)};
  }
};
template <class A, class B>
struct Draw<tweed::Values<A, B>> {
  static tweed::Values<A, B> at(Case const& c, unsigned i) {
    return {Draw<A>::at(c, i), Draw<B>::at(c, i)};
  }
};

template <class T>
bool same(T const& a, T const& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a == b ? std::signbit(a) == std::signbit(b) : a != a && b != b;
  } else {
    return a == b;
  }
}
template <class T, class Index>
bool same(tweed::Indexed<T, Index> const& a, tweed::Indexed<T, Index> const& b) {
  return same(a.value, b.value) && a.index == b.index;
}
template <class A, class B>
bool same(tweed::Values<A, B> const& a, tweed::Values<A, B> const& b) {
  return same(a.value0, b.value0) && same(a.value1, b.value1);
}

/// The results of a case on the host: its items' prefixes, and how far the device may be off.
template <class T, class Op>
class Reference {
 public:
  Reference(Case const& c, T const* in, unsigned n, Op op) : prefixes_(in, in + n), kind_(c.kind) {
    for (unsigned i = 1; i < n; ++i) prefixes_[i] = op(prefixes_[i - 1], in[i]);
    if constexpr (isBounded)
      for (unsigned i = 0; i < n; ++i) magnitude_ += std::fabs(double(in[i]));
  }
  /// The fold of the first n items; of none it is the identity.
  T first(unsigned n) const {
    if constexpr (tweed::hasIdentity<Op, T>)
      if (n == 0) return tweed::identityOf<Op, T>();
    return prefixes_[n - 1];
  }
  /// What an exclusive scan from `init` gives to item n.
  T before(unsigned n, T const& init, Op op) const {
    return n == 0 ? init : op(init, prefixes_[n - 1]);
  }

  /// A sum of fractions may be rounded in another order.
  bool agrees(T const& got, T const& want) const {
    if (same(got, want)) return true;
    if constexpr (isBounded) {
      double const unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
      double const bound = 2.0 * double(prefixes_.size()) * unit * magnitude_;
      return kind_ == Random && std::fabs(double(got) - double(want)) <= bound;
    }
    return false;
  }

 private:
  static constexpr bool isBounded = std::is_floating_point_v<T> && std::is_same_v<Op, tweed::Sum>;
  std::vector<T> prefixes_;
  double magnitude_ = 0;
  unsigned kind_;
};

/// Where an operator tells what it was called on: a launch that starts from nothing wrong, and
/// whether it stayed so.
template <class Op>
void watchCalls(Op const& op) {
  if constexpr (std::is_same_v<Op, WatchedJoin>) TWEED_CHECK(cudaMemset(op.bad, 0, sizeof(int)));
}
template <class Op>
Verdict judgeCalls(Op const& op) {
  int bad = 0;
  if constexpr (std::is_same_v<Op, WatchedJoin>)
    TWEED_CHECK(cudaMemcpy(&bad, op.bad, sizeof bad, cudaMemcpyDeviceToHost));
  if (bad > 0) return {0, "the operator was called on what is no data, or no neighbour"};
  return {};
}

/// The items of several cases, each at its own offset in one array, between poison.
template <class T>
struct Inputs {
  std::vector<T> items, inits;  // inits: what stands before the first item of each case
  std::vector<unsigned> firsts, counts;

  void add(Case const& c, unsigned n) {
    constexpr unsigned line = 256 / sizeof(T) > 0 ? 256 / sizeof(T) : 1;
    T poison;
    std::memset(static_cast<void*>(&poison), 0xFF, sizeof poison);
    items.resize((items.size() + line - 1) / line * line + c.shift, poison);
    firsts.push_back(unsigned(items.size()));
    counts.push_back(c.count);
    inits.push_back(Draw<T>::at(c, ~0u));
    for (unsigned i = 0; i < n; ++i) items.push_back(Draw<T>::at(c, i));
  }
};

}  // namespace tweedTest
