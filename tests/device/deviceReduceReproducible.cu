// SPDX-License-Identifier: Apache-2.0
// tests/device/deviceReduceReproducible.cu - tests tweed/device/deviceReduceReproducible.cuh
#include <tweed/core/half.cuh>
#include <tweed/device/deviceReduceReproducible.cuh>

#include <cmath>
#include <limits>
#include <string>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

// Around a vector, one block, several blocks that load once, and those that go on.
std::vector<std::size_t> sizes() {
  if (isShort()) return {0, 1, 3, 5, 4097, 16385, 70001};
  return {0, 1, 2, 3, 4, 5, 15, 17, 1023, 4095, 4096, 4097, 16383, 16384, 16385, 65537, 300001};
}

// Of any magnitude, so that the order shows.
std::vector<float> randomFloats(std::size_t n) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t const x = noise(i);
    values[i] = std::ldexp(float(int(x % 16777216) - 8388608), int(x >> 40) % 24 - 30);
  }
  return values;
}

template <class Out, class T, class Op>
Out reduced(tweed::Workspace& workspace, DeviceArray<T> const& in, Op op) {
  DeviceArray<Out> const out(1);
  tweed::deviceReduceReproducible(in.data(), in.size(), out.data(), op, workspace);
  tweed::synchronize(workspace.stream());
  return out.host()[0];
}

template <class T, class Out>
void checkSums() {
  tweed::Workspace workspace;
  for (std::size_t const n : sizes())
    for (std::size_t const shift : {0, 1, 3}) {
      CAPTURE(n);
      CAPTURE(shift);
      std::vector<T> const in = smallIntegers<T>(n, n + shift);
      long long want = 0;
      for (T const x : in) want += static_cast<long long>(x);
      DeviceArray<T> const dIn(in, shift);
      CHECK(reduced<Out>(workspace, dIn, tweed::Sum{}) == Out(want));
    }
}

// The same items at each place that a load of 16 bytes can begin at.
template <class T, class Out, class Op>
void checkPlaces(std::vector<T> const& in, Op op) {
  tweed::Workspace workspace;
  CAPTURE(in.size());
  Out const first = reduced<Out>(workspace, DeviceArray<T>(in), op);
  for (std::size_t shift = 1; shift < 16 / sizeof(T) + 1; ++shift) {
    CAPTURE(shift);
    CHECK(sameBits(reduced<Out>(workspace, DeviceArray<T>(in, shift), op), first));
  }
}

}  // namespace

TEST_SUITE("deviceReduceReproducible") {
  TEST_CASE("sums of every size at every alignment are exact") {
    checkSums<signed char, long long>();
    checkSums<float, double>();
  }
  TEST_CASE("the same bits wherever the items stand (C28)") {
    for (std::size_t const n : sizes()) {
      std::vector<float> const values = randomFloats(n);
      checkPlaces<float, float>(values, tweed::Sum{});
      if (n > 20000) continue;
      std::vector<__half> halves;
      for (float const value : values) halves.push_back(__half(std::fmod(value, 8.f)));
      checkPlaces<__half, float>(halves, tweed::Sum{});
    }
    // What deviceReduce does not promise, else this would prove nothing.
    std::vector<float> const values = randomFloats(100003);
    tweed::Workspace workspace;
    bool differs = false;
    DeviceArray<float> const out(1);
    std::vector<float> found;
    for (std::size_t shift = 0; shift < 4; ++shift) {
      DeviceArray<float> const in(values, shift);
      tweed::deviceReduce(in.data(), in.size(), out.data(), tweed::Sum{}, workspace);
      tweed::synchronize(workspace.stream());
      found.push_back(out.host()[0]);
      differs = differs || found.back() != found.front();
    }
    CHECK(differs);
  }
  TEST_CASE("order is kept, every item is taken once, and nothing else is (C25, C27)") {
    tweed::Workspace workspace;
    for (std::size_t const n : sizes()) {
      if (n == 0) continue;
      CAPTURE(n);
      std::vector<Stretch> s;
      for (std::size_t i = 0; i < n; ++i) s.push_back(Stretch::at(std::uint32_t(i)));
      CHECK(reduced<Stretch>(workspace, DeviceArray<Stretch>(s), Join{}) ==
            Stretch{0, std::uint32_t(n), 0x600D600D});
      // Sixteen items to a load.
      std::vector<unsigned char> text(n);
      TextHash want(0u, 1u);
      for (std::size_t i = 0; i < n; ++i) {
        text[i] = static_cast<unsigned char>(noise(i));
        want = HashText{}(want, TextHash(text[i]));
      }
      for (std::size_t const shift : {0, 5}) {
        TextHash const got =
            reduced<TextHash>(workspace, DeviceArray<unsigned char>(text, shift), HashText{});
        CHECK(got.value == want.value);
        CHECK(got.power == want.power);
      }
    }
  }
  TEST_CASE("an init comes first, and of nothing it is the result") {
    tweed::Workspace workspace;
    DeviceArray<int> const out(1);
    for (std::size_t const n : {0, 1, 5000}) {
      DeviceArray<int> const in(std::vector<int>(n, 3), 1);
      tweed::deviceReduceReproducible(in.data(), n, out.data(), tweed::Sum{}, 100, workspace);
      tweed::synchronize();
      CHECK(out.host()[0] == 100 + 3 * int(n));
      tweed::deviceReduceReproducible(in.data(), n, out.data(), tweed::Sum{});
      tweed::synchronize();
      CHECK(out.host()[0] == 3 * int(n));
      tweed::deviceReduceReproducible(in.data(), n, out.data(), tweed::Max{}, -7, nullptr);
      tweed::synchronize();
      CHECK(out.host()[0] == (n == 0 ? -7 : 3));
    }
  }
  TEST_CASE("calls of both kinds follow each other in one workspace (C17)") {
    tweed::Workspace workspace;
    DeviceArray<float> const in(smallIntegers<float>(50001, 5)), out(2);
    for (int i = 0; i < (isShort() ? 2 : 10); ++i) {
      tweed::deviceReduce(in.data(), in.size(), out.data(), tweed::Sum{}, workspace);
      tweed::deviceReduceReproducible(in.data(), in.size(), out.data() + 1, tweed::Sum{},
                                      workspace);
    }
    tweed::synchronize();
    CHECK(out.host()[0] == out.host()[1]);
  }
  TEST_CASE("what cannot be done is refused, and nothing is written") {
    DeviceArray<float> const in(4), out(std::vector<float>(1, 7.f));
    tweed::Workspace workspace, small(nullptr, 16);
    auto const says = [&](auto call, char const* text) {
      std::string const got = refusal(call);
      CAPTURE(got);
      CHECK(contains(got, "tweed::deviceReduceReproducible"));
      CHECK(contains(got, text));
    };
    float const* const nothing = nullptr;
    says([&] { tweed::deviceReduceReproducible(nothing, 4, out.data(), tweed::Sum{}, workspace); },
         "in is a null pointer, with n = 4");
    says(
        [&] {
          tweed::deviceReduceReproducible(in.data(), (1ull << 39) + 1, out.data(), tweed::Sum{},
                                          workspace);
        },
        "n is 549755813889; at most 549755813888 is allowed");
    says(
        [&] {
          tweed::deviceReduceReproducible(in.data(), 1 << 20, out.data(), tweed::Sum{}, small);
        },
        "needs a workspace of");
    CHECK(tweed::deviceReduceReproducibleBytes<float>() <= tweed::Workspace::defaultBytes);
    tweed::synchronize();
    CHECK(out.host()[0] == 7);
  }
}
