// SPDX-License-Identifier: Apache-2.0
// tweed/memory/vector.cuh - neighbours in memory that one 16-byte instruction moves together.
#pragma once

#include <tweed/core/math.cuh>

namespace tweed {

/// N neighbours as one object. 16-byte aligned loads of it are one instruction.
template <class T, int N>
struct alignas(N * sizeof(T)) Vector {
  static_assert(isPow2(N * int(sizeof(T))), "tweed::Vector: N * sizeof(T) must be a power of two");
  T item[N];
};

/// How many T one 16-byte instruction moves. 1 for types that do not divide 16 bytes, and for those
/// that may stand in memory at less than their size's alignment, such as {float, float}.
template <class T>
inline constexpr int vectorItems = isTriviallyCopyable<T>&& isPow2(sizeof(T)) && sizeof(T) <= 16 &&
                                           alignof(T) == sizeof(T)
                                       ? int(16 / sizeof(T))
                                       : 1;

/// How the items from `data` on divide into single ones up to a 16-byte boundary, whole vectors,
/// and single ones behind them. Any element-aligned pointer; no byte outside [data, data + count)
/// is in any of the three.
struct VectorSplit {
  unsigned long long head;     ///< items
  unsigned long long vectors;  ///< of vectorItems<T> items
  unsigned long long tail;     ///< items
};

template <class T>
TWEED_HOST_DEVICE VectorSplit splitVectors(T const* data, unsigned long long count) {
  constexpr unsigned long long items = vectorItems<T>;
  if constexpr (items == 1) return {0, count, 0};
  auto const address = reinterpret_cast<unsigned long long>(data);
  unsigned long long const head = smaller((16 - address % 16) % 16 / sizeof(T), count);
  return {head, (count - head) / items, (count - head) % items};
}

}  // namespace tweed
