// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/loader.cuh - where the items of an operand stand, for a tile of it.
#pragma once

#include <tweed/core/view.cuh>

namespace tweed {

/// Which items of an operand are neighbours in memory: those that are added up (K), or those that
/// belong to neighbouring rows of A or columns of B (Mn).
enum class Major { K, Mn };

/// A row-major A and a column-major B are K; the others Mn.
template <class Layout>
inline constexpr Major majorOfA = isSame<Layout, RowMajor> ? Major::K : Major::Mn;
template <class Layout>
inline constexpr Major majorOfB = isSame<Layout, RowMajor> ? Major::Mn : Major::K;

// What a loader has. The collectives take any type with these members; `i` counts rows of A or
// columns of B from the tile's first one on, `k` the items of the sum from the first one on.
//
//     using Item = T;                        // of the memory
//     static constexpr Major major;          // which neighbours stand side by side
//     int extent, depth;                     // i < extent and k < depth exist; others count as 0
//     T const* at(int i, int k) const;       // where item (i, k) stands; asked only if it exists
//     static constexpr bool isRegular;       // at(i, k) is at(0, 0) + i * leadingDimension + k
//                                            // if K, + k * leadingDimension + i if Mn; may then be
//                                            // asked of any (i, k)
//     long long leadingDimension;            // if isRegular
//     bool isAligned(int bytes) const;       // at() is a multiple of `bytes` for all i if K (all k
//                                            // if Mn) wherever the other index is a multiple of
//                                            // bytes / sizeof(T)
//
// A loader without addresses, of what stands in shared memory or is made up, has instead
// of the last four
//
//     T item(int i, int k) const;
//
// See FunctionLoader.

namespace detail {

template <class Loader, class = void>
inline constexpr bool hasAddresses = false;
template <class Loader>
inline constexpr bool hasAddresses<Loader, decltype(void(&Loader::at))> = true;

template <class Loader, class = void>
inline constexpr bool isRegular = false;
template <class Loader>
inline constexpr bool isRegular<Loader, decltype(void(Loader::isRegular))> = Loader::isRegular;

}  // namespace detail

/// A tile of a matrix, rows of A or columns of B; loadRows() and loadColumns() make it.
///
/// Shape    items i from 0 to extent - 1 and k from 0 to depth - 1; `data` is item (0, 0).
/// Result   at() is where an item stands; nothing is read.
/// Needs    a leadingDimension no less than a run of neighbours. Behind the matrix's end, extent 0.
/// Sync     none.
/// Cost     isAligned(): one test of both numbers, the same for all threads.
template <class T, Major Major_>
struct MatrixLoader {
  using Item = T;
  static constexpr Major major = Major_;
  static constexpr bool isRegular = true;

  T const* data;               ///< item (0, 0) of the tile
  long long leadingDimension;  ///< items from one run of neighbours to the next
  int extent;
  int depth;

  TWEED_HOST_DEVICE T const* at(int i, int k) const {
    return major == Major::K ? data + i * leadingDimension + k : data + k * leadingDimension + i;
  }
  TWEED_HOST_DEVICE bool isAligned(int bytes) const {
    return (reinterpret_cast<unsigned long long>(data) | (leadingDimension * sizeof(T))) %
               unsigned(bytes) ==
           0;
  }
};

/// Rows of A from `row` on, of matrix `matrix` of a batch.
///
/// Shape    all rows that are left, none from A's end on; all columns of A, along the sum.
/// Result   a loader of A's memory, the same in all threads that ask for the same.
/// Needs    row >= 0; at most 2^31 - 1 columns.
/// Sync     none.
/// Errors   none: rows and columns that A does not have count as 0.
template <class T, class Layout>
TWEED_HOST_DEVICE MatrixLoader<RemoveConst<T>, majorOfA<Layout>> loadRows(
    MatrixView<T, Layout> const& a, long long row, long long matrix = 0) {
  long long const left = larger(0ll, a.rows - row);
  // A matrix without columns may be a null pointer, to which C++ adds nothing. A GPU does, at less
  // cost than asking; nobody reads there.
  bool const hasItems = left > 0 && (detail::isDeviceCode || a.data != nullptr);
  return {hasItems ? a.data + a.offset(row, 0, matrix) : a.data, a.leadingDimension,
          int(smaller(left, 0ll + 0x7fffffff)), int(a.columns)};
}

/// Columns of B from `column` on, of matrix `matrix` of a batch; else as loadRows().
template <class T, class Layout>
TWEED_HOST_DEVICE MatrixLoader<RemoveConst<T>, majorOfB<Layout>> loadColumns(
    MatrixView<T, Layout> const& b, long long column, long long matrix = 0) {
  return loadRows(transposed(b), column, matrix);
}

/// Rows of a row-major A that an array of row numbers picks: row i of the tile is row index[i].
///
/// Shape    `extent` rows, any order and any number of times; `depth` items of each.
/// Needs    extent numbers at `index`, each a row of A. They are read while the product runs.
/// Sync     none; a block that wrote the numbers itself needs a barrier before.
/// Cost     each thread reads a number again for each piece that it loads.
/// Errors   none: what is no row of A is read where it would stand.
template <class T>
struct GatherLoader {
  using Item = T;
  static constexpr Major major = Major::K;
  static constexpr bool isRegular = false;

  T const* data;  ///< of the whole matrix
  long long leadingDimension;
  int const* index;  ///< of the tile's first row
  int extent;
  int depth;

  TWEED_HOST_DEVICE T const* at(int i, int k) const {
    return data + index[i] * leadingDimension + k;
  }
  TWEED_HOST_DEVICE bool isAligned(int bytes) const {
    return (reinterpret_cast<unsigned long long>(data) | (leadingDimension * sizeof(T))) %
               unsigned(bytes) ==
           0;
  }
};

/// Items that a function of (i, k) returns; loadItems() makes it.
///
///     auto const scaled = tweed::loadItems<tweed::Major::K>(
///         [=](int i, int k) { return scale[k] * a[i * pitch + k]; }, rows, depth);
///
/// Shape    f is called for i < extent and k < depth alone; others count as 0.
/// Op       f: any thread may call it for any item, as often as the tile is loaded. It must not
///          synchronise.
/// Sync     none; what the block wrote that f reads needs a barrier before run().
/// Cost     items pass through registers, not by asynchronous copies.
template <class F, class T, Major Major_>
struct FunctionLoader {
  using Item = T;
  static constexpr Major major = Major_;

  F f;
  int extent;
  int depth;

  TWEED_DEVICE T item(int i, int k) const { return f(i, k); }
};

/// Neighbouring threads ask for the neighbours that Major names; for tensor cores each thread for
/// 16 bytes of them.
template <Major Major_, class F>
TWEED_DEVICE auto loadItems(F f, int extent, int depth) {
  return FunctionLoader<F, decltype(f(0, 0)), Major_>{f, extent, depth};
}

}  // namespace tweed
