// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/tileOrder.cuh - which tile comes when.
#pragma once

#include <tweed/core/math.cuh>

namespace tweed {

/// A tile's place, in tiles, and the matrix of the batch.
struct TileIndex {
  int row;
  int column;
  int matrix;
};

/// All tiles of a batch of products, in an order in which neighbours share rows and columns: groups
/// of `groupRows` tile rows, and within a group column by column.
///
///     for (int t = blockIdx.x; t < order.count(); t += gridDim.x) tile = order.at(t);
///
/// Result   each tile once; neighbours in a group of 16 x 8 tiles read the fewest bytes.
struct TileOrder {
  int rows;     ///< tiles
  int columns;  ///< tiles
  int batch;
  int groupRows = 16;

  TWEED_HOST_DEVICE constexpr long long count() const { return 1ll * rows * columns * batch; }
  /// `t` as a 32-bit number, where count() is one, is cheaper to divide; so is a tile's number in
  /// its group, InGroup, where groupRows * columns is one.
  template <class Number,
            class InGroup = typename Conditional<(sizeof(Number) > sizeof(int)), Number, int>::Type>
  TWEED_HOST_DEVICE constexpr TileIndex at(Number t) const {
    Number const perMatrix = Number(1) * rows * columns;
    int const matrix = int(t / perMatrix);
    Number const inMatrix = t - matrix * perMatrix;
    Number const perGroup = Number(1) * smaller(groupRows, rows) * columns;
    int const group = int(inMatrix / perGroup);
    InGroup const inGroup = InGroup(inMatrix - group * perGroup);
    int const height = smaller(groupRows, rows - group * groupRows);
    return {group * groupRows + int(inGroup % height), int(inGroup / height), matrix};
  }
};

}  // namespace tweed
