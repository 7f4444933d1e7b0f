// SPDX-License-Identifier: Apache-2.0
// What selfTest.sh expects of each change: the barrier is caught, `<=` is argued, and `- 2`
// survives, as no test calls it; the others are caught, by the compiler in the test's static_assert
// where it is a constant or called nowhere else. Those of `third` do not compile, which is not to
// count as caught though they do together with others, where only what runs is changed.
#pragma once

#define TWEED_DEVICE inline

namespace tweed {

inline int barriers = 0;
namespace arch {
TWEED_DEVICE void syncBlock() { ++barriers; }
}  // namespace arch

inline constexpr int most = 3 + 4;
TWEED_DEVICE constexpr int next(int a) { return a + 1; }
TWEED_DEVICE constexpr int half(int a) { return a / 2; }
TWEED_DEVICE constexpr int third(int a) { return a / 3; }
static_assert(third(9) == 3, "");

TWEED_DEVICE int least(int a, int b) {
  arch::syncBlock();
  return a < b ? a : b;
}

TWEED_DEVICE int untested(int a) { return a + 2; }

}  // namespace tweed
