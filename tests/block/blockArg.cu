// SPDX-License-Identifier: Apache-2.0
// tests/block/blockArg.cu - tests tweed/block/blockArg.cuh
#include <tweed/block/blockArg.cuh>

#include <algorithm>
#include <limits>

#include "support/arg.cuh"
#include "support/device.cuh"

namespace {

using namespace tweedTest;
using tweed::Indexed;
using tweed::Nan;

template <class T, class Index>
struct Answers {
  Indexed<T, Index> min, max, minNumber, maxNumber;
};

// Thread r holds the value of place order[r]; threads without a place hold what would win.
template <class Shape, class T, class Index>
__global__ void findAll(T const* in, int const* order, Answers<T, Index>* out, Index first) {
  int const rank = Shape::rank();
  int const at = order[rank];
  T const x = in[at];
  Index const i = first + Index(at);
  out[rank] = {tweed::blockArgMin<Shape>(x, i), tweed::blockArgMax<Shape>(x, i),
               tweed::blockArgMin<Shape, Nan::Ignore>(x, i),
               tweed::blockArgMax<Shape, Nan::Ignore>(x, i)};
}
template <class Shape, class T, class Index>
__global__ void findFirst(T const* in, int const* order, Answers<T, Index>* out, Index first,
                          T poison, int count) {
  int const rank = Shape::rank();
  int const at = rank < count ? order[rank] : -7;
  T const x = rank < count ? in[at] : poison;
  Index const i = first + Index(at);
  out[rank] = {tweed::blockArgMin<Shape>(x, i, count), tweed::blockArgMax<Shape>(x, i, count),
               tweed::blockArgMin<Shape, Nan::Ignore>(x, i, count),
               tweed::blockArgMax<Shape, Nan::Ignore>(x, i, count)};
}
template <int Threads>
__global__ void bySize(float const* in, Indexed<float, unsigned>* out) {
  float const x = in[threadIdx.x];
  out[threadIdx.x] = tweed::blockArgMin<Threads>(x, threadIdx.x);
  out[threadIdx.x + Threads] = tweed::blockArgMax<Threads, Nan::Ignore>(x, threadIdx.x);
  out[threadIdx.x + 2 * Threads] = tweed::blockArgMin<Threads, Nan::Ignore>(x, threadIdx.x, 1);
  out[threadIdx.x + 3 * Threads] = tweed::blockArgMax<Threads>(x, threadIdx.x, 1);
}

template <class T, class Index>
void checkAnswers(std::vector<Answers<T, Index>> const& got, std::vector<T> const& values,
                  Index first) {
  auto const want = [&](bool isMin, bool ignoresNan) {
    int const at = argOnHost(values, isMin, ignoresNan);
    return Indexed<T, Index>{values[std::size_t(at)], first + Index(at)};
  };
  auto const min = want(true, false), max = want(false, false);
  auto const minNumber = want(true, true), maxNumber = want(false, true);
  bool good = true;
  for (Answers<T, Index> const& g : got)
    good = good && sameElement(g.min, min) && sameElement(g.max, max) &&
           sameElement(g.minNumber, minNumber) && sameElement(g.maxNumber, maxNumber);
  CAPTURE(got[0].min.index);
  CAPTURE(got[0].max.index);
  CAPTURE(got[0].minNumber.index);
  CAPTURE(got[0].maxNumber.index);
  REQUIRE(good);
}

// Which thread holds which place: as they come, and stirred, so that a lower index is in a later
// thread.
std::vector<int> stirred(int n) {
  std::vector<int> order;
  for (int i = 0; i < n; ++i) order.push_back(i);
  for (int i = n - 1; i > 0; --i)
    std::swap(order[std::size_t(i)], order[std::size_t(noise(std::uint64_t(i)) % unsigned(i + 1))]);
  return order;
}

// All of the block holds values, or its first threads alone and the others poison.
template <class Shape, class T, class Index>
void checkValues(std::vector<T> const& values, int threads, Index first) {
  int const count = int(values.size());
  CAPTURE(threads);
  CAPTURE(count);
  DeviceArray<T> const in(values);
  DeviceArray<Answers<T, Index>> const out(std::size_t(threads), 0);
  std::vector<int> order = stirred(count);
  for (int const turn : {0, 1}) {
    if (turn == 1) std::sort(order.begin(), order.end());
    DeviceArray<int> const dOrder(order);
    if (count == threads) {
      tweed::launch(findAll<Shape, T, Index>, {1, unsigned(threads)}, in.data(), dOrder.data(),
                    out.data(), first);
      tweed::synchronize();
      checkAnswers(out.host(), values, first);
    }
    for (T const poison :
         {tweed::Limits<T>::least(), tweed::Limits<T>::greatest(), otherNan<T>()}) {
      if (turn == 1 && poison == poison) continue;
      tweed::launch(findFirst<Shape, T, Index>, {1, unsigned(threads)}, in.data(), dOrder.data(),
                    out.data(), first, poison, count);
      tweed::synchronize();
      checkAnswers(out.host(), values, first);
    }
  }
}

template <class Shape, class Index>
void checkShape(int threads, Index first) {
  float const nan = tweed::Limits<float>::nan(), other = otherNan<float>();
  float const inf = std::numeric_limits<float>::infinity();
  std::vector<std::vector<float>> rows = {{5, nan, 3},
                                          {3, nan, 1, 5},
                                          {1, 2, nan},
                                          {nan, other, nan},
                                          {other, nan},
                                          {nan, 5, 3},
                                          {inf, inf, inf},
                                          {-inf, -inf, -inf},
                                          {1, -0.f, 0.f},
                                          {-1, 0.f, -0.f},
                                          {nan, inf, nan},
                                          {nan, -inf, other},
                                          {7},
                                          {nan}};
  std::vector<float> falling, random, filled(std::size_t(threads), inf);
  for (int i = 0; i < threads; ++i) {
    if (i < (threads + 1) / 2) falling.push_back(float(-(i + 1)));
    random.push_back(float(noise(std::uint64_t(i + threads)) % 40));
  }
  rows.push_back(falling), rows.push_back(random), rows.push_back(filled);
  filled.assign(std::size_t(threads), -inf), rows.push_back(filled);
  filled.assign(std::size_t(threads), other), rows.push_back(filled);
  int const places = isShort() ? 2 : 6;
  for (int k = 0; k < places; ++k) {  // NaNs and their copies further on, wherever they stand
    std::size_t const at = noise(std::uint64_t(k + threads)) % unsigned(threads);
    random[at] = k % 2 == 0 ? nan : other;
    rows.push_back(random);
  }
  for (std::vector<float> row : rows) {
    if (int(row.size()) > threads) row.resize(std::size_t(threads));
    checkValues<Shape>(row, threads, first);
  }
}

template <int Threads>
void checkBySize() {
  std::vector<float> in(Threads, 3.f);
  in[Threads / 2] = -8.f;
  in[Threads - 1] = Threads > 1 ? 9.f : -8.f;
  DeviceArray<float> const dIn(in);
  DeviceArray<Indexed<float, unsigned>> const out(4 * Threads);
  tweed::launch(bySize<Threads>, {1, Threads}, dIn.data(), out.data());
  tweed::synchronize();
  auto const got = out.host();
  for (unsigned t = 0; t < Threads; ++t) {
    REQUIRE((got[t] == Indexed{-8.f, unsigned(Threads / 2)}));
    REQUIRE((got[t + Threads] == Indexed{in[Threads - 1], unsigned(Threads - 1)}));
    REQUIRE((got[t + 2 * Threads] == Indexed{in[0], 0u}));
    REQUIRE((got[t + 3 * Threads] == Indexed{in[0], 0u}));
  }
}

}  // namespace

TEST_SUITE("blockArg") {
  TEST_CASE("NaN, infinities, ties and zeros, and poison beyond the count (C07, C08, C09, C10)") {
    checkShape<tweed::Block<1>>(1, 0);
    checkShape<tweed::Block<32>>(32, 0);
    checkShape<tweed::Block<33>>(33, 0);
    checkShape<tweed::Block<96>>(96, 0);
    if (isShort()) return;
    checkShape<tweed::Block<1024>>(1024, 0);
  }
  TEST_CASE("indices of 64 bits, and a size known only at run time") {
    checkShape<tweed::Dynamic<128>>(96, 5000000000ll);
    checkShape<tweed::Dynamic<128>>(33, 5000000000ull);
    checkShape<tweed::Block<64>>(64, -4000000000ll);
  }
  TEST_CASE("doubles, infinite ones too (C07)") {
    double const nan = tweed::Limits<double>::nan();
    checkValues<tweed::Block<96>>(std::vector<double>{5, nan, 3}, 96, 0);
    checkValues<tweed::Block<96>>(std::vector<double>{5, 1e-320, -1e-320, 3}, 96, 0);
    double const inf = std::numeric_limits<double>::infinity();  // C07
    for (std::size_t const n : {10, 96}) {
      checkValues<tweed::Block<96>>(std::vector<double>(n, inf), 96, 0);
      checkValues<tweed::Block<96>>(std::vector<double>(n, -inf), 96, 0);
    }
  }
  TEST_CASE("by number of threads") {
    checkBySize<1>(), checkBySize<32>(), checkBySize<33>(), checkBySize<1024>();
  }
  TEST_CASE("of nothing the worst value at the greatest index") {
    DeviceArray<float> const in(std::vector<float>(96, 1.f));
    DeviceArray<int> const order(std::vector<int>(96, 0));
    DeviceArray<Answers<float, int>> const out(96);
    tweed::launch(findFirst<tweed::Block<96>, float, int>, {1, 96}, in.data(), order.data(),
                  out.data(), 0, 5.f, 0);
    tweed::synchronize();
    float const inf = std::numeric_limits<float>::infinity();
    for (auto const& g : out.host()) {
      CHECK((g.min == Indexed{inf, 2147483647}));
      CHECK((g.max == Indexed{-inf, 2147483647}));
      CHECK(sameElement(g.minNumber, Indexed{tweed::Limits<float>::nan(), 2147483647}));
      CHECK(sameElement(g.maxNumber, Indexed{tweed::Limits<float>::nan(), 2147483647}));
    }
  }
}
