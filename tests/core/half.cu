// SPDX-License-Identifier: Apache-2.0
// tests/core/half.cu - tests tweed/core/half.cuh
#include <tweed/core/half.cuh>

#include <tweed/block/blockArg.cuh>
#include <tweed/block/blockScan.cuh>
#include <tweed/core/values.cuh>
#include <tweed/device/deviceReduce.cuh>
#include <tweed/grid/gridStride.cuh>

#include <cmath>
#include <limits>

#include "support/arg.cuh"
#include "support/device.cuh"

namespace {

using namespace tweedTest;
using tweed::Indexed;
using tweed::Values;

template <class T>
constexpr bool isHalf = tweed::isSame<T, __half>;
template <class T>
constexpr int mantissaBits = isHalf<T> ? 10 : 7;
template <class T>
constexpr int leastExponent = isHalf<T> ? -14 : -126;

template <class T>
T ofBits(unsigned bits) {
  return __builtin_bit_cast(T, (unsigned short)(bits));
}
template <class T>
unsigned bitsOf(T x) {
  return __builtin_bit_cast(unsigned short, x);
}

// What the bits mean, by the definition.
template <class T>
float meaning(unsigned bits) {
  int const all = (1 << (15 - mantissaBits<T>)) - 1;
  int const exponent = int(bits >> mantissaBits<T>) & all;
  int const fraction = int(bits) & ((1 << mantissaBits<T>)-1);
  float magnitude;
  if (exponent == all) {
    magnitude = fraction == 0 ? std::numeric_limits<float>::infinity()
                              : std::numeric_limits<float>::quiet_NaN();
  } else {
    int const scale = leastExponent<T> + (exponent > 0 ? exponent - 1 : 0) - mantissaBits<T>;
    magnitude = std::ldexp(float(fraction + (exponent > 0 ? 1 << mantissaBits<T> : 0)), scale);
  }
  return std::copysign(magnitude, bits & 0x8000u ? -1.f : 1.f);
}
bool same(float a, float b) { return (std::isnan(a) && std::isnan(b)) || sameBits(a, b); }

static_assert(tweed::isSame<tweed::AccumulatorOf<__half>, float>);
static_assert(tweed::isSame<tweed::AccumulatorOf<__nv_bfloat16>, float>);
static_assert(tweed::isSame<tweed::AccumulatorOf<Values<__half, int>>, Values<float, int>>);
static_assert(!tweed::isInteger<__half> && !tweed::isInteger<__nv_bfloat16>);
static_assert(tweed::Limits<__half>::isSigned && tweed::Limits<__nv_bfloat16>::isSigned);
static_assert(sizeof(__half) == 2 && tweed::isTriviallyCopyable<__half>);
static_assert(sizeof(__nv_bfloat16) == 2 && tweed::isTriviallyCopyable<__nv_bfloat16>);

template <class T>
struct Answers {
  float asFloat;
  T back;
  T min, max, minNumber, maxNumber;
  Indexed<T, int> argMin, argMax, argMinNumber, argMaxNumber;
};
template <class T>
TWEED_HOST_DEVICE Answers<T> answersOf(T a, T b) {
  Indexed<T, int> const x{a, 5}, y{b, 4};
  return {float(a),
          T(float(a)),
          tweed::Min{}(a, b),
          tweed::Max{}(a, b),
          tweed::MinNumber{}(a, b),
          tweed::MaxNumber{}(a, b),
          tweed::ArgMin{}(x, y),
          tweed::ArgMax{}(x, y),
          tweed::ArgMinNumber{}(x, y),
          tweed::ArgMaxNumber{}(x, y)};
}
template <class T>
__global__ void answer(T const* in, T other, Answers<T>* out, int count) {
  for (int const i : tweed::gridStride(count)) out[i] = answersOf(in[i], other);
}

// The same operators on floats are the oracle: what is exact in 16 bits is exact in 32.
template <class T>
bool isRight(Answers<T> const& got, T a, float x, T b, float y) {
  auto const want = answersOf(x, y);
  auto const arg = [&](Indexed<T, int> const& g, Indexed<float, int> const& w) {
    return g.index == w.index && sameBits(g.value, w.index == 5 ? a : b);
  };
  return same(got.asFloat, x) && (sameBits(got.back, a) || std::isnan(x)) &&
         same(float(got.min), want.min) && same(float(got.max), want.max) &&
         same(float(got.minNumber), want.minNumber) && same(float(got.maxNumber), want.maxNumber) &&
         arg(got.argMin, want.argMin) && arg(got.argMax, want.argMax) &&
         arg(got.argMinNumber, want.argMinNumber) && arg(got.argMaxNumber, want.argMaxNumber);
}

template <class T>
struct BlockAnswers {
  T top;
  float sum;
  Indexed<T, int> least;
  T prefix;
  Values<T, float> both;
};
template <class T>
__global__ void reduceBlock(T const* in, BlockAnswers<T>* out) {
  T const x = in[threadIdx.x];
  out[threadIdx.x] = {tweed::blockReduce<96>(x, tweed::Max{}), tweed::blockReduce<96>(float(x)),
                      tweed::blockArgMin<96>(x, int(threadIdx.x)),
                      tweed::blockInclusiveScan<96>(x, tweed::Min{}).prefix,
                      tweed::blockReduce<96>(Values{x, float(x)}, tweed::MinMax{})};
}

// The first `count` threads hold x, the others what would win.
template <class T>
struct Extremes {
  T min, max;
  Indexed<T, int> argMin, argMax;
};
template <class T>
__global__ void findAmong(T x, T other, int count, Extremes<T>* out) {
  int const t = int(threadIdx.x);
  T const mine = t < count ? x : other;
  out[t] = {tweed::blockReduce<32>(mine, tweed::Min{}, count),
            tweed::blockReduce<32>(mine, tweed::Max{}, count),
            tweed::blockArgMin<32>(mine, t, count), tweed::blockArgMax<32>(mine, t, count)};
}

template <class Out, class T, class Op>
Out reduced(std::vector<T> const& in, Op op) {
  tweed::Workspace workspace;
  DeviceArray<T> const dIn(in);
  DeviceArray<Out> const out(1);
  tweed::deviceReduce(dIn.data(), in.size(), out.data(), op, workspace);
  tweed::synchronize();
  return out.host()[0];
}

template <class T>
T runningSum(std::vector<T> const& in) {
  T sum = T(0);
  for (T const& x : in) sum = sum + x;
  return sum;
}

}  // namespace

TEST_SUITE("half") {
  TEST_CASE_TEMPLATE("all 65536 values: what they are, minima, maxima and their places", T, __half,
                     __nv_bfloat16) {
    std::vector<T> values;
    std::vector<float> meanings;
    for (unsigned bits = 0; bits < 65536; bits += isShort() ? 5 : 1) {
      values.push_back(ofBits<T>(bits));
      meanings.push_back(meaning<T>(bits));
    }
    int const count = int(values.size());
    DeviceArray<T> const in(values);
    DeviceArray<Answers<T>> const out(values.size());
    for (T const other : {tweed::Limits<T>::nan(), T(-0.0), T(1)}) {
      float const y = float(other);
      CAPTURE(y);
      tweed::launch(answer<T>, {2, 128}, in.data(), other, out.data(), count);
      tweed::synchronize();
      auto const got = out.host();
      unsigned wrong = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        wrong += !isRight(got[i], values[i], meanings[i], other, y);
#if !defined(TWEED_LOOM)  // there the host is the device
        wrong += !isRight(answersOf(values[i], other), values[i], meanings[i], other, y);
#endif
      }
      CHECK(wrong == 0);
    }
  }
  TEST_CASE_TEMPLATE("floats are rounded to the nearest, a tie to the even one", T, __half,
                     __nv_bfloat16) {
    unsigned const infinity = bitsOf(tweed::Limits<T>::greatest());
    unsigned wrong = 0;
    for (unsigned bits = 0; bits < infinity; ++bits) {
      float const x = meaning<T>(bits);
      // One past the greatest stands for infinity, a step further on.
      float const next = bits + 1 < infinity ? meaning<T>(bits + 1)
                                             : x + (x - meaning<T>(bits - 1)) / (isHalf<T> ? 1 : 2);
      float const middle = isHalf<T> || bits + 1 < infinity ? x + (next - x) / 2 : next;
      unsigned const even = bits + (bits & 1);
      wrong += bitsOf(T(middle)) != even;
      wrong += bitsOf(T(-middle)) != (even | 0x8000u);
      wrong += bitsOf(T(std::nextafter(middle, 0.f))) != bits;
      wrong += bitsOf(T(std::nextafter(middle, next * 2))) != bits + 1;
      wrong += bitsOf(T(double(middle) * (1 - 0x1p-50))) != bits;
      wrong += bitsOf(T(double(middle) * (1 + 0x1p-50))) != bits + 1;
    }
    CHECK(wrong == 0);
    CHECK(bitsOf(T(3)) == bitsOf(T(3.f)));
    CHECK(bitsOf(T(1e30)) == (isHalf<T> ? infinity : bitsOf(T(1e30f))));
    CHECK(std::isnan(float(T(std::numeric_limits<float>::quiet_NaN()))));
  }
  TEST_CASE_TEMPLATE("limits and operators", T, __half, __nv_bfloat16) {
    float const inf = std::numeric_limits<float>::infinity();
    CHECK(float(tweed::Limits<T>::greatest()) == inf);
    CHECK(float(tweed::Limits<T>::least()) == -inf);
    CHECK(std::isnan(float(tweed::Limits<T>::nan())));
    CHECK(float(tweed::identityOf<tweed::Max, T>()) == -inf);
    CHECK(float(tweed::identityOf<tweed::Sum, T>()) == 0.f);
    CHECK(float(tweed::identityOf<tweed::Product, T>()) == 1.f);
    CHECK(float(tweed::Sum{}(T(1.5f), T(2.25f))) == 3.75f);
    CHECK(float(tweed::Product{}(T(1.5f), T(-2.f))) == -3.f);
    checkAlgebra(decidingElements<T, int>(), tweed::ArgMin{});
    checkAlgebra(decidingElements<T, int>(), tweed::ArgMaxNumber{});
    checkAlgebra(decidingElements<T, long long>(), tweed::ArgMax{});
    checkAlgebra(decidingElements<T, long long>(), tweed::ArgMinNumber{});
  }
  TEST_CASE_TEMPLATE("a block", T, __half, __nv_bfloat16) {
    std::vector<T> in;
    float sum = 0;
    for (int i = 0; i < 96; ++i) {
      in.push_back(T(float(int(noise(std::uint64_t(i)) % 256) - 128)));
      sum += float(in.back());
    }
    in[40] = in[77] = T(-129.f - 1.f), in[60] = T(200.f);
    sum = 0;
    for (T const& x : in) sum += float(x);
    DeviceArray<T> const dIn(in);
    DeviceArray<BlockAnswers<T>> const out(96);
    tweed::launch(reduceBlock<T>, {1, 96}, dIn.data(), out.data());
    tweed::synchronize();
    T least = in[0];
    auto const got = out.host();
    for (std::size_t i = 0; i < 96; ++i) {
      least = tweed::Min{}(least, in[i]);
      CHECK(float(got[i].top) == 200.f);
      CHECK(got[i].sum == sum);
      CHECK(float(got[i].least.value) == -130.f);
      CHECK(got[i].least.index == 40);
      CHECK(sameBits(got[i].prefix, least));
      CHECK(float(tweed::get<0>(got[i].both)) == -130.f);
      CHECK(tweed::get<1>(got[i].both) == 200.f);
    }
  }
  TEST_CASE_TEMPLATE("deviceReduce adds in float and rounds once (C01, C30)", T, __half,
                     __nv_bfloat16) {
    for (std::size_t const n : {std::size_t(3), std::size_t(5000), std::size_t(13001)}) {
      CAPTURE(n);
      std::vector<T> const in = n == 13001 ? std::vector<T>(n, T(1)) : smallIntegers<T>(n, n);
      float exact = 0;  // exact: integers
      for (T const& x : in) exact += float(x);
      CHECK(sameBits(reduced<T>(in, tweed::Sum{}), T(exact)));
      CHECK(reduced<float>(in, tweed::Sum{}) == exact);
      if (n > 3) CHECK(!sameBits(runningSum(in), T(exact)));  // or this would show nothing
    }
    // Beyond half's range on the way, and inside at the end.
    std::vector<T> const large = {T(60000), T(30000), T(-80000.f / 2), T(-80000.f / 2)};
    CHECK(float(reduced<T>(large, tweed::Sum{})) ==
          float(T(float(large[0]) + float(large[1]) + float(large[2]) + float(large[3]))));
    CHECK(float(reduced<T>(large, tweed::Max{})) == float(T(60000)));
    CHECK(float(reduced<T>(std::vector<T>(), tweed::Sum{})) == 0.f);
    std::vector<T> infinities(3000, tweed::Limits<T>::greatest());
    CHECK(sameBits(reduced<T>(infinities, tweed::Min{}), infinities[0]));
    infinities[2000] = tweed::Limits<T>::nan();
    CHECK(std::isnan(float(reduced<T>(infinities, tweed::Min{}))));
    CHECK(sameBits(reduced<T>(infinities, tweed::MinNumber{}), infinities[0]));
  }
  TEST_CASE_TEMPLATE("ten infinities are the extreme, the first its place (C07)", T, __half,
                     __nv_bfloat16) {
    T const inf = tweed::Limits<T>::greatest(), least = tweed::Limits<T>::least();
    DeviceArray<Extremes<T>> const out(32);
    for (T const x : {inf, least}) {
      for (T const other : {T(1), tweed::Limits<T>::nan(), float(x) > 0 ? least : inf}) {
        tweed::launch(findAmong<T>, {1, 32}, x, other, 10, out.data());
        tweed::synchronize();
        for (auto const& got : out.host()) {
          CHECK(sameBits(got.min, x));
          CHECK(sameBits(got.max, x));
          CHECK(sameElement(got.argMin, Indexed<T, int>{x, 0}));
          CHECK(sameElement(got.argMax, Indexed<T, int>{x, 0}));
        }
      }
      std::vector<T> const in(10, x);
      CHECK(sameBits(reduced<T>(in, tweed::Max{}), x));
      if constexpr (isHalf<T>)  // more types would take long to compile
        CHECK(sameElement(reduced<Indexed<T>>(in, tweed::ArgMin{}), Indexed<T>{x, 0}));
    }
  }
  TEST_CASE("two sums of halves in one pass, each in float") {
    std::vector<Values<__half, __nv_bfloat16>> in;
    for (int i = 0; i < 5000; ++i) in.push_back({__half(i % 7), __nv_bfloat16(i % 5)});
    auto const got =
        reduced<Values<__half, __nv_bfloat16>>(in, tweed::Ops{tweed::Sum{}, tweed::Sum{}});
    float sums[2] = {0, 0};
    for (auto const& [a, b] : in) sums[0] += float(a), sums[1] += float(b);
    CHECK(sameBits(tweed::get<0>(got), __half(sums[0])));
    CHECK(sameBits(tweed::get<1>(got), __nv_bfloat16(sums[1])));
  }
}
