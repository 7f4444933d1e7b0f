// SPDX-License-Identifier: Apache-2.0
// tests/warp/warpReduce.cu - tests tweed/warp/warpReduce.cuh
#include <tweed/warp/warpReduce.cuh>

#include <cmath>
#include <functional>
#include <limits>

#include "support/device.cuh"
#include "support/folds.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

#if defined(TWEED_LOOM)
// What one instruction folds, as the header's Cost says, and no more.
template <class Op, class... T>
constexpr bool areRedux = (tweed::detail::isRedux<T, Op> && ...);
template <class Op>
constexpr bool areNarrowRedux =
    areRedux<Op, bool, char, signed char, unsigned char, short, unsigned short, int, unsigned>;
template <class Op>
constexpr bool areWideRedux = areRedux<Op, long, unsigned long, long long, unsigned long long>;
template <class Op, class... T>
constexpr bool areNoRedux = (!tweed::detail::isRedux<T, Op> && ...);

static_assert(areNarrowRedux<tweed::Sum> && areNarrowRedux<tweed::Min>);
static_assert(areNarrowRedux<tweed::MinNumber> && areNarrowRedux<tweed::Max>);
static_assert(areNarrowRedux<tweed::MaxNumber> && areNarrowRedux<tweed::BitAnd>);
static_assert(areNarrowRedux<tweed::BitOr> && areNarrowRedux<tweed::BitXor>);
static_assert(areWideRedux<tweed::BitAnd> && areWideRedux<tweed::BitOr>);
static_assert(areWideRedux<tweed::BitXor>);
static_assert(areNoRedux<tweed::Sum, long long, unsigned long long, float, double>);
static_assert(areNoRedux<tweed::Max, long long, unsigned long long, float, double>);
static_assert(areNoRedux<tweed::Product, int, unsigned> && areNoRedux<Compose, int, Affine>);
#endif

// Two warps, and half a one: groups of up to 16 lanes also stand in a warp that is not whole.
constexpr int fullThreads = 64;
constexpr int oddThreads = 80;

template <int Width, class T, class Op>
__global__ void reduceGroups(T const* in, T* out, Op op) {
  out[threadIdx.x] = tweed::warpReduce<Width>(in[threadIdx.x], op);
}

// In the first lane of each group the result, elsewhere 0 bytes.
template <int Width, class T, class Op>
__global__ void reduceToFirst(T const* in, T* out, Op op) {
  T const all = tweed::warpReduce<Width, tweed::ToFirst>(in[threadIdx.x], op);
  T const again = tweed::warpReduce<Width, tweed::ToFirst>(in[threadIdx.x], op, Width);
  if (threadIdx.x % Width != 0) return;
  out[threadIdx.x] = all;
  if (!(all == again)) memset(&out[threadIdx.x], 0xFF, sizeof all);
}

// The values of lanes beyond their group's count are poison: NaN, -1, no Stretch at all.
template <int Width, class T, class Op>
__global__ void reduceCounts(T const* in, T* out, Op op, int const* counts) {
  int const t = int(threadIdx.x);
  T value = in[t];
  if (t % Width >= counts[t / Width]) memset(&value, 0xFF, sizeof value);
  out[t] = tweed::warpReduce<Width>(value, op, counts[t / Width]);
}

template <class T, class Op>
struct Kernels {
  void (*groups)(T const*, T*, Op);
  void (*toFirst)(T const*, T*, Op);
  void (*counts)(T const*, T*, Op, int const*);
};

// Not for each width: what checks a width would take longer to compile than its kernels.
template <class T, class Op>
void checkKernels(Kernels<T, Op> const& kernels, int width, std::vector<T> const& in, Op op) {
  CAPTURE(width);
  int const threads = width == 32 ? fullThreads : oddThreads;
  int const groups = threads / width;
  int const least = tweed::hasIdentity<Op, T> ? 0 : 1;
  DeviceArray<T> const dIn(in);
  DeviceArray<T> const out(std::size_t(threads), 0);
  tweed::launch(kernels.groups, {1, unsigned(threads)}, dIn.data(), out.data(), op);
  tweed::synchronize();
  std::vector<T> got = out.host();
  for (int t = 0; t < threads; ++t)
    REQUIRE(got[std::size_t(t)] == foldOnHost(in.data() + t / width * width, width, op));
  DeviceArray<T> const firsts(std::size_t(threads), 0);
  tweed::launch(kernels.toFirst, {1, unsigned(threads)}, dIn.data(), firsts.data(), op);
  tweed::synchronize();
  got = firsts.host();
  for (int t = 0; t < threads; t += width)
    REQUIRE(got[std::size_t(t)] == foldOnHost(in.data() + t, width, op));

  // Every count, a different one in each group.
  for (int base = least; base <= width; base += isShort() && base > 2 && base < width - 3 ? 3 : 1) {
    CAPTURE(base);
    std::vector<int> counts;
    for (int g = 0; g < groups; ++g)
      counts.push_back(least + (base - least + g * 7) % (width - least + 1));
    DeviceArray<int> const dCounts(counts);
    tweed::launch(kernels.counts, {1, unsigned(threads)}, dIn.data(), out.data(), op,
                  dCounts.data());
    tweed::synchronize();
    got = out.host();
    for (int t = 0; t < threads; ++t) {
      int const count = counts[std::size_t(t / width)];
      T const want = foldOnHost(in.data() + t / width * width, count, op);
      if (got[std::size_t(t)] == want) continue;
      CAPTURE(t);
      CAPTURE(count);
      REQUIRE(got[std::size_t(t)] == want);
    }
  }
}

template <int Width, class T, class Op>
void checkWidth(std::vector<T> const& in, Op op) {
  Kernels<T, Op> const kernels{reduceGroups<Width, T, Op>, reduceToFirst<Width, T, Op>,
                               reduceCounts<Width, T, Op>};
  checkKernels(kernels, Width, in, op);
}

template <class T, class Op>
void checkWidths(std::vector<T> const& in, Op op) {
  checkWidth<1>(in, op), checkWidth<2>(in, op), checkWidth<4>(in, op);
  checkWidth<8>(in, op), checkWidth<16>(in, op), checkWidth<32>(in, op);
}

std::vector<Stretch> stretches() {
  std::vector<Stretch> s;
  for (int i = 0; i < oddThreads; ++i) s.push_back(Stretch::at(std::uint32_t(i)));
  return s;
}
std::vector<Affine> maps() {
  std::vector<Affine> m;
  for (unsigned i = 0; i < oddThreads; ++i)
    m.push_back({unsigned(2 * noise(i) + 1), unsigned(noise(i + 5000))});
  return m;
}

// Only what the lanes do matters here, not what they get.
template <int Width>
void checkWatched(int* bad) {
  DeviceArray<Stretch> const in(stretches());
  DeviceArray<Stretch> const out(fullThreads);
  for (int count = 1; count <= Width; ++count) {
    DeviceArray<int> const counts(std::vector<int>(fullThreads / Width, count));
    tweed::launch(reduceCounts<Width, Stretch, WatchedJoin>, {1, fullThreads}, in.data(),
                  out.data(), WatchedJoin{bad}, counts.data());
    tweed::synchronize();
  }
}

template <class Op>
__global__ void reduceFlags(unsigned char const* in, unsigned char* out, Op op, int count) {
  bool const flag = in[threadIdx.x] != 0;
  out[threadIdx.x] = tweed::warpReduce(flag, op) + 2 * tweed::warpReduce(flag, op, count);
}
template <class Op>
void checkFlags(Op op) {
  for (int odd = 0; odd <= 33; odd += 11) {  // one lane differs, or none
    for (unsigned char const most : {0, 1}) {
      std::vector<unsigned char> flags(32, most);
      if (odd < 32) flags[std::size_t(odd)] = most == 0;
      DeviceArray<unsigned char> const in(flags);
      DeviceArray<unsigned char> const out(32);
      tweed::launch(reduceFlags<Op>, {1, 32}, in.data(), out.data(), op, 12);
      tweed::synchronize();
      bool all = flags[0] != 0;
      bool some = all;
      for (int i = 1; i < 32; ++i) {
        all = op(all, flags[std::size_t(i)] != 0);
        if (i < 12) some = all;
      }
      for (int const got : out.host()) REQUIRE(got == int(all) + 2 * int(some));
    }
  }
}

struct AddModulo {  // no identity, not said to be commutative
  TWEED_HOST_DEVICE int operator()(int a, int b) const { return (a + b) % 1009; }
};

// Whole warps of integers, whose fold is one instruction.
template <class T, class Op>
void checkInteger(Op op) {
  std::vector<T> in;
  for (std::uint64_t i = 0; i < oddThreads; ++i) in.push_back(T(noise(i * 31 + sizeof(T))));
  in[5] = tweed::Limits<T>::least(), in[40] = tweed::Limits<T>::greatest();
  checkWidth<32>(in, op);
}
template <class T>
void checkInteger() {
  // The sum of the largest signed integers is undefined on the host, and bits of int are enough.
  if constexpr (!tweed::Limits<T>::isSigned || sizeof(T) < 4) checkInteger<T>(tweed::Sum{});
  checkInteger<T>(tweed::Min{}), checkInteger<T>(tweed::MaxNumber{});
  checkInteger<T>(tweed::BitAnd{}), checkInteger<T>(tweed::BitOr{});
  checkInteger<T>(tweed::BitXor{});
}

template <int Width, class T, class Op>
std::vector<T> reduced(std::vector<T> const& in, Op op) {
  DeviceArray<T> const dIn(in);
  DeviceArray<T> const out(in.size());
  tweed::launch(reduceGroups<Width, T, Op>, {1, unsigned(in.size())}, dIn.data(), out.data(), op);
  tweed::synchronize();
  return out.host();
}
template <int Width, class T, class Op>
std::vector<T> reduced(std::vector<T> in, Op op, int count) {
  in.resize(Width, T{});
  DeviceArray<T> const dIn(in);
  DeviceArray<T> const out(in.size());
  DeviceArray<int> const counts(std::vector<int>(1, count));
  tweed::launch(reduceCounts<Width, T, Op>, {1, unsigned(Width)}, dIn.data(), out.data(), op,
                counts.data());
  tweed::synchronize();
  return out.host();
}

// The first lane's result; all lanes of the group have its bits.
template <class T, class Op>
T firstOf(std::vector<T> const& values, Op op) {
  std::vector<T> const all = reduced<32>(values, op, int(values.size()));
  for (T const& x : all) CHECK(sameBits(x, all[0]));
  return all[0];
}

template <class Op>
void checkBits(std::vector<float> const& in, Op op) {
  std::vector<float> const whole = reduced<32>(in, op);
  std::vector<float> const groups = reduced<8>(in, op);
  std::vector<float> const first = reduced<32>(in, op, 23);
  bool good = true;
  for (std::size_t lane = 0; lane < 32; ++lane)
    good = good && sameBits(whole[lane], whole[0]) && sameBits(first[lane], first[0]) &&
           sameBits(groups[lane], groups[lane / 8 * 8]);
  CHECK(good);
}

// One group in eight lanes of a warp; the others are busy elsewhere.
__global__ void onlyGroup2(int* out) {
  int const lane = int(threadIdx.x);
  if (lane >= 16 && lane < 24) {
    out[lane] = tweed::warpReduce<8>(lane + 1, tweed::Sum{});
  } else {
    out[lane] = 0;
  }
}
// Both halves of a warp reduce, in branches of their own.
__global__ void reduceHalves(int* out) {
  int const lane = int(threadIdx.x);
  if (lane < 16) {
    out[lane] = tweed::warpReduce<16>(lane + 1, tweed::Sum{});
  } else {
    int const top = tweed::warpReduce<16>(lane + 1, tweed::Max{});
    out[lane] = tweed::warpReduce<16>(lane + 1, tweed::Sum{}, 15) + top;
  }
}

#if defined(TWEED_LOOM)
__global__ void wholeWarpFromHalf(int* out, int* other) {
  int const lane = int(threadIdx.x);
  if (lane < 17) {
    out[lane] = tweed::warpReduce(lane, tweed::Sum{});
  } else if (other != nullptr) {
    other[lane] = tweed::warpReduce(lane, tweed::Max{}, 3);
  }
}
#endif

}  // namespace

TEST_SUITE("warpReduce") {
  TEST_CASE("order is kept, every item is taken once, and nothing beyond the count (C25, C27)") {
    checkWidths(stretches(), Join{});
    checkWidths(maps(), Compose{});
  }
  TEST_CASE("the operator is called on nothing but data (C27)") {
    DeviceArray<int> const bad(std::vector<int>(1, 0));
    checkWatched<8>(bad.data()), checkWatched<32>(bad.data());
    CHECK(bad.host()[0] == 0);
  }
  TEST_CASE("sums of every width and count match the host (C13, C20)") {
    checkWidths(smallIntegers<float>(oddThreads, 1), tweed::Sum{});
  }
  TEST_CASE_TEMPLATE("other types", T, signed char, unsigned short, unsigned long long, double) {
    checkWidth<8>(smallIntegers<T>(oddThreads, 2), tweed::Sum{});
    checkWidth<32>(smallIntegers<T>(oddThreads, 3), tweed::Max{});
  }
  TEST_CASE("structures of 3, 12 and 40 bytes") {
    auto const keepLarger = [] __host__ __device__(Bytes<3> const& a, Bytes<3> const& b) {
      return a.byte[0] < b.byte[0] ? b : a;
    };
    std::vector<Bytes<3>> small;
    std::vector<Wide> large;
    for (int i = 0; i < oddThreads; ++i) {
      small.push_back({{(unsigned char)(i * 101), (unsigned char)(i), 7}});
      large.push_back({{i, -i, i * 7, 1, (long long)(noise(std::uint64_t(i)) % 99)}});
    }
    checkWidth<16>(small, keepLarger);
    checkWidth<32>(small, keepLarger);
    checkWidth<32>(large, AddWide{});
  }
  TEST_CASE("operators of the standard library and of the user") {
    checkWidth<32>(smallIntegers<int>(oddThreads, 4), AddModulo{});
    checkWidth<4>(smallIntegers<int>(oddThreads, 4), AddModulo{});
#if defined(TWEED_LOOM)  // the GPU's compiler takes std::plus with a switch of its own
    checkWidth<32>(smallIntegers<int>(oddThreads, 5), std::plus<>{});
#endif
  }
  TEST_CASE("letters come in the order of the lanes, in every lane (C25)") {
    std::vector<Letters> in;
    for (int i = 0; i < 32; ++i) in.push_back(Letters::of(i));
    std::string const all = "abcdefghijklmnopqrstuvwxyz012345";
    std::vector<Letters> got = reduced<8>(in, Concatenate{});
    for (std::size_t lane = 0; lane < 32; ++lane)
      CHECK(spell(got[lane]) == all.substr(lane / 8 * 8, 8));
    for (Letters const& text : reduced<32>(in, Concatenate{})) CHECK(spell(text) == all);
    for (int count = 0; count <= 32; ++count)
      for (Letters const& text : reduced<32>(in, Concatenate{}, count))
        REQUIRE(spell(text) == all.substr(0, std::size_t(count)));
  }
  TEST_CASE("affine maps (2,1) to (2,4) compose to (16,26) (C25)") {
    for (Affine const& map :
         reduced<4>(std::vector<Affine>{{2, 1}, {2, 2}, {2, 3}, {2, 4}}, Compose{}))
      CHECK(map == Affine{16, 26});
  }
  TEST_CASE("maxima of negative values and of infinities, with idle lanes (C07, C08)") {
    float const inf = std::numeric_limits<float>::infinity();
    std::vector<float> falling;
    for (int i = 0; i < 11; ++i) falling.push_back(float(-(i + 1)));
    CHECK(firstOf(falling, tweed::Max{}) == -1.f);
    CHECK(firstOf(falling, tweed::Min{}) == -11.f);
    CHECK(firstOf(std::vector<float>{-1e30f, -2e30f}, tweed::Max{}) == -1e30f);
    CHECK(firstOf(std::vector<int>{-3, -1, -2}, tweed::Max{}) == -1);
    CHECK(firstOf(std::vector<float>(10, inf), tweed::Min{}) == inf);
    CHECK(firstOf(std::vector<float>(10, -inf), tweed::Max{}) == -inf);
    CHECK(firstOf(std::vector<double>(), tweed::Max{}) == -std::numeric_limits<double>::infinity());
    CHECK(firstOf(std::vector<float>(), tweed::Min{}) == inf);
    CHECK(firstOf(std::vector<int>(), tweed::Max{}) == std::numeric_limits<int>::min());
    CHECK(std::isnan(firstOf(std::vector<float>(), tweed::MaxNumber{})));
  }
  TEST_CASE("NaN propagates or is ignored, wherever it stands (C10)") {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t at = 0; at < 29; ++at) {
      CAPTURE(at);
      std::vector<float> x = {3, 1, 7};
      x.resize(29, 2);
      x[at] = nan;
      CHECK(std::isnan(firstOf(x, tweed::Max{})));
      CHECK(std::isnan(firstOf(x, tweed::Min{})));
      CHECK(firstOf(x, tweed::MaxNumber{}) == (at == 2 ? 3.f : 7.f));
      CHECK(firstOf(x, tweed::MinNumber{}) == (at == 1 ? 2.f : 1.f));
    }
    std::vector<float> const all(20, nan);
    CHECK(std::isnan(firstOf(all, tweed::Max{})));
    CHECK(std::isnan(firstOf(all, tweed::MinNumber{})));
  }
  TEST_CASE("all lanes have the same bits (C24, C28)") {
    std::vector<float> sums, zeros;
    for (std::uint64_t i = 0; i < 32; ++i) {
      sums.push_back(float(noise(i) % 1000003) * 1e-3f - 400.f);
      zeros.push_back(noise(i) % 2 == 0 ? 0.f : -0.f);
    }
    checkBits(sums, tweed::Sum{});
    checkBits(sums, tweed::Product{});
    checkBits(zeros, tweed::Max{}), checkBits(zeros, tweed::Min{});
    checkBits(zeros, tweed::MaxNumber{}), checkBits(zeros, tweed::MinNumber{});
    checkBits(zeros, tweed::Sum{});
  }
  TEST_CASE("all lanes have the same bits, also of a NaN (C24)") {
    std::vector<float> in;
    for (unsigned i = 0; i < 32; ++i) {  // quiet NaNs, each with a payload of its own
      unsigned const bits = 0x7fc00000u + i + (i % 3 == 0 ? 0x80000000u : 0u);
      float value;
      std::memcpy(&value, &bits, sizeof value);
      in.push_back(value);
    }
    checkBits(in, tweed::Max{}), checkBits(in, tweed::Min{});
    checkBits(in, tweed::MaxNumber{}), checkBits(in, tweed::MinNumber{});
  }
  TEST_CASE("groups of a warp call on their own (C14)") {
    DeviceArray<int> const out(32);
    tweed::launch(onlyGroup2, {1, 32}, out.data());
    tweed::synchronize();
    std::vector<int> got = out.host();
    for (std::size_t lane = 0; lane < 32; ++lane) CHECK(got[lane] == (lane / 8 == 2 ? 164 : 0));
    tweed::launch(reduceHalves, {1, 32}, out.data());
    tweed::synchronize();
    got = out.host();
    for (std::size_t lane = 0; lane < 32; ++lane)
      CHECK(got[lane] == (lane < 16 ? 136 : 17 * 15 + 105 + 32));
  }
  TEST_CASE("integers of every width, signed or not") {
    checkInteger<int>(), checkInteger<unsigned>(), checkInteger<short>();
    checkInteger<unsigned char>(), checkInteger<signed char>();
    checkInteger<long long>(), checkInteger<unsigned long long>();
  }
  TEST_CASE("truth values") {
    checkFlags(tweed::BitAnd{}), checkFlags(tweed::BitOr{}), checkFlags(tweed::BitXor{});
    checkFlags(tweed::Sum{}), checkFlags(tweed::Min{}), checkFlags(tweed::Max{});
  }
  TEST_CASE("widths that do not divide a warp are no widths (C12)") {
    for (int const width : {1, 2, 4, 8, 16, 32}) CHECK(32 % width == 0);
    CHECK(tweed::detail::isWarpWidth<1>);
    CHECK(tweed::detail::isWarpWidth<32>);
    CHECK(!tweed::detail::isWarpWidth<7>);
    CHECK(!tweed::detail::isWarpWidth<0>);
    CHECK(!tweed::detail::isWarpWidth<64>);
  }
#if defined(TWEED_LOOM)
  TEST_CASE("a count out of range stops the kernel, with the range") {
    auto const run = [](auto kernel, auto const& in, auto op, int count) {
      DeviceArray<int> const counts(std::vector<int>(1, count));
      using T = std::decay_t<decltype(in[0])>;
      DeviceArray<T> const dIn(in);
      DeviceArray<T> const out(in.size());
      return fault([&] {
        tweed::launch(kernel, {1, 8}, dIn.data(), out.data(), op, counts.data());
      });
    };
    std::vector<int> const ints(8, 1);
    auto const sums = reduceCounts<8, int, tweed::Sum>;
    CHECK(contains(run(sums, ints, tweed::Sum{}, 9), "count is 9, allowed are 0 to 8"));
    CHECK(contains(run(sums, ints, tweed::Sum{}, -1), "count is -1, allowed are 0 to 8"));
    CHECK(contains(run(reduceCounts<8, int, AddModulo>, ints, AddModulo{}, 0),
                   "count is 0, allowed are 1 to 8"));
    CHECK(run(sums, ints, tweed::Sum{}, 8).empty());
  }
  TEST_CASE("a group that the block's last warp has not whole stops the kernel, with the lanes") {
    auto const run = [](auto kernel, unsigned threads) {
      DeviceArray<int> const in(std::vector<int>(64, 1)), out(64);
      return fault([&] {
        tweed::launch(kernel, {1, threads}, in.data(), out.data(), tweed::Sum{});
      });
    };
    std::string const text = run(reduceGroups<32, int, tweed::Sum>, 40);
    CAPTURE(text);
    CHECK(contains(text,
                   "Width 32 needs the lanes 0xffffffff, this warp has only 0x000000ff: the block "
                   "has 40 threads"));
    CHECK(contains(run(reduceGroups<16, int, tweed::Sum>, 40),
                   "Width 16 needs the lanes 0x0000ffff, this warp has only 0x000000ff"));
    CHECK(contains(run(reduceGroups<8, int, tweed::Sum>, 44),
                   "Width 8 needs the lanes 0x0000ff00, this warp has only 0x00000fff"));
    CHECK(run(reduceGroups<8, int, tweed::Sum>, 40).empty());
    CHECK(run(reduceGroups<4, int, tweed::Sum>, 44).empty());
  }
  TEST_CASE("a whole warp's reduction called by part of it is reported, not hung (C14)") {
    DeviceArray<int> const out(32);
    DeviceArray<int> const other(32);
    CHECK(!fault([&] { tweed::launch(wholeWarpFromHalf, {1, 32}, out.data(), nullptr); }).empty());
    CHECK(!fault([&] {
             tweed::launch(wholeWarpFromHalf, {1, 32}, out.data(), other.data());
           }).empty());
    CHECK(!fault([&] { tweed::launch(wholeWarpFromHalf, {1, 17}, out.data(), nullptr); }).empty());
  }
#endif
}
