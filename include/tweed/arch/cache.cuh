// SPDX-License-Identifier: Apache-2.0
// tweed/arch/cache.cuh - loads and stores of 1 to 16 bytes with a hint to the caches.
#pragma once

#include <tweed/core/config.cuh>

namespace tweed {

/// What a load or store of global memory tells the caches. Speed alone depends on it, but ReadOnly
/// and ReadOnce are promises.
enum class Cache {
  Normal,     ///< nothing
  Streaming,  ///< touched once: the first to leave L1 and L2
  Keep,       ///< touched again soon: the last to leave L1 and L2
  ReadOnly,   ///< loads: nobody writes this memory while the kernel runs
  ReadOnce,   ///< the same, and read once: takes no place in L1
};

namespace arch {

/// Bytes as the unit that one instruction moves.
template <int Bytes>
struct alignas(Bytes) Piece {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16,
                "tweed::arch::Piece: one instruction moves 1, 2, 4, 8 or 16 bytes");
  unsigned word[Bytes / 4];
};
template <>
struct Piece<2> {
  unsigned short word[1];
};
template <>
struct Piece<1> {
  unsigned char word[1];
};
using Bytes16 = Piece<16>;

#if defined(__CUDA_ARCH__)
// The types that CUDA's own functions take.
TWEED_DEVICE uint4* native(Piece<16>* p) { return reinterpret_cast<uint4*>(p); }
TWEED_DEVICE uint2* native(Piece<8>* p) { return reinterpret_cast<uint2*>(p); }
TWEED_DEVICE unsigned* native(Piece<4>* p) { return reinterpret_cast<unsigned*>(p); }

template <class Native, int Bytes>
TWEED_DEVICE void storeStreaming(Native* p, Piece<Bytes> const& value) {
  __stcs(p, __builtin_bit_cast(Native, value));
}

// The three widths of one instruction. The offset is part of it, so that several accesses share one
// address register. The last argument is a clobber, where others may write the memory.
#define TWEED_LOADS(NAME, BEGIN, INSTRUCTION, END, ...)                               \
  template <int Offset>                                                               \
  TWEED_DEVICE Piece<16> NAME(Piece<16> const* p) {                                   \
    Piece<16> v;                                                                      \
    asm volatile(BEGIN INSTRUCTION ".v4.u32 {%0, %1, %2, %3}, [%4 + %5]" END          \
                 : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3]) \
                 : "l"(p), "n"(Offset * 16) __VA_ARGS__);                             \
    return v;                                                                         \
  }                                                                                   \
  template <int Offset>                                                               \
  TWEED_DEVICE Piece<8> NAME(Piece<8> const* p) {                                     \
    Piece<8> v;                                                                       \
    asm volatile(BEGIN INSTRUCTION ".v2.u32 {%0, %1}, [%2 + %3]" END                  \
                 : "=r"(v.word[0]), "=r"(v.word[1])                                   \
                 : "l"(p), "n"(Offset * 8) __VA_ARGS__);                              \
    return v;                                                                         \
  }                                                                                   \
  template <int Offset>                                                               \
  TWEED_DEVICE Piece<4> NAME(Piece<4> const* p) {                                     \
    Piece<4> v;                                                                       \
    asm volatile(BEGIN INSTRUCTION ".u32 %0, [%1 + %2]" END                           \
                 : "=r"(v.word[0])                                                    \
                 : "l"(p), "n"(Offset * 4) __VA_ARGS__);                              \
    return v;                                                                         \
  }
#define TWEED_KEEP "{.reg .b64 keep; createpolicy.fractional.L2::evict_last.b64 keep, 1.0; "
// 128 bytes: L2 fetches the rest of them with the first. (256 are 2 % faster at 16 MB and 8 %
// slower from 256 MB on.)
TWEED_LOADS(loadReadOnce, "", "ld.global.nc.L1::no_allocate.L2::128B", ";")
TWEED_LOADS(loadKeep, TWEED_KEEP, "ld.global.L1::evict_last.L2::cache_hint", ", keep;}", : "memory")
#undef TWEED_LOADS

TWEED_DEVICE void storeKeep(Piece<16>* p, Piece<16> v) {
  asm volatile(
      TWEED_KEEP
      "st.global.L1::evict_last.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, keep;}" ::"l"(p),
      "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3])
      : "memory");
}
TWEED_DEVICE void storeKeep(Piece<8>* p, Piece<8> v) {
  asm volatile(TWEED_KEEP
               "st.global.L1::evict_last.L2::cache_hint.v2.u32 [%0], {%1, %2}, keep;}" ::"l"(p),
               "r"(v.word[0]), "r"(v.word[1])
               : "memory");
}
TWEED_DEVICE void storeKeep(Piece<4>* p, Piece<4> v) {
  asm volatile(TWEED_KEEP "st.global.L1::evict_last.L2::cache_hint.u32 [%0], %1, keep;}" ::"l"(p),
               "r"(v.word[0])
               : "memory");
}
#undef TWEED_KEEP

#else
// A GPU stops at an address that is not aligned; a copy of bytes would not.
template <int Bytes>
TWEED_DEVICE void checkAligned([[maybe_unused]] Piece<Bytes> const* p) {
  TWEED_ASSERT(reinterpret_cast<unsigned long long>(p) % Bytes == 0,
               "tweed: an access of %d bytes at an address that is no multiple of it", Bytes);
}

#endif

// Needs    global memory, p aligned to its piece. Hints are for pieces of 4 to 16 bytes; smaller
//          ones are plain accesses, and so are all on the loom.
// Source   PTX ISA, ld, ld.global.nc, st: cache operators, eviction priority, prefetch size;
//          createpolicy.

/// The piece p[Offset].
template <Cache Hint, int Offset = 0, int Bytes>
TWEED_DEVICE Piece<Bytes> load(Piece<Bytes> const* p) {
#if defined(__CUDA_ARCH__)
  if constexpr (Bytes >= 4 && Hint == Cache::ReadOnce) {
    return loadReadOnce<Offset>(p);
  } else if constexpr (Bytes >= 4 && Hint == Cache::Keep) {
    return loadKeep<Offset>(p);
  } else if constexpr (Bytes >= 4 && Hint == Cache::ReadOnly) {
    return __builtin_bit_cast(Piece<Bytes>, __ldg(native(const_cast<Piece<Bytes>*>(p)) + Offset));
  } else if constexpr (Bytes >= 4 && Hint == Cache::Streaming) {
    return __builtin_bit_cast(Piece<Bytes>, __ldcs(native(const_cast<Piece<Bytes>*>(p)) + Offset));
  } else {
    return p[Offset];
  }
#else
  checkAligned(p);
  Piece<Bytes> v;
  memcpy(&v, __builtin_assume_aligned(p + Offset, Bytes), Bytes);  // one access, to the recorder
  return v;
#endif
}

/// p[0] = value.
template <Cache Hint, int Bytes>
TWEED_DEVICE void store(Piece<Bytes>* p, Piece<Bytes> const& value) {
  static_assert(Hint != Cache::ReadOnly && Hint != Cache::ReadOnce,
                "tweed: memory that is stored to is neither Cache::ReadOnly nor Cache::ReadOnce");
#if defined(__CUDA_ARCH__)
  if constexpr (Bytes >= 4 && Hint == Cache::Keep) {
    storeKeep(p, value);
  } else if constexpr (Bytes >= 4 && Hint == Cache::Streaming) {
    storeStreaming(native(p), value);
  } else {
    *p = value;
  }
#else
  checkAligned(p);
  memcpy(__builtin_assume_aligned(p, Bytes), &value, Bytes);
#endif
}

}  // namespace arch
}  // namespace tweed
