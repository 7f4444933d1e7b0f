// SPDX-License-Identifier: Apache-2.0
// tests/memory/loadStore.cu - tests tweed/memory/loadStore.cuh
#include <tweed/memory/loadStore.cuh>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;
using tweed::Cache;

struct Pair {
  float re, im;
  friend bool operator==(Pair const& x, Pair const& y) { return x.re == y.re && x.im == y.im; }
};
// Cannot be made from nothing.
struct Code {
  explicit TWEED_HOST_DEVICE Code(int v) : value(short(v)) {}
  short value;
  friend bool operator==(Code const& x, Code const& y) { return x.value == y.value; }
};

// Vectors of the input, in reverse; the last item of each takes the place of its first.
template <Cache Load, Cache Store, int N, class T>
__global__ void turnVectors(T const* in, T* out, unsigned vectors) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= vectors) return;
  tweed::Vector<T, N> v = tweed::loadVector<N, Load>(in + i * N);
  v.item[0] = v.item[N - 1];
  tweed::storeVector<Store>(out + (vectors - 1 - i) * N, v);
}

template <Cache Load, Cache Store, int N, class T, class Make>
void checkTurn(Make make) {
  constexpr std::size_t bytes = N * sizeof(T);
  // Each at the least alignment that is allowed.
  std::size_t const shift = bytes >= 16 ? 16 / tweed::smaller<std::size_t>(sizeof(T), 16) : N;
  for (unsigned vectors : {1u, 3u, 70u}) {
    std::vector<T> in, want;
    for (unsigned i = 0; i < vectors * N; ++i) in.push_back(make(int(i)));
    for (unsigned i = 0; i < vectors * N; ++i) {
      unsigned const from = (vectors - 1 - i / N) * N;
      want.push_back(in[from + (i % N == 0 ? N - 1 : i % N)]);
    }
    DeviceArray<T> const dIn(in, shift);
    DeviceArray<T> const out(in.size(), 3 * shift);
    tweed::launch(turnVectors<Load, Store, N, T>, {3, 32}, dIn.data(), out.data(), vectors);
    tweed::synchronize();
    CHECK((out.host() == want));
  }
}

template <int N, class T, class Make>
void checkHints(Make make) {
  checkTurn<Cache::Normal, Cache::Normal, N, T>(make);
  checkTurn<Cache::Streaming, Cache::Keep, N, T>(make);
  checkTurn<Cache::Keep, Cache::Streaming, N, T>(make);
  checkTurn<Cache::ReadOnly, Cache::Normal, N, T>(make);
  checkTurn<Cache::ReadOnce, Cache::Normal, N, T>(make);
}

#if defined(TWEED_LOOM)
__global__ void loadAt(float const* in, float* out) { *out = tweed::loadVector<4>(in).item[2]; }
__global__ void storeAt(short* out) { tweed::storeVector(out, tweed::Vector<short, 2>{{1, 2}}); }
#endif

}  // namespace

TEST_SUITE("loadStore") {
  TEST_CASE_TEMPLATE("vectors of numbers with every hint", T, unsigned char, short, float, double) {
    auto const make = [](int i) { return T(i % 101 + 1); };
    checkHints<1, T>(make);
    checkHints<2, T>(make);
    checkHints<8, T>(make);
    checkHints<16, T>(make);
  }
  TEST_CASE("structs, types without a default, and vectors of 128 bytes") {
    checkHints<2, Pair>([](int i) { return Pair{float(i), float(-i)}; });
    checkHints<4, Code>([](int i) { return Code(i * 3); });
    checkHints<4, Bytes<1>>([](int i) { return Bytes<1>::of(unsigned(i)); });
    checkHints<8, Bytes<16>>([](int i) { return Bytes<16>::of(unsigned(i)); });
    checkHints<32, float>([](int i) { return float(i); });
  }
#if defined(TWEED_LOOM)
  TEST_CASE("a pointer that is not aligned is stopped, with the numbers") {
    DeviceArray<float> const in(8), out(1);
    CHECK(fault([&] { tweed::launch(loadAt, {1, 1}, in.data() + 4, out.data()); }) == "");
    CHECK(contains(fault([&] {
                     tweed::launch(loadAt, {1, 1}, in.data() + 3, out.data());
                   }),
                   "loadVector: the pointer is 12 bytes behind a multiple of 16, which a vector of "
                   "4 items of 4 bytes needs"));
    DeviceArray<short> const shorts(8);
    CHECK(fault([&] { tweed::launch(storeAt, {1, 1}, shorts.data() + 2); }) == "");
    CHECK(contains(fault([&] {
                     tweed::launch(storeAt, {1, 1}, shorts.data() + 1);
                   }),
                   "storeVector: the pointer is 2 bytes behind a multiple of 4"));
  }
#endif
}
