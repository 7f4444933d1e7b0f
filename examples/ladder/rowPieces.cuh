// SPDX-License-Identifier: Apache-2.0
// examples/ladder/rowPieces.cuh - neighbours of a row at a time, of any row-major matrix. The idea
// is that of matmul/m4_vectorised.cu, and the rungs above it stand on it.
#pragma once

#include <tweed/arch/copyAsync.cuh>
#include <tweed/memory/loadStore.cuh>

namespace ladder {

/// Pieces of Items neighbours of a matrix without gaps, T const if it is only read. They move
/// whole, by one instruction, where every row begins at a multiple of their bytes; else, since some
/// lie across such a boundary or the end of a row, item by item. What is beyond the matrix is read
/// as 0, and not written.
template <int Items, class T>
class RowPieces {
  using Item = tweed::RemoveConst<T>;
  static constexpr int bytes = Items * int(sizeof(T));

 public:
  using Piece = tweed::Vector<Item, Items>;

  TWEED_DEVICE RowPieces(T* data, long long rows, long long columns)
      : data_(data),
        rows_(rows),
        columns_(columns),
        isWhole_((reinterpret_cast<unsigned long long>(data) | columns * sizeof(T)) % bytes == 0) {}

  /// `column` is a multiple of Items, here and below.
  TWEED_DEVICE Piece load(long long row, long long column) const {
    Piece piece{};
    if (row >= rows_ || column >= columns_) return piece;
    T* const from = data_ + row * columns_ + column;
    if (isWhole_) return tweed::loadVector<Items>(from);
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (column + i < columns_) piece.item[i] = from[i];
    return piece;
  }

  TWEED_DEVICE void store(long long row, long long column, Piece const& piece) const {
    if (row >= rows_ || column >= columns_) return;
    T* const to = data_ + row * columns_ + column;
    if (isWhole_) return tweed::storeVector(to, piece);
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (column + i < columns_) to[i] = piece.item[i];
  }

  /// To shared memory, for whoever waits for its copies; pieces that are not whole are there at
  /// once.
  TWEED_DEVICE void copyAsync(Item* to, long long row, long long column) const {
    if (!isWhole_) return tweed::storeVector(to, load(row, column));
    bool const exists = row < rows_ && column < columns_;
    tweed::arch::copyAsync<bytes>(to, exists ? data_ + row * columns_ + column : nullptr,
                                  exists ? bytes : 0);
  }

 private:
  T* data_;
  long long rows_, columns_;
  bool isWhole_;
};

}  // namespace ladder
