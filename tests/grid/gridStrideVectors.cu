// SPDX-License-Identifier: Apache-2.0
// tests/grid/gridStrideVectors.cu - tests tweed/grid/gridStrideVectors.cuh
#include <tweed/grid/gridStrideVectors.cuh>

#include <limits>

#include "support/device.cuh"
#include "support/ops.cuh"

#if defined(TWEED_LOOM) && defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace {

using namespace tweedTest;

struct alignas(16) Quad {
  unsigned word[4];
};
struct Pair {
  float re, im;
};
struct Triple {
  int x, y, z;
};
// Cannot be made from nothing.
class Code {
 public:
  explicit TWEED_HOST_DEVICE Code(unsigned v) : value_(v) {}
  TWEED_HOST_DEVICE unsigned get() const { return value_; }

 private:
  unsigned value_;
};

template <class T>
TWEED_HOST_DEVICE T make(unsigned seed) {
  if constexpr (tweed::isSame<T, Quad>) {
    return Quad{{seed, seed * 3, ~seed, seed ^ 5}};
  } else if constexpr (tweed::isSame<T, Pair>) {
    return Pair{float(seed), -float(seed)};
  } else if constexpr (tweed::isSame<T, Triple>) {
    return Triple{int(seed), int(seed) * 3, -int(seed)};
  } else if constexpr (tweed::isSame<T, Bytes<12>>) {
    return Bytes<12>::of(seed);
  } else if constexpr (tweed::isSame<T, Bytes<16>>) {
    return Bytes<16>::of(seed);
  } else {
    return T(seed * 37 + 11);
  }
}
// Not its own inverse and not idempotent: an item that is done twice in place is wrong.
template <class T>
TWEED_HOST_DEVICE T change(T const& x) {
  if constexpr (tweed::isSame<T, Quad>) {
    return Quad{{x.word[3] + 1, x.word[0] * 5, x.word[1], x.word[2]}};
  } else if constexpr (tweed::isSame<T, Pair>) {
    return Pair{x.im + 1, x.re * 3};
  } else if constexpr (tweed::isSame<T, Triple>) {
    return Triple{x.z + 1, x.x * 3, x.y};
  } else if constexpr (tweed::isSame<T, Bytes<12>> || tweed::isSame<T, Bytes<16>>) {
    T y = x;
    for (unsigned i = 0; i < sizeof(T); ++i)
      y.byte[i] = (unsigned char)(x.byte[(i + 1) % sizeof(T)] * 3 + i + 1);
    return y;
  } else if constexpr (tweed::isSame<T, Code>) {
    return Code(x.get() * 3 + 1);
  } else {
    return T(x * 3 + 1);
  }
}

constexpr unsigned mostItems = 70;
constexpr unsigned slot = mostItems + 18;  // of n items and their canaries, for each n

// One call for each n from 0 to mostItems, in a slot of its own; `out` may be `in`.
template <int N, class T>
__global__ void changeSlots(T* out, T const* in) {
  for (unsigned n = 0; n <= mostItems; ++n)
    tweed::gridStrideVectors<N>(out + n * slot, in + n * slot, n,
                                [](T const& x) { return change(x); });
}

// Items as bytes, so that they may lie wherever their alignment lets them.
template <class T>
std::vector<unsigned char> asBytes(std::vector<T> const& items) {
  auto const* const first = reinterpret_cast<unsigned char const*>(items.data());
  return std::vector<unsigned char>(first, first + items.size() * sizeof(T));
}
template <class T>
T* asItems(DeviceArray<unsigned char> const& bytes) {
  return reinterpret_cast<T*>(bytes.data());
}

// Every pair of misalignments of source and destination that the type allows.
template <class T>
void checkSlots(void (*changeSlots)(T*, T const*)) {
  constexpr unsigned align = alignof(T), shifts = 16 / align, slots = mostItems + 1;
  std::vector<T> source, inPlace;
  for (unsigned i = 0; i < slots * slot; ++i) {
    source.push_back(make<T>(i));
    inPlace.push_back(i % slot < i / slot ? change(source.back()) : source.back());
  }
  std::vector<unsigned char> const poison(sizeof(T), 0xA5);
  std::vector<unsigned char> separate = asBytes(inPlace);
  for (unsigned i = 0; i < slots * slot; ++i)
    if (i % slot >= i / slot) std::memcpy(&separate[i * sizeof(T)], poison.data(), sizeof(T));
  unsigned const grids[][2] = {{2, 20}, {1, 1}, {3, 33}, {1, 64}};
  for (unsigned s = 0; s < shifts; ++s) {
    DeviceArray<unsigned char> const in(asBytes(source), s * align);
    for (unsigned d = 0; d < shifts; ++d) {
      if (isShort() && (s * 5 + d) % 11 > 1) continue;
      CAPTURE(s);
      CAPTURE(d);
      DeviceArray<unsigned char> const out(separate.size(), d * align);
      auto const* const grid = grids[(s + 3 * d) % 4];
      tweed::launch(changeSlots, {grid[0], grid[1]}, asItems<T>(out), asItems<T>(in));
      tweed::synchronize();
      bool const isRight = out.host() == separate;
      CHECK(isRight);
    }
    // In place: whatever is done twice or not at all shows.
    tweed::launch(changeSlots, {grids[s % 4][0], grids[s % 4][1]}, asItems<T>(in), asItems<T>(in));
    tweed::synchronize();
    bool const isRight = in.host() == asBytes(inPlace);
    CHECK(isRight);
  }
}
template <int N, class T>
void checkPairs() {
  checkSlots<T>(changeSlots<N, T>);
}

// Under AddressSanitizer: no byte around the arrays may be touched while `run` is. It knows whole
// multiples of 8 bytes in front of an array, and each byte behind it.
template <class Run>
TWEED_DEVICE void fence([[maybe_unused]] void const* data, [[maybe_unused]] std::size_t bytes,
                        Run run) {
#if defined(TWEED_LOOM) && defined(__SANITIZE_ADDRESS__)
  auto const* const begin = static_cast<unsigned char const*>(data);
  if (threadIdx.x == 0) {
    __asan_poison_memory_region(begin - 64, 64);
    __asan_poison_memory_region(begin + bytes, 64);
  }
  __syncthreads();
  run();
  __syncthreads();
  if (threadIdx.x == 0) {
    __asan_unpoison_memory_region(begin - 64, 64);
    __asan_unpoison_memory_region(begin + bytes, 64);
  }
#else
  run();
#endif
}
template <int N, class T>
__global__ void changeFenced(T* out, T const* in, unsigned n) {
  fence(out, n * sizeof(T), [&] {
    fence(in, n * sizeof(T),
          [&] { tweed::gridStrideVectors<N>(out, in, n, [](T const& x) { return change(x); }); });
  });
}
template <int N, class T>
void checkFenced() {
  for (unsigned n = 0; n <= mostItems; n += isShort() ? 5 : 1) {
    for (unsigned shift = 0; shift < 16; shift += unsigned(alignof(T))) {
      std::vector<T> source, want;
      for (unsigned i = 0; i < n; ++i) source.push_back(make<T>(i));
      for (T const& x : source) want.push_back(change(x));
      DeviceArray<unsigned char> const in(asBytes(source), shift);
      DeviceArray<unsigned char> const out(n * sizeof(T), 16 - shift);
      tweed::launch(changeFenced<N, T>, {1, 24}, asItems<T>(out), asItems<T>(in), n);
      tweed::synchronize();
      bool const isRight = out.host() == asBytes(want);
      CHECK(isRight);
    }
  }
}

// Two inputs and an output of other types and alignments, with the index.
struct Combine {
  TWEED_HOST_DEVICE double operator()(unsigned char a, int b, long long i) const {
    return a * 1000.0 + b + double(i) * 0.5;
  }
};
template <int N>
__global__ void combine(double* out, unsigned char const* a, int const* b, long long n) {
  tweed::gridStrideVectors<N>(out, a, b, n, Combine{});
}

// Visits add up what they see and count how often.
template <int N, class T, class Index>
__global__ void visitItems(T const* in, Index n, unsigned long long* sum, int* visits) {
  unsigned long long mine = 0;
  tweed::gridStrideVectors<N>(in, n, [&](T x, Index i) {
    mine += (unsigned long long)(x) * (unsigned long long)(i % 1000 + 1);
    atomicAdd(&visits[i], 1);
  });
  atomicAdd(sum, mine);
}

template <int N>
__global__ void saxpy(float a, float const* x, float* y, int n) {
  tweed::gridStrideVectors<N>(y, x, y, n, [=](float xi, float yi) { return a * xi + yi; });
}

// From bytes to shorts and back: narrow and wide chunks beside each other.
__global__ void widen(short* out, signed char const* in, unsigned n) {
  tweed::gridStrideVectors<8>(out, in, n, [](signed char x) { return x * 100; });
}
__global__ void narrow(signed char* out, short const* in, unsigned n) {
  tweed::gridStrideVectors<8>(out, in, n, [](short x) { return x / 100; });
}

#if defined(TWEED_LOOM)
__global__ void shiftedInPlace(int* p, int by, int n) {
  tweed::gridStrideVectors<4>(p + by, p, n, [](int x) { return x; });
}
#endif

}  // namespace

TEST_SUITE("gridStrideVectors") {
  TEST_CASE("every pair of misalignments, every small n: bytes") {
    checkPairs<16, unsigned char>();
    checkPairs<4, signed char>();
  }
  TEST_CASE("every pair of misalignments, every small n: 2 bytes") { checkPairs<8, short>(); }
  TEST_CASE_TEMPLATE("every pair of misalignments, every small n: 4 to 16 bytes", T, unsigned,
                     float, double, Code, Pair, Triple, Bytes<12>, Quad, Bytes<16>) {
    checkPairs<4, T>();
    checkPairs<1, T>();
    if constexpr (sizeof(T) <= 8) checkPairs<2, T>();
  }
  TEST_CASE_TEMPLATE("nothing outside of the arrays is touched", T, unsigned char, short, float,
                     Triple, Bytes<16>) {
    checkFenced<16 / (sizeof(T) > 8 ? 4 : int(sizeof(T))), T>();
  }
  TEST_CASE("vectors that are longer or shorter than 16 bytes") {
    checkPairs<64, short>();
    checkPairs<2, unsigned char>();
    checkPairs<1, unsigned char>();
    checkPairs<16, double>();
  }
  TEST_CASE("a few large sizes, in turns of several vectors") {
    for (int n : {1000, 4096, isShort() ? 5001 : 40001}) {
      for (std::size_t s : {0, 1, 3}) {
        std::vector<float> x, y, want;
        for (int i = 0; i < n; ++i) {
          x.push_back(float(i % 1001));
          y.push_back(float(i % 77));
          want.push_back(3.f * x.back() + y.back());
        }
        DeviceArray<float> const dx(x, s), dy(y, 3 - s), same(y, s);
        tweed::launch(saxpy<4>, {2, 64}, 3.f, dx.data(), dy.data(), n);
        tweed::launch(saxpy<4>, {3, 32}, 3.f, dx.data(), same.data(), n);
        tweed::synchronize();
        CHECK(dy.host() == want);
        CHECK(same.host() == want);
      }
    }
  }
  TEST_CASE("two inputs and an output of three types, each misaligned in its way") {
    for (long long n : {0ll, 1ll, 3ll, 64ll, 333ll}) {
      for (std::size_t shift = 0; shift < 16; ++shift) {
        std::vector<unsigned char> a;
        std::vector<int> b;
        std::vector<double> want;
        for (int i = 0; i < n; ++i) {
          a.push_back((unsigned char)(i * 7));
          b.push_back(i * 3 - 50);
          want.push_back(Combine{}(a.back(), b.back(), i));
        }
        DeviceArray<unsigned char> const da(a, shift);
        DeviceArray<int> const db(b, shift / 3);
        DeviceArray<double> const out(std::size_t(n), shift % 2);
        tweed::launch(combine<4>, {2, 33}, out.data(), da.data(), db.data(), n);
        tweed::synchronize();
        CHECK(out.host() == want);
      }
    }
  }
  TEST_CASE("conversions: the output wider and narrower than the input") {
    for (unsigned n : {1u, 15u, 16u, 200u}) {
      for (std::size_t shift : {0, 1, 7, 8, 13}) {
        std::vector<signed char> bytes;
        std::vector<short> shorts;
        for (unsigned i = 0; i < n; ++i) bytes.push_back((signed char)(i * 5));
        for (signed char const x : bytes) shorts.push_back(short(x * 100));
        DeviceArray<signed char> const in(bytes, shift), back(n, 13 - shift);
        DeviceArray<short> const out(n, shift % 8);
        tweed::launch(widen, {2, 20}, out.data(), in.data(), n);
        tweed::launch(narrow, {1, 33}, back.data(), out.data(), n);
        tweed::synchronize();
        CHECK(out.host() == shorts);
        CHECK(back.host() == bytes);
      }
    }
  }
  TEST_CASE_TEMPLATE("visits: each item once with its index, in any integer type", Index, int,
                     unsigned, long long, short) {
    for (Index n : {Index(0), Index(1), Index(15), Index(100), Index(2000)}) {
      for (std::size_t shift : {0, 1, 2, 3}) {
        std::vector<unsigned> in;
        unsigned long long want = 0;
        for (int i = 0; i < int(n); ++i) in.push_back(unsigned(i) * 5 + 1);
        for (int i = 0; i < int(n); ++i) want += in[std::size_t(i)] * (i % 1000 + 1ull);
        DeviceArray<unsigned> const dIn(in, shift);
        DeviceArray<unsigned long long> const sum(std::vector<unsigned long long>(1, 0));
        DeviceArray<int> const visits(std::vector<int>(in.size(), 0));
        tweed::launch(visitItems<4, unsigned, Index>, {2, 40}, dIn.data(), n, sum.data(),
                      visits.data());
        tweed::synchronize();
        CHECK(sum.host()[0] == want);
        CHECK(visits.host() == std::vector<int>(in.size(), 1));
      }
    }
  }
  TEST_CASE("nothing to do for a negative n, or without memory") {
    DeviceArray<int> const visits(1);
    DeviceArray<unsigned long long> const sum(std::vector<unsigned long long>(1, 0));
    unsigned const* const none = nullptr;
    tweed::launch(visitItems<4, unsigned, int>, {2, 40}, none, -1, sum.data(), visits.data());
    tweed::launch(visitItems<4, unsigned, int>, {2, 40}, none, 0, sum.data(), visits.data());
    tweed::launch(visitItems<4, unsigned, long long>, {2, 40}, none,
                  std::numeric_limits<long long>::min(), sum.data(), visits.data());
    tweed::synchronize();
    CHECK(sum.host()[0] == 0);
  }
#if defined(TWEED_LOOM)
  TEST_CASE("chunks are moved in the widest pieces that their place allows, behind a head") {
    alignas(64) static unsigned char memory[256];
    auto const at = [](auto* type, int bytes) {
      return reinterpret_cast<decltype(type)>(memory + bytes);
    };
    using Floats = tweed::detail::Chunk<float, 4>;
    using Chars = tweed::detail::Chunk<signed char, 8>;
    using Triples = tweed::detail::Chunk<Triple, 4>;
    for (int bytes = 0; bytes < 64; ++bytes) {
      CAPTURE(bytes);
      int const most = bytes % 16 == 0 ? 16 : bytes & -bytes;
      CHECK(Chars::width(at((signed char*)(nullptr), bytes)) == (most < 8 ? most : 8));
      CHECK(Chars::head(at((signed char*)(nullptr), bytes)) == (64 - bytes) % 8);
      if (bytes % 4 != 0) continue;
      CHECK(Floats::width(at((float*)(nullptr), bytes)) == most);
      CHECK(Floats::head(at((float*)(nullptr), bytes)) == (64 - bytes) % 16 / 4);
      CHECK(Triples::width(at((Triple*)(nullptr), bytes)) == most);
      // 12 bytes further on is as far off as 4 bytes before.
      CHECK(Triples::head(at((Triple*)(nullptr), bytes)) == bytes % 16 / 4);
    }
  }
  TEST_CASE("arrays that overlap without being the same, and more dimensions, are stopped") {
    DeviceArray<int> const memory(std::vector<int>(100, 1));
    auto const shifted = [&](int by, int n, tweed::LaunchConfig const& config) {
      return fault([&] { tweed::launch(shiftedInPlace, config, memory.data(), by, n); });
    };
    CHECK(shifted(0, 50, {1, 32}) == "");
    CHECK(shifted(50, 50, {1, 32}) == "");
    CHECK(contains(shifted(49, 50, {1, 32}), "out overlaps an input"));
    CHECK(contains(shifted(1, 50, {1, 32}), "out overlaps an input"));
    CHECK(contains(shifted(50, 50, {1, dim3(8, 4)}),
                   "needs a 1-D grid of 1-D blocks; y and z are (4, 1) of the block"));
  }
#endif
}
