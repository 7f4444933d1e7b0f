// SPDX-License-Identifier: Apache-2.0
// tweed/memory/sharedArray.cuh - an array in shared memory of any type, never constructed by
// itself.
#pragma once

#include <tweed/core/math.cuh>

namespace tweed {

namespace detail {
// A tag of our own, so that constructing in place needs no header and cannot meet another overload.
// Its operator new is not noexcept, or each construction would test the address for null.
struct Place {
  void* address;
};
}  // namespace detail

}  // namespace tweed

TWEED_HOST_DEVICE void* operator new(decltype(sizeof(0)), tweed::detail::Place place) {
  return place.address;
}
TWEED_HOST_DEVICE void operator delete(void*, tweed::detail::Place) {}

namespace tweed {

/// N objects of type T, 16-byte aligned, for a `__shared__` variable or a member of one: CUDA
/// allows no constructors there, so an element exists from construct() to destroy().
///
///     __shared__ tweed::SharedArray<Complex, 256> values;
///     values.construct(threadIdx.x, value);
///
/// Shape    N elements.
/// Needs    T copyable. Trivially copyable elements need no destroy().
/// Sync     none; the caller places the barriers.
/// Errors   an index out of range stops the kernel under TWEED_DEBUG and on the loom.
template <class T, int N>
struct SharedArray {
  static_assert(N >= 1, "tweed::SharedArray: needs at least one element");
  static constexpr int alignment = alignof(T) > 16 ? int(alignof(T)) : 16;

  alignas(alignment) unsigned char bytes[sizeof(T) * N];

  TWEED_DEVICE T* data() { return reinterpret_cast<T*>(bytes); }
  TWEED_DEVICE T const* data() const { return reinterpret_cast<T const*>(bytes); }
  TWEED_DEVICE T& operator[](int i) { return data()[checked(i)]; }
  TWEED_DEVICE T const& operator[](int i) const { return data()[checked(i)]; }

  TWEED_DEVICE void construct(int i, T const& value) {
    ::new (detail::Place{data() + checked(i)}) T(value);
  }
  TWEED_DEVICE void destroy(int i) { data()[checked(i)].~T(); }

 private:
  static TWEED_DEVICE int checked(int i) {
    TWEED_ASSERT(i >= 0 && i < N, "tweed::SharedArray: index is %d, allowed are 0 to %d", i, N - 1);
    return i;
  }
};

}  // namespace tweed
