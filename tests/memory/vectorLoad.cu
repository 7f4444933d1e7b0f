// SPDX-License-Identifier: Apache-2.0
// tests/memory/vectorLoad.cu - tests tweed/memory/vectorLoad.cuh
#include <tweed/memory/vectorLoad.cuh>

#include <cstdio>
#include <string>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

struct alignas(16) Quad {
  unsigned word[4];
};

// What an item is turned into: an affine map, so that order shows in the fold.
struct Map : Affine {
  template <class T>
  TWEED_HOST_DEVICE explicit Map(T const& item) : Affine{seed(item) * 2 + 1, seed(item) ^ 77u} {}
  TWEED_HOST_DEVICE Map(Affine const& map, int) : Affine(map) {}

 private:
  template <class T>
  static TWEED_HOST_DEVICE unsigned seed(T const& item) {
    return unsigned(item);
  }
  static TWEED_HOST_DEVICE unsigned seed(Quad const& q) { return q.word[0] ^ q.word[3] * 5; }
  template <int N>
  static TWEED_HOST_DEVICE unsigned seed(Bytes<N> const& b) {
    return b.byte[0] + 256u * b.byte[N - 1];
  }
};
struct ComposeMaps {
  template <class T>
  TWEED_HOST_DEVICE Map lift(T const& item, unsigned index) const {
    return Map(Compose{}(Map(item), Affine{index * 2 + 1, index}), 0);
  }
  TWEED_HOST_DEVICE Map operator()(Map const& x, Map const& y) const {
    return Map(Compose{}(x, y), 0);
  }
};

constexpr int loads = 4;
constexpr int step = 3;

// Fold k is that of the vector `step * k` from the first of this thread.
template <class T>
__global__ void foldSome(T const* in, Affine* folds, Affine* all, int some) {
  using Load = tweed::VectorLoad<T>;
  typename Load::Raw raw[loads];
  T const* const at = in + threadIdx.x * Load::items;
  Affine* const mine = folds + threadIdx.x * loads;
  tweed::detail::loadSome<Load, loads, step>(at, some, raw);
  unsigned const first = threadIdx.x * Load::items;
  for (int k = 0; k < some; ++k)
    mine[k] = Load::template fold<Map>(raw[k], ComposeMaps{}, first + k * step * Load::items);
  if (some == loads)
    all[threadIdx.x] = tweed::detail::foldLoaded<Load, Map, loads, step>(raw, ComposeMaps{}, first);
}

template <class T, class Make>
void checkType(Make make) {
  constexpr int items = tweed::VectorLoad<T>::items;
  constexpr int threads = step;  // together they read every vector once
  for (int some = 0; some <= loads; ++some) {
    CAPTURE(some);
    // No more memory than is asked for.
    std::vector<T> in;
    for (int i = 0; i < some * step * items; ++i) in.push_back(make(unsigned(i)));
    DeviceArray<T> const dIn(in, items == 1 ? 0 : std::size_t(items));
    DeviceArray<Affine> const folds(std::size_t(threads * loads), 0);
    DeviceArray<Affine> const all(std::size_t(threads), 0);
    tweed::launch(foldSome<T>, {1, threads}, dIn.data(), folds.data(), all.data(), some);
    tweed::synchronize();
    std::vector<Affine> const got = folds.host();
    std::vector<Affine> const gotAll = all.host();
    for (int t = 0; t < threads; ++t) {
      Affine total = Compose::identity();
      auto const liftAt = [&](int i) {
        return ComposeMaps{}.lift(in[std::size_t(i)], unsigned(i));
      };
      for (int k = 0; k < some; ++k) {
        Affine want = Compose::identity();
        for (int i = 0; i < items; ++i) want = Compose{}(want, liftAt((t + k * step) * items + i));
        REQUIRE(got[std::size_t(t * loads + k)] == want);
        total = Compose{}(total, want);
      }
      if (some == loads) REQUIRE(gotAll[std::size_t(t)] == total);
    }
  }
}

}  // namespace

TEST_SUITE("vectorLoad") {
  TEST_CASE_TEMPLATE("neighbours are folded in order", T, unsigned char, short, float, double,
                     unsigned long long) {
    CHECK(tweed::VectorLoad<T>::isVector);
    checkType<T>([](unsigned i) { return T(noise(i) % 100); });
  }
  TEST_CASE("a type of 16 bytes is one load, others are items") {
    CHECK(tweed::VectorLoad<Quad>::isVector);
    CHECK(!tweed::VectorLoad<Bytes<16>>::isVector);
    CHECK(!tweed::VectorLoad<Bytes<3>>::isVector);
    checkType<Quad>([](unsigned i) { return Quad{{unsigned(noise(i)), 0, 0, i}}; });
    checkType<Bytes<16>>([](unsigned i) { return Bytes<16>::of(i); });
    checkType<Bytes<3>>([](unsigned i) { return Bytes<3>::of(i); });
    checkType<Bytes<12>>([](unsigned i) { return Bytes<12>::of(i); });
    checkType<Bytes<40>>([](unsigned i) { return Bytes<40>::of(i); });
  }
#if defined(TWEED_LOOM)
  TEST_CASE("an address that is no multiple of 16 stops the kernel, with the address") {
    DeviceArray<float> const in(std::vector<float>(64, 1.f));
    DeviceArray<Affine> const folds(12), all(3);
    auto const run = [&](float const* from) {
      return fault([&] {
        tweed::launch(foldSome<float>, {1, 1}, from, folds.data(), all.data(), 1);
      });
    };
    CHECK(run(in.data()).empty());
    CHECK(run(in.data() + 4).empty());
    for (int i = 1; i < 4; ++i) {
      std::string const text = run(in.data() + i);
      CAPTURE(text);
      char address[32];
      std::snprintf(address, sizeof address, "%p", static_cast<void const*>(in.data() + i));
      CHECK(contains(
          text, std::string("tweed::VectorLoad: address ") + address + " is not a multiple of 16"));
    }
  }
#endif
}
