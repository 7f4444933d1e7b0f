// SPDX-License-Identifier: Apache-2.0
// tests/core/math.cu - tests tweed/core/math.cuh
#include <tweed/core/math.cuh>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

template <class T>
void checkIntegerLimits() {
  using Host = std::numeric_limits<T>;
  CHECK(tweed::Limits<T>::isInteger);
  CHECK(tweed::Limits<T>::isSigned == Host::is_signed);
  CHECK(tweed::Limits<T>::greatest() == Host::max());
  CHECK(tweed::Limits<T>::least() == Host::min());
  static_assert(tweed::Limits<T>::greatest() == Host::max(), "a constant expression");
}

template <class T>
void checkFloatLimits() {
  using Host = std::numeric_limits<T>;
  CHECK(!tweed::Limits<T>::isInteger);
  CHECK(tweed::Limits<T>::isSigned);
  CHECK(tweed::Limits<T>::greatest() == Host::infinity());
  CHECK(tweed::Limits<T>::least() == -Host::infinity());
  CHECK(std::isnan(tweed::Limits<T>::nan()));
  T const nan = tweed::Limits<T>::nan(), quiet = Host::quiet_NaN();
  CHECK(std::memcmp(&nan, &quiet, sizeof nan) == 0);
}

struct Answers {
  long long ceil, round, smaller, larger;
  int log2, next;
  bool isPow2;
  float greatest, least;
};
__global__ void onTheDevice(Answers* out) {
  *out = {
      tweed::ceilDiv(10ll, 3ll), tweed::roundUp(10ll, 4ll),        tweed::smaller(3ll, -4ll),
      tweed::larger(3ll, -4ll),  tweed::log2Floor(1000),           tweed::nextPow2(33),
      tweed::isPow2(64),         tweed::Limits<float>::greatest(), tweed::Limits<float>::least()};
}

}  // namespace

TEST_SUITE("math") {
  TEST_CASE("ceilDiv covers all items with the fewest pieces") {
    for (int a = 0; a <= 70; ++a)
      for (int b = 1; b <= 70; ++b) {
        int const pieces = tweed::ceilDiv(a, b);
        REQUIRE(pieces * b >= a);
        REQUIRE((pieces - 1) * b < a);
        REQUIRE(tweed::roundUp(a, b) == pieces * b);
      }
  }
  TEST_CASE("ceilDiv does not overflow at the end of a type (C03)") {
    CHECK(tweed::ceilDiv(2147483647, 512) == 4194304);
    CHECK(tweed::ceilDiv(2147483647, 2147483647) == 1);
    CHECK(tweed::ceilDiv(2147483647, 1) == 2147483647);
    CHECK(tweed::ceilDiv(4294967295u, 2u) == 2147483648u);
    CHECK(tweed::ceilDiv(~0ull, ~0ull) == 1);
    CHECK(tweed::ceilDiv(~0ull, 2ull) == (1ull << 63));
    CHECK(tweed::ceilDiv((unsigned char)(255), (unsigned char)(2)) == 128);
    CHECK(tweed::ceilDiv((signed char)(127), (signed char)(127)) == 1);
  }
  TEST_CASE("powers of two") {
    CHECK(!tweed::isPow2(0));
    CHECK(!tweed::isPow2(-1));
    CHECK(!tweed::isPow2(std::numeric_limits<int>::min()));
    CHECK(!tweed::isPow2(std::numeric_limits<long long>::min()));
    CHECK(tweed::isPow2(0x80000000u));
    CHECK(tweed::isPow2(1ull << 63));
    for (int a = 1; a <= 5000; ++a) {
      int const k = tweed::log2Floor(a);
      REQUIRE((1 << k) <= a);
      REQUIRE((2 << k) > a);
      int const next = tweed::nextPow2(a);
      REQUIRE(tweed::isPow2(next));
      REQUIRE(next >= a);
      REQUIRE(next / 2 < a);
      REQUIRE(tweed::isPow2(a) == (next == a));
    }
    CHECK(tweed::log2Floor(2147483647) == 30);
    CHECK(tweed::log2Floor(~0ull) == 63);
    CHECK(tweed::nextPow2(1 << 30) == 1 << 30);
    CHECK(tweed::nextPow2((1 << 30) - 1) == 1 << 30);
  }
  TEST_CASE_TEMPLATE("the limits of integers of every width", T, char, signed char, unsigned char,
                     short, unsigned short, int, unsigned, long, unsigned long, long long,
                     unsigned long long, wchar_t, char16_t, char32_t, bool) {
    checkIntegerLimits<T>();
  }
  TEST_CASE("the limits of integers of 128 bits") {
    __extension__ using Signed = __int128;
    __extension__ using Unsigned = unsigned __int128;
    Unsigned const all = ~Unsigned(0);
    CHECK((tweed::Limits<Unsigned>::greatest() == all));
    CHECK((tweed::Limits<Unsigned>::least() == 0));
    CHECK((tweed::Limits<Signed>::greatest() == Signed(all >> 1)));
    CHECK((tweed::Limits<Signed>::least() == -Signed(all >> 1) - 1));
  }
  TEST_CASE("the limits of floats are the infinities (C07)") {
    checkFloatLimits<float>();
    checkFloatLimits<double>();
  }
  TEST_CASE("types") {
    CHECK(tweed::isSame<int, int>);
    CHECK(!tweed::isSame<int, int const>);
    CHECK(tweed::isSame<tweed::Conditional<true, int, float>::Type, int>);
    CHECK(tweed::isSame<tweed::Conditional<false, int, float>::Type, float>);
    CHECK(tweed::isTriviallyCopyable<Wide>);
    CHECK(!tweed::isTriviallyCopyable<Counted>);
    CHECK(tweed::isSame<tweed::EnableIf<true, int>, int>);
  }
  TEST_CASE("what is an integer") {
    enum Colour { red };
    enum class Shade { dark };
    __extension__ using Wide128 = unsigned __int128;
    CHECK(tweed::isInteger<int>);
    CHECK(tweed::isInteger<bool>);
    CHECK(tweed::isInteger<unsigned char>);
    CHECK(tweed::isInteger<char16_t>);
    CHECK(tweed::isInteger<unsigned long long>);
    CHECK(tweed::isInteger<Wide128>);
    CHECK(tweed::isInteger<Colour>);
    CHECK(!tweed::isInteger<Shade>);
    CHECK(!tweed::isInteger<float>);
    CHECK(!tweed::isInteger<double>);
    CHECK(!tweed::isInteger<int*>);
    CHECK(!tweed::isInteger<Wide>);
    CHECK(red == 0);
    CHECK(Shade::dark == Shade{});
  }
  TEST_CASE("the same on the device") {
    DeviceArray<Answers> const out(1);
    tweed::launch(onTheDevice, {1, 1}, out.data());
    tweed::synchronize();
    Answers const a = out.host()[0];
    CHECK(a.ceil == 4);
    CHECK(a.round == 12);
    CHECK(a.smaller == -4);
    CHECK(a.larger == 3);
    CHECK(a.log2 == 9);
    CHECK(a.next == 64);
    CHECK(a.isPow2);
    CHECK(a.greatest == std::numeric_limits<float>::infinity());
    CHECK(a.least == -std::numeric_limits<float>::infinity());
  }
}
