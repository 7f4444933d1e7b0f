// SPDX-License-Identifier: Apache-2.0
// tweed/memory/loadStore.cuh - load and store neighbours together, with a hint to the caches.
#pragma once

#include <tweed/arch/cache.cuh>
#include <tweed/memory/vector.cuh>

namespace tweed {

namespace detail {

// So many bytes as instructions of at most 16 move them.
template <int Bytes>
struct Pieces {
  static constexpr int each = smaller(Bytes, 16);
  arch::Piece<each> piece[Bytes / each];
};

template <int N, class T>
TWEED_DEVICE void checkVector([[maybe_unused]] char const* call, [[maybe_unused]] T const* p) {
  static_assert(N >= 1 && isPow2(N * int(sizeof(T))) && N * sizeof(T) <= 128,
                "tweed::loadVector, storeVector: N * sizeof(T) must be a power of two up to 128");
  static_assert(isTriviallyCopyable<T>,
                "tweed::loadVector, storeVector: T must be trivially copyable");
  [[maybe_unused]] constexpr unsigned alignment = sizeof(arch::Piece<Pieces<N * sizeof(T)>::each>);
  TWEED_ASSERT(reinterpret_cast<unsigned long long>(p) % alignment == 0,
               "tweed::%s: the pointer is %llu bytes behind a multiple of %u, which a vector of %d "
               "items of %u bytes needs",
               call, reinterpret_cast<unsigned long long>(p) % alignment, alignment, N,
               unsigned(sizeof(T)));
}

}  // namespace detail

/// The N items from p on.
///
///     auto const x = tweed::loadVector<4, tweed::Cache::Streaming>(in + 4 * i);
///     sum += x.item[0] + x.item[1] + x.item[2] + x.item[3];
///
/// Shape    N * sizeof(T) is a power of two up to 128 bytes.
/// Result   a Vector<T, N>. Hint changes the speed alone: Cache::Normal, Streaming, Keep; and
///          ReadOnly and ReadOnce, which promise that nobody writes the memory while the kernel
///          runs.
/// Needs    T trivially copyable; p in global memory (Cache::Normal: anywhere), aligned to
///          N * sizeof(T), or to 16 bytes if that is more.
/// Sync     none.
/// Cost     one load for every 16 bytes, or one. Less than 4 bytes take no hint.
/// Errors   compile time: N, T. A pointer that is not aligned stops the kernel under TWEED_DEBUG
///          and on the loom, else is undefined. On the loom a hint does nothing.
/// Source   PTX ISA, ld, st: cache operators and eviction priority.
template <int N, Cache Hint = Cache::Normal, class T>
TWEED_DEVICE Vector<T, N> loadVector(T const* p) {
  detail::checkVector<N>("loadVector", p);
  detail::Pieces<N* int(sizeof(T))> pieces;
  auto const* const from = reinterpret_cast<decltype(&pieces.piece[0])>(const_cast<T*>(p));
#pragma unroll
  for (int i = 0; i < int(sizeof pieces / sizeof pieces.piece[0]); ++i)
    pieces.piece[i] = arch::load<Hint>(from + i);
  return __builtin_bit_cast(Vector<T, N>, pieces);
}

/// Stores the N items of `value` from p on; as loadVector(). Hint: Cache::Normal, Streaming, Keep.
template <Cache Hint = Cache::Normal, class T, int N>
TWEED_DEVICE void storeVector(T* p, Vector<T, N> const& value) {
  detail::checkVector<N>("storeVector", p);
  auto const pieces = __builtin_bit_cast(detail::Pieces<N* int(sizeof(T))>, value);
  auto* const to = reinterpret_cast<arch::Piece<decltype(pieces)::each>*>(p);
#pragma unroll
  for (int i = 0; i < int(sizeof pieces / sizeof pieces.piece[0]); ++i)
    arch::store<Hint>(to + i, pieces.piece[i]);
}

}  // namespace tweed
