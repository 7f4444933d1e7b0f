// SPDX-License-Identifier: Apache-2.0
// tests/cases/fastMath.cu - what must hold when a program is compiled with nvcc's --use_fast_math,
// as this one is for the GPU
#include <tweed/block/blockArg.cuh>
#include <tweed/grid/gridReduce.cuh>
#include <tweed/grid/gridStride.cuh>

#include <cmath>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;
using tweed::Indexed;
using tweed::Nan;

constexpr int threads = 64;

template <class T>
struct Extremes {
  T min, max, minNumber, maxNumber;
};
template <class T, class Reduce>
TWEED_DEVICE Extremes<T> each(Reduce reduce) {
  return {reduce(tweed::Min{}), reduce(tweed::Max{}), reduce(tweed::MinNumber{}),
          reduce(tweed::MaxNumber{})};
}
template <class T>
struct Answers {
  Extremes<T> block, blockFirst, blockNothing, warp, warpFirst, warpNothing;
  Indexed<T, int> least, most, leastNumber, mostNumber, ofNothing;
  T blockSum, warpSum, noSum, noProduct;
};

// Block b has row b of the values, and the count is for both: warps are groups of 16.
template <class T>
__global__ void answer(T const* in, Answers<T>* out, int count, int none) {
  using tweed::blockReduce;
  using tweed::warpReduce;
  int const t = int(threadIdx.x);
  T const x = in[blockIdx.x * threads + threadIdx.x];
  Answers<T>& mine = out[blockIdx.x * threads + threadIdx.x];
  mine.block = each<T>([&](auto op) { return blockReduce<threads>(x, op); });
  mine.blockFirst = each<T>([&](auto op) { return blockReduce<threads>(x, op, count); });
  mine.blockNothing = each<T>([&](auto op) { return blockReduce<threads>(x, op, none); });
  mine.warp = each<T>([&](auto op) { return warpReduce<16>(x, op); });
  mine.warpFirst = each<T>([&](auto op) { return warpReduce<16>(x, op, count); });
  mine.warpNothing = each<T>([&](auto op) { return warpReduce<16>(x, op, none); });
  mine.least = tweed::blockArgMin<threads>(x, t);
  mine.most = tweed::blockArgMax<threads>(x, t);
  mine.leastNumber = tweed::blockArgMin<threads, Nan::Ignore>(x, t);
  mine.mostNumber = tweed::blockArgMax<threads, Nan::Ignore>(x, t);
  mine.ofNothing = tweed::blockArgMin<threads>(x, t, none);
  mine.blockSum = blockReduce<threads>(x);
  mine.warpSum = warpReduce<16>(x);
  mine.noSum = blockReduce<threads>(x, tweed::Sum{}, none);
  mine.noProduct = blockReduce<threads>(x, tweed::Product{}, none);
}

// Bits, but that one NaN is as good as another.
template <class T>
bool same(T const& a, T const& b) {
  return (a != a && b != b) || sameBits(a, b);
}
template <class T>
bool same(Extremes<T> const& a, Extremes<T> const& b) {
  return same(a.min, b.min) && same(a.max, b.max) && same(a.minNumber, b.minNumber) &&
         same(a.maxNumber, b.maxNumber);
}

// What IEEE 754-2019 says, without tweed: the zeros are ordered, too.
template <class T>
Extremes<T> extremesOf(T const* x, int n) {
  bool isNan = false;
  T const nan = std::numeric_limits<T>::quiet_NaN();
  Extremes<T> found{0, 0, nan, nan};
  auto const isBefore = [](T a, T b) {
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  };
  for (int i = 0; i < n; ++i) {
    if (std::isnan(x[i])) {
      isNan = true;
    } else {
      if (std::isnan(found.minNumber) || isBefore(x[i], found.minNumber)) found.minNumber = x[i];
      if (std::isnan(found.maxNumber) || isBefore(found.maxNumber, x[i])) found.maxNumber = x[i];
    }
  }
  found.min = isNan ? nan : found.minNumber;
  found.max = isNan ? nan : found.maxNumber;
  return found;
}
// Where the first NaN or else the first extreme stands; Ignore: the first extreme, or else 0.
template <class T>
int placeOf(T const* x, T extreme) {
  for (int i = 0; i < threads; ++i)
    if (x[i] == extreme || (std::isnan(x[i]) && std::isnan(extreme))) return i;
  return -1;
}

template <class T>
std::vector<T> rows() {
  T const inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> all;
  auto const add = [&](std::vector<T> const& pattern) {
    for (int i = 0; i < threads; ++i) all.push_back(pattern[std::size_t(i) % pattern.size()]);
  };
  for (std::vector<T> const& pattern :
       std::vector<std::vector<T>>{{inf},
                                   {-inf},
                                   {nan},
                                   {inf, -inf},
                                   {nan, inf},
                                   {-inf, nan, nan},
                                   {0, -T(0)},
                                   {-T(0), nan, 0},
                                   {-3, -1, -2},
                                   {std::numeric_limits<T>::max(), inf},
                                   {std::numeric_limits<T>::lowest(), -inf}})
    add(pattern);
  for (int at = 0; at < threads; at += isShort() ? 9 : 1) {
    add({3, 1, 7, 2});
    all[all.size() - threads + std::size_t(at)] = nan;
  }
  return all;
}

__global__ void sumOnes(std::size_t n, float* out, void* state) {
  float mine = 0;
  for (auto const i : tweed::gridStride(n)) mine += i < n ? 1.f : 2.f;
  auto const total = tweed::gridReduce<256>(mine, tweed::Sum{}, state);
  if (total.isLast && threadIdx.x == 0) *out = total.value;
}
constexpr int items = 12;
__global__ void sumExactly(float const* in, Compensated* out) {
  Compensated x[items];
  for (int i = 0; i < items; ++i) x[i] = SumExactly::lift(in[int(threadIdx.x) * items + i]);
  out[threadIdx.x] = tweed::blockReduce<250>(x, SumExactly{});
}

}  // namespace

TEST_SUITE("--use_fast_math") {
  TEST_CASE_TEMPLATE("identities, NaN, infinities and zeros (C07, C08, C09, C10, C30)", T, float,
                     double) {
    T const inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    std::vector<T> const x = rows<T>();
    int const count = 11;
    DeviceArray<T> const in(x);
    DeviceArray<Answers<T>> const out(x.size());
    tweed::launch(answer<T>, {x.size() / threads, threads}, in.data(), out.data(), count, 0);
    tweed::synchronize();
    auto const got = out.host();
    Extremes<T> const nothing{inf, -inf, nan, nan};
    for (std::size_t i = 0; i < got.size(); ++i) {
      CAPTURE(i);
      Answers<T> const& mine = got[i];
      T const* const row = &x[i / threads * threads];
      T const* const group = &x[i / 16 * 16];
      Extremes<T> const all = extremesOf(row, threads);
      REQUIRE(same(mine.block, all));
      REQUIRE(same(mine.blockFirst, extremesOf(row, count)));
      REQUIRE(same(mine.warp, extremesOf(group, 16)));
      REQUIRE(same(mine.warpFirst, extremesOf(group, count)));
      REQUIRE(same(mine.blockNothing, nothing));
      REQUIRE(same(mine.warpNothing, nothing));
      auto const isAt = [&](Indexed<T, int> const& found, T extreme) {
        int const place = placeOf(row, extreme);
        return found.index == place && same(found.value, row[place]);
      };
      REQUIRE(isAt(mine.least, all.min));
      REQUIRE(isAt(mine.most, all.max));
      REQUIRE(isAt(mine.leastNumber, all.minNumber));
      REQUIRE(isAt(mine.mostNumber, all.maxNumber));
      REQUIRE((mine.ofNothing == Indexed<T, int>{inf, 2147483647}));
      T blockSum = 0, warpSum = 0;  // exact, or one infinity, or NaN
      for (int k = 0; k < threads; ++k) blockSum += row[k];
      for (int k = 0; k < 16; ++k) warpSum += group[k];
      REQUIRE((mine.blockSum == blockSum || same(mine.blockSum, blockSum)));
      REQUIRE((mine.warpSum == warpSum || same(mine.warpSum, warpSum)));
      REQUIRE(mine.noSum == 0);
      REQUIRE(mine.noProduct == 1);
    }
  }
  TEST_CASE("large sums of floats, plain and compensated (C30)") {
    std::size_t const n = std::size_t(1) << (isLoom ? 18 : 25);
    DeviceArray<float> const one(1);
    unsigned const blocks = isLoom ? 16 : 512;
    DeviceArray<unsigned char> const state(
        std::vector<unsigned char>(tweed::gridReduceBytes<float>(blocks), 0));
    tweed::launch(sumOnes, {blocks, 256}, n, one.data(), state.data());
    tweed::synchronize();
    CHECK(one.host()[0] == float(n));
    std::vector<float> x;
    for (int i = 0; i < 1000; ++i) x.insert(x.end(), {1e8f, 1.f, -1e8f});
    DeviceArray<float> const in(x);
    DeviceArray<Compensated> const out(250);
    tweed::launch(sumExactly, {1, 250}, in.data(), out.data());
    tweed::synchronize();
    for (Compensated const& got : out.host()) REQUIRE(total(got) == 1000.0);
  }
}
