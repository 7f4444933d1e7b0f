// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/epiloguePieces.cuh - scales, biases, residuals and the like, to be joined by `|`.
#pragma once

#include <tweed/core/view.cuh>
#include <tweed/matmul/epilogue.cuh>

#if !defined(__CUDACC_RTC__)
#include <string>
#endif

namespace tweed {

// What holds for all:
//
// Result   in the accumulator's type, of the thread that has the item.
// Needs    pointers that the device reads, until the product is done.
// Sync     none.
// Cost     an instruction or two an item, beside the loads that a piece names.
// Errors   matmul() and MatmulPlan throw tweed::Error for null pointers and shapes that are not
//          C's; BlockTile, on the device, does not look.

namespace detail {

// A factor or summand as it meets an accumulator: a float accumulator is never widened to double,
// an integer one takes a fraction as it is.
template <class Acc, class T>
TWEED_HOST_DEVICE constexpr auto operand(T x) {
  if constexpr (isInteger<Acc> && !isInteger<T>) {
    return x;
  } else {
    return Acc(x);
  }
}

#if !defined(__CUDACC_RTC__)
// What a piece has to say against a C of these sizes: empty, or why not.
inline std::string refuseNull(char const* piece, void const* pointer) {
  return pointer != nullptr ? "" : std::string(piece) + ": the pointer is null";
}
#endif

}  // namespace detail

/// Op       value * alpha, in the accumulator's type; of integers, with a fraction, cut off.
template <class T>
struct Scale {
  static constexpr bool isPiece = true;
  T alpha;
  template <class Acc>
  TWEED_HOST_DEVICE Acc operator()(Acc value, Coord) const {
    return Acc(value * detail::operand<Acc>(alpha));
  }
};
template <class T>
TWEED_HOST_DEVICE constexpr Scale<T> scale(T alpha) {
  return {alpha};
}

/// Op       value + beta * the old C. If beta is 0, C is not read: it may hold anything, NaN too.
/// Cost     C is read once.
template <class T>
struct AddC {
  static constexpr bool isPiece = true;
  static constexpr bool needsC = true;
  T beta;
  TWEED_HOST_DEVICE bool readsC() const { return !(beta == T(0)); }
  template <class Acc>
  TWEED_HOST_DEVICE Acc operator()(Acc value, Acc c, Coord) const {
    return readsC() ? Acc(value + c * detail::operand<Acc>(beta)) : value;
  }
};
template <class T>
TWEED_HOST_DEVICE constexpr AddC<T> addC(T beta) {
  return {beta};
}

/// Op       adds, or multiplies by, an item of a vector for each row, or for each column.
/// Shape    as many items as C has rows (columns). In a batch each matrix has a vector of its own,
///          `batchStride` items behind that of the one before; 0: one for all.
/// Cost     a load of an item for each item of C, out of caches.
template <bool IsPerRow, bool IsFactor, class T>
struct AxisVector {
  static constexpr bool isPiece = true;
  T const* vector;
  long long batchStride;

  template <class Acc>
  TWEED_DEVICE Acc operator()(Acc value, Coord at) const {
    auto const x =
        detail::operand<Acc>(vector[at.matrix * batchStride + (IsPerRow ? at.row : at.column)]);
    return IsFactor ? Acc(value * x) : Acc(value + x);
  }
#if !defined(__CUDACC_RTC__)
  std::string refusal(long long, long long, long long) const {
    return detail::refuseNull(IsFactor ? (IsPerRow ? "scalePerRow" : "scalePerColumn")
                                       : (IsPerRow ? "biasPerRow" : "biasPerColumn"),
                              vector);
  }
#endif
};
template <class T>
TWEED_HOST_DEVICE constexpr AxisVector<true, false, T> biasPerRow(T const* bias,
                                                                  long long batchStride = 0) {
  return {bias, batchStride};
}
template <class T>
TWEED_HOST_DEVICE constexpr AxisVector<false, false, T> biasPerColumn(T const* bias,
                                                                      long long batchStride = 0) {
  return {bias, batchStride};
}
template <class T>
TWEED_HOST_DEVICE constexpr AxisVector<true, true, T> scalePerRow(T const* factors,
                                                                  long long batchStride = 0) {
  return {factors, batchStride};
}
template <class T>
TWEED_HOST_DEVICE constexpr AxisVector<false, true, T> scalePerColumn(T const* factors,
                                                                      long long batchStride = 0) {
  return {factors, batchStride};
}

/// Op       adds a matrix.
/// Shape    that of C, and its batch, or one matrix for all (batchStride 0); either layout. It may
///          be C itself: each item is read before it is written, by the same thread. It shares no
///          byte with C in any other way.
/// Cost     the matrix is read once, item by item.
/// Errors   also those of its leading dimension, and an overlap with C.
template <class View>
struct Residual {
  static constexpr bool isPiece = true;
  View view;
  template <class Acc>
  TWEED_DEVICE Acc operator()(Acc value, Coord at) const {
    return Acc(value + detail::operand<Acc>(view(at.row, at.column, at.matrix)));
  }
#if !defined(__CUDACC_RTC__)
  std::string refusal(long long rows, long long columns, long long batch) const {
    if (view.rows != rows || view.columns != columns)
      return "residual: it is " + std::to_string(view.rows) + " x " + std::to_string(view.columns) +
             ", C is " + std::to_string(rows) + " x " + std::to_string(columns);
    if (view.batch != batch && view.batchStride != 0)
      return "residual: it is a batch of " + std::to_string(view.batch) + ", C one of " +
             std::to_string(batch);
    long long const run = View::isRowMajor ? columns : rows;
    if (view.leadingDimension < run)
      return "residual: its leading dimension is " + std::to_string(view.leadingDimension) +
             "; at least " + std::to_string(run) + " is needed";
    return detail::refuseNull("residual", view.data);
  }
#endif
};
template <class T, class Layout>
TWEED_HOST_DEVICE constexpr Residual<MatrixView<T, Layout>> residual(
    MatrixView<T, Layout> const& view) {
  return {view};
}

/// Op       limits to [low, high]; NaN stays.
template <class T>
struct Clamp {
  static constexpr bool isPiece = true;
  T low, high;
  template <class Acc>
  TWEED_HOST_DEVICE Acc operator()(Acc value, Coord) const {
    auto const least = detail::operand<Acc>(low), most = detail::operand<Acc>(high);
    return value < least ? Acc(least) : most < value ? Acc(most) : value;
  }
};
template <class T>
TWEED_HOST_DEVICE constexpr Clamp<T> clamp(T low, Same<T> high) {
  return {low, high};
}

/// Op       rounds to T, in between: the accumulator goes on with the rounded value.
template <class T>
struct Cast {
  static constexpr bool isPiece = true;
  template <class Acc>
  TWEED_HOST_DEVICE Acc operator()(Acc value, Coord) const {
    return Acc(T(value));
  }
};
template <class T>
TWEED_HOST_DEVICE constexpr Cast<T> cast() {
  return {};
}

}  // namespace tweed
