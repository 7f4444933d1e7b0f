// SPDX-License-Identifier: Apache-2.0
// tests/support/mma.cuh - operands of tensor cores with poison around their items, and the product
// that they must give.
#pragma once

#include <tweed/core/half.cuh>
#include <tweed/core/view.cuh>

#include <cmath>
#include <memory>
#include <type_traits>

#include "support/device.cuh"

namespace tweedTest {

inline double number(__half x) { return double(__half2float(x)); }
inline double number(__nv_bfloat16 x) { return double(__bfloat162float(x)); }
inline double number(float x) { return double(x); }

template <class T>
T item(double x) {
  if constexpr (std::is_same_v<T, __half>)
    return __float2half(float(x));
  else if constexpr (std::is_same_v<T, __nv_bfloat16>)
    return __float2bfloat16(float(x));
  else
    return float(x);
}

/// An item as the tensor cores see it: floats rounded to TF32.
template <class T>
double seen(T x) {
  if constexpr (std::is_same_v<T, float>) {
    unsigned bits;
    std::memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7f800000u) != 0x7f800000u) bits += 0x1000u;
    bits &= ~0x1fffu;
    std::memcpy(&x, &bits, sizeof bits);
    return double(x);
  } else {
    return number(x);
  }
}

/// Half a unit in the last place, relative.
template <class T>
inline constexpr double rounding = std::is_same_v<T, float>
                                       ? 0x1p-24
                                       : (std::is_same_v<T, __half> ? 0x1p-11 : 0x1p-8);

/// Device memory without anything around it: the last item is the allocation's end.
template <class T>
class ExactArray {
 public:
  explicit ExactArray(std::vector<T> const& host) : n_(host.size()) {
    if (n_ == 0) return;
    TWEED_CHECK(cudaMalloc(reinterpret_cast<void**>(&data_), n_ * sizeof(T)));
    TWEED_CHECK(cudaMemcpy(data_, host.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    TWEED_CHECK(cudaDeviceSynchronize());
  }
  ~ExactArray() { (void)cudaFree(data_); }
  ExactArray(ExactArray const&) = delete;
  ExactArray& operator=(ExactArray const&) = delete;
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
  std::size_t n_;
};

/// A matrix of a given layout: its runs lie `padding` items apart, `shift` items behind the
/// allocation's start, both poison (NaN); a batch of them `padding` items apart.
template <class T, class Layout>
class Operand {
  static constexpr bool isRowMajor = std::is_same_v<Layout, tweed::RowMajor>;

 public:
  struct Place {
    int padding = 0, shift = 0, batch = 1;
  };

  Operand(int rows, int columns, std::uint64_t seed, Place place)
      : shape_{nullptr,     rows, columns, (isRowMajor ? columns : rows) + place.padding,
               place.batch, 0},
        shift_(place.shift) {
    long long const runs = isRowMajor ? rows : columns, run = isRowMajor ? columns : rows;
    long long const length = runs > 0 && run > 0 ? (runs - 1) * shape_.leadingDimension + run : 0;
    shape_.batchStride = length + place.padding;
    std::vector<T> all(std::size_t(shift_ + shape_.batchStride * (place.batch - 1) + length),
                       item<T>(std::nan("")));
    for (int m = 0; m < place.batch; ++m)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
          std::uint64_t const bits = noise(seed++ * 7919);
          all[std::size_t(shift_ + shape_.offset(i, j, m))] =
              item<T>(double(std::int64_t(bits)) * 0x1p-63);
        }
    host_ = all;
  }

  T& at(long long i, long long j, long long matrix = 0) {
    return host_[std::size_t(shift_ + shape_.offset(i, j, matrix))];
  }
  /// To the device, where it then stays as it is.
  tweed::MatrixView<T const, Layout> upload() {
    memory_ = std::make_unique<ExactArray<T>>(host_);
    tweed::MatrixView<T const, Layout> view{
        memory_->data() + shift_, shape_.rows,  shape_.columns,
        shape_.leadingDimension,  shape_.batch, shape_.batchStride};
    return view;
  }

 private:
  tweed::MatrixView<T, Layout> shape_;
  int shift_;
  std::vector<T> host_;
  std::unique_ptr<ExactArray<T>> memory_;
};

/// The exact sum for an item of the product, and the sum of magnitudes.
struct Exact {
  double sum = 0, size = 0;
};
/// The operands of one product as doubles, k running fastest in both, for many sums.
class Factors {
 public:
  template <class A, class B>
  Factors(A& a, B& b, int m, int n, int k, int matrix = 0)
      : k_(std::size_t(k)), a_(std::size_t(m) * k_), b_(std::size_t(n) * k_) {
    for (int at = 0; at < k; ++at) {
      for (int i = 0; i < m; ++i)
        a_[std::size_t(i) * k_ + std::size_t(at)] = seen(a.at(i, at, matrix));
      for (int j = 0; j < n; ++j)
        b_[std::size_t(j) * k_ + std::size_t(at)] = seen(b.at(at, j, matrix));
    }
  }
  Exact sum(int i, int j, int kBegin, int kEnd) const {
    double const* const a = a_.data() + std::size_t(i) * k_;
    double const* const b = b_.data() + std::size_t(j) * k_;
    double sum = 0, size = 0;
    for (int k = kBegin; k < kEnd; ++k) {
      double const term = a[k] * b[k];
      sum += term, size += term < 0 ? -term : term;
    }
    return {sum, size};
  }
  Exact sum(int i, int j) const { return sum(i, j, 0, int(k_)); }

 private:
  std::size_t k_;
  std::vector<double> a_, b_;
};

/// How far an accumulator may be off, K products of T added up: the tensor cores cut off.
template <class T>
double accumulatorBound(Exact const& exact, int k) {
  return (double(k) / (sizeof(T) == 2 ? 16 : 8) + 2) * 0x1p-23 * exact.size;
}

}  // namespace tweedTest
