// SPDX-License-Identifier: Apache-2.0
// tests/support/arg.cuh - where an extreme stands, found by plain search.
#pragma once

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
