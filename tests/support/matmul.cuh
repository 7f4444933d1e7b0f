// SPDX-License-Identifier: Apache-2.0
// tests/support/matmul.cuh - operands in any layout, and what their product must be.
#pragma once

#include <tweed/core/ops.cuh>
#include <tweed/core/view.cuh>

#include <cmath>
#include <type_traits>

#include "support/device.cuh"

namespace tweedTest {

/// Numbers in (-1, 1), integers in -9..9; as T.
template <class T>
T randomNumber(std::uint64_t seed) {
  std::uint64_t const bits = noise(seed);
  if constexpr (std::is_integral_v<T>) return T(int(bits % 19) - 9);
  return T(float(std::int64_t(bits >> 40) - (1 << 23)) / float(1 << 23));
}

/// What stands where nobody may read: NaN, or all ones.
template <class T>
T poison() {
  T value;
  std::memset(static_cast<void*>(&value), 0xFF, sizeof(T));
  return value;
}

/// A matrix in device memory, whose runs lie `gap` items apart, poison between them; its first item
/// stands `shift` items behind a 256-byte boundary.
template <class T, class Layout>
class DeviceMatrix {
 public:
  DeviceMatrix(int rows, int columns, std::vector<T> const& rowByRow, int gap = 0, int shift = 0)
      : rows_(rows),
        columns_(columns),
        leading_((isRowMajor ? columns : rows) + gap),
        memory_(spread(rowByRow), std::size_t(shift)) {}
  DeviceMatrix(int rows, int columns, int gap = 0, int shift = 0)  // of poison
      : DeviceMatrix(rows, columns,
                     std::vector<T>(std::size_t(rows) * std::size_t(columns), poison<T>()), gap,
                     shift) {}

  tweed::MatrixView<T, Layout> view() const { return {memory_.data(), rows_, columns_, leading_}; }
  tweed::MatrixView<T const, Layout> in() const {
    return {memory_.data(), rows_, columns_, leading_};
  }

  /// Its items row by row; checks that the gaps are as they were.
  std::vector<T> host() const {
    std::vector<T> const all = memory_.host();
    std::vector<T> items(std::size_t(rows_) * std::size_t(columns_), T{});
    bool areGapsWhole = true;
    int const run = isRowMajor ? columns_ : rows_;
    for (std::size_t i = 0; i < all.size(); ++i) {
      int const along = int(i % std::size_t(leading_)), across = int(i / std::size_t(leading_));
      if (along >= run)
        areGapsWhole = areGapsWhole && sameBits(all[i], poison<T>());
      else
        items[isRowMajor ? std::size_t(across) * std::size_t(columns_) + std::size_t(along)
                         : std::size_t(along) * std::size_t(columns_) + std::size_t(across)] =
            all[i];
    }
    CHECK_MESSAGE(areGapsWhole, "memory between the runs of a matrix was written");
    return items;
  }

 private:
  static constexpr bool isRowMajor = tweed::isSame<Layout, tweed::RowMajor>;

  std::vector<T> spread(std::vector<T> const& items) const {
    int const runs = isRowMajor ? rows_ : columns_;
    std::vector<T> all(std::size_t(runs) * std::size_t(leading_), poison<T>());
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < columns_; ++j)
        all[std::size_t(isRowMajor ? i * leading_ + j : j * leading_ + i)] =
            items[std::size_t(i) * std::size_t(columns_) + std::size_t(j)];
    return all;
  }

  int rows_, columns_, leading_;
  DeviceArray<T> memory_;
};

/// m x k and k x n numbers, and their product in long long or double.
template <class T>
struct Product {
  using Exact = std::conditional_t<std::is_integral_v<T>, long long, double>;

  int m, n, k;
  std::vector<T> a, b;  // row by row
  std::vector<Exact> c;
  std::vector<double> sizes;  // sums of |a| * |b|

  Product(int m_, int n_, int k_, std::uint64_t seed) : m(m_), n(n_), k(k_) {
    a.resize(std::size_t(m) * std::size_t(k));
    b.resize(std::size_t(k) * std::size_t(n));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = randomNumber<T>(seed * 7919 + i);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = randomNumber<T>(seed * 104729 + i);
    multiply();
  }

  void multiply() {
    c.assign(std::size_t(m) * std::size_t(n), Exact(0));
    sizes.assign(c.size(), 0.0);
    for (int i = 0; i < m; ++i)
      for (int l = 0; l < k; ++l) {
        Exact const x = toExact(a[std::size_t(i) * std::size_t(k) + std::size_t(l)]);
        T const* const row = b.data() + std::size_t(l) * std::size_t(n);
        std::size_t const at = std::size_t(i) * std::size_t(n);
        for (int j = 0; j < n; ++j) {
          Exact const y = toExact(row[j]);
          c[at + std::size_t(j)] += x * y;
          sizes[at + std::size_t(j)] += std::fabs(double(x) * double(y));
        }
      }
  }

  /// Whether all items are within 2 * sqrt(chain) * u of the sum of sizes; integers exact.
  template <class C>
  void check(std::vector<C> const& got, double roundoff, double chain) const {
    REQUIRE(got.size() == c.size());
    double worst = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      double const error = std::fabs(double(toExact(got[i])) - double(c[i]));
      double const allowed = 2 * std::sqrt(chain) * roundoff * sizes[i];
      double const ratio = error == 0 ? 0 : allowed > 0 ? error / allowed : 1e30;
      if (!(ratio <= worst)) worst = ratio;
    }
    CHECK(worst <= 1);
  }

 private:
  template <class Number>
  static Exact toExact(Number x) {
    if constexpr (std::is_integral_v<T>) {
      return Exact(x);
    } else if constexpr (std::is_same_v<Number, double>) {
      return x;
    } else {
      return Exact(float(x));
    }
  }
};

template <class Acc>
inline constexpr double roundoff = std::is_integral_v<Acc>       ? 0
                                   : std::is_same_v<Acc, double> ? 0x1p-53
                                                                 : 0x1p-24;

}  // namespace tweedTest
