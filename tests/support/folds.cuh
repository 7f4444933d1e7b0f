// SPDX-License-Identifier: Apache-2.0
// tests/support/folds.cuh - what reductions and scans of warps and blocks are tested with.
#pragma once

#include <doctest/doctest.h>
#include <tweed/core/ops.cuh>

#include <cstddef>
#include <utility>
#include <vector>

namespace tweedTest {

/// The fold of the first `count` values in order; of none it is the identity.
template <class T, class Op>
T foldOnHost(T const* in, int count, Op op) {
  if constexpr (tweed::hasIdentity<Op, T>)
    if (count == 0) return tweed::identityOf<Op, T>();
  T value = in[0];
  for (int i = 1; i < count; ++i) value = op(value, in[i]);
  return value;
}

/// All of `got` are `want`: an assertion of its own only for the first that is not.
template <class T>
void requireAll(std::vector<T> const& got, T const& want) {
  std::size_t i = 0;
  while (i < got.size() && got[i] == want) ++i;
  if (i == got.size()) return;
  CAPTURE(i);
  REQUIRE(got[i] == want);
}

/// What one item gets of an inclusive and of an exclusive scan.
template <class T>
struct Prefixes {
  T inclusive, exclusive, totals[2];
};

/// The prefixes of `size` items, the first `count` of which are data: the others get the total, or
/// init op total.
template <class T, class Op>
void checkPrefixes(Prefixes<T> const* got, int size, T const* in, int count, Op op, T init) {
  T const total = foldOnHost(in, count, op);
  T prefix = foldOnHost(in, count > 0 ? 1 : 0, op);
  for (int i = 0; i < size; ++i) {
    T const before = i > 0 && count > 0 ? op(init, prefix) : init;
    if (i > 0 && i < count) prefix = op(prefix, in[i]);
    bool const good = got[i].exclusive == before && got[i].inclusive == prefix &&
                      got[i].totals[0] == total && got[i].totals[1] == total;
    if (good) continue;
    CAPTURE(size);
    CAPTURE(count);
    CAPTURE(i);
    REQUIRE_MESSAGE(good, "wrong from this item on");
  }
}

/// In a loop of collective calls: holds warps up at random, so that a barrier that is missing
/// between two calls shows. On the loom the schedule does that.
TWEED_DEVICE void delayWarps([[maybe_unused]] int turn) {
#if !defined(TWEED_LOOM)
  unsigned const delay = (unsigned(turn) * 2654435761u ^ (threadIdx.x / 32) * 40503u) >> 23;
  if (delay % 4 == 0) __nanosleep(delay);
#endif
}

template <int Value>
struct Number {
  static constexpr int value = Value;
};

/// Calls f(Number<Threads>{}) for the sizes of every block function's tests: around warps, odd, and
/// the largest.
template <class F>
void forBlockSizes(bool isShort, F f) {
  f(Number<1>{}), f(Number<32>{}), f(Number<33>{});
  f(Number<100>{}), f(Number<256>{}), f(Number<1024>{});
  if (isShort) return;
  f(Number<2>{}), f(Number<16>{}), f(Number<31>{}), f(Number<45>{}), f(Number<48>{});
  f(Number<63>{}), f(Number<64>{}), f(Number<96>{}), f(Number<192>{}), f(Number<255>{});
  f(Number<257>{}), f(Number<512>{}), f(Number<992>{}), f(Number<1000>{}), f(Number<1023>{});
}

}  // namespace tweedTest
