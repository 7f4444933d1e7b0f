// SPDX-License-Identifier: Apache-2.0
// tests/core/accumulator.cu - tests tweed/core/accumulator.cuh: what is too short to add up in is
// added up in its accumulator by every call, and rounded once
#include <tweed/core/accumulator.cuh>

#include <tweed/block/blockScan.cuh>
#include <tweed/core/half.cuh>
#include <tweed/core/values.cuh>
#include <tweed/grid/gridReduce.cuh>
#include <tweed/warp/warpScan.cuh>

#include "support/device.cuh"

namespace {

using namespace tweedTest;
using tweed::Max;
using tweed::Ops;
using tweed::Product;
using tweed::Scan;
using tweed::Sum;
using tweed::Values;
using tweed::detail::Wide;

static_assert(tweed::isSame<Wide<Sum, __half>, float>);
static_assert(tweed::isSame<Wide<Product, __nv_bfloat16>, float>);
static_assert(tweed::isSame<Wide<Max, __half>, __half>);
static_assert(tweed::isSame<Wide<Sum, float>, float> && tweed::isSame<Wide<Sum, char>, char>);
static_assert(tweed::isSame<Wide<Ops<Sum, Max, Sum>, Values<__half, __half, int>>,
                            Values<float, __half, int>>);
static_assert(tweed::isSame<Wide<tweed::MinMax, Values<__half, __half>>, Values<__half, __half>>);

constexpr int threads = 256;
constexpr int items = 16;

// Called on T alone.
template <class T>
struct Latest {
  TWEED_HOST_DEVICE T operator()(T const&, T const& b) const { return b; }
  float operator()(float, float) const = delete;
};

template <class T>
struct Sums {
  T warp, group, firstLanes, oddLanes;
  T block, firstThreads, toFirst, dynamic, all, firstItems, scratch, scratchFirst;
  T product, latest;
  Values<T, T> both, bothInScratch;
  Scan<T> warpPrefix, warpBefore, warpFirst, blockPrefix, blockBefore, blockFirst;
  T prefixes[items], before[items], prefixTotal;
};
template <class T>
__global__ void sums(T const* in, T const* factors, Sums<T>* out, int lanes, int count, int many) {
  using tweed::blockReduce;
  using Shape = tweed::Block<threads>;
  __shared__ tweed::BlockScratch<Shape, T> one;
  __shared__ tweed::BlockScratch<Shape, Values<T, T>> two;
  int const rank = int(threadIdx.x);
  T const x = in[rank * items];
  T each[items];
  Sums<T>& sums = out[rank];
  for (int i = 0; i < items; ++i)
    sums.prefixes[i] = sums.before[i] = each[i] = in[rank * items + i];
  Ops<Sum, Max> const both{};
  sums.warp = tweed::warpReduce(x);
  sums.group = tweed::warpReduce<8>(x);
  sums.firstLanes = tweed::warpReduce(x, Sum{}, lanes);
  if (rank % 2 == 1) sums.oddLanes = tweed::warpReduce(tweed::LaneMask{0xaaaaaaaau}, x, Sum{});
  sums.block = blockReduce<threads>(x);
  sums.firstThreads = blockReduce<threads>(x, Sum{}, count);
  sums.toFirst = blockReduce<threads, tweed::ToFirst>(x);
  sums.dynamic = blockReduce<tweed::Dynamic<1024>>(x);
  sums.all = blockReduce<threads>(each);
  sums.firstItems = blockReduce<threads>(each, Sum{}, many);
  sums.scratch = blockReduce(x, Sum{}, one);
  sums.bothInScratch = blockReduce(Values<T, T>{x, x}, both, two);
  sums.product = blockReduce<threads>(factors[rank], Product{});
  sums.latest = blockReduce<threads>(x, Latest<T>{});
  sums.scratchFirst = blockReduce(x, Sum{}, one, count);
  sums.both = blockReduce<threads>(Values<T, T>{x, x}, both);
  sums.warpPrefix = tweed::warpInclusiveScan(x, Sum{});
  sums.warpBefore = tweed::warpExclusiveScan(x, Sum{}, in[0]);
  sums.warpFirst = tweed::warpInclusiveScan(x, Sum{}, lanes);
  sums.blockPrefix = tweed::blockInclusiveScan<threads>(x, Sum{});
  sums.blockBefore = tweed::blockExclusiveScan<threads>(x, Sum{}, in[0]);
  sums.blockFirst = tweed::blockExclusiveScan<threads>(x, Sum{}, in[0], count);
  sums.prefixTotal = tweed::blockInclusiveScan<threads>(sums.prefixes, Sum{});
  tweed::blockExclusiveScan<threads>(sums.before, Sum{}, in[0], many);
}

template <class T>
__global__ void sumGrid(T const* in, Values<T, T>* out, void* state, void* otherState) {
  T const x = in[blockIdx.x * threads + threadIdx.x];
  auto const sum = tweed::gridReduce<threads>(x, Sum{}, state);
  auto const both = tweed::gridReduce<threads>(Values<T, T>{x, x}, Ops<Sum, Max>{}, otherState);
  if (threadIdx.x != 0) return;
  if (sum.isLast) out[0] = {sum.value, sum.value};
  if (both.isLast) out[1] = both.value;
}

// Multiples of T's last place at 1, below 1.25. Up to 4096 of them are exact in float.
template <class T>
std::vector<T> ones(int n) {
  int const fraction = tweed::isSame<T, __half> ? 1024 : 128;
  std::vector<T> x;
  for (int i = 0; i < n; ++i)
    x.push_back(T(1 + float(noise(std::uint64_t(i)) % unsigned(fraction / 4)) / float(fraction)));
  return x;
}
// The sum of every stride-th from `first` on, `n` of them.
template <class T>
double sumOf(std::vector<T> const& x, int n, int stride = 1, int first = 0) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += double(float(x[std::size_t(first + i * stride)]));
  return sum;
}
template <class T>
T runningSum(std::vector<T> const& x, int n, int stride = 1) {
  T sum = T(0);
  for (int i = 0; i < n; ++i) sum = sum + x[std::size_t(i * stride)];
  return sum;
}
template <class T>
T greatestOf(std::vector<T> const& x, int stride) {
  T top = x[0];
  for (std::size_t i = 0; i < x.size(); i += std::size_t(stride)) top = Max{}(top, x[i]);
  return top;
}

// Three factors that rounded at each step give another product, in whatever order.
template <class T>
std::vector<T> stepsMatter() {
  for (int a = 129; a < 256; a += 2)
    for (int b = 129; b < 256; b += 2)
      for (int c = 129; c < 256; c += 2) {
        T const x(float(a) / 128), y(float(b) / 128), z(float(c) / 128);
        T const once(float(x) * float(y) * float(z));
        if (!sameBits(x * y * z, once) && !sameBits(y * z * x, once) && !sameBits(x * z * y, once))
          return {x, y, z};
      }
  return {};
}

// A type of the user's: one byte, added up in four.
struct Byte {
  signed char value;
  friend TWEED_HOST_DEVICE Byte operator+(Byte a, Byte b) {
    return {static_cast<signed char>(a.value + b.value)};
  }
};
// Four times the value, to see that it was used.
struct Quarters {
  int value;
  explicit TWEED_HOST_DEVICE Quarters(int x) : value(x) {}
  explicit TWEED_HOST_DEVICE Quarters(Byte x) : value(4 * x.value) {}
  explicit TWEED_HOST_DEVICE operator Byte() const {
    return {static_cast<signed char>(value / 4 + 100)};
  }
  friend TWEED_HOST_DEVICE Quarters operator+(Quarters a, Quarters b) {
    return Quarters(a.value + b.value);
  }
};

}  // namespace

template <>
struct tweed::Accumulator<Byte> {
  using Type = Quarters;
};

namespace {

__global__ void sumBytes(int* out) {
  __shared__ tweed::BlockScratch<tweed::Block<64>, Byte> scratch;
  Byte const x{static_cast<signed char>(threadIdx.x % 32 == 0 ? 60 : -2)};
  out[threadIdx.x] = tweed::warpReduce(x).value;
  out[64 + threadIdx.x] = tweed::blockReduce<64>(x).value;
  out[128 + threadIdx.x] = tweed::blockReduce(x, Sum{}, scratch).value;
}

}  // namespace

TEST_SUITE("accumulator") {
  TEST_CASE_TEMPLATE("sums are made in float and rounded once, by every call (C01, C30)", T, __half,
                     __nv_bfloat16) {
    std::vector<T> const x = ones<T>(threads * items);
    std::vector<T> factors(threads, T(1));
    std::vector<T> const three = stepsMatter<T>();
    REQUIRE(three.size() == 3);
    factors[1] = three[0], factors[100] = three[1], factors[255] = three[2];
    int const lanes = 27, count = 211, many = 3001;
    DeviceArray<T> const in(x), dFactors(factors);
    DeviceArray<Sums<T>> const out(threads);
    tweed::launch(sums<T>, {1, threads}, in.data(), dFactors.data(), out.data(), lanes, count,
                  many);
    tweed::synchronize();
    auto const got = out.host();
    auto const same = [](T const& a, double exact) { return sameBits(a, T(float(exact))); };
    double const all = sumOf(x, threads, items), some = sumOf(x, count, items);
    T const top = greatestOf(x, items);
    unsigned wrong[24] = {};
    for (int t = 0; t < threads; ++t) {
      CAPTURE(t);
      Sums<T> const& s = got[std::size_t(t)];
      int const warp = t / 32 * 32, lane = t % 32;
      double const warpAll = sumOf(x, 32, items, warp * items);
      double const warpSome = sumOf(x, lanes, items, warp * items);
      wrong[0] += !same(s.warp, warpAll);
      wrong[1] += !same(s.group, sumOf(x, 8, items, t / 8 * 8 * items));
      wrong[2] += !same(s.firstLanes, warpSome);
      wrong[3] += t % 2 == 1 && !same(s.oddLanes, sumOf(x, 16, 2 * items, (warp + 1) * items));
      wrong[4] += !same(s.block, all);
      wrong[5] += !same(s.firstThreads, some);
      wrong[6] += t == 0 && !same(s.toFirst, all);
      wrong[7] += !same(s.dynamic, all);
      wrong[8] += !same(s.all, sumOf(x, threads * items));
      wrong[9] += !same(s.firstItems, sumOf(x, many));
      wrong[10] += !same(s.scratch, all);
      wrong[11] += !same(s.scratchFirst, some);
      wrong[12] += !same(s.product, double(float(three[0]) * float(three[1]) * float(three[2])));
      wrong[13] += !sameBits(s.latest, x[(threads - 1) * items]);
      wrong[14] += !same(tweed::get<0>(s.both), all) || !same(tweed::get<0>(s.bothInScratch), all);
      wrong[15] +=
          !sameBits(tweed::get<1>(s.both), top) || !sameBits(tweed::get<1>(s.bothInScratch), top);
      double const prefix = sumOf(x, lane + 1, items, warp * items);
      wrong[16] += !same(s.warpPrefix.prefix, prefix) || !same(s.warpPrefix.total, warpAll);
      wrong[17] +=
          !same(s.warpBefore.prefix, prefix - float(x[std::size_t(t * items)]) + float(x[0])) ||
          !same(s.warpBefore.total, warpAll);
      wrong[18] += !same(s.warpFirst.prefix, lane < lanes ? prefix : warpSome) ||
                   !same(s.warpFirst.total, warpSome);
      wrong[19] +=
          !same(s.blockPrefix.prefix, sumOf(x, t + 1, items)) || !same(s.blockPrefix.total, all);
      wrong[20] += !same(s.blockBefore.prefix, sumOf(x, t, items) + float(x[0])) ||
                   !same(s.blockBefore.total, all);
      wrong[21] +=
          !same(s.blockFirst.prefix, sumOf(x, tweed::smaller(t, count), items) + float(x[0])) ||
          !same(s.blockFirst.total, some);
      double before = sumOf(x, t * items);
      for (int i = 0; i < items; ++i) {
        int const place = t * items + i;
        wrong[22] += !same(s.before[i], float(x[0]) + (place <= many ? before : sumOf(x, many)));
        before += float(x[std::size_t(place)]);
        wrong[23] += !same(s.prefixes[i], before);
      }
      wrong[23] += !same(s.prefixTotal, sumOf(x, threads * items));
    }
    for (int i = 0; i < 24; ++i) {
      CAPTURE(i);
      CHECK(wrong[i] == 0);
    }
    // Else this would show nothing.
    CHECK(!same(runningSum(x, 32, items), sumOf(x, 32, items)));
    CHECK(!same(runningSum(x, threads, items), all));
    CHECK(!same(runningSum(x, threads * items), sumOf(x, threads * items)));
  }
  TEST_CASE_TEMPLATE("from block to block too", T, __half, __nv_bfloat16) {
    constexpr int blocks = 16;
    std::vector<T> x = ones<T>(threads * blocks);
    T ofRounded = T(0);
    for (int b = 0; b < blocks; ++b) {  // every other negative: what blocks round is then seen
      for (int t = 0; b % 2 == 1 && t < threads; ++t)
        x[std::size_t(b * threads + t)] = -x[std::size_t(b * threads + t)];
      ofRounded = ofRounded + T(float(sumOf(x, threads, 1, b * threads)));
    }
    static_assert(tweed::gridReduceBytes<T>(blocks) == 16 + 4 * blocks);
    DeviceArray<T> const in(x);
    DeviceArray<Values<T, T>> const out(2);
    std::vector<unsigned char> const zeros(tweed::gridReduceBytes<Values<T, T>>(blocks), 0);
    DeviceArray<unsigned char> const state(
        std::vector<unsigned char>(tweed::gridReduceBytes<T>(blocks), 0)),
        otherState(zeros);
    tweed::launch(sumGrid<T>, {blocks, threads}, in.data(), out.data(), state.data(),
                  otherState.data());
    tweed::synchronize();
    T const sum(float(sumOf(x, threads * blocks)));
    CHECK(sameBits(tweed::get<0>(out.host()[0]), sum));
    CHECK(sameBits(tweed::get<0>(out.host()[1]), sum));
    CHECK(sameBits(tweed::get<1>(out.host()[1]), greatestOf(x, 1)));
    CHECK(!sameBits(ofRounded, sum));
  }
  TEST_CASE("the accumulator of a type of one's own") {
    DeviceArray<int> const out(3 * 64);
    tweed::launch(sumBytes, {1, 64}, out.data());
    tweed::synchronize();
    std::vector<int> want(64, 60 - 2 * 31 + 100);
    want.resize(192, 2 * (60 - 2 * 31) + 100);
    CHECK(out.host() == want);
  }
}
