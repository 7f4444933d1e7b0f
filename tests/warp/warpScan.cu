// SPDX-License-Identifier: Apache-2.0
// tests/warp/warpScan.cu - tests tweed/warp/warpScan.cuh
#include <tweed/warp/warpScan.cuh>

#include <limits>

#include "support/device.cuh"
#include "support/folds.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

// Two warps, and half a one: groups of up to 16 lanes also stand in a warp that is not whole.
constexpr int fullThreads = 64;
constexpr int oddThreads = 80;

template <int Width, class T, class Op>
__global__ void scanGroups(T const* in, Prefixes<T>* out, Op op, T init) {
  int const t = int(threadIdx.x);
  auto const [inclusive, total] = tweed::warpInclusiveScan<Width>(in[t], op);
  auto const [exclusive, again] = tweed::warpExclusiveScan<Width>(in[t], op, init);
  out[t] = {inclusive, exclusive, {total, again}};
}

// The values of lanes beyond their group's count are poison.
template <int Width, class T, class Op>
__global__ void scanCounts(T const* in, Prefixes<T>* out, Op op, T init, int const* counts) {
  int const t = int(threadIdx.x);
  int const count = counts[t / Width];
  T value = in[t];
  if (t % Width >= count) memset(&value, 0xFF, sizeof value);
  auto const [inclusive, total] = tweed::warpInclusiveScan<Width>(value, op, count);
  auto const [exclusive, again] = tweed::warpExclusiveScan<Width>(value, op, init, count);
  out[t] = {inclusive, exclusive, {total, again}};
}

template <class T, class Op>
struct Kernels {
  void (*groups)(T const*, Prefixes<T>*, Op, T);
  void (*counts)(T const*, Prefixes<T>*, Op, T, int const*);
};

// Not for each width: what checks a width would take longer to compile than its kernels.
template <class T, class Op>
void checkKernels(Kernels<T, Op> const& kernels, int width, std::vector<T> const& in, Op op,
                  T init) {
  CAPTURE(width);
  int const threads = width == 32 ? fullThreads : oddThreads;
  int const groups = threads / width;
  DeviceArray<T> const dIn(in);
  DeviceArray<Prefixes<T>> const out(std::size_t(threads), 0);
  tweed::launch(kernels.groups, {1, unsigned(threads)}, dIn.data(), out.data(), op, init);
  tweed::synchronize();
  std::vector<Prefixes<T>> got = out.host();
  for (int first = 0; first < threads; first += width)
    checkPrefixes(got.data() + first, width, in.data() + first, width, op, init);

  // Every count, a different one in each group.
  int const least = tweed::hasIdentity<Op, T> ? 0 : 1;
  for (int base = least; base <= width; base += isShort() && base > 2 && base < width - 3 ? 3 : 1) {
    std::vector<int> counts;
    for (int g = 0; g < groups; ++g)
      counts.push_back(least + (base - least + g * 7) % (width - least + 1));
    DeviceArray<int> const dCounts(counts);
    tweed::launch(kernels.counts, {1, unsigned(threads)}, dIn.data(), out.data(), op, init,
                  dCounts.data());
    tweed::synchronize();
    got = out.host();
    for (int g = 0; g < groups; ++g) {
      checkPrefixes(got.data() + g * width, width, in.data() + g * width, counts[std::size_t(g)],
                    op, init);
    }
  }
}

template <int Width, class T, class Op>
void checkWidth(std::vector<T> const& in, Op op, T init) {
  Kernels<T, Op> const kernels{scanGroups<Width, T, Op>, scanCounts<Width, T, Op>};
  checkKernels(kernels, Width, in, op, init);
}

template <class T, class Op>
void checkWidths(std::vector<T> const& in, Op op, T init) {
  checkWidth<1>(in, op, init), checkWidth<2>(in, op, init), checkWidth<4>(in, op, init);
  checkWidth<8>(in, op, init), checkWidth<16>(in, op, init), checkWidth<32>(in, op, init);
}

// Stretches that continue in each group from 1 on, so that one `init` goes before every group.
template <int Width>
void checkStretches() {
  std::vector<Stretch> in;
  for (int i = 0; i < oddThreads; ++i) in.push_back(Stretch::at(std::uint32_t(1 + i % Width)));
  checkWidth<Width>(in, Join{}, Stretch::at(0));
}

// Only what the lanes do matters here, not what they get.
template <int Width>
void checkWatched(int* bad) {
  std::vector<Stretch> items;
  for (int i = 0; i < fullThreads; ++i) items.push_back(Stretch::at(std::uint32_t(1 + i % Width)));
  DeviceArray<Stretch> const in(items);
  DeviceArray<Prefixes<Stretch>> const out(fullThreads);
  for (int count = 1; count <= Width; ++count) {
    DeviceArray<int> const counts(std::vector<int>(fullThreads / Width, count));
    tweed::launch(scanCounts<Width, Stretch, WatchedJoin>, {1, fullThreads}, in.data(), out.data(),
                  WatchedJoin{bad}, Stretch::at(0), counts.data());
    tweed::synchronize();
  }
}

template <int Width, class T, class Op>
std::vector<Prefixes<T>> scanned(std::vector<T> const& in, Op op, T init) {
  DeviceArray<T> const dIn(in);
  DeviceArray<Prefixes<T>> const out(in.size());
  tweed::launch(scanGroups<Width, T, Op>, {1, unsigned(in.size())}, dIn.data(), out.data(), op,
                init);
  tweed::synchronize();
  return out.host();
}

struct Maximum {
  TWEED_HOST_DEVICE int operator()(int a, int b) const { return a < b ? b : a; }
};

// Groups of one warp in branches of their own.
__global__ void scanHalves(int* out) {
  int const lane = int(threadIdx.x);
  if (lane < 16) {
    out[lane] = tweed::warpInclusiveScan<16>(lane + 1, tweed::Sum{}).prefix;
  } else if (lane < 24) {
    int const top = tweed::warpInclusiveScan<8>(100 - lane, tweed::Max{}).total;
    out[lane] = tweed::warpExclusiveScan<8>(1, tweed::Sum{}, top, 5).prefix;
  } else {
    out[lane] = 0;
  }
}

// A sum of truth values is whether one is true, which nothing can be taken from.
__global__ void scanTruths(unsigned truths, unsigned* out) {
  int const lane = int(threadIdx.x);
  bool const isTrue = (truths >> lane & 1) != 0;
  bool const before = tweed::warpExclusiveScan(isTrue, tweed::Sum{}, false).prefix;
  unsigned const all = tweed::arch::ballot(tweed::fullMask, before);
  if (lane == 0) *out = all;
}

}  // namespace

TEST_SUITE("warpScan") {
  TEST_CASE("order is kept, and every item is combined once with the run before it (C25, C27)") {
    checkStretches<1>(), checkStretches<2>(), checkStretches<4>();
    checkStretches<8>(), checkStretches<16>(), checkStretches<32>();
  }
  TEST_CASE("the operator is called on nothing but data (C27)") {
    DeviceArray<int> const bad(std::vector<int>(1, 0));
    checkWatched<8>(bad.data()), checkWatched<32>(bad.data());
    CHECK(bad.host()[0] == 0);
  }
  TEST_CASE("affine maps of every width and count match the host (C25)") {
    std::vector<Affine> in;
    for (unsigned i = 0; i < oddThreads; ++i)
      in.push_back({unsigned(2 * noise(i) + 1), unsigned(noise(i + 5000))});
    checkWidths(in, Compose{}, Affine{3, 5});
  }
  TEST_CASE_TEMPLATE("sums of other types", T, signed char, unsigned short, float, double,
                     unsigned long long) {
    std::vector<T> in = smallIntegers<T>(oddThreads, 6);
    if (sizeof(T) == 1)
      for (T& x : in) x = T(int(x) % 3);
    checkWidth<8>(in, tweed::Sum{}, T(10));
    checkWidth<32>(in, tweed::Sum{}, T(10));
  }
  TEST_CASE_TEMPLATE("sums that overflow", T, unsigned, short) {
    std::vector<T> in = smallIntegers<T>(oddThreads, 7);
    for (T& x : in) x = T(x * 0x7fffffffu);
    checkWidth<8>(in, tweed::Sum{}, T(1));
    checkWidth<32>(in, tweed::Sum{}, T(1));
  }
  TEST_CASE("sums of truth values") {
    DeviceArray<unsigned> const out(1);
    for (unsigned const truths : {0u, 0x00048030u, 1u, 0x80000000u}) {
      tweed::launch(scanTruths, {1, 32}, truths, out.data());
      tweed::synchronize();
      CHECK(out.host()[0] == ~(truths ^ (truths - 1)));
    }
  }
  TEST_CASE("a structure of 40 bytes, and an operator without identity") {
    std::vector<Wide> wide;
    std::vector<int> falling;
    for (int i = 0; i < oddThreads; ++i) {
      wide.push_back({{i, -i, i * 7, 1, (long long)(noise(std::uint64_t(i)) % 99)}});
      falling.push_back(-100 + int(noise(std::uint64_t(i)) % 60));
    }
    checkWidth<32>(wide, AddWide{}, Wide{{5, 4, 3, 2, 1}});
    checkWidth<16>(falling, Maximum{}, -1000);
    checkWidth<32>(falling, Maximum{}, -1000);
  }
  TEST_CASE("letters come as a, ab, abc, abcd (C25)") {
    std::vector<Letters> in;
    for (int i = 0; i < 32; ++i) in.push_back(Letters::of(i));
    auto const four = scanned<4>(in, Concatenate{}, Letters::of(25));
    CHECK(spell(four[0].inclusive) == "a");
    CHECK(spell(four[1].inclusive) == "ab");
    CHECK(spell(four[2].inclusive) == "abc");
    CHECK(spell(four[3].inclusive) == "abcd");
    CHECK(spell(four[0].exclusive) == "z");
    CHECK(spell(four[3].exclusive) == "zabc");
    CHECK(spell(four[5].inclusive) == "ef");
    std::string const all = "abcdefghijklmnopqrstuvwxyz012345";
    auto const whole = scanned<32>(in, Concatenate{}, Letters::of(25));
    for (std::size_t lane = 0; lane < 32; ++lane) {
      CHECK(spell(whole[lane].inclusive) == all.substr(0, lane + 1));
      CHECK(spell(whole[lane].exclusive) == "z" + all.substr(0, lane));
      CHECK(spell(whole[lane].totals[0]) == all);
      CHECK(spell(whole[lane].totals[1]) == all);
    }
  }
  TEST_CASE("maxima of negative values, -infinity before them (C07, C08)") {
    float const inf = std::numeric_limits<float>::infinity();
    std::vector<float> const in = {-3, -1, -2, -inf, -7, -0.5f, -9, -8};
    std::vector<float> const want = {-3, -1, -1, -1, -1, -0.5f, -0.5f, -0.5f};
    auto const got = scanned<8>(in, tweed::Max{}, -inf);
    for (std::size_t lane = 0; lane < 8; ++lane) {
      CHECK(got[lane].inclusive == want[lane]);
      CHECK(got[lane].exclusive == (lane == 0 ? -inf : want[lane - 1]));
    }
  }
  TEST_CASE("the total has the same bits in all lanes, those of the last prefix (C24, C28)") {
    std::vector<float> in;
    for (std::uint64_t i = 0; i < 64; ++i) in.push_back(float(noise(i) % 1000003) * 1e-3f - 400.f);
    auto const got = scanned<32>(in, tweed::Sum{}, 0.f);
    for (std::size_t t = 0; t < 64; ++t) {
      CHECK(sameBits(got[t].totals[0], got[t / 32 * 32 + 31].inclusive));
      CHECK(sameBits(got[t].totals[1], got[t].totals[0]));
    }
  }
  TEST_CASE("groups of a warp call on their own (C14)") {
    DeviceArray<int> const out(32);
    tweed::launch(scanHalves, {1, 32}, out.data());
    tweed::synchronize();
    std::vector<int> const got = out.host();
    for (int lane = 0; lane < 16; ++lane)
      CHECK(got[std::size_t(lane)] == (lane + 1) * (lane + 2) / 2);
    for (int i = 0; i < 8; ++i) CHECK(got[std::size_t(16 + i)] == 84 + (i < 5 ? i : 5));
  }
#if defined(TWEED_LOOM)
  TEST_CASE("a count out of range stops the kernel, with the range") {
    DeviceArray<int> const in(std::vector<int>(8, 1));
    DeviceArray<Prefixes<int>> const out(8);
    auto const plus = [] __host__ __device__(int a, int b) { return a + b; };
    for (int const count : {0, -1, 9}) {
      DeviceArray<int> const counts(std::vector<int>(1, count));
      std::string text = fault([&] {
        tweed::launch(scanCounts<8, int, tweed::Sum>, {1, 8}, in.data(), out.data(), tweed::Sum{},
                      0, counts.data());
      });
      std::string const asked = "count is " + std::to_string(count);
      CHECK(contains(text, count == 0 ? "" : asked + ", allowed are 0 to 8"));
      text = fault([&] {
        tweed::launch(scanCounts<8, int, decltype(plus)>, {1, 8}, in.data(), out.data(), plus, 0,
                      counts.data());
      });
      CHECK(contains(text, asked + ", allowed are 1 to 8"));
    }
  }
#endif
}
