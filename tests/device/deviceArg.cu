// SPDX-License-Identifier: Apache-2.0
// tests/device/deviceArg.cu - tests tweed/device/deviceArg.cuh
#include <tweed/device/deviceArg.cuh>

#include <cmath>
#include <limits>
#include <string>

#include "support/device.cuh"
#include "support/graph.cuh"

namespace {

using namespace tweedTest;
using tweed::Indexed;
using tweed::Nan;

// Around what a thread, a block and a grid load at once.
std::vector<std::size_t> sizes() {
  if (isShort()) return {1, 2, 5, 1023, 4099, 16385, 30001};
  return {1,    2,    3,    4,     5,     31,    32,    33,    1023,  1025,
          4095, 4097, 8200, 16383, 16384, 16385, 65535, 65543, 262151};
}

// By the rules, one item after the other.
template <Nan Policy, bool IsMin, class T>
Indexed<T> expected(std::vector<T> const& in) {
  Indexed<T> best{in[0], 0};
  for (std::size_t i = 1; i < in.size(); ++i) {
    bool const isNan = in[i] != in[i];
    bool const isBestNan = best.value != best.value;
    bool wins = IsMin ? in[i] < best.value : in[i] > best.value;
    if (isNan || isBestNan) wins = Policy == Nan::Propagate ? isNan && !isBestNan : !isNan;
    if (wins) best = {in[i], static_cast<long long>(i)};
  }
  return best;
}

template <Nan Policy, class T, class Index = long long>
void check(std::vector<T> const& in, std::size_t shift, tweed::Workspace& workspace) {
  CAPTURE(in.size());
  CAPTURE(shift);
  DeviceArray<T> const dIn(in, shift);
  DeviceArray<Indexed<T, Index>> const out(2);
  tweed::deviceArgMin<Policy>(dIn.data(), in.size(), out.data(), workspace);
  tweed::deviceArgMax<Policy>(dIn.data(), in.size(), out.data() + 1, workspace);
  tweed::synchronize(workspace.stream());
  auto const got = out.host();
  Indexed<T> const least = expected<Policy, true>(in);
  Indexed<T> const most = expected<Policy, false>(in);
  CHECK(got[0].index == Index(least.index));
  CHECK(sameBits(got[0].value, least.value));
  CHECK(got[1].index == Index(most.index));
  CHECK(sameBits(got[1].value, most.value));
}

template <class T>
std::vector<T> few(std::size_t n, std::uint64_t seed) {  // so that ties are everywhere
  std::vector<T> in(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = T(int(noise(seed + i) % 201) - 100);
  return in;
}

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float quietNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_SUITE("deviceArg") {
  TEST_CASE_TEMPLATE("the lowest index of all sizes and alignments, with ties", T, signed char, int,
                     float, double) {
    tweed::Workspace workspace;
    for (std::size_t const n : sizes()) {
      std::size_t const step = n < 2000 ? 1 : 5;
      for (std::size_t shift = 0; shift < std::size_t(tweed::vectorItems<T>); shift += step)
        check<Nan::Propagate>(few<T>(n, n + shift), shift, workspace);
    }
  }
  TEST_CASE("an index of 32 bits, and one of 16") {
    tweed::Workspace workspace;
    check<Nan::Propagate, float, int>(few<float>(70001, 3), 1, workspace);
    check<Nan::Propagate, float, unsigned short>(few<float>(65536, 4), 0, workspace);
  }
  TEST_CASE("infinities are values (C07)") {
    tweed::Workspace workspace;
    for (std::size_t const n : {1, 10, 33, 5000, 70000}) {
      check<Nan::Propagate>(std::vector<double>(n, inf), 0, workspace);
      check<Nan::Propagate>(std::vector<double>(n, -inf), 1, workspace);
      check<Nan::Propagate>(std::vector<float>(n, inf), 0, workspace);
      check<Nan::Ignore>(std::vector<float>(n, -inf), 1, workspace);
    }
  }
  TEST_CASE("NaN wins or is ignored, wherever it stands (C09)") {
    tweed::Workspace workspace;
    for (auto const& in : {std::vector<float>{5, quietNan, 3},
                           {3, quietNan, 1, 5},
                           {1, 2, quietNan},
                           {quietNan, quietNan}}) {
      check<Nan::Propagate>(in, 0, workspace);
      check<Nan::Ignore>(in, 0, workspace);
    }
    for (std::size_t const n : {33, 4097, 66000}) {
      for (std::size_t at = 0; at < n; at += n / 5) {
        std::vector<float> in = few<float>(n, n);
        in[at] = quietNan;
        in[n - 1] = quietNan;
        check<Nan::Propagate>(in, at % 4, workspace);
        check<Nan::Ignore>(in, at % 4, workspace);
      }
      check<Nan::Ignore>(std::vector<float>(n, quietNan), 0, workspace);
      check<Nan::Propagate>(std::vector<float>(n, quietNan), 0, workspace);
    }
  }
  TEST_CASE("-0 and +0 are one value, and the first keeps its sign") {
    tweed::Workspace workspace;
    check<Nan::Propagate>(std::vector<float>{3, -0.f, 0.f}, 0, workspace);
    check<Nan::Propagate>(std::vector<float>{-3, 0.f, -0.f}, 0, workspace);
  }
  TEST_CASE("nothing is worst, at the greatest index") {
    tweed::Workspace workspace;
    DeviceArray<Indexed<float>> const out(2);
    tweed::deviceArgMin(static_cast<float const*>(nullptr), 0, out.data(), workspace);
    tweed::deviceArgMax(static_cast<float const*>(nullptr), 0, out.data() + 1);
    tweed::synchronize();
    CHECK(out.host()[0] == Indexed<float>{inf, std::numeric_limits<long long>::max()});
    CHECK(out.host()[1] == Indexed<float>{-inf, std::numeric_limits<long long>::max()});
  }
  TEST_CASE("without a workspace, back to back") {
    std::vector<float> const in = few<float>(100003, 9);
    DeviceArray<float> const dIn(in);
    DeviceArray<Indexed<float>> const out(4);
    for (int i = 0; i < 4; ++i)
      tweed::deviceArgMax(dIn.data() + i, in.size() - std::size_t(i), out.data() + i);
    tweed::synchronize();
    for (int i = 0; i < 4; ++i)
      CHECK(out.host()[std::size_t(i)] ==
            expected<Nan::Propagate, false>(std::vector<float>(in.begin() + i, in.end())));
  }
  TEST_CASE("what cannot be counted or written is refused") {
    DeviceArray<float> const in(std::vector<float>(300, 1.f));
    DeviceArray<Indexed<float, signed char>> const out(1);
    auto const before = out.host();
    std::string const text = refusal([&] { tweed::deviceArgMin(in.data(), 300, out.data()); });
    CHECK(contains(text, "deviceArgMin: n is 300"));
    CHECK(contains(text, "counts to 127"));
    CHECK(sameBits(out.host()[0], before[0]));
    CHECK(contains(
        refusal([&] { tweed::deviceArgMax(in.data(), 3, static_cast<Indexed<float>*>(nullptr)); }),
        "deviceArgMax: out is a null pointer"));
  }
#if !defined(TWEED_LOOM)
  TEST_CASE("captured in a graph and replayed") {
    Stream const stream;
    for (std::size_t const n : {1000, 300000}) {  // a block, and a grid
      std::vector<float> in = few<float>(n, 13);
      DeviceArray<float> const x(in);
      DeviceArray<Indexed<float>> const out(6);
      tweed::Workspace workspace(stream);
      Graph const graph(stream, [&] {
        for (int i = 0; i < 6; i += 2) {
          tweed::deviceArgMin(x.data(), n, out.data() + i, workspace);
          tweed::deviceArgMax(x.data(), n, out.data() + i + 1, workspace);
        }
      });
      for (unsigned round = 0; round < 20; ++round) {
        std::size_t const at = noise(round) % n;
        float const extreme = (round % 2 == 0 ? 1.f : -1.f) * float(1000 + round);
        in[at] = extreme;
        TWEED_CHECK(cudaMemcpyAsync(x.data() + at, &extreme, sizeof extreme, cudaMemcpyHostToDevice,
                                    stream));
        graph.launch();
        tweed::synchronize(stream);
        auto const got = out.host();
        for (std::size_t i = 0; i < 6; i += 2) {
          REQUIRE(got[i] == expected<Nan::Propagate, true>(in));
          REQUIRE(got[i + 1] == expected<Nan::Propagate, false>(in));
        }
      }
    }
  }
  TEST_CASE("more than 2^31 and than 2^32 items (C02)") {
    for (std::size_t const n : {(std::size_t(1) << 31) + 7, (std::size_t(1) << 32) + 11}) {
      CAPTURE(n);
      signed char* in = nullptr;
      TWEED_CHECK(cudaMalloc(reinterpret_cast<void**>(&in), n));
      TWEED_CHECK(cudaMemset(in, 1, n));
      std::size_t const at = n - 4;
      TWEED_CHECK(cudaMemset(in + at, 2, 1));
      TWEED_CHECK(cudaDeviceSynchronize());
      DeviceArray<Indexed<signed char>> const out(2);
      tweed::deviceArgMax(in, n, out.data());
      tweed::deviceArgMin(in, n, out.data() + 1);
      tweed::synchronize();
      CHECK(out.host()[0].index == static_cast<long long>(at));
      CHECK(out.host()[0].value == 2);
      CHECK(out.host()[1].index == 0);
      TWEED_CHECK(cudaFree(in));
    }
  }
#endif
}
