// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/epilogue.cuh - what happens to each item of a product before it is stored.
#pragma once

#include <tweed/core/math.cuh>

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
//     bool readsC() const;                     // optional: false, if it is not needed after all
//
// It is called exactly once for each item of the product and for no other, in any order, by any
// thread, and must not synchronise. Acc is the accumulator: float for 16-bit floats and TF32, else
// the type of the items. The result is converted to the type of C once, when it is stored.
//
// They are joined by `|`, from left to right. One of two neighbours must be a piece of tweed's, as
// Identity{} is, and what is joined is one: a lambda follows another by Identity{} | f | g. The
// host calls no epilogue and asks for no type that one returns: lambdas need nvcc's
// --extended-lambda, and nothing else.

/// Stores the product as it is.
struct Identity {
  static constexpr bool isPiece = true;
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

template <class Epilogue, class = void>
inline constexpr bool saysReadsC = false;
template <class Epilogue>
inline constexpr bool saysReadsC<Epilogue, decltype(void(&Epilogue::readsC))> = true;

template <class T, class = void>
inline constexpr bool isPiece = false;
template <class T>
inline constexpr bool isPiece<T, decltype(void(T::isPiece))> = T::isPiece;

// Whether the old C is read: known when the epilogue is made, the same for all items.
template <class Epilogue>
TWEED_HOST_DEVICE bool readsC(Epilogue const& epilogue) {
  if constexpr (!needsC<Epilogue>) {
    return false;
  } else if constexpr (saysReadsC<Epilogue>) {
    return epilogue.readsC();
  } else {
    return true;
  }
}

template <class Epilogue, class Acc>
TWEED_DEVICE Acc apply(Epilogue const& epilogue, Acc value, [[maybe_unused]] Acc c, Coord at) {
  if constexpr (needsC<Epilogue>) {
    return epilogue(value, c, at);
  } else {
    return epilogue(value, at);
  }
}

// The result for one item. `readC` returns the old one and is called only if it is needed.
template <class Epilogue, class Acc, class ReadC>
TWEED_DEVICE Acc finish(Epilogue const& epilogue, Acc value, Coord at, ReadC readC) {
  if constexpr (needsC<Epilogue>) {
    return epilogue(value, readsC(epilogue) ? Acc(readC()) : Acc(0), at);
  } else {
    return epilogue(value, at);
  }
}

}  // namespace detail

/// One epilogue after another; `first | second` makes it.
template <class First, class Second>
struct Chain {
  static constexpr bool isPiece = true;
  static constexpr bool needsC = detail::needsC<First> || detail::needsC<Second>;

  First first;
  Second second;

  TWEED_HOST_DEVICE bool readsC() const { return detail::readsC(first) || detail::readsC(second); }

  template <class Acc>
  TWEED_DEVICE Acc operator()(Acc value, Coord at) const {
    Acc const between = first(value, at);
    return second(between, at);
  }
  // Where a piece needs no C, it sees none; where several do, all see the old one.
  template <class Acc>
  TWEED_DEVICE Acc operator()(Acc value, Acc c, Coord at) const {
    Acc const between = detail::apply(first, value, c, at);
    return detail::apply(second, between, c, at);
  }
};

template <class First, class Second,
          class = EnableIf<detail::isPiece<First> || detail::isPiece<Second>>>
TWEED_HOST_DEVICE constexpr Chain<First, Second> operator|(First first, Second second) {
  return {first, second};
}

/// An epilogue of C as the transposed C calls it.
template <class Epilogue>
struct TransposedEpilogue {
  static constexpr bool isPiece = true;
  static constexpr bool needsC = detail::needsC<Epilogue>;

  Epilogue epilogue;

  TWEED_HOST_DEVICE bool readsC() const { return detail::readsC(epilogue); }

  template <class Acc>
  TWEED_DEVICE Acc operator()(Acc value, Coord at) const {
    return epilogue(value, Coord{at.column, at.row, at.matrix});
  }
  template <class Acc>
  TWEED_DEVICE Acc operator()(Acc value, Acc c, Coord at) const {
    return epilogue(value, c, Coord{at.column, at.row, at.matrix});
  }
};

namespace detail {
template <class Epilogue>
inline constexpr bool isTransposed = false;
template <class Epilogue>
inline constexpr bool isTransposed<TransposedEpilogue<Epilogue>> = true;

// Nothing happens to an item, so that no code for it has to be kept short.
template <class Epilogue>
inline constexpr bool isIdentity = isSame<Epilogue, Identity>;
template <class Epilogue>
inline constexpr bool isIdentity<TransposedEpilogue<Epilogue>> = isIdentity<Epilogue>;
}  // namespace detail

}  // namespace tweed
