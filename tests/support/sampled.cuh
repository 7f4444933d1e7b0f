// SPDX-License-Identifier: Apache-2.0
// tests/support/sampled.cuh - products that are drawn and checked on the device, so that they can
// be large: some of their items, and all of them by vectors (Freivalds).
#pragma once

#include <tweed/block/blockReduce.cuh>
#include <tweed/core/half.cuh>
#include <tweed/core/view.cuh>

#include <algorithm>
#include <cmath>

#include "device.cuh"

namespace tweedTest {

/// What the operands hold.
enum class Data {
  Integers,     // -4 to 4: sums of them are exact
  Uniform,      // -1 to 1
  Positive,     // 0 to 1
  Normal,       // mean 0, deviation 1
  Wide,         // magnitudes of 2^-20 to 2^20, of half 2^-10 to 2^10
  Cancelling,   // most terms come again with the other sign, far from the first
  Subnormal,    // of A, by large items of B: the products are normal
  TinyResults,  // of A, by items of B up to 1: the products are subnormal
  Ones,
};

// The item of line `line` of A or B, a row or a column, at `k` of `depth`.
template <class T>
TWEED_DEVICE double drawnItem(Data data, bool isB, long long line, long long k, long long depth,
                              std::uint64_t seed) {
  constexpr bool isHalf = tweed::isSame<T, __half>;
  bool const isPaired = data == Data::Cancelling && k % 7 != 0 && (depth - 1 - k) % 7 != 0;
  bool const isSecond = isPaired && k > depth - 1 - k;
  std::uint64_t const bits = noise((seed * 2 + std::uint64_t(isB)) * 0x2545F4914F6CDD1Dull +
                                   std::uint64_t(line * depth + (isSecond ? depth - 1 - k : k)));
  double const uniform = double(bits >> 11) * 0x1p-53;  // 0 to 1, below
  double const even = 2 * uniform - 1;
  double const sign = even < 0 ? -1 : 1;
  switch (data) {
    case Data::Integers:
      return double(int(bits % 9)) - 4;
    case Data::Uniform:
      return even;
    case Data::Positive:
      return uniform;
    case Data::Normal:
      return sqrt(-2 * log(1 - uniform)) *
             cos(6.283185307179586 * double(noise(bits) >> 11) * 0x1p-53);
    case Data::Wide:
      return sign * exp2((isHalf ? 10 : 20) * (2 * double(noise(bits) >> 11) * 0x1p-53 - 1));
    case Data::Cancelling:
      return isB && isSecond && k != depth - 1 - k ? -even : even;
    case Data::Subnormal:
      return even * (isB ? (isHalf ? 1 : 0x1p120) : (isHalf ? 0x1p-14 : 0x1p-126));
    case Data::TinyResults:
      return even * (isB ? 1 : 0x1p-126);
    case Data::Ones:
      return 1;
  }
  return 0;
}

template <class View>
TWEED_KERNEL void drawItems(View view, Data data, bool isB, std::uint64_t seed) {
  using T = typename View::Item;
  long long const run = View::isRowMajor ? view.columns : view.rows;
  long long const step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < view.rows * view.columns; i += step) {
    long long const row = View::isRowMajor ? i / run : i % run;
    long long const column = View::isRowMajor ? i % run : i / run;
    double const x = drawnItem<T>(data, isB, isB ? column : row, isB ? row : column,
                                  isB ? view.rows : view.columns, seed);
    view(row, column) = T(float(x));
  }
}

/// m x k, k x n and m x n items in device memory, dense; C is NaN until it is written.
template <class T, class LayoutA, class LayoutB, class TC>
struct DrawnProduct {
  int m, n, k;
  DeviceArray<T> a, b;
  DeviceArray<TC> c;

  DrawnProduct(int m_, int n_, int k_, Data data, std::uint64_t seed = 1)
      : m(m_), n(n_), k(k_), a(items(m, k)), b(items(k, n)), c(items(m, n)) {
    draw(viewA<T>(), data, false, seed);
    draw(viewB<T>(), data, true, seed);
    poisonC();
  }
  void poisonC() const { TWEED_CHECK(cudaMemset(c.data(), 0xFF, c.size() * sizeof(TC))); }

  tweed::MatrixView<T const, LayoutA> inA() const { return viewA<T const>(); }
  tweed::MatrixView<T const, LayoutB> inB() const { return viewB<T const>(); }
  tweed::MatrixView<TC, tweed::RowMajor> out() const { return {c.data(), m, n, n}; }

 private:
  static std::size_t items(int rows, int columns) {
    return std::size_t(rows) * std::size_t(columns);
  }
  template <class Item>
  tweed::MatrixView<Item, LayoutA> viewA() const {
    return {a.data(), m, k, tweed::isSame<LayoutA, tweed::RowMajor> ? k : m};
  }
  template <class Item>
  tweed::MatrixView<Item, LayoutB> viewB() const {
    return {b.data(), k, n, tweed::isSame<LayoutB, tweed::RowMajor> ? n : k};
  }
  template <class View>
  static void draw(View const& view, Data data, bool isB, std::uint64_t seed) {
    long long const blocks = tweed::ceilDiv(view.rows * view.columns, 256ll);
    tweed::launch(drawItems<View>, {std::min(blocks, isLoom ? 2ll : 4096ll), 256}, view, data, isB,
                  seed);
  }
};

// Threads that share an item, and threads of a block. On the loom few, as they are not at once.
inline constexpr int lanesOfItem = isLoom ? 2 : 32, threadsOfCheck = isLoom ? 64 : 256;

/// How far an item may be off: relative to the sum of |a| * |b|, to the item, and at any rate.
struct ItemBound {
  double ofSizes = 0, ofItem = 0, atAll = 0;
};

// Also of an error that is NaN more than 1.
TWEED_HOST_DEVICE double shareOf(double error, double allowed) {
  return error == 0 ? 0 : error <= allowed ? error / allowed : error < 1e30 ? 2 + error : 1e30;
}

// Some threads for each item: of all, or the corners and some that are drawn. Its error, as a share
// of what is allowed.
template <class A, class B, class C>
TWEED_KERNEL void compareItems(A a, B b, C c, ItemBound bound, int samples, double* shares) {
  constexpr int groups = threadsOfCheck / lanesOfItem;
  int const lane = int(threadIdx.x) % lanesOfItem;
  long long const items = c.rows * c.columns;
  for (int s = int(blockIdx.x) * groups + int(threadIdx.x) / lanesOfItem; s < samples;
       s += int(gridDim.x) * groups) {
    long long item = s;
    if (samples < items)
      item = s == 0   ? 0
             : s == 1 ? c.columns - 1
             : s == 2 ? items - c.columns
             : s == 3 ? items - 1
                      : static_cast<long long>(noise(std::uint64_t(s)) % std::uint64_t(items));
    long long const row = item / c.columns, column = item % c.columns;
    double sum = 0, size = 0;
    for (long long k = lane; k < a.columns; k += lanesOfItem) {
      double const term = double(float(a(row, k))) * double(float(b(k, column)));
      sum += term;
      size += fabs(term);
    }
    sum = tweed::warpReduce<lanesOfItem>(sum), size = tweed::warpReduce<lanesOfItem>(size);
    double const error = fabs(double(float(c(row, column))) - sum);
    double const allowed = bound.ofSizes * size + bound.ofItem * fabs(sum) + bound.atAll;
    if (lane == 0) shares[s] = shareOf(error, allowed);
  }
}

/// The largest error of an item, as a share of what is allowed: more than 1 if one is wrong. Looks
/// at up to `most` items.
template <class Product>
double worstItem(Product const& p, ItemBound bound, int most = 4096) {
  auto const a = p.inA();
  auto const b = p.inB();
  auto const c = p.out();
  int const samples = int(std::min(c.rows * c.columns, 0ll + most));
  DeviceArray<double> const shares(std::size_t(samples), 0);
  tweed::launch(compareItems<decltype(p.inA()), decltype(p.inB()), decltype(p.out())>,
                {tweed::ceilDiv(samples, threadsOfCheck / lanesOfItem), threadsOfCheck}, a, b, c,
                bound, samples, shares.data());
  tweed::synchronize();
  auto const all = shares.host();
  return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
}

/// What a matrix makes of three vectors, and of a fourth by its sizes.
struct Four {
  double item[4];
};

// out = view * x, in the fourth by |items|, or by their squares. A block for each row of a
// row-major view, else for each 32 rows, so that neighbours in memory are read together.
template <class View>
TWEED_KERNEL void __launch_bounds__(threadsOfCheck)
    multiplyVectors(View view, bool hasSquares, Four const* x, Four* out) {
  auto const add = [&](Four& sum, long long row, long long column) {
    double const item = double(float(view(row, column)));
    for (int i = 0; i < 3; ++i) sum.item[i] += item * x[column].item[i];
    sum.item[3] += (hasSquares ? item * item : fabs(item)) * x[column].item[3];
  };
  if constexpr (View::isRowMajor) {
    for (long long row = blockIdx.x; row < view.rows; row += gridDim.x) {
      Four sum{};
      for (long long column = threadIdx.x; column < view.columns; column += threadsOfCheck)
        add(sum, row, column);
      for (double& each : sum.item) each = tweed::blockReduce<threadsOfCheck>(each);
      if (threadIdx.x == 0) out[row] = sum;
    }
  } else {
    __shared__ tweed::SharedArray<Four, threadsOfCheck> parts;
    int const t = int(threadIdx.x);
    for (long long first = blockIdx.x * 32ll; first < view.rows; first += gridDim.x * 32ll) {
      long long const row = first + t % 32;
      Four sum{};
      if (row < view.rows)
        for (long long column = t / 32; column < view.columns; column += threadsOfCheck / 32)
          add(sum, row, column);
      parts[t] = sum;
      tweed::arch::syncBlock();
      if (t < 32 && row < view.rows) {
        for (int other = t + 32; other < threadsOfCheck; other += 32)
          for (int i = 0; i < 4; ++i) sum.item[i] += parts[other].item[i];
        out[row] = sum;
      }
      tweed::arch::syncBlock();
    }
  }
}

template <class View>
void multiplyByVectors(View const& view, bool hasSquares, Four const* x, Four* out) {
  long long const blocks = View::isRowMajor ? view.rows : tweed::ceilDiv(view.rows, 32ll);
  tweed::launch(multiplyVectors<View>, {std::min(blocks, isLoom ? 2ll : 4096ll), threadsOfCheck},
                view, hasSquares, x, out);
}

/// Freivalds: C * x against A * (B * x) for three vectors of random signs, which costs no product
/// and sees each item of C. Returns the largest error of a row, as worstItem() does. Needs items of
/// A and B of at most 1 in size, or a bound of 0.
///
/// The errors of a row's items come with the vector's signs, so their sum is within 7 times the
/// root of the sum of squares of their bounds, but for one row in 10^10 (Hoeffding). Of the sums of
/// |a| * |b| only their sum along a row is known, and that none is more than k. If the bound is 0,
/// all is exact, and a lone wrong item is always found.
template <class Product>
double worstRow(Product const& p, ItemBound bound, std::uint64_t seed = 1) {
  std::vector<Four> signs(std::size_t(p.n));
  for (std::size_t j = 0; j < signs.size(); ++j) {
    std::uint64_t const bits = noise(seed * 0x51ED270Bull + j);
    auto const sign = [&](int i) { return (bits >> i & 1) != 0 ? 1.0 : -1.0; };
    signs[j] = {{sign(0), sign(1), sign(2), 1}};
  }
  DeviceArray<Four> const x(signs), ofB(std::size_t(p.k), 0), ofAB(std::size_t(p.m), 0),
      ofC(std::size_t(p.m), 0);
  multiplyByVectors(p.inB(), false, x.data(), ofB.data());
  multiplyByVectors(p.inA(), false, ofB.data(), ofAB.data());
  multiplyByVectors(p.out(), true, x.data(), ofC.data());
  tweed::synchronize();
  auto const want = ofAB.host(), have = ofC.host();
  double worst = 0;
  for (std::size_t row = 0; row < want.size(); ++row) {
    double const sizes = want[row].item[3];
    double const allowed = bound.ofSizes * std::min(sizes, 7 * std::sqrt(double(p.k) * sizes)) +
                           7 * bound.ofItem * std::sqrt(have[row].item[3]) +
                           7 * bound.atAll * std::sqrt(double(p.n));
    for (int i = 0; i < 3; ++i) {
      double const error = std::fabs(have[row].item[i] - want[row].item[i]);
      double const rounding = bound.ofSizes == 0 ? 0 : 0x1p-40 * sizes;  // of the sums in double
      worst = std::max(worst, shareOf(error, allowed + rounding));
    }
  }
  return worst;
}

}  // namespace tweedTest
