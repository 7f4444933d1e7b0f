// SPDX-License-Identifier: Apache-2.0
// tweed/grid/gridStride.cuh - walk over n items with all threads of a grid, whatever its size.
#pragma once

#include <tweed/core/math.cuh>

namespace tweed {

/// The indices of one thread, for a range-for loop. Made by gridStride().
template <class Index>
class GridStride {
  // 64 bits and unsigned, whatever the index: the last step may pass the end of Index, and the
  // stride alone may be more than 32 bits hold.
  using Wide = unsigned long long;

 public:
  class Iterator {
   public:
    TWEED_DEVICE Iterator(Wide at, Wide stride) : at_(at), stride_(stride) {}
    TWEED_DEVICE Index operator*() const { return Index(at_); }
    TWEED_DEVICE Iterator& operator++() {
      at_ += stride_;
      return *this;
    }
    TWEED_DEVICE bool operator!=(Iterator const& end) const { return at_ < end.at_; }

   private:
    Wide at_;
    Wide stride_;
  };

  TWEED_DEVICE explicit GridStride(Index count) : count_(Wide(count)) {
    if constexpr (Limits<Index>::isSigned) {
      if (count < Index(0)) count_ = 0;
    }
  }

  TWEED_DEVICE Iterator begin() const {
    return {blockIdx.x * Wide(blockDim.x) + threadIdx.x, gridDim.x * Wide(blockDim.x)};
  }
  TWEED_DEVICE Iterator end() const { return {count_, 0}; }

 private:
  Wide count_;
};

/// Every index of [0, count) once, spread over the whole grid: neighbouring threads get neighbours.
///
///     for (auto const i : tweed::gridStride(n)) y[i] = a * x[i] + y[i];
///
/// Shape    a 1-D grid of 1-D blocks, any numbers of them; count up to 2^63 (a negative one is 0).
/// Result   each thread its indices, ascending, as the type of `count`. Never overflows: the stride
///          is 64 bits wide also for a 32-bit index.
/// Needs    an integer type.
/// Sync     none. Threads run different numbers of turns: no barrier inside.
/// Cost     one 64-bit addition and comparison a turn.
/// Errors   compile time: not an integer. A grid or block of more dimensions stops the kernel under
///          TWEED_DEBUG and on the loom, else visits indices more than once.
/// Source   M. Harris, "CUDA Pro Tip: write flexible kernels with grid-stride loops", 2013.
template <class Index>
TWEED_DEVICE GridStride<Index> gridStride(Index count) {
  static_assert(Limits<Index>::isInteger && sizeof(Index) <= 8,
                "tweed::gridStride: count must be an integer of at most 64 bits");
  TWEED_ASSERT(
      blockDim.y * blockDim.z * gridDim.y * gridDim.z == 1,
      "tweed::gridStride: needs a 1-D grid of 1-D blocks; y and z are (%u, %u) of the block "
      "and (%u, %u) of the grid",
      blockDim.y, blockDim.z, gridDim.y, gridDim.z);
  return GridStride<Index>(count);
}

}  // namespace tweed
