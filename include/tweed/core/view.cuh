// SPDX-License-Identifier: Apache-2.0
// tweed/core/view.cuh - a matrix in memory that somebody else owns.
#pragma once

#include <tweed/core/math.cuh>

namespace tweed {

/// Which items of a matrix are neighbours in memory: those of a row, or those of a column.
struct RowMajor {};
struct ColumnMajor {};

/// A matrix, or a batch of equal ones, of items of type T (`const` for what is only read).
///
///     auto a = tweed::rowMajor(data, rows, columns);            // dense
///     auto b = tweed::columnMajor(data, rows, columns, 64);     // columns are 64 items apart
///
/// Shape    item (row, column) of matrix `i` stands at
///          data[i * batchStride + row * leadingDimension + column], by columns at
///          ... + column * leadingDimension + row. leadingDimension counts items.
template <class T, class Layout_>
struct MatrixView {
  using Item = T;
  using Layout = Layout_;
  static constexpr bool isRowMajor = isSame<Layout, RowMajor>;
  static_assert(isRowMajor || isSame<Layout, ColumnMajor>,
                "tweed::MatrixView: the layout is RowMajor or ColumnMajor");

  T* data;
  long long rows;
  long long columns;
  long long leadingDimension;
  long long batch = 1;        ///< matrices
  long long batchStride = 0;  ///< items from one to the next; 0: all are the same one

  /// Where an item stands, counted in items from `data`.
  TWEED_HOST_DEVICE constexpr long long offset(long long row, long long column,
                                               long long matrix = 0) const {
    return matrix * batchStride +
           (isRowMajor ? row * leadingDimension + column : column * leadingDimension + row);
  }
  TWEED_HOST_DEVICE constexpr T& operator()(long long row, long long column,
                                            long long matrix = 0) const {
    return data[offset(row, column, matrix)];
  }

  /// `count` matrices, `stride` items apart.
  TWEED_HOST_DEVICE constexpr MatrixView batched(long long count, long long stride) const {
    return {data, rows, columns, leadingDimension, count, stride};
  }
};

template <class T>
TWEED_HOST_DEVICE constexpr MatrixView<T, RowMajor> rowMajor(T* data, long long rows,
                                                             long long columns) {
  return {data, rows, columns, columns};
}
template <class T>
TWEED_HOST_DEVICE constexpr MatrixView<T, RowMajor> rowMajor(T* data, long long rows,
                                                             long long columns,
                                                             long long leadingDimension) {
  return {data, rows, columns, leadingDimension};
}
template <class T>
TWEED_HOST_DEVICE constexpr MatrixView<T, ColumnMajor> columnMajor(T* data, long long rows,
                                                                   long long columns) {
  return {data, rows, columns, rows};
}
template <class T>
TWEED_HOST_DEVICE constexpr MatrixView<T, ColumnMajor> columnMajor(T* data, long long rows,
                                                                   long long columns,
                                                                   long long leadingDimension) {
  return {data, rows, columns, leadingDimension};
}

/// The same memory seen as the transposed matrices: nothing is moved.
template <class T>
TWEED_HOST_DEVICE constexpr MatrixView<T, ColumnMajor> transposed(
    MatrixView<T, RowMajor> const& v) {
  return {v.data, v.columns, v.rows, v.leadingDimension, v.batch, v.batchStride};
}
template <class T>
TWEED_HOST_DEVICE constexpr MatrixView<T, RowMajor> transposed(
    MatrixView<T, ColumnMajor> const& v) {
  return {v.data, v.columns, v.rows, v.leadingDimension, v.batch, v.batchStride};
}

/// The largest power of two, up to 16 bytes, at whose multiples each run of neighbours begins.
template <class T, class Layout>
TWEED_HOST_DEVICE int runAlignment(MatrixView<T, Layout> const& v) {
  using Bits = unsigned long long;
  Bits bits = 16 | reinterpret_cast<Bits>(v.data);
  if ((v.isRowMajor ? v.rows : v.columns) > 1) bits |= Bits(v.leadingDimension) * sizeof(T);
  if (v.batch > 1) bits |= Bits(v.batchStride) * sizeof(T);
  return int(bits & (~bits + 1));
}

}  // namespace tweed
