// SPDX-License-Identifier: Apache-2.0
// tests/support/product.cuh - operands of products with poison around their items, and what the
// product of them must be.
#pragma once

#include <tweed/core/half.cuh>
#include <tweed/matmul/matmul.cuh>

#include <cmath>
#include <limits>
#include <memory>

#include "device.cuh"

namespace tweedTest {

/// What stands where no item is: NaN, so that it is seen in any sum it comes into.
template <class T>
T matrixPoison() {
  if constexpr (std::is_integral_v<T>) {
    return std::numeric_limits<T>::min() + 77;
  } else {
    return T(std::numeric_limits<float>::quiet_NaN());
  }
}

/// How a matrix lies in memory: items beyond the least leading dimension, items before it, and
/// matrices.
struct Placing {
  int padding = 0;
  int shift = 0;
  long long batch = 1;
  bool isBroadcast = false;  // one for all of the batch
};

/// A batch of matrices of small integers in device memory.
template <class T, class Layout>
class Matrix {
 public:
  using View = tweed::MatrixView<T, Layout>;

  Matrix(long long rows, long long columns, int seed, Placing placing = {})
      : Matrix(rows, columns, placing) {
    for (long long b = 0; b < (placing.isBroadcast ? 1 : placing.batch); ++b)
      for (long long i = 0; i < rows; ++i)
        for (long long j = 0; j < columns; ++j) {
          auto const at = std::size_t(shape_.offset(i, j, b));
          host_[at] = T(float(int(noise(at + 7919u * unsigned(seed)) % 9) - 4));
        }
    memory_ = std::make_unique<DeviceArray<T>>(host_, std::size_t(placing.shift));
  }
  /// One to be written: all poison.
  static Matrix poison(long long rows, long long columns, Placing placing = {}) {
    Matrix matrix(rows, columns, placing);
    matrix.memory_ = std::make_unique<DeviceArray<T>>(matrix.host_, std::size_t(placing.shift));
    return matrix;
  }

  View view() const {
    View v = shape_;
    v.data = memory_->data();
    return v;
  }
  tweed::MatrixView<T const, Layout> constView() const {
    View const v = view();
    return {v.data, v.rows, v.columns, v.leadingDimension, v.batch, v.batchStride};
  }
  double at(long long row, long long column, long long matrix) const {
    return double(float(host_[std::size_t(shape_.offset(row, column, matrix))]));
  }
  std::vector<T> const& before() const { return host_; }

  /// Whether the device memory holds expected(row, column, matrix), each converted to T, and what
  /// it held before everywhere else.
  template <class Expected>
  bool holds(Expected expected, double tolerance = 0) const {
    std::vector<T> want = host_;
    std::vector<T> const have = memory_->host();
    for (long long b = 0; b < shape_.batch; ++b)
      for (long long i = 0; i < shape_.rows; ++i)
        for (long long j = 0; j < shape_.columns; ++j) {
          auto const at = std::size_t(shape_.offset(i, j, b));
          want[at] = toItem(expected(i, j, b));
          double const difference = std::abs(double(float(have[at])) - double(float(want[at])));
          if (tolerance > 0 && difference <= tolerance) want[at] = have[at];
        }
    for (std::size_t i = 0; i < want.size(); ++i)
      if (!sameBits(want[i], have[i])) {
        MESSAGE("item ", i, " of memory is ", double(float(have[i])), ", not ",
                double(float(want[i])));
        return false;
      }
    return true;
  }
  /// Writes what it held at first again.
  void restore() const {
    if (!host_.empty())
      TWEED_CHECK(cudaMemcpy(memory_->data(), host_.data(), host_.size() * sizeof(T),
                             cudaMemcpyHostToDevice));
  }
  bool isUnchanged() const {
    std::vector<T> const have = memory_->host();
    return have.empty() || std::memcmp(have.data(), host_.data(), have.size() * sizeof(T)) == 0;
  }

 private:
  Matrix(long long rows, long long columns, Placing placing)
      : shape_{nullptr, rows, columns, (View::isRowMajor ? columns : rows) + placing.padding} {
    long long const runs = View::isRowMajor ? rows : columns;
    long long const items = runs * shape_.leadingDimension;
    shape_.batch = placing.batch;
    shape_.batchStride = placing.isBroadcast || placing.batch == 1 ? 0 : items + placing.padding;
    long long const last = larger0(placing.batch - 1) * shape_.batchStride;
    host_.assign(std::size_t(last + items), matrixPoison<T>());
  }
  static long long larger0(long long x) { return x > 0 ? x : 0; }
  static T toItem(double x) {
    if constexpr (std::is_same_v<T, double>) return x;
    if constexpr (std::is_integral_v<T>) return T(x);
    return T(float(x));
  }

  View shape_;
  std::vector<T> host_;
  std::unique_ptr<DeviceArray<T>> memory_;
};

/// Two kernels that compile fast and have small tiles, for tests of what they share.
inline constexpr auto few = tweed::among<
    tweed::PlainConfiguration,
    tweed::SimtConfiguration<tweed::SimtConfig<tweed::TileShape<16, 32, 8>, 2, 4, 3>, 1, 50>>;
using Few = std::decay_t<decltype(few)>;

/// The sum for one item of the product.
template <class MatrixA, class MatrixB>
double productOf(MatrixA const& a, MatrixB const& b, long long i, long long j, long long matrix) {
  double sum = 0;
  long long const k = a.constView().columns;
  long long const inA = a.constView().batch == 1 ? 0 : matrix;
  long long const inB = b.constView().batch == 1 ? 0 : matrix;
  for (long long l = 0; l < k; ++l) sum += a.at(i, l, inA) * b.at(l, j, inB);
  return sum;
}

/// Runs a product by each of the kernels that can do it, C restored before; check() follows each.
/// Returns how many there are.
template <class A, class B, class MatrixC, class Epilogue, class Options, class Check>
int runEach(A const& a, B const& b, MatrixC const& c, Epilogue const& epilogue, Options,
            Check check) {
  auto const task = tweed::detail::matmulTask(a, b, c.view(), epilogue);
  using Task = std::decay_t<decltype(task)>;
  using List = tweed::detail::CandidatesOf<Task, Options>;
  tweed::MatmulDevice const device = tweed::matmulDevice();
  int runs = 0;
  for (int i = 0; i < List::count; ++i)
    tweed::detail::withConfiguration(List{}, i, [&](auto configuration) {
      using Configuration = decltype(configuration);
      std::string const name = Configuration::name();
      CAPTURE(name);
      if (!Configuration::refusal(task, device).empty()) return;
      DeviceArray<unsigned char> const workspace(
          tweed::detail::workspaceBytes<Configuration>(task, device));
      tweed::detail::MatmulRun<Configuration, Task> const run(task, device);
      c.restore();
      run(task, device, workspace.data(), nullptr);
      check();
      ++runs;
    });
  return runs;
}

}  // namespace tweedTest
