// SPDX-License-Identifier: Apache-2.0
// tweed/grid/gridStride2D.cuh - walk over rows and columns with all threads of a grid, whatever its
// shape.
#pragma once

#include <tweed/core/math.cuh>

namespace tweed {

/// One element of a matrix, for a structured binding.
template <class Row, class Col = Row>
struct RowCol {
  Row row;
  Col col;
};

/// The pairs of one thread, for a range-for loop. Made by gridStride2D().
template <class Row, class Col>
class GridStride2D {
  using Wide = unsigned long long;
  // What counts rows and columns: no step leaves it, so 32 bits will do for types of 32 bits.
  using Count = typename Conditional<sizeof(Row) <= 4 && sizeof(Col) <= 4, unsigned, Wide>::Type;

 public:
  class Iterator {
   public:
    TWEED_DEVICE explicit Iterator(GridStride2D const& walk) : walk_(walk), at_(walk.first_) {}
    TWEED_DEVICE RowCol<Row, Col> operator*() const { return {Row(at_.row), Col(at_.col)}; }
    TWEED_DEVICE Iterator& operator++() {
      Count step = walk_.step_.row;
      if (walk_.cols_ - at_.col > walk_.step_.col) {
        at_.col += walk_.step_.col;
      } else {
        at_.col -= walk_.back_;
        step += walk_.carry_;
      }
      at_.row = walk_.rows_ - at_.row > step ? at_.row + step : walk_.rows_;
      return *this;
    }
    TWEED_DEVICE bool operator!=(Iterator const&) const { return at_.row < walk_.rows_; }

   private:
    GridStride2D const& walk_;
    RowCol<Count> at_;
  };

  TWEED_DEVICE GridStride2D(Row rows, Col cols) : rows_(count(rows)), cols_(count(cols)) {
    Wide const x = blockIdx.x * Wide(blockDim.x) + threadIdx.x;
    Wide const y = blockIdx.y * Wide(blockDim.y) + threadIdx.y;
    Wide const z = blockIdx.z * Wide(blockDim.z) + threadIdx.z;
    Wide const threadsX = gridDim.x * Wide(blockDim.x);
    Wide const threadsY = gridDim.y * Wide(blockDim.y);
    Wide const threadsYZ = threadsY * gridDim.z * blockDim.z;
    if (rows_ == 0 || cols_ == 0) {
      first_ = {rows_, 0};
    } else if (threadsYZ == 1) {
      // One row behind the other. Divided with 32 bits where they suffice, which is far quicker.
      bool const isNarrow = cols_ <= ~0u && threadsX <= ~0u;
      Wide const row = isNarrow ? unsigned(x) / unsigned(cols_) : x / cols_;
      Wide const rowStep = isNarrow ? unsigned(threadsX) / unsigned(cols_) : threadsX / cols_;
      first_ = {clamp(row, rows_), Count(x - row * cols_)};
      step_ = {most, 0};  // to the end from anywhere, with nothing to carry
      if (rowStep < most) step_ = {Count(rowStep), Count(threadsX - rowStep * cols_)};
      back_ = cols_ - step_.col;
      carry_ = 1;
    } else {
      first_ = {x < cols_ ? clamp(z * threadsY + y, rows_) : rows_, clamp(x, cols_)};
      step_ = {0, clamp(threadsX, most)};
      back_ = x < cols_ ? (cols_ - 1 - first_.col) / step_.col * step_.col : 0;
      carry_ = clamp(threadsYZ, most);
    }
  }

  TWEED_DEVICE Iterator begin() const { return Iterator(*this); }
  TWEED_DEVICE Iterator end() const { return Iterator(*this); }

 private:
  static constexpr Count most = Limits<Count>::greatest();

  template <class Index>
  static TWEED_DEVICE Count count(Index index) {
    if constexpr (Limits<Index>::isSigned) {
      if (index < Index(0)) return 0;
    }
    return Count(index);
  }
  static TWEED_DEVICE Count clamp(Wide value, Count limit) {
    return value < limit ? Count(value) : limit;
  }

  Count rows_, cols_;
  RowCol<Count> first_;
  // The next pair is step_ further; where that passes the last column, columns go back by back_ and
  // rows on by carry_.
  RowCol<Count> step_ = {};
  Count back_ = 0, carry_ = 0;
};

/// Every pair of [0, rows) x [0, cols) once, spread over the whole grid, neighbouring threads along
/// a row: accesses to a row-major matrix are coalesced.
///
///     for (auto const [row, col] : tweed::gridStride2D(rows, cols))
///       y[row * pitch + col] = x[row * pitch + col] + bias[col];
///
/// Shape    any grid of any blocks. x counts columns, y and z together rows: thread (x, y) of the
///          grid starts at row y, column x. A 1-D launch walks one row behind the other, so that no
///          thread is idle where rows are short. Rows and columns each up to the greatest value of
///          their types (negative ones are 0); their product may pass 64 bits.
/// Result   each thread its pairs as RowCol{row, col} in the types of the counts, in ascending
///          order. No step overflows, whatever the launch and the types.
/// Needs    integer types.
/// Sync     none. Threads run different numbers of turns: no barrier inside.
/// Cost     11 instructions a turn (about twice that with a 64-bit type) and no division; at the
///          start at most two.
/// Errors   compile time: not an integer.
/// Source   M. Harris, "CUDA Pro Tip: write flexible kernels with grid-stride loops", 2013.
template <class Row, class Col>
TWEED_DEVICE GridStride2D<Row, Col> gridStride2D(Row rows, Col cols) {
  static_assert(
      Limits<Row>::isInteger && sizeof(Row) <= 8 && Limits<Col>::isInteger && sizeof(Col) <= 8,
      "tweed::gridStride2D: rows and cols must be integers of at most 64 bits");
  return GridStride2D<Row, Col>(rows, cols);
}

}  // namespace tweed
