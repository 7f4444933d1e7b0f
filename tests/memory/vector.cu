// SPDX-License-Identifier: Apache-2.0
// tests/memory/vector.cu - tests tweed/memory/vector.cuh
#include <tweed/memory/vector.cuh>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

struct alignas(16) Quad {
  unsigned word[4];
};
struct Pair {
  float x, y;
};
struct alignas(8) AlignedPair {
  float x, y;
};

static_assert(tweed::vectorItems<char> == 16 && tweed::vectorItems<unsigned char> == 16, "");
static_assert(tweed::vectorItems<short> == 8 && tweed::vectorItems<float> == 4, "");
static_assert(tweed::vectorItems<double> == 2 && tweed::vectorItems<long long> == 2, "");
static_assert(tweed::vectorItems<AlignedPair> == 2 && tweed::vectorItems<Quad> == 1, "");
static_assert(tweed::vectorItems<Pair> == 1, "it may stand at 4 bytes");
static_assert(tweed::vectorItems<Bytes<16>> == 1 && tweed::vectorItems<Bytes<3>> == 1, "");
static_assert(tweed::vectorItems<Bytes<12>> == 1 && tweed::vectorItems<Wide> == 1, "");
static_assert(tweed::vectorItems<Counted> == 1, "copied by its constructor");
static_assert(sizeof(tweed::Vector<float, 4>) == 16 && alignof(tweed::Vector<float, 4>) == 16, "");
static_assert(sizeof(tweed::Vector<char, 16>) == 16 && alignof(tweed::Vector<char, 16>) == 16, "");
static_assert(alignof(tweed::Vector<short, 2>) == 4, "");

// Reads what the split says, as it says, into a copy.
template <class T>
__global__ void copySplit(T const* in, T* out, unsigned long long count) {
  constexpr int items = tweed::vectorItems<T>;
  tweed::VectorSplit const split = tweed::splitVectors(in, count);
  unsigned long long at = 0;
  for (unsigned long long i = 0; i < split.head; ++i, ++at) out[at] = in[at];
  for (unsigned long long i = 0; i < split.vectors; ++i)
    if constexpr (items == 1) {
      out[at] = in[at];
      ++at;
    } else {
      auto const v = *reinterpret_cast<tweed::Vector<T, items> const*>(in + at);
      for (int k = 0; k < items; ++k, ++at) out[at] = v.item[k];
    }
  for (unsigned long long i = 0; i < split.tail; ++i, ++at) out[at] = in[at];
}

template <class T, class Make>
void checkType(Make make) {
  constexpr std::size_t items = tweed::vectorItems<T>;
  std::size_t const offsets = items == 1 ? 2 : items;
  for (std::size_t shift = 0; shift < offsets; shift += isShort() ? 3 : 1)
    for (std::size_t n = 0; n <= 40; n += isShort() ? 7 : 1) {
      CAPTURE(shift);
      CAPTURE(n);
      std::vector<T> host;
      for (std::size_t i = 0; i < n; ++i) host.push_back(make(unsigned(i)));
      DeviceArray<T> const in(host, shift);
      DeviceArray<T> const out(n);

      auto const address = reinterpret_cast<std::uintptr_t>(in.data());
      tweed::VectorSplit const split = tweed::splitVectors<T>(in.data(), n);
      REQUIRE(split.head + split.vectors * items + split.tail == n);
      if (items == 1) {
        REQUIRE(split.vectors == n);
      } else {
        REQUIRE(split.head < items);
        REQUIRE(split.tail < items);
        // Not one item more than it takes to get to the boundary, and vectors stand on it.
        bool const isAligned = (address + split.head * sizeof(T)) % 16 == 0;
        REQUIRE((isAligned || split.head == n));
        if (split.head > 0) REQUIRE((address + (split.head - 1) * sizeof(T)) % 16 != 0);
      }
      tweed::launch(copySplit<T>, {1, 1}, in.data(), out.data(), n);
      tweed::synchronize();
      REQUIRE((out.host() == host));
    }
}

}  // namespace

TEST_SUITE("vector") {
  TEST_CASE_TEMPLATE("numbers at every alignment and count are divided without a gap or overlap", T,
                     unsigned char, unsigned short, float, double) {
    checkType<T>([](unsigned i) { return T(noise(i) % 200); });
  }
  TEST_CASE("types that do not divide 16 bytes, or stand anywhere, move one by one") {
    checkType<Bytes<3>>([](unsigned i) { return Bytes<3>::of(i); });
    checkType<Bytes<12>>([](unsigned i) { return Bytes<12>::of(i); });
    checkType<Bytes<16>>([](unsigned i) { return Bytes<16>::of(i); });
  }
  TEST_CASE("counts beyond 32 bits") {
    auto const* const odd = reinterpret_cast<float const*>(std::uintptr_t(0x7000000004));
    tweed::VectorSplit const split = tweed::splitVectors(odd, (1ull << 40) + 2);
    CHECK(split.head == 3);
    CHECK(split.vectors == (1ull << 38) - 1);
    CHECK(split.tail == 3);
    tweed::VectorSplit const most = tweed::splitVectors(odd, ~0ull);
    CHECK(most.head + most.vectors * 4 + most.tail == ~0ull);
  }
}
