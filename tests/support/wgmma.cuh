// SPDX-License-Identifier: Apache-2.0
// tests/support/wgmma.cuh - products by wgmma on drawn matrices, compared with sums in double.
#pragma once

#include <tweed/matmul/epiloguePieces.cuh>
#include <tweed/matmul/wgmmaProduct.cuh>

#include <algorithm>
#include <cmath>

#include "support/hopper.cuh"

namespace tweedTest {

/// A drawn matrix in device memory. What pads its rows, and lies behind them, is NaN.
template <class T, class Layout>
struct DrawnMatrix {
  tweed::MatrixView<T, Layout> shape;  // of host data
  std::vector<T> values;
  DeviceArray<T> memory;

  DrawnMatrix(int rows, int columns, int pad, int batch, int shift, std::uint64_t seed)
      : shape(makeShape(rows, columns, pad, batch)),
        values(draw(shape, seed)),
        memory(values, std::size_t(shift)) {
    shape.data = values.data();
  }

  tweed::MatrixView<T const, Layout> view() const {
    return {memory.data(),          shape.rows,  shape.columns,
            shape.leadingDimension, shape.batch, shape.batchStride};
  }
  double at(int row, int column, int matrix) const {
    return double(float(shape(row, column, matrix)));
  }

  static tweed::MatrixView<T, Layout> makeShape(int rows, int columns, int pad, int batch) {
    bool const isRowMajor = tweed::isSame<Layout, tweed::RowMajor>;
    long long const leading = (isRowMajor ? columns : rows) + pad;
    long long const size = leading * (isRowMajor ? rows : columns);
    return {nullptr, rows, columns, leading, batch, batch == 1 ? 0 : size};
  }
  static std::vector<T> draw(tweed::MatrixView<T, Layout> const& shape, std::uint64_t seed) {
    bool const isRowMajor = tweed::isSame<Layout, tweed::RowMajor>;
    long long const size =
        shape.leadingDimension * (isRowMajor ? shape.rows : shape.columns) * shape.batch;
    std::vector<T> values(std::size_t(size), T(NAN));
    for (long long matrix = 0; matrix < shape.batch; ++matrix)
      for (long long r = 0; r < shape.rows; ++r)
        for (long long c = 0; c < shape.columns; ++c) {
          auto const i = std::size_t(shape.offset(r, c, matrix));
          values[i] = T(float(double(noise(seed * 7919 + i) >> 11) / double(1ull << 52) - 1.0));
        }
    return values;
  }
};

/// Each item of a product, and the sum of the sizes of its terms, in double.
struct Reference {
  double sum, sizes;
};
template <class A, class B>
TWEED_KERNEL void sumUp(A a, B b, int n, int k, Reference* out) {
  int const row = int(blockIdx.y), column = int(blockIdx.x * blockDim.x + threadIdx.x);
  int const matrix = int(blockIdx.z);
  if (column >= n) return;
  Reference r{0, 0};
  for (int i = 0; i < k; ++i) {
    double const term = double(float(a(row, i, matrix))) * double(float(b(i, column, matrix)));
    r.sum += term;
    r.sizes += fabs(term);
  }
  out[(static_cast<long long>(matrix) * gridDim.y + row) * n + column] = r;
}

/// Relative roundings of a type: of what is loaded (TF32 drops 13 bits), and of what is stored.
template <class T>
inline constexpr double loadError = sizeof(T) == 4 ? 2.0 / 1024 : 0.0;
template <class T>
inline constexpr double storeError = tweed::isSame<T, __half>          ? 1.0 / 2048
                                     : tweed::isSame<T, __nv_bfloat16> ? 1.0 / 256
                                                                       : 1.0 / (1 << 24);

/// Needs no old C: the product plus a number that says where it stands. Counts its calls.
struct AddPlace {
  int* calls = nullptr;  // of an item of the products each, row by row
  int rows = 0, columns = 0;
  TWEED_DEVICE float operator()(float value, tweed::Coord at) const {
    atomicAdd(&calls[(at.matrix * rows + at.row) * columns + at.column], 1);
    return value + number(at);
  }
  static TWEED_HOST_DEVICE float number(tweed::Coord at) {
    return float(at.row % 7) - float(at.column % 5) + float(at.matrix);
  }
};
using ScaleAndAddC = decltype(tweed::scale(1.f) | tweed::addC(1.f));

struct Product {
  int m, n, k;
  int pad = 0;     ///< items behind each row or column of A and B; a multiple of 16 bytes of them
  int padC = 0;    ///< any number
  int shiftC = 0;  ///< items off 256 bytes
  int batch = 1;
  bool sharesB = false;
};

/// C = epilogue(A * B) is right within the bounds of its types; nothing else is written.
template <class Config, class T, class LayoutA, class LayoutB, class Item = T,
          class Epilogue = tweed::Identity>
void checkProduct(Product const& p, Epilogue epilogue = {}) {
  INFO("m ", p.m, ", n ", p.n, ", k ", p.k, ", pad ", p.pad, ", of C ", p.padC, ", batch ",
       p.batch);
  // Leading dimensions are multiples of 16 bytes, as the copy engine needs.
  int const unit = 16 / int(sizeof(T));
  auto const padOf = [&](int contiguous) {
    return (unit - contiguous % unit) % unit + p.pad * unit;
  };
  bool const isRowA = tweed::isSame<LayoutA, tweed::RowMajor>;
  bool const isRowB = tweed::isSame<LayoutB, tweed::RowMajor>;
  DrawnMatrix<T, LayoutA> a(p.m, p.k, padOf(isRowA ? p.k : p.m), p.batch, 0, 1);
  DrawnMatrix<T, LayoutB> b(p.k, p.n, padOf(isRowB ? p.n : p.k), p.sharesB ? 1 : p.batch, 0, 2);
  using DrawnC = DrawnMatrix<Item, tweed::RowMajor>;
  auto const shapeC = DrawnC::makeShape(p.m, p.n, p.padC, p.batch);
  constexpr bool needsC = tweed::detail::needsC<Epilogue>;
  std::vector<Item> before = DrawnC::draw(shapeC, 3);
  bool const readsC = tweed::detail::readsC(epilogue);
  if (!readsC) before.assign(before.size(), Item(NAN));
  DeviceArray<Item> const c(before, std::size_t(p.shiftC));
  std::size_t const items = std::size_t(p.batch) * std::size_t(p.m) * std::size_t(p.n);
  constexpr bool countsCalls = tweed::isSame<Epilogue, AddPlace>;
  DeviceArray<int> const calls(std::vector<int>(countsCalls ? items : 0, 0));
  if constexpr (countsCalls) epilogue = {calls.data(), p.m, p.n};

  using Task =
      tweed::MatmulTask<tweed::MatrixView<T const, LayoutA>, tweed::MatrixView<T const, LayoutB>,
                        tweed::MatrixView<Item, tweed::RowMajor>, Epilogue>;
  auto viewC = shapeC;
  viewC.data = c.data();
  auto viewB = b.view();
  viewB.batch = p.batch;
  Task const task{a.view(), viewB, viewC, epilogue};
  tweed::WgmmaProduct<Config, Task>(task).launch(nullptr);
  tweed::synchronize();

  auto const counts = calls.host();
  CHECK(std::count(counts.begin(), counts.end(), 1) == std::ptrdiff_t(counts.size()));
  DeviceArray<Reference> const reference(items);
  tweed::launch(sumUp<typename Task::A, typename Task::B>,
                {dim3((p.n + 127u) / 128, p.m, p.batch), 128}, task.a, task.b, p.n, p.k,
                reference.data());
  tweed::synchronize();
  std::vector<Reference> const references = reference.host();
  std::vector<Item> const after = c.host();
  int wrong = 0;
  std::vector<bool> isItem(after.size(), false);
  for (int matrix = 0; matrix < p.batch; ++matrix)
    for (int row = 0; row < p.m; ++row)
      for (int column = 0; column < p.n; ++column) {
        auto const [sum, sizes] = references[std::size_t((matrix * p.m + row) * p.n + column)];
        auto const place = std::size_t(viewC.offset(row, column, matrix));
        isItem[place] = true;
        tweed::Coord const at{row, column, matrix};
        double expected, scale = 1, more = 0;  // the epilogue's own roundings
        if constexpr (needsC) {
          // A linear epilogue, in double.
          double const alpha = double(epilogue.first.alpha), beta = double(epilogue.second.beta);
          double const old = readsC ? beta * double(float(before[place])) : 0;
          expected = alpha * sum + old;
          scale = std::fabs(alpha);
          more = (scale * sizes + std::fabs(old)) / (1 << 23);
        } else {
          expected = sum;
          if constexpr (countsCalls) expected += double(AddPlace::number(at)), more = 0x1p-19;
        }
        double const error = std::fabs(double(float(after[place])) - expected);
        double const bound =
            scale * (loadError<T> + (p.k / (32.0 / sizeof(T)) + 2) / (1 << 23)) * sizes +
            1.01 * storeError<Item> * std::fabs(expected) + more;
        if (!(error <= bound) && ++wrong <= 3)
          MESSAGE("C(", row, ", ", column, ") of ", matrix, " is ", double(float(after[place])),
                  ", not ", expected);
      }
  CHECK(wrong == 0);
  bool isIntact = true;
  for (std::size_t i = 0; i < after.size(); ++i)
    isIntact = isIntact && (isItem[i] || sameBits(after[i], before[i]));
  CHECK(isIntact);
}

/// A product of several tiles comes out the same ten times more.
template <class Config, class LayoutB>
void checkSameBits() {
  using Bf = __nv_bfloat16;
  using tweed::RowMajor;
  int const m = 500, n = 704, k = 600;
  DrawnMatrix<Bf, RowMajor> const a(m, k, 0, 1, 0, 5);
  DrawnMatrix<Bf, LayoutB> const b(k, n, 0, 1, 0, 6);
  DeviceArray<Bf> const c(std::size_t(m * n));
  using Task =
      tweed::MatmulTask<tweed::MatrixView<Bf const, RowMajor>, tweed::MatrixView<Bf const, LayoutB>,
                        tweed::MatrixView<Bf, RowMajor>, tweed::Identity>;
  tweed::WgmmaProduct<Config, Task> const product(
      Task{a.view(), b.view(), tweed::rowMajor(c.data(), m, n), {}});
  std::vector<Bf> first;
  for (int turn = 0; turn < 11; ++turn) {
    TWEED_CHECK(cudaMemset(c.data(), 0xff, c.size() * sizeof(Bf)));
    product.launch(nullptr);
    tweed::synchronize();
    auto const got = c.host();
    if (turn == 0) first = got;
    CHECK(std::memcmp(first.data(), got.data(), got.size() * sizeof(Bf)) == 0);
  }
}

}  // namespace tweedTest
