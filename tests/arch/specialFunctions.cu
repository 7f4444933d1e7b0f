// SPDX-License-Identifier: Apache-2.0
// tests/arch/specialFunctions.cu - tests tweed/arch/specialFunctions.cuh
#include <tweed/arch/specialFunctions.cuh>

#include <cmath>
#include <limits>

#include "support/device.cuh"

namespace {

using tweedTest::DeviceArray;

TWEED_KERNEL void computeBoth(float const* in, int n, float* reciprocals, float* powers) {
  for (int i = 0; i < n; ++i) {
    reciprocals[i] = tweed::arch::approxReciprocal(in[i]);
    powers[i] = tweed::arch::approxExp2(in[i]);
  }
}

struct Both {
  std::vector<float> reciprocals, powers;
};
Both both(std::vector<float> const& values) {
  DeviceArray<float> const in(values), reciprocals(values.size()), powers(values.size());
  tweed::launch(computeBoth, {1, 1}, in.data(), int(values.size()), reciprocals.data(),
                powers.data());
  tweed::synchronize();
  return {reciprocals.host(), powers.host()};
}

constexpr float infinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_SUITE("specialFunctions") {
  TEST_CASE("errors stay in their bounds") {
    std::vector<float> values;
    for (int i = 0; i < 2000; ++i) {
      float const fraction = float(tweedTest::noise(std::uint64_t(i)) % 8388608) * 0x1p-23f;
      values.push_back((i % 2 == 0 ? 1 : -1) * std::ldexp(1 + fraction, i % 251 - 125));
      values.push_back((fraction - 0.5f) * 252);
    }
    Both const found = both(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double const x = double(values[i]);
      CAPTURE(x);
      if (std::fabs(x) >= 0x1p-126 && std::fabs(x) < 0x1p126)
        CHECK(std::fabs(double(found.reciprocals[i]) * x - 1) <= 0x1p-22);
      if (x > -126 && x < 128)
        CHECK(std::fabs(double(found.powers[i]) / std::exp2(x) - 1) <= 0x1p-22);
    }
  }
  TEST_CASE("what is too large or too small, infinities, NaN") {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    Both const found = both({0, infinity, -infinity, 0x1.8p126f, 0x1p-127f, -200, 200, nan});
    CHECK(found.reciprocals[0] == infinity);
    CHECK(found.reciprocals[1] == 0);
    CHECK(found.reciprocals[2] == 0);
    CHECK(found.reciprocals[3] == 0);
    CHECK(found.reciprocals[4] == infinity);
    CHECK(std::isnan(found.reciprocals[7]));
    CHECK(found.powers[0] == 1);
    CHECK(found.powers[1] == infinity);
    CHECK(found.powers[2] == 0);
    CHECK(found.powers[5] == 0);
    CHECK(found.powers[6] == infinity);
    CHECK(std::isnan(found.powers[7]));
  }
  TEST_CASE("the last that are not too large or too small, on the host") {
    CHECK(tweed::arch::approxReciprocal(0x1p126f) == 0x1p-126f);
    CHECK(tweed::arch::approxReciprocal(-0x1p126f) == -0x1p-126f);
    CHECK(tweed::arch::approxReciprocal(0x1p-126f) == 0x1p126f);
    CHECK(tweed::arch::approxExp2(-126) == 0x1p-126f);
  }
}
