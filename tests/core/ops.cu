// SPDX-License-Identifier: Apache-2.0
// tests/core/ops.cu - tests tweed/core/ops.cuh
#include <tweed/core/ops.cuh>

#include <cmath>
#include <functional>
#include <limits>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

template <class Op, class T>
void checkIdentity(Op op, std::vector<T> const& values) {
  REQUIRE(tweed::hasIdentity<Op, T>);
  T const identity = tweed::identityOf<Op, T>();
  for (T const& value : values) {
    T const left = op(identity, value), right = op(value, identity);
    REQUIRE(((left == value && right == value) || (left != left && value != value)));
  }
}

template <class T>
void checkIntegerOps() {
  std::vector<T> values;
  for (int i = 0; i < 40; ++i) values.push_back(T(noise(std::uint64_t(i))));
  values.insert(values.end(),
                {T(0), T(1), std::numeric_limits<T>::max(), T(-1), std::numeric_limits<T>::min()});
  checkIdentity(tweed::Sum{}, values), checkIdentity(tweed::Product{}, values);
  checkIdentity(tweed::BitAnd{}, values), checkIdentity(tweed::BitOr{}, values);
  checkIdentity(tweed::BitXor{}, values);
  checkIdentity(tweed::Min{}, values), checkIdentity(tweed::Max{}, values);
  checkIdentity(tweed::MinNumber{}, values), checkIdentity(tweed::MaxNumber{}, values);
  for (T const& a : values)
    for (T const& b : values) {
      REQUIRE(tweed::Min{}(a, b) == (b < a ? b : a));
      REQUIRE(tweed::Max{}(a, b) == (a < b ? b : a));
      REQUIRE(tweed::MinNumber{}(a, b) == (b < a ? b : a));
      REQUIRE(tweed::BitAnd{}(a, b) == T(a & b));
      REQUIRE(tweed::BitOr{}(a, b) == T(a | b));
      REQUIRE(tweed::BitXor{}(a, b) == T(a ^ b));
    }
}

// What an operator of the user's may and may not say.
struct SaysNothing {
  int operator()(int a, int b) const { return a + b; }
};
struct SaysCommutative {
  static constexpr bool isCommutative = true;
  int operator()(int a, int b) const { return a + b; }
};
struct SaysOrdered {
  static constexpr bool isCommutative = false;
  int operator()(int a, int b) const { return a - b; }
};
struct Number {  // adds, but no number makes one
  float re, im;
  friend TWEED_HOST_DEVICE Number operator+(Number a, Number b) {
    return {a.re + b.re, a.im + b.im};
  }
};
int freeFunction(int a, int b) { return a | b; }

bool isNegative(float x) { return std::signbit(x); }

struct Extremes {
  float min, max, minNumber, maxNumber;
};
__global__ void extremes(float const* a, float const* b, Extremes* out) {
  int const t = int(threadIdx.x);
  out[t] = {tweed::Min{}(a[t], b[t]), tweed::Max{}(a[t], b[t]), tweed::MinNumber{}(a[t], b[t]),
            tweed::MaxNumber{}(a[t], b[t])};
}
std::vector<Extremes> extremesOf(std::vector<float> const& a, std::vector<float> const& b) {
  DeviceArray<float> const dA(a);
  DeviceArray<float> const dB(b);
  DeviceArray<Extremes> const out(a.size());
  tweed::launch(extremes, {1, unsigned(a.size())}, dA.data(), dB.data(), out.data());
  tweed::synchronize();
  return out.host();
}

}  // namespace

TEST_SUITE("ops") {
  TEST_CASE_TEMPLATE("operators of integers and their identities", T, char, signed char,
                     unsigned char, short, unsigned short) {
    checkIntegerOps<T>();
  }
  TEST_CASE_TEMPLATE("operators of unsigned integers and their identities", T, unsigned,
                     unsigned long, unsigned long long) {
    checkIntegerOps<T>();
  }
  TEST_CASE_TEMPLATE("extremes of signed integers and their identities", T, int, long, long long) {
    std::vector<T> const values = {
        0, 1, -1, 77, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
    checkIdentity(tweed::Min{}, values), checkIdentity(tweed::Max{}, values);
    checkIdentity(tweed::MinNumber{}, values), checkIdentity(tweed::MaxNumber{}, values);
    checkIdentity(tweed::Sum{}, values), checkIdentity(tweed::BitAnd{}, values);
    CHECK(tweed::identityOf<tweed::Max, T>() == std::numeric_limits<T>::min());
    CHECK(tweed::identityOf<tweed::Min, T>() == std::numeric_limits<T>::max());
  }
  TEST_CASE("operators of bool") {
    std::vector<bool> const both = {false, true};
    CHECK(tweed::identityOf<tweed::BitAnd, bool>() == true);
    CHECK(tweed::identityOf<tweed::BitOr, bool>() == false);
    CHECK(tweed::identityOf<tweed::Min, bool>() == true);
    CHECK(tweed::identityOf<tweed::Max, bool>() == false);
    for (bool const a : both)
      for (bool const b : both) {
        CHECK(tweed::BitAnd{}(a, b) == (a && b));
        CHECK(tweed::BitOr{}(a, b) == (a || b));
        CHECK(tweed::BitXor{}(a, b) == (a != b));
        CHECK(tweed::Min{}(a, b) == (a && b));
        CHECK(tweed::Max{}(a, b) == (a || b));
      }
  }
  TEST_CASE("products of short integers wrap, they do not overflow") {
    using Short = unsigned short;
    CHECK(tweed::Product{}(Short(65535), Short(65535)) == 1);
    CHECK(tweed::Product{}(Short(46341), Short(46341)) == Short(46341u * 46341u));
    CHECK(tweed::Sum{}(Short(65535), Short(65535)) == 65534);
    CHECK(tweed::Product{}(char16_t(65535), char16_t(65535)) == 1);
  }
  TEST_CASE_TEMPLATE("operators of floats and their identities", T, float, double) {
    T const inf = std::numeric_limits<T>::infinity();
    std::vector<T> const values = {0,
                                   1,
                                   T(-3.5),
                                   inf,
                                   -inf,
                                   std::numeric_limits<T>::max(),
                                   std::numeric_limits<T>::lowest(),
                                   std::numeric_limits<T>::denorm_min(),
                                   std::numeric_limits<T>::quiet_NaN()};
    checkIdentity(tweed::Sum{}, values), checkIdentity(tweed::Product{}, values);
    checkIdentity(tweed::Min{}, values), checkIdentity(tweed::Max{}, values);
    checkIdentity(tweed::MinNumber{}, values), checkIdentity(tweed::MaxNumber{}, values);
    CHECK(tweed::identityOf<tweed::Min, T>() == inf);
    CHECK(tweed::identityOf<tweed::Max, T>() == -inf);
    CHECK(std::isnan(tweed::identityOf<tweed::MinNumber, T>()));
    CHECK(std::isnan(tweed::identityOf<tweed::MaxNumber, T>()));
  }
  TEST_CASE("one NaN decides, or counts for nothing, on either side (C10)") {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    float const inf = std::numeric_limits<float>::infinity();
    for (float const x : {7.f, -7.f, 0.f, inf, -inf}) {
      for (Extremes const& e : extremesOf({x, nan}, {nan, x})) {
        CHECK(std::isnan(e.min));
        CHECK(std::isnan(e.max));
        CHECK(e.minNumber == x);
        CHECK(e.maxNumber == x);
      }
      CHECK(std::isnan(tweed::Min{}(x, nan)));
      CHECK(std::isnan(tweed::Max{}(nan, x)));
      CHECK(tweed::MinNumber{}(x, nan) == x);
      CHECK(tweed::MaxNumber{}(nan, x) == x);
    }
    Extremes const all = extremesOf({nan}, {nan})[0];
    CHECK(std::isnan(all.min));
    CHECK(std::isnan(all.max));
    CHECK(std::isnan(all.minNumber));
    CHECK(std::isnan(all.maxNumber));
  }
  TEST_CASE("minima and maxima of floats are associative and commutative, NaN or not (C10)") {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    float const inf = std::numeric_limits<float>::infinity();
    std::vector<float> const values = {nan, -inf, -1.f, 0.f, 1.f, inf};
    auto const same = [](float x, float y) { return x == y || (x != x && y != y); };
    auto const check = [&](auto op) {
      for (float const a : values)
        for (float const b : values) {
          REQUIRE(same(op(a, b), op(b, a)));
          for (float const c : values) REQUIRE(same(op(op(a, b), c), op(a, op(b, c))));
        }
    };
    check(tweed::Min{}), check(tweed::Max{}), check(tweed::MinNumber{}), check(tweed::MaxNumber{});
  }
  TEST_CASE("-0 is less than +0, on either side, as IEEE 754-2019 says") {
    for (Extremes const& e : extremesOf({-0.f, 0.f}, {0.f, -0.f})) {
      CHECK(isNegative(e.min));
      CHECK(!isNegative(e.max));
      CHECK(isNegative(e.minNumber));
      CHECK(!isNegative(e.maxNumber));
    }
  }
  TEST_CASE("order is kept for an operator that does not say it is commutative") {
    auto const lambda = [](int a, int b) { return a + b; };
    CHECK(tweed::isCommutative<tweed::Sum>);
    CHECK(tweed::isCommutative<tweed::Product>);
    CHECK(tweed::isCommutative<tweed::BitAnd>);
    CHECK(tweed::isCommutative<tweed::BitOr>);
    CHECK(tweed::isCommutative<tweed::BitXor>);
    CHECK(tweed::isCommutative<tweed::Min>);
    CHECK(tweed::isCommutative<tweed::MaxNumber>);
    CHECK(tweed::isCommutative<SaysCommutative>);
    CHECK(!tweed::isCommutative<SaysNothing>);
    CHECK(!tweed::isCommutative<SaysOrdered>);
    CHECK(SaysOrdered{}(SaysNothing{}(5, 6), SaysCommutative{}(3, 4)) == 4);
    CHECK(!tweed::isCommutative<std::plus<>>);
    CHECK(!tweed::isCommutative<std::plus<int>>);
    CHECK(!tweed::isCommutative<decltype(lambda)>);
    CHECK(!tweed::isCommutative<decltype(&freeFunction)>);
    CHECK(!tweed::isCommutative<Join>);
    CHECK(!tweed::isCommutative<Compose>);
  }
  TEST_CASE("no identity is invented") {
    auto const lambda = [](int a, int b) { return a + b; };
    CHECK(tweed::hasIdentity<tweed::Sum, int>);
    CHECK(tweed::hasIdentity<tweed::Min, float>);
    CHECK(tweed::hasIdentity<Compose, Affine>);
    CHECK(tweed::hasIdentity<Concatenate, Letters>);
    CHECK(!tweed::hasIdentity<Compose, int>);
    CHECK(!tweed::hasIdentity<Join, Stretch>);
    CHECK(!tweed::hasIdentity<SaysNothing, int>);
    CHECK(!tweed::hasIdentity<std::plus<>, int>);
    CHECK(!tweed::hasIdentity<std::plus<int>, int>);
    CHECK(!tweed::hasIdentity<decltype(lambda), int>);
    CHECK(!tweed::hasIdentity<decltype(&freeFunction), int>);
    CHECK(freeFunction(4, 3) == 7);
    CHECK(tweed::identityOf<Compose, Affine>() == Affine{1, 0});
  }
  TEST_CASE("a type that only adds has no identity of a sum, and no product") {
    CHECK(tweed::isReduction<tweed::Sum, Number>);
    CHECK(tweed::Sum{}(Number{1, 2}, Number{3, 4}).im == 6);
    CHECK(!tweed::hasIdentity<tweed::Sum, Number>);
    CHECK(!tweed::isReduction<tweed::Product, Number>);
    CHECK(!tweed::isReduction<tweed::Sum, Stretch>);
    CHECK(!tweed::isReduction<tweed::BitAnd, float>);
  }
  TEST_CASE("what reduces a type") {
    auto const lambda = [](float a, float b) { return a * b; };
    auto const unary = [](float a) { return a; };
    CHECK(tweed::isReduction<tweed::Sum, float>);
    CHECK(tweed::isReduction<std::plus<>, signed char>);
    CHECK(tweed::isReduction<decltype(lambda), float>);
    CHECK(tweed::isReduction<decltype(&freeFunction), int>);
    CHECK(tweed::isReduction<Join, Stretch>);
    CHECK(!tweed::isReduction<Join, int>);
    CHECK(!tweed::isReduction<Compose, Stretch>);
    CHECK(!tweed::isReduction<decltype(unary), float>);
    CHECK(!tweed::isReduction<int, int>);
  }
  TEST_CASE("affine maps compose left to right (C25)") {
    Affine map = {2, 1};
    for (unsigned b = 2; b <= 4; ++b) map = Compose{}(map, Affine{2, b});
    CHECK(map == Affine{16, 26});
  }
}
