// SPDX-License-Identifier: Apache-2.0
// tests/arch/redux.cu - tests tweed/arch/redux.cuh
#include <tweed/arch/redux.cuh>

#include <algorithm>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

struct Folds {
  unsigned sum, least, greatest, all, any, parity;
  int signedSum, signedLeast, signedGreatest;
  friend bool operator==(Folds const& x, Folds const& y) { return sameBits(x, y); }
};

TWEED_DEVICE Folds foldsOf(unsigned mask, unsigned value) {
  using namespace tweed::arch;
  int const number = int(value);
  return {reduxAdd(mask, value),  reduxMin(mask, value),  reduxMax(mask, value),
          reduxAnd(mask, value),  reduxOr(mask, value),   reduxXor(mask, value),
          reduxAdd(mask, number), reduxMin(mask, number), reduxMax(mask, number)};
}

// The lanes of the mask and the others fold apart, at the same time.
__global__ void fold(unsigned mask, unsigned const* values, Folds* out) {
  int const lane = int(threadIdx.x);
  if ((mask >> lane & 1u) != 0) {
    out[lane] = foldsOf(mask, values[lane]);
  } else {
    out[lane] = foldsOf(~mask, values[lane]);
  }
}

Folds foldsOnHost(unsigned mask, std::vector<unsigned> const& values) {
  Folds f = {0, ~0u, 0, ~0u, 0, 0, 0, 0x7fffffff, int(0x80000000u)};
  for (std::size_t lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1u) == 0) continue;
    unsigned const x = values[lane];
    f.sum += x;
    f.least = std::min(f.least, x);
    f.greatest = std::max(f.greatest, x);
    f.all &= x;
    f.any |= x;
    f.parity ^= x;
    f.signedLeast = std::min(f.signedLeast, int(x));
    f.signedGreatest = std::max(f.signedGreatest, int(x));
  }
  f.signedSum = int(f.sum);
  return f;
}

void check(std::vector<unsigned> const& values, unsigned mask) {
  CAPTURE(mask);
  DeviceArray<unsigned> const in(values);
  DeviceArray<Folds> const out(32);
  tweed::launch(fold, {1, 32}, mask, in.data(), out.data());
  tweed::synchronize();
  std::vector<Folds> const got = out.host();
  for (std::size_t lane = 0; lane < 32; ++lane) {
    CAPTURE(lane);
    bool const isIn = (mask >> lane & 1u) != 0;
    REQUIRE(got[lane] == foldsOnHost(isIn ? mask : ~mask, values));
  }
}

}  // namespace

TEST_SUITE("redux") {
  TEST_CASE("any set of lanes folds on its own, sums wrap, and numbers are signed or not") {
    std::vector<unsigned> values;
    for (std::uint64_t lane = 0; lane < 32; ++lane) values.push_back(unsigned(noise(lane)));
    values[3] = 0x80000000u, values[8] = 0x7fffffffu, values[20] = ~0u, values[29] = 0;
    for (unsigned const mask : {~0u, 1u, 0x80000000u, 0x00010100u, 0x0001ffffu, 0xaaaaaaaau})
      check(values, mask);
    for (std::uint64_t i = 0; i < 20; ++i) check(values, unsigned(noise(1000 + i)));
    // Bits that all lanes have, so that the and is not zero.
    for (unsigned& x : values) x |= 0x40100000u;
    check(values, ~0u), check(values, 0x00ff0f01u);
  }
}
