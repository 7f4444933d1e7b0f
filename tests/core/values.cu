// SPDX-License-Identifier: Apache-2.0
// tests/core/values.cu - tests tweed/core/values.cuh
#include <tweed/core/values.cuh>

#include <cmath>
#include <limits>

#include "support/everyLevel.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;
using tweed::Ops;
using tweed::Values;

// Everything at compile time: what a Values is, and what Ops make of it.
static_assert(tweed::isSame<decltype(Values{1, 2.f, 'c'}), Values<int, float, char>>);
static_assert(
    tweed::isSame<decltype(Ops{tweed::Sum{}, tweed::Max{}}), Ops<tweed::Sum, tweed::Max>>);
static_assert(tweed::get<0>(Values{7}) == 7);
static_assert(tweed::get<7>(Values{1, 2, 3, 4, 5, 6, 7, 8ll}) == 8);
static_assert(sizeof(Values<char, double>) == 16 && alignof(Values<char, double>) == 8);
static_assert(sizeof(Values<Bytes<3>, Bytes<4>>) == 7);
static_assert(tweed::isTriviallyCopyable<Values<char, double>>);
static_assert(!tweed::isTriviallyCopyable<Values<int, Counted>>);
static_assert(Values{1, 2} == Values{1, 2} && Values{1, 2} != Values{1, 3});
static_assert(Values{1, 2} != Values{0, 2});
static_assert(tweed::MinMax{}(Values{1, 2}, Values{3, 1}) == Values{1, 2});
static_assert(Ops{tweed::Sum{}, tweed::Max{}}(Values{1, 2.f}, Values{3, 4.f}) == Values{4, 4.f});
static_assert(Ops{Ops{tweed::Sum{}, tweed::Product{}}, tweed::Min{}}(Values{Values{2, 3}, 4},
                                                                     Values{Values{5, 6}, 7}) ==
              Values{Values{7, 18}, 4});
static_assert(static_cast<Values<float, long long>>(Values{1, 'a'}) == Values{1.f, 97ll});
static_assert(tweed::identityOf<tweed::MinMax, Values<int, short>>() ==
              Values<int, short>{2147483647, -32768});

// What is known about several operators.
static_assert(tweed::isCommutative<tweed::MinMax> &&
              !tweed::isCommutative<Ops<tweed::Sum, Compose>>);
static_assert(!tweed::isCommutative<Ops<Compose, tweed::Sum>>);
static_assert(tweed::hasIdentity<Ops<tweed::Sum, Compose>, Values<int, Affine>>);
static_assert(!tweed::hasIdentity<Ops<tweed::Sum, Join>, Values<int, Stretch>>);
static_assert(!tweed::hasIdentity<Ops<Join, tweed::Sum>, Values<Stretch, int>>);
static_assert(tweed::isReduction<Ops<Join, tweed::Sum>, Values<Stretch, int>>);
static_assert(!tweed::isReduction<Ops<Join, tweed::Sum>, Values<int, int>>);
static_assert(!tweed::isReduction<tweed::MinMax, Values<int>>);
static_assert(!tweed::isReduction<tweed::MinMax, Values<int, int, int>>);
static_assert(!tweed::isReduction<tweed::MinMax, int>);
static_assert(!tweed::hasIdentity<tweed::MinMax, Values<int>>);
static_assert(!tweed::hasIdentity<tweed::MinMax, int>);

// How one input becomes what is combined: as it is, by lift(x), or by lift(x, i). These operators
// only lift.
struct Square {
  static TWEED_HOST_DEVICE constexpr double lift(float x) { return double(x) * x; }
};
struct LastPlace {
  template <class T, class Index>
  static TWEED_HOST_DEVICE constexpr Index lift(T const&, Index i) {
    return i;
  }
};
static_assert(tweed::lift(tweed::Sum{}, 3, 5) == 3);
static_assert(tweed::lift(Square{}, 3.f, 5) == 9.0);
static_assert(tweed::lift(LastPlace{}, 3.f, 5ll) == 5);
static_assert(tweed::lift(Ops{tweed::Sum{}, Square{}}, 3.f, 5) == Values{3.f, 9.0});
static_assert(Ops{tweed::Sum{}, Square{}}.lift(3.f) == Values{3.f, 9.0});
static_assert(tweed::lift(Ops{Ops{tweed::Sum{}}, LastPlace{}}, 3.f, 5) ==
              Values{Values<float>{3}, 5});
static_assert(!tweed::needsIndex<tweed::Sum, int> && !tweed::needsIndex<Square, float>);
static_assert(tweed::needsIndex<LastPlace, int>);
static_assert(!tweed::needsIndex<Ops<tweed::Sum, Square>, float>);
static_assert(tweed::needsIndex<Ops<tweed::Sum, LastPlace>, float>);
static_assert(tweed::needsIndex<Ops<Ops<LastPlace>, tweed::Sum>, float>);
static_assert(tweed::isSame<tweed::AccumulatorOf<Values<int, float>>, Values<int, float>>);

// Eight members of every size, alignment and kind; the first has padding behind it.
using Eight = Values<signed char, double, short, Affine, Bytes<3>, long long, float, Wide>;
struct KeepLarger {  // by its first byte
  TWEED_HOST_DEVICE Bytes<3> operator()(Bytes<3> const& a, Bytes<3> const& b) const {
    return a.byte[0] < b.byte[0] ? b : a;
  }
};
using EightOps = Ops<tweed::Max, tweed::Sum, tweed::BitXor, Compose, KeepLarger, tweed::Min,
                     tweed::MaxNumber, AddWide>;
Eight eightOf(int i) {
  long long const n = (long long)(noise(std::uint64_t(i)) % 1000);
  float const top = i % 5 == 0 ? std::numeric_limits<float>::quiet_NaN() : float(n - 500);
  return {(signed char)(n % 200 - 100),
          double(n),
          short(n * 31),
          Affine{unsigned(2 * n + 1), unsigned(i)},
          Bytes<3>{{(unsigned char)(i * 101), (unsigned char)(i), 7}},
          n - 2000,
          top,
          Wide{{i, -i, n, 1, i % 7}}};
}
std::vector<Eight> eights(int count) {
  std::vector<Eight> all;
  for (int i = 0; i < count; ++i) all.push_back(eightOf(i));
  return all;
}
static_assert(!tweed::hasIdentity<EightOps, Eight> && !tweed::isCommutative<EightOps>);

// A char and a double: seven bytes of padding. Both operators commute and have an identity.
using Padded = Values<signed char, double>;
using PaddedOps = Ops<tweed::Max, tweed::Sum>;
std::vector<Padded> paddedItems(int count) {
  std::vector<Padded> all;
  for (int i = 0; i < count; ++i)
    all.push_back({(signed char)(int(noise(std::uint64_t(i)) % 250) - 128), double(i + 1)});
  return all;
}

// A product of maps, where order matters, beside a sum that has the largest before it.
using Mixed = Values<Affine, Values<int, float>>;
using MixedOps = Ops<Compose, Ops<tweed::Sum, tweed::Max>>;
std::vector<Mixed> mixedItems(int count) {
  std::vector<Mixed> all;
  for (int i = 0; i < count; ++i)
    all.push_back({Affine{unsigned(2 * noise(std::uint64_t(i)) + 1), unsigned(i)},
                   {i + 1, float(i * 37 % 101) - 200.f}});
  return all;
}
static_assert(tweed::hasIdentity<MixedOps, Mixed> && !tweed::isCommutative<MixedOps>);

// How one call reads in a kernel.
__global__ void rangeOfRow(float const* in, float* out) {
  float const x = in[threadIdx.x];
  auto const [low, high] = tweed::blockReduce<96>(Values{x, x}, tweed::MinMax{});
  auto [sum, product] = tweed::blockReduce<96>(
      Values{double(x), x}, Ops{tweed::Sum{}, [](float a, float b) { return a * b; }});
  sum += 0.5;
  Values<float, float> edge{low, high};
  tweed::get<1>(edge) += 1;
  out[threadIdx.x] = tweed::get<0>(edge) + tweed::get<1>(edge) + float(sum) + product;
}

template <class T, class Op>
__global__ void reduceNone(T* out, Op op) {
  T poison{};
  memset(&poison, 0xFF, sizeof poison);
  out[threadIdx.x] = tweed::blockReduce<96>(poison, op, 0);
}

}  // namespace

TEST_SUITE("values") {
  TEST_CASE("members are named, read and written") {
    Values<int, float, char> v{1, 2.5f, 'c'};
    auto& [a, b, c] = v;
    a = 4;
    tweed::get<1>(v) *= 2;
    c = 'd';
    CHECK((v == Values{4, 5.f, 'd'}));
    CHECK((static_cast<Values<double, int, int>>(v) == Values{4.0, 5, 100}));
    auto const [one] = Values{3};
    CHECK(one == 3);
    auto const [p, q, r, s, t, u, w, x] = eightOf(4);
    CHECK((Eight{p, q, r, s, t, u, w, x} == eightOf(4)));
  }
  TEST_CASE("operators with a state keep it") {
    DeviceArray<int> const bad(std::vector<int>(1, 0));
    Ops const op{WatchedJoin{bad.data()}, tweed::Sum{}};
    using Watched = Values<Stretch, int>;
    std::vector<Watched> in;
    for (int i = 0; i < 512; ++i) in.push_back({Stretch::at(std::uint32_t(i)), i + 1});
    DeviceArray<Watched> const dIn(in), out(1);
    tweed::deviceReduce(dIn.data(), in.size(), out.data(), op);
    tweed::synchronize();
    CHECK((out.host()[0] == Watched{{0, 512, 0x600D600D}, 512 * 513 / 2}));
    std::swap(in[100], in[101]);
    DeviceArray<Watched> const swapped(in);
    CHECK(bad.host()[0] == 0);
    tweed::deviceReduce(swapped.data(), in.size(), out.data(), op);
    tweed::synchronize();
    CHECK(bad.host()[0] > 0);
  }
  TEST_CASE("a char and a double move bytewise, padding and all") {
    everyLevel::checkBlock<tweed::Block<256>>(paddedItems(256), 256, PaddedOps{});
    checkEveryLevelAndDevice(paddedItems(9001), PaddedOps{});
  }
  TEST_CASE("one operator that keeps order keeps it for all (C25)") {
    checkEveryLevelAndDevice(mixedItems(9001), MixedOps{});
  }
  TEST_CASE("eight values of eight types, one operator without identity") {
    std::vector<Eight> in = eights(3001);
    tweed::get<6>(in[0]) = 1;  // the host compares by ==, so NaN must not be a result
    checkEveryLevel(in, EightOps{});
  }
  TEST_CASE("members named and operators written in a kernel") {
    std::vector<float> in;
    for (int i = 0; i < 96; ++i) in.push_back(i == 40 ? 3.f : i % 2 == 0 ? 1.f : -1.f);
    DeviceArray<float> const dIn(in);
    DeviceArray<float> const out(96);
    tweed::launch(rangeOfRow, {1, 96}, dIn.data(), out.data());
    tweed::synchronize();
    for (float const got : out.host()) CHECK(got == -1.f + 4.f + 2.5f + 3.f);
  }
  TEST_CASE("nothing gives each operator's identity") {
    DeviceArray<Padded> const padded(96);
    tweed::launch(reduceNone<Padded, PaddedOps>, {1, 96}, padded.data(), PaddedOps{});
    DeviceArray<Mixed> const mixed(96);
    tweed::launch(reduceNone<Mixed, MixedOps>, {1, 96}, mixed.data(), MixedOps{});
    tweed::synchronize();
    for (Padded const& got : padded.host()) CHECK((got == Padded{-128, 0}));
    float const inf = std::numeric_limits<float>::infinity();
    for (Mixed const& got : mixed.host()) CHECK((got == Mixed{{1, 0}, {0, -inf}}));
  }
#if defined(TWEED_LOOM)
  TEST_CASE("a count of 0 is refused if one operator has no identity") {
    DeviceArray<Eight> const out(96);
    std::string const text = fault([&] {
      tweed::launch(reduceNone<Eight, EightOps>, {1, 96}, out.data(), EightOps{});
    });
    CHECK(contains(text, "count is 0, allowed are 1 to 96"));
  }
#endif
}
