// SPDX-License-Identifier: Apache-2.0
// tweed/memory/vectorLoad.cuh - read many items with 16-byte loads and fold them.
#pragma once

#include <tweed/arch/cache.cuh>
#include <tweed/arch/shuffle.cuh>
#include <tweed/memory/vector.cuh>

namespace tweed {

/// Loads of vectorItems<T> neighbours of an array; a load is kept raw until it is folded, so that
/// several can be on their way. T needs no default constructor.
template <class T>
struct VectorLoad {
  static constexpr int items = vectorItems<T>;
  static constexpr bool isVector = items > 1 || (sizeof(T) == 16 && alignof(T) == 16);
  using Raw = typename Conditional<isVector, arch::Bytes16, arch::Words<T>>::Type;

  /// Vector i of an array that is 16-byte aligned, or item i where a vector is one item.
  static TWEED_DEVICE Raw at(T const* array, unsigned long long i) {
    if constexpr (isVector) {
      return arch::loadOnce(reinterpret_cast<arch::Bytes16 const*>(array) + i);
    } else {
      T const item = array[i];  // as T: its alignment decides how wide the loads are
      return arch::Words<T>::of(item);
    }
  }

  /// The fold of the items as Acc, in order, as a balanced tree.
  template <class Acc, class Op>
  static TWEED_DEVICE Acc fold(Raw const& raw, Op op) {
    if constexpr (isVector) {
      auto const vector = __builtin_bit_cast(Vector<T, items>, raw);
      return foldItems<Acc, 0, items>(vector.item, op);
    } else {
      return Acc(raw.value());
    }
  }

 private:
  template <class Acc, int First, int Count, class Op>
  static TWEED_DEVICE Acc foldItems(T const* item, Op op) {
    if constexpr (Count == 1) {
      return Acc(item[First]);
    } else {
      return op(foldItems<Acc, First, Count / 2>(item, op),
                foldItems<Acc, First + Count / 2, Count / 2>(item, op));
    }
  }
};

namespace detail {

// Folds Count loads, in order.
template <class L, class Acc, int Count, class Op>
TWEED_DEVICE Acc foldLoaded(typename L::Raw const* raw, Op op) {
  if constexpr (Count == 1) {
    return L::template fold<Acc>(*raw, op);
  } else {
    return op(foldLoaded<L, Acc, Count / 2>(raw, op),
              foldLoaded<L, Acc, Count / 2>(raw + Count / 2, op));
  }
}

}  // namespace detail
}  // namespace tweed
