// SPDX-License-Identifier: Apache-2.0
// tests/core/argOps.cu - tests tweed/core/argOps.cuh
#include <tweed/core/argOps.cuh>
#include <tweed/core/values.cuh>
#include <tweed/device/deviceReduce.cuh>
#include <tweed/warp/warpScan.cuh>

#include <cmath>
#include <limits>

#include "support/arg.cuh"
#include "support/device.cuh"

namespace {

using namespace tweedTest;
using tweed::ArgMax;
using tweed::ArgMaxNumber;
using tweed::ArgMin;
using tweed::ArgMinNumber;
using tweed::Indexed;
using tweed::Values;

static_assert(tweed::isSame<decltype(Indexed{2.f, 3}), Indexed<float, int>>);
static_assert(tweed::isSame<Indexed<float>, Indexed<float, long long>>);
static_assert(tweed::isCommutative<ArgMin> && tweed::isCommutative<ArgMaxNumber>);
static_assert(tweed::isReduction<ArgMin, Indexed<short, unsigned>>);
static_assert(!tweed::isReduction<ArgMin, short> && !tweed::hasIdentity<ArgMin, short>);
static_assert(ArgMin{}(Indexed{2, 0}, Indexed{1, 1}) == Indexed{1, 1});
static_assert(ArgMax{}(Indexed{2, 0}, Indexed{1, 1}) == Indexed{2, 0});
static_assert(ArgMax{}(Indexed{2, 1}, Indexed{2, 0}) == Indexed{2, 0});
static_assert(Indexed{2, 0} != Indexed{2, 1} && Indexed{2, 0} != Indexed{1, 0});
static_assert(static_cast<Indexed<double>>(Indexed{2.f, 7}) == Indexed{2.0, 7ll});
static_assert(tweed::identityOf<ArgMin, Indexed<int, int>>() == Indexed{2147483647, 2147483647});
static_assert(tweed::identityOf<ArgMax, Indexed<unsigned>>() == Indexed{0u, 9223372036854775807ll});
static_assert(tweed::lift(ArgMin{}, 2.f, 5) == Indexed{2.f, 5});
static_assert(tweed::lift(ArgMin{}, Indexed{2.f, 5}, 9ll) == Indexed{2.f, 5});
static_assert(tweed::needsIndex<ArgMin, float> && !tweed::needsIndex<ArgMin, Indexed<float>>);
static_assert(tweed::lift(tweed::Ops{tweed::Sum{}, ArgMax{}}, 2.f, 5u) ==
              Values{2.f, Indexed{2.f, 5u}});
static_assert(tweed::needsIndex<tweed::Ops<tweed::Sum, ArgMax>, float>);

// A fold of neighbours grouped anyhow.
template <class V, class Op>
V foldAnyhow(V const* items, std::size_t count, Op op, std::uint64_t seed) {
  if (count == 1) return items[0];
  std::size_t const left = 1 + noise(seed) % (count - 1);
  return op(foldAnyhow(items, left, op, noise(seed + 1)),
            foldAnyhow(items + left, count - left, op, noise(seed + 2)));
}
template <class Op, class T>
void checkArg(std::vector<T> const& values, int want) {
  std::vector<Indexed<T, int>> items;
  for (std::size_t i = 0; i < values.size(); ++i) items.push_back({values[i], int(i)});
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Indexed<T, int> const got = foldAnyhow(items.data(), items.size(), Op{}, noise(seed));
    REQUIRE(got.index == want);
    REQUIRE(sameBits(got.value, values[std::size_t(want)]));
  }
}

// next is op where the second index is higher.
template <class V, class Op>
void checkNext(std::vector<V> const& all, Op op) {
  bool good = true;
  int pairs = 0;
  for (V const& a : all) {
    for (V const& b : all) {
      if (a.index >= b.index) continue;
      good = good && sameElement(op.next(a, b), op(a, b));
      ++pairs;
    }
  }
  CHECK(good);
  CHECK(pairs > 100);
}

template <class T, class Index>
struct Answers {
  Indexed<T, Index> min, max, minNumber, maxNumber;
};
template <class T, class Index>
__global__ void everyPair(Indexed<T, Index> const* in, Answers<T, Index>* out, int count) {
  int const pair = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (pair >= count * count) return;
  auto const a = in[pair / count], b = in[pair % count];
  out[pair] = {ArgMin{}(a, b), ArgMax{}(a, b), ArgMinNumber{}(a, b), ArgMaxNumber{}(a, b)};
}

template <class T, class Op>
__global__ void runningBest(T const* in, Indexed<T>* out, Op op) {
  long long const i = threadIdx.x;
  out[i] = tweed::warpInclusiveScan(Indexed<T>{in[i], (1ll << 40) + i}, op).prefix;
}

template <class T, class Op>
Indexed<T> onDevice(std::vector<Indexed<T>> const& items, Op op) {
  DeviceArray<Indexed<T>> const in(items), out(1);
  tweed::deviceReduce(in.data(), items.size(), out.data(), op);
  tweed::synchronize();
  return out.host()[0];
}

}  // namespace

TEST_SUITE("argOps") {
  TEST_CASE_TEMPLATE("associative and commutative to the bit, over all that decides", T, float,
                     double) {
    checkAlgebra(decidingElements<T, int>(), ArgMin{}),
        checkAlgebra(decidingElements<T, int>(), ArgMax{});
    checkAlgebra(decidingElements<T, int>(), ArgMinNumber{});
    checkAlgebra(decidingElements<T, int>(), ArgMaxNumber{});
    checkAlgebra(decidingElements<T, unsigned long long>(), ArgMin{});
    checkAlgebra(decidingElements<T, unsigned short>(), ArgMaxNumber{});
  }
  TEST_CASE_TEMPLATE("the same of integers", T, signed char, unsigned char, int,
                     unsigned long long) {
    std::vector<Indexed<T, int>> all;
    for (T const value :
         {tweed::Limits<T>::least(), T(-1), T(0), T(1), T(7), T(100), tweed::Limits<T>::greatest()})
      for (int const index : {-5, 0, 1}) all.push_back({value, index});
    checkAlgebra(all, ArgMin{}), checkAlgebra(all, ArgMax{});
    checkAlgebra(all, ArgMinNumber{}), checkAlgebra(all, ArgMaxNumber{});
  }
  TEST_CASE_TEMPLATE("next gives the same of elements in order of their index", T, float, double) {
    auto const all = decidingElements<T, int>();
    checkNext(all, ArgMin{}), checkNext(all, ArgMax{});
    checkNext(all, ArgMinNumber{}), checkNext(all, ArgMaxNumber{});
  }
  TEST_CASE("the first NaN wins, however it is grouped (C09)") {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    float const other = otherNan<float>();
    checkArg<ArgMin>(std::vector<float>{5, nan, 3}, 1);
    checkArg<ArgMax>(std::vector<float>{5, nan, 3}, 1);
    checkArg<ArgMin>(std::vector<float>{3, nan, 1, 5}, 1);
    checkArg<ArgMax>(std::vector<float>{3, nan, 1, 5}, 1);
    checkArg<ArgMin>(std::vector<float>{1, 2, nan}, 2);
    checkArg<ArgMax>(std::vector<float>{1, 2, nan}, 2);
    checkArg<ArgMin>(std::vector<float>{nan, other, nan}, 0);
    checkArg<ArgMax>(std::vector<float>{other, nan, nan}, 0);
    checkArg<ArgMax>(std::vector<float>{1, other, nan, 2}, 1);
  }
  TEST_CASE("NaN is ignored, unless there is nothing else (C09)") {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    float const inf = std::numeric_limits<float>::infinity();
    checkArg<ArgMinNumber>(std::vector<float>{5, nan, 3}, 2);
    checkArg<ArgMaxNumber>(std::vector<float>{5, nan, 3}, 0);
    checkArg<ArgMinNumber>(std::vector<float>{nan, 5, 3}, 2);
    checkArg<ArgMaxNumber>(std::vector<float>{nan, 5, 3}, 1);
    checkArg<ArgMinNumber>(std::vector<float>{nan, inf, nan, inf}, 1);
    checkArg<ArgMaxNumber>(std::vector<float>{nan, -inf, nan}, 1);
    checkArg<ArgMinNumber>(std::vector<float>{nan, otherNan<float>(), nan}, 0);
    checkArg<ArgMaxNumber>(std::vector<float>{otherNan<float>(), nan, nan}, 0);
  }
  TEST_CASE("infinities are values like others, not the identity's (C07)") {
    float const inf = std::numeric_limits<float>::infinity();
    checkArg<ArgMin>(std::vector<float>(10, inf), 0);
    checkArg<ArgMax>(std::vector<double>(10, -std::numeric_limits<double>::infinity()), 0);
    checkArg<ArgMinNumber>(std::vector<float>(10, inf), 0);
    checkArg<ArgMin>(std::vector<int>(3, 2147483647), 0);
    auto const none = tweed::identityOf<ArgMin, Indexed<float, int>>();
    CHECK((ArgMin{}(none, Indexed{inf, 0}) == Indexed{inf, 0}));
    CHECK((ArgMin{}(Indexed{inf, 5}, none) == Indexed{inf, 5}));
    CHECK((none == Indexed{inf, 2147483647}));
    CHECK(std::isnan(tweed::identityOf<ArgMaxNumber, Indexed<double>>().value));
  }
  TEST_CASE("ties go to the lowest index; -0 and +0 are a tie, answered with its own sign") {
    checkArg<ArgMin>(std::vector<int>{4, 2, 9, 2, 9}, 1);
    checkArg<ArgMax>(std::vector<int>{4, 2, 9, 2, 9}, 2);
    checkArg<ArgMin>(std::vector<float>{1, 0.f, -0.f, 0.f}, 1);
    checkArg<ArgMin>(std::vector<float>{1, -0.f, 0.f}, 1);
    checkArg<ArgMax>(std::vector<float>{-1, -0.f, 0.f}, 1);
    checkArg<ArgMaxNumber>(std::vector<double>{-1, 0., -0.}, 1);
  }
  TEST_CASE_TEMPLATE("the device gives what the host gives", T, float, double) {
    auto const all = decidingElements<T, long long>();
    int const count = int(all.size());
    DeviceArray<Indexed<T>> const in(all);
    DeviceArray<Answers<T, long long>> const out(all.size() * all.size());
    tweed::launch(everyPair<T, long long>, {tweed::ceilDiv(count * count, 128), 128}, in.data(),
                  out.data(), count);
    tweed::synchronize();
    auto const got = out.host();
    bool good = true;
    for (int pair = 0; pair < count * count; ++pair) {
      auto const& a = all[std::size_t(pair / count)];
      auto const& b = all[std::size_t(pair % count)];
      auto const& g = got[std::size_t(pair)];
      if (!maybeTogether(a, b)) continue;
      good = good && sameElement(g.min, ArgMin{}(a, b)) && sameElement(g.max, ArgMax{}(a, b)) &&
             sameElement(g.minNumber, ArgMinNumber{}(a, b)) &&
             sameElement(g.maxNumber, ArgMaxNumber{}(a, b));
    }
    CHECK(good);
  }
  TEST_CASE("a scan runs over the best so far, with indices of 64 bits") {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> in;
    for (int i = 0; i < 32; ++i) in.push_back(i % 7 == 3 ? nan : float((i * 19) % 23));
    DeviceArray<float> const dIn(in);
    DeviceArray<Indexed<float>> const out(32);
    tweed::launch(runningBest<float, ArgMaxNumber>, {1, 32}, dIn.data(), out.data(),
                  ArgMaxNumber{});
    tweed::synchronize();
    auto const got = out.host();
    for (std::size_t i = 0; i < 32; ++i) {
      std::vector<float> const first(in.begin(), in.begin() + long(i) + 1);
      CHECK(got[i].index == (1ll << 40) + argOnHost(first, false, true));
    }
  }
  TEST_CASE("deviceReduce takes values that bring their index") {
    std::size_t const n = 20011;
    std::vector<Indexed<float>> items;
    for (std::size_t i = 0; i < n; ++i)
      items.push_back({float(noise(i) % 9973) - 100.f, (1ll << 33) - (long long)(i)});
    // Their indices count down, also within a thread, whose items are 256 apart.
    items[376].value = items[632].value = items[777].value = items[888].value = 20000.f;
    CHECK((onDevice(items, ArgMax{}) == Indexed{20000.f, (1ll << 33) - 888}));
    items[5000].value = otherNan<float>();
    items[6000].value = tweed::Limits<float>::nan();
    CHECK(sameElement(onDevice(items, ArgMin{}), items[6000]));
    CHECK((onDevice(items, ArgMaxNumber{}) == Indexed{20000.f, (1ll << 33) - 888}));
  }
}
