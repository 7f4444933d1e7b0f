// SPDX-License-Identifier: Apache-2.0
// tweed/memory/swizzle.cuh - tiles in shared memory whose 16-byte pieces change places by row.
#pragma once

#include <tweed/memory/sharedArray.cuh>

namespace tweed {

/// Where the byte at `offset` goes: the number of its 16-byte piece is XORed with that of its 128
/// bytes, as far as pieces of Bytes go. The same as the tensor memory accelerator's swizzles, which
/// take the address for the offset: their tiles start at a multiple of 8 * Bytes.
///
///     offset bits   9 8 7   6 5 4   3 2 1 0
///     128           a b c   x y z             x ^ a, y ^ b, z ^ c
///     64              b c     y z                    y ^ b, z ^ c
///     32                c       z                           z ^ c
///
/// Shape    Bytes is 32, 64 or 128.
/// Source   CUDA driver API, CUtensorMapSwizzle; PTX ISA, swizzling modes.
template <int Bytes>
TWEED_HOST_DEVICE constexpr unsigned swizzle(unsigned offset) {
  static_assert(Bytes == 32 || Bytes == 64 || Bytes == 128,
                "tweed::swizzle: swizzles are of 32, 64 or 128 bytes");
  return offset ^ (offset >> 3 & unsigned(Bytes - 16));
}

/// Rows x Columns items for shared memory without padding, whose columns of 16-byte pieces lie in
/// different banks: 8 rows of Bytes = 128 fill all banks once, whichever piece of each is taken.
///
/// Shape    Bytes divides a row. Longer rows are cut into panels of Rows x Bytes, one behind the
///          other, as TMA loads them one by one.
/// Needs    T trivially copyable, its size a power of two up to 16. Items are not constructed.
/// Sync     none; the caller places the barriers.
/// Errors   an index out of range stops the kernel under TWEED_DEBUG and on the loom.
template <class T, int Rows, int Columns, int Bytes = 128>
struct SwizzledTile {
  static_assert(isTriviallyCopyable<T> && sizeof(T) <= 16 && isPow2(sizeof(T)),
                "tweed::SwizzledTile: T is trivially copyable, of 1, 2, 4, 8 or 16 bytes");
  static_assert(Rows >= 1 && Columns >= 1 && Columns * sizeof(T) % Bytes == 0,
                "tweed::SwizzledTile: a row is a multiple of the swizzle's bytes");
  using Item = T;
  static constexpr int rows = Rows;
  static constexpr int columns = Columns;
  static constexpr int panelColumns = Bytes / int(sizeof(T));
  static constexpr int panelBytes = Rows * Bytes;

  /// Where an item stands, in bytes from the tile's beginning.
  static TWEED_HOST_DEVICE constexpr int offset(int row, int column) {
    return column / panelColumns * panelBytes +
           int(swizzle<Bytes>(unsigned(row * Bytes + column % panelColumns * int(sizeof(T)))));
  }

  alignas(128) unsigned char bytes[Rows * Columns * sizeof(T)];

  TWEED_DEVICE T& operator()(int row, int column) {
    return *reinterpret_cast<T*>(bytes + checked(row, column));
  }
  TWEED_DEVICE T const& operator()(int row, int column) const {
    return *reinterpret_cast<T const*>(bytes + checked(row, column));
  }

 private:
  static TWEED_DEVICE int checked(int row, int column) {
    TWEED_ASSERT(row >= 0 && row < Rows && column >= 0 && column < Columns,
                 "tweed::SwizzledTile: item (%d, %d) is asked for, the tile has %d x %d", row,
                 column, Rows, Columns);
    return offset(row, column);
  }
};

}  // namespace tweed
