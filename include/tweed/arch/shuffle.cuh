// SPDX-License-Identifier: Apache-2.0
// tweed/arch/shuffle.cuh - move a value of any size between the lanes of a warp (PTX shfl.sync).
#pragma once

#include <tweed/core/math.cuh>

namespace tweed::arch {

// Words that are never used may never be written: g++ cannot follow that.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// Integers of 128 bits: copied as bytes, nvcc moves them through local memory.
template <class T, bool IsWide = sizeof(T) == 16 && !__is_class(T) && !__is_union(T)>
inline constexpr bool isWideInteger = false;
template <class T>
inline constexpr bool isWideInteger<T, true> = isInteger<T>;

/// A T as 32-bit words, the unit in which registers move. The union inside is never constructed as
/// a T, so T needs no default constructor.
template <class T>
struct Words {
  static_assert(isTriviallyCopyable<T>,
                "tweed: only a trivially copyable type moves between lanes or blocks; block-level "
                "functions take any copyable type");
  static constexpr int count = int((sizeof(T) + 3) / 4);
  unsigned word[count];

  static TWEED_DEVICE Words of(T const& value) {
    Words words;
    if constexpr (isWideInteger<T>) {
      for (int i = 0; i < count; ++i) words.word[i] = unsigned(value >> 32 * i);
    } else {
      if constexpr (sizeof(T) % 4 != 0) words.word[count - 1] = 0;
      memcpy(words.word, &value, sizeof(T));
    }
    return words;
  }
  TWEED_DEVICE T value() const {
    if constexpr (isWideInteger<T>) {
      unsigned long long const low = word[0] | static_cast<unsigned long long>(word[1]) << 32;
      unsigned long long const high = word[2] | static_cast<unsigned long long>(word[3]) << 32;
      return T(low) + T(static_cast<long long>(high)) * (T(1) << 64);
    } else {
      union Storage {
        unsigned char bytes[sizeof(T)];
        T value;
        TWEED_DEVICE Storage() {}
      } storage;
      memcpy(&storage.value, word, sizeof(T));
      return storage.value;
    }
  }
};

#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#pragma GCC diagnostic pop
#endif

/// This thread's lane, 0..31: its rank in the block (x fastest) modulo 32.
TWEED_DEVICE int laneId() {
#if defined(TWEED_LOOM)
  return int(loom::device::laneId());
#else
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
#endif
}

/// At the end of a short branch: keeps the compiler from choosing operands in place of it, which
/// takes one instruction more than an addition under a predicate.
TWEED_DEVICE void keepBranch() {
#if !defined(TWEED_LOOM)
  asm volatile("");
#endif
}

// Shape    one T per lane of `mask`; `width` is a power of two up to 32: groups of lanes.
// Result   every lane of `mask` gets the value of the lane it names, which must be in `mask`.
//          shuffle counts modulo `width`; Up and Down take the low five bits of delta and give a
//          lane its own value where they would leave the group; Xor may reach into lower groups.
// Needs    T trivially copyable, of any size.
// Sync     all lanes of `mask` call it together.
// Cost     one shuffle for every 4 bytes of T.
// Errors   compile time: T. The loom names a lane that is absent from the mask, or never comes.
// Source   PTX ISA, shfl.sync.

/// The value of lane `source` of the group.
template <class T>
TWEED_DEVICE T shuffle(unsigned mask, T const& value, int source, int width = 32) {
  auto words = Words<T>::of(value);
#pragma unroll
  for (int i = 0; i < Words<T>::count; ++i)
    words.word[i] = __shfl_sync(mask, words.word[i], source, width);
  return words.value();
}

/// The value of the lane `delta` below.
template <class T>
TWEED_DEVICE T shuffleUp(unsigned mask, T const& value, unsigned delta, int width = 32) {
  auto words = Words<T>::of(value);
#pragma unroll
  for (int i = 0; i < Words<T>::count; ++i)
    words.word[i] = __shfl_up_sync(mask, words.word[i], delta, width);
  return words.value();
}

/// The same with whether the group has that lane, which the instruction tells for nothing.
template <class T>
struct FromBelow {
  T value;
  bool isThere;
};
template <class T>
TWEED_DEVICE FromBelow<T> shuffleUpIfThere(unsigned mask, T const& value, unsigned delta,
                                           int width = 32) {
  static_assert(sizeof(T) <= 4, "tweed::arch::shuffleUpIfThere: T has at most 4 bytes");
#if defined(TWEED_LOOM)
  return {shuffleUp(mask, value, delta, width), laneId() % width >= int(delta)};
#else
  auto words = Words<T>::of(value);
  unsigned isThere;
  asm volatile(
      "{\n\t.reg .pred p;\n\t"
      "shfl.sync.up.b32 %0|p, %2, %3, %4, %5;\n\t"
      "selp.u32 %1, 1, 0, p;\n\t}"
      : "=r"(words.word[0]), "=r"(isThere)
      : "r"(words.word[0]), "r"(delta), "r"((32 - width) << 8), "r"(mask));
  return {words.value(), isThere != 0};
#endif
}

/// The value of the lane `delta` above.
template <class T>
TWEED_DEVICE T shuffleDown(unsigned mask, T const& value, unsigned delta, int width = 32) {
  auto words = Words<T>::of(value);
#pragma unroll
  for (int i = 0; i < Words<T>::count; ++i)
    words.word[i] = __shfl_down_sync(mask, words.word[i], delta, width);
  return words.value();
}

/// The value of the lane whose number differs by the bits of `bits`.
template <class T>
TWEED_DEVICE T shuffleXor(unsigned mask, T const& value, int bits, int width = 32) {
  auto words = Words<T>::of(value);
#pragma unroll
  for (int i = 0; i < Words<T>::count; ++i)
    words.word[i] = __shfl_xor_sync(mask, words.word[i], bits, width);
  return words.value();
}

}  // namespace tweed::arch
