// SPDX-License-Identifier: Apache-2.0
// tweed/memory/vectorLoad.cuh - read many items with 16-byte loads and fold them.
#pragma once

#include <tweed/arch/cache.cuh>
#include <tweed/arch/shuffle.cuh>
#include <tweed/core/ops.cuh>
#include <tweed/memory/vector.cuh>

namespace tweed {

/// Loads of vectorItems<T> neighbours of an array; a load is kept raw until it is folded, so that
/// several can be on their way. T needs no default constructor. Not IsAligned: of items one by one.
template <class T, bool IsAligned = true>
struct VectorLoad {
  using Item = T;
  static constexpr int items = vectorItems<T>;
  static constexpr bool isVector = items > 1 || (sizeof(T) == 16 && alignof(T) == 16);
  using Raw = typename Conditional<isVector, arch::Bytes16, arch::Words<T>>::Type;

  /// Vector `Offset` from `at` on, which, if IsAligned, is 16-byte aligned where a vector is more
  /// than one item.
  template <int Offset>
  static TWEED_DEVICE Raw load(T const* at) {
    if constexpr (isVector && !IsAligned) {
      Raw raw;
#pragma unroll
      for (int i = 0; i < items; ++i) {
        T const item = at[Offset * items + i];
        memcpy(reinterpret_cast<unsigned char*>(&raw) + i * sizeof(T), &item, sizeof(T));
      }
      return raw;
    } else if constexpr (isVector) {
      TWEED_ASSERT(reinterpret_cast<unsigned long long>(at) % 16 == 0,
                   "tweed::VectorLoad: address %p is not a multiple of 16",
                   static_cast<void const*>(at));
      return arch::load<Cache::ReadOnce, Offset>(reinterpret_cast<arch::Bytes16 const*>(at));
    } else {
      T const item = at[Offset];  // as T: its alignment decides how wide the loads are
      return arch::Words<T>::of(item);
    }
  }

  /// The fold of the items as Acc, in order, as a balanced tree. `index` is the number of the
  /// first in its array, for operators that ask where an input stands.
  template <class Acc, class Op, class Index>
  static TWEED_DEVICE Acc fold(Raw const& raw, Op op, Index index) {
    if constexpr (isVector) {
      auto const vector = __builtin_bit_cast(Vector<T, items>, raw);
      return foldItems<Acc, 0, items>(vector.item, op, index);
    } else {
      return Acc(lift(op, raw.value(), index));
    }
  }

 private:
  template <class Acc, int First, int Count, class Op, class Index>
  static TWEED_DEVICE Acc foldItems(T const* item, Op op, Index index) {
    if constexpr (Count == 1) {
      return Acc(lift(op, item[First], Index(index + First)));
    } else {
      return combineNext<T>(op, foldItems<Acc, First, Count / 2>(item, op, index),
                            foldItems<Acc, First + Count / 2, Count / 2>(item, op, index));
    }
  }
};

namespace detail {

// Starts the first `some` of Count loads, Step vectors apart.
template <class L, int Count, int Step, int First = 0, class T>
TWEED_DEVICE void loadSome(T const* at, int some, typename L::Raw* raw) {
  if (First < some)
    raw[First] = L::template load<First * Step>(at);
  else if constexpr (!isDeviceCode)
    raw[First] = {};  // g++ cannot follow that it is never used
  if constexpr (First + 1 < Count) loadSome<L, Count, Step, First + 1>(at, some, raw);
}

// Folds Count loads, in order, Step vectors apart.
template <class L, class Acc, int Count, int Step, class Op, class Index>
TWEED_DEVICE Acc foldLoaded(typename L::Raw const* raw, Op op, Index index) {
  if constexpr (Count == 1) {
    return L::template fold<Acc>(*raw, op, index);
  } else {
    constexpr int half = Count / 2;
    return combineNext<typename L::Item>(
        op, foldLoaded<L, Acc, half, Step>(raw, op, index),
        foldLoaded<L, Acc, half, Step>(raw + half, op, Index(index + half * Step * L::items)));
  }
}

}  // namespace detail
}  // namespace tweed
