// SPDX-License-Identifier: Apache-2.0
// tests/support/arg.cuh - where an extreme stands, found by plain search, and the rules of its
// operators.
#pragma once

#include <doctest/doctest.h>
#include <tweed/core/argOps.cuh>

#include <cstring>
#include <vector>

namespace tweedTest {

/// A NaN with other bits than Limits<T>::nan(): a sign and a payload.
template <class T>
T otherNan() {
  T nan = tweed::Limits<T>::nan();
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &nan, sizeof(T));
  bytes[0] = 0x2A;
  bytes[sizeof(T) - 1] |= 0x80;
  std::memcpy(&nan, bytes, sizeof(T));
  return nan;
}

/// The same value to the bit, and the same index.
template <class T, class Index>
bool sameElement(tweed::Indexed<T, Index> const& a, tweed::Indexed<T, Index> const& b) {
  return std::memcmp(&a.value, &b.value, sizeof(T)) == 0 && a.index == b.index;
}

/// Every value that decides something, with two payloads of NaN, at each of three indices.
template <class T, class Index>
std::vector<tweed::Indexed<T, Index>> decidingElements() {
  using Limits = tweed::Limits<T>;
  std::vector<tweed::Indexed<T, Index>> all;
  for (T const value : {otherNan<T>(), Limits::nan(), Limits::least(), T(-1), T(-0.0), T(0), T(1),
                        Limits::greatest()})
    for (Index const index : {Index(0), Index(1), Index(1000)}) all.push_back({value, index});
  return all;
}

/// False for two elements of one index, which no data has.
template <class V>
bool maybeTogether(V const& a, V const& b) {
  return a.index != b.index || std::memcmp(&a.value, &b.value, sizeof a.value) == 0;
}

/// That op is associative and commutative to the bit, chooses one operand, and has its identity:
/// over all triples.
template <class V, class Op>
void checkAlgebra(std::vector<V> all, Op op) {
  V const identity = tweed::identityOf<Op, V>();
  bool good = true;
  for (V const& a : all) {
    good = good && sameElement(op(identity, a), a) && sameElement(op(a, identity), a);
    good = good && sameElement(op(a, a), a);
  }
  CHECK(good);
  all.push_back(identity);
  int triples = 0;
  for (V const& a : all)
    for (V const& b : all) {
      if (!maybeTogether(a, b)) continue;
      good = good && sameElement(op(a, b), op(b, a));
      good = good && (sameElement(op(a, b), a) || sameElement(op(a, b), b));
      for (V const& c : all) {
        if (!maybeTogether(a, c) || !maybeTogether(b, c)) continue;
        good = good && sameElement(op(op(a, b), c), op(a, op(b, c)));
        ++triples;
      }
    }
  CHECK(good);
  CHECK(triples > 3000);
}

/// The first place of the minimum or maximum; values must not be empty. A NaN is taken at once, or
/// only if there is no number.
template <class T>
int argOnHost(std::vector<T> const& values, bool isMin, bool ignoresNan) {
  auto const isNan = [](T const& x) { return !(x == x); };
  int best = -1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    T const x = values[i];
    if (isNan(x) && !ignoresNan) return int(i);
    if (isNan(x)) continue;
    if (best < 0 || (isMin ? x < values[std::size_t(best)] : x > values[std::size_t(best)]))
      best = int(i);
  }
  return best < 0 ? 0 : best;
}

}  // namespace tweedTest
