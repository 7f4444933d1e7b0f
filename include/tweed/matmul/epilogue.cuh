// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/epilogue.cuh - what happens to each item of a product before it is stored.
#pragma once

#include <tweed/core/config.cuh>

namespace tweed {

/// Where an item of a product stands, in the whole matrix.
struct Coord {
  int row;
  int column;
  int matrix;  ///< of the batch
};

// What an epilogue is: any trivially copyable type, a __device__ lambda too, with
//
//     Acc operator()(Acc value, Coord at) const;
//
// or, where the old item of C is needed,
//
//     static constexpr bool needsC = true;
//     Acc operator()(Acc value, Acc c, Coord at) const;
//
// It is called exactly once for each item of the product and for no other, in any order, by any
// thread, and must not synchronise. Acc is the accumulator: float for 16-bit floats and TF32, else
// the type of the items. The result is converted to the type of C once, when it is stored.

/// Stores the product as it is.
struct Identity {
  template <class Acc>
  TWEED_HOST_DEVICE Acc operator()(Acc value, Coord) const {
    return value;
  }
};

namespace detail {

template <class Epilogue, class = void>
inline constexpr bool needsC = false;
template <class Epilogue>
inline constexpr bool needsC<Epilogue, decltype(void(Epilogue::needsC))> = Epilogue::needsC;

// The result for one item. `readC` returns the old one and is called only if it is needed.
template <class Epilogue, class Acc, class ReadC>
TWEED_DEVICE Acc finish(Epilogue const& epilogue, Acc value, Coord at, ReadC readC) {
  if constexpr (needsC<Epilogue>) {
    return epilogue(value, Acc(readC()), at);
  } else {
    return epilogue(value, at);
  }
}

}  // namespace detail
}  // namespace tweed
