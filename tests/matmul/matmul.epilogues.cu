// SPDX-License-Identifier: Apache-2.0
// tests/matmul/matmul.epilogues.cu - tests tweed/matmul/matmul.cuh with epilogues: what they are
// called with, once for each item, by each kernel; what C was before; reductions.
#include <tweed/matmul/matmul.cuh>

#include "support/product.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::RowMajor;

// Counts its calls for each item, and writes where it was called for.
struct Witness {
  int* calls;
  int rows, columns;
  TWEED_DEVICE float operator()(float, tweed::Coord at) const {
    int const item = (at.matrix * rows + at.row) * columns + at.column;
    atomicAdd(&calls[item], 1);
    return float(item);
  }
};

template <class LayoutA, class LayoutC>
void checkWitness(int m, int n, int k, int batch) {
  CAPTURE(m);
  CAPTURE(n);
  Matrix<float, LayoutA> const a(m, k, 1, {0, 0, batch});
  Matrix<float, RowMajor> const b(k, n, 2);
  auto const c = Matrix<float, LayoutC>::poison(m, n, {3, 1, batch});
  std::vector<int> const zeros(std::size_t(m) * n * batch, 0);
  DeviceArray<int> calls(zeros);
  int const kernels =
      runEach(a.constView(), b.constView(), c, Witness{calls.data(), m, n}, few, [&] {
        CHECK(c.holds([&](long long i, long long j, long long matrix) {
          return double((matrix * m + i) * n + j);
        }));
      });
  CHECK(calls.host() == std::vector<int>(zeros.size(), kernels));
}

template <class LayoutC>
void checkScales(double alpha, double beta) {
  CAPTURE(alpha);
  CAPTURE(beta);
  int const m = 35, n = 34, k = 9;
  Matrix<float, RowMajor> const a(m, k, 1), b(k, n, 2);
  auto const old =
      beta == 0 ? Matrix<float, LayoutC>::poison(m, n) : Matrix<float, LayoutC>(m, n, 3);
  auto const expected = [&](long long i, long long j, long long matrix) {
    double const scaled = alpha * productOf(a, b, i, j, matrix);
    return beta == 0 ? scaled : scaled + beta * old.at(i, j, matrix);
  };
  double const tolerance = alpha == 0.37 ? 1e-4 : 0;
  CHECK(runEach(a.constView(), b.constView(), old, tweed::scale(alpha) | tweed::addC(beta), few,
                [&] { CHECK(old.holds(expected, tolerance)); }) > 0);
}

template <class LayoutC, class TC>
void checkReductions(int m, int n, int batch) {
  CAPTURE(m);
  CAPTURE(n);
  int const k = 7;
  Matrix<float, RowMajor> const a(m, k, 1, {0, 0, batch});
  Matrix<float, RowMajor> const b(k, n, 2, {0, 0, batch});
  auto const c = Matrix<TC, LayoutC>::poison(m, n, {0, 0, batch});
  DeviceArray<float> sums(std::size_t(m) * batch), tops(std::size_t(n) * batch);
  DeviceArray<double> columnSums(std::size_t(n) * batch);
  std::vector<float> rowSum(sums.size(), 0), columnMax(tops.size(), -INFINITY);
  std::vector<double> columnSum(columnSums.size(), 0);
  for (int matrix = 0; matrix < batch; ++matrix)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        auto const row = std::size_t(matrix * m + i), column = std::size_t(matrix * n + j);
        double const item = 3 * productOf(a, b, i, j, matrix);
        rowSum[row] += float(item);
        columnSum[column] += item;
        columnMax[column] = std::max(columnMax[column], float(item));
      }
  auto const epilogue = tweed::scale(3) | tweed::rowSum(sums.data()) |
                        tweed::columnMax(tops.data()) | tweed::columnSum(columnSums.data());
  auto const isRight = [&] {
    CHECK(sums.host() == rowSum);
    CHECK(tops.host() == columnMax);
    CHECK(columnSums.host() == columnSum);
    CHECK(c.holds([&](long long i, long long j, long long matrix) {
      return 3 * productOf(a, b, i, j, matrix);
    }));
  };
  tweed::matmul(nullptr, a.view(), b.view(), c.view(), epilogue, few);
  isRight();
  CHECK(runEach(a.constView(), b.constView(), c, epilogue, few, isRight) > 0);
}

}  // namespace

TEST_SUITE("matmul") {
  TEST_CASE("the epilogue is called once for each item, with its place") {
    checkWitness<RowMajor, RowMajor>(1, 1, 3, 1);
    checkWitness<RowMajor, RowMajor>(37, 70, 9, 2);
    checkWitness<ColumnMajor, ColumnMajor>(37, 70, 9, 2);
    checkWitness<RowMajor, ColumnMajor>(130, 9, 0, 1);
  }
  TEST_CASE("alpha and beta, with a C of NaN where beta is 0 (C35)") {
    for (double alpha : {0.0, 1.0, -1.0, 0.37})
      for (double beta : {0.0, 1.0, 0.5}) {
        checkScales<RowMajor>(alpha, beta);
        checkScales<ColumnMajor>(alpha, beta);
      }
  }
  TEST_CASE("of no sum, beta times the old C is left (C35)") {
    Matrix<float, RowMajor> const a(33, 0, 1), b(0, 17, 2), c(33, 17, 3);
    tweed::matmul(nullptr, a.view(), b.view(), c.view(), tweed::addC(2), few);
    CHECK(c.holds([&](long long i, long long j, long long) { return 2 * c.at(i, j, 0); }));
  }
  TEST_CASE("several pieces, along rows and columns whatever the layout of C") {
    int const m = 35, n = 40, k = 6;
    Matrix<float, RowMajor> const a(m, k, 1), b(k, n, 2);
    Matrix<float, ColumnMajor> const rest(m, n, 3);
    Matrix<float, RowMajor> const vectors(1, 64, 4);
    float const* const v = vectors.view().data;
    auto const epilogue = tweed::biasPerColumn(v) | tweed::scalePerRow(v + 3) | tweed::relu() |
                          tweed::residual(rest.constView()) | tweed::clamp(-3, 20);
    auto const expected = [&](long long i, long long j, long long) {
      double x = (productOf(a, b, i, j, 0) + vectors.at(0, j, 0)) * vectors.at(0, 3 + i, 0);
      x = std::max(x, 0.0) + rest.at(i, j, 0);
      return std::min(std::max(x, -3.0), 20.0);
    };
    auto const rows = Matrix<float, RowMajor>::poison(m, n);
    auto const columns = Matrix<float, ColumnMajor>::poison(m, n);
    tweed::matmul(nullptr, a.view(), b.view(), rows.view(), epilogue, few);
    tweed::matmul(nullptr, a.view(), b.view(), columns.view(), epilogue, few);
    CHECK(rows.holds(expected));
    CHECK(columns.holds(expected));
  }
  TEST_CASE("a residual that is C itself") {
    int const m = 35, n = 40, k = 6;
    Matrix<float, RowMajor> const a(m, k, 1), b(k, n, 2), c(m, n, 3);
    tweed::matmul(nullptr, a.view(), b.view(), c.view(), tweed::residual(c.view()), few);
    CHECK(c.holds([&](long long i, long long j, long long) {
      return productOf(a, b, i, j, 0) + c.at(i, j, 0);
    }));
  }
  TEST_CASE("lambdas") {
    int const m = 5, n = 40, k = 6;
    Matrix<float, RowMajor> const a(m, k, 1), b(k, n, 2);
    auto const c = Matrix<float, RowMajor>::poison(m, n);
    float const by = 3;
    auto const lambda = [=] __device__(float x, tweed::Coord at) {
      return by * x + float(at.column);
    };
    tweed::matmul(nullptr, a.view(), b.view(), c.view(), lambda, few);
    CHECK(c.holds([&](long long i, long long j, long long) {
      return 3 * productOf(a, b, i, j, 0) + double(j);
    }));
    tweed::matmul(nullptr, a.view(), b.view(), c.view(),
                  tweed::scale(2) | lambda | tweed::scale(-1), few);
    CHECK(c.holds([&](long long i, long long j, long long) {
      return -(6 * productOf(a, b, i, j, 0) + double(j));
    }));
  }
  TEST_CASE("sums and maxima along rows and columns") {
    checkReductions<RowMajor, float>(35, 70, 1);
    checkReductions<ColumnMajor, float>(35, 70, 2);
    checkReductions<RowMajor, double>(1, 130, 3);
    checkReductions<ColumnMajor, double>(130, 1, 1);
  }
  TEST_CASE("reductions of no items give the identity") {
    DeviceArray<float> sums(5), tops(5);
    float* const none = nullptr;
    tweed::matmul(nullptr, tweed::rowMajor(none, 5, 3), tweed::rowMajor(none, 3, 0),
                  tweed::rowMajor(none, 5, 0),
                  tweed::rowSum(sums.data()) | tweed::rowMax(tops.data()), few);
    CHECK(sums.host() == std::vector<float>(5, 0));
    CHECK(tops.host() == std::vector<float>(5, -INFINITY));
  }
  TEST_CASE("reductions have the same bits every time") {
    int const m = 40, n = 90, k = 30;
    Matrix<float, RowMajor> const a(m, k, 1), b(k, n, 2);
    auto const c = Matrix<float, RowMajor>::poison(m, n);
    DeviceArray<float> first(m), again(m);
    tweed::matmul(nullptr, a.view(), b.view(), c.view(),
                  tweed::scale(1 / 7.0f) | tweed::rowSum(first.data()), few);
    for (int i = 0; i < 3; ++i) {
      tweed::matmul(nullptr, a.view(), b.view(), c.view(),
                    tweed::scale(1 / 7.0f) | tweed::rowSum(again.data()), few);
      CHECK(first.host() == again.host());
    }
  }
}
