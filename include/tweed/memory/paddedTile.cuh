// SPDX-License-Identifier: Apache-2.0
// tweed/memory/paddedTile.cuh - a tile in shared memory whose rows are a little longer than needed.
#pragma once

#include <tweed/memory/sharedArray.cuh>

namespace tweed {

/// Rows x Columns items for a `__shared__` variable, each row followed by Pad items that nobody
/// uses, so that a column's items lie in different banks.
///
///     __shared__ tweed::PaddedTile<float, 32, 32, 1> tile;
///     tile(threadIdx.y, threadIdx.x) = value;
///     tweed::arch::syncBlock();
///     value = tile(threadIdx.x, threadIdx.y);
///
/// Shape    item (row, column) stands at row * (Columns + Pad) + column; the tile begins at a
///          multiple of 16 bytes. Pad so that bankConflicts() of what you do is 0: 1 for columns of
///          4-byte items, 16 bytes for columns of 16-byte vectors.
/// Needs    T trivially copyable. Items are not constructed.
/// Sync     none; the caller places the barriers.
/// Errors   an index out of range stops the kernel under TWEED_DEBUG and on the loom.
template <class T, int Rows, int Columns, int Pad = 0>
struct PaddedTile {
  static_assert(Rows >= 1 && Columns >= 1 && Pad >= 0,
                "tweed::PaddedTile: needs at least one row and column, and no negative padding");
  static_assert(isTriviallyCopyable<T>, "tweed::PaddedTile: T must be trivially copyable");
  using Item = T;
  static constexpr int rows = Rows;
  static constexpr int columns = Columns;
  static constexpr int pitch = Columns + Pad;  ///< items from one row to the next

  /// Where an item stands, in bytes from the tile's beginning.
  static TWEED_HOST_DEVICE constexpr int offset(int row, int column) {
    return (row * pitch + column) * int(sizeof(T));
  }

  SharedArray<T, Rows * pitch> items;

  TWEED_DEVICE T& operator()(int row, int column) { return items[checked(row, column)]; }
  TWEED_DEVICE T const& operator()(int row, int column) const {
    return items[checked(row, column)];
  }

 private:
  static TWEED_DEVICE int checked(int row, int column) {
    TWEED_ASSERT(row >= 0 && row < Rows && column >= 0 && column < Columns,
                 "tweed::PaddedTile: item (%d, %d) is asked for, the tile has %d x %d", row, column,
                 Rows, Columns);
    return row * pitch + column;
  }
};

}  // namespace tweed
