// SPDX-License-Identifier: Apache-2.0
// tweed/arch/mma.cuh - one product of small matrices by a warp's tensor core (PTX mma.sync).
#pragma once

#include <tweed/core/math.cuh>
#if defined(TWEED_LOOM)
#include <tweed/arch/shuffle.cuh>
#endif

namespace tweed::arch {

/// True if the target has these instructions: sm_80 and later, and the loom.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr bool hasMma = false;
#else
inline constexpr bool hasMma = true;
#endif

/// What the factors are made of.
enum class MmaInput {
  Half,      ///< IEEE half, two a word
  Bfloat16,  ///< bfloat16, two a word
  Tf32,      ///< float whose low 13 bits are not looked at: see toTf32()
};

/// How many products mma() adds up for each item of the result.
template <MmaInput Input>
inline constexpr int mmaDepth = Input == MmaInput::Tf32 ? 8 : 16;

/// The float nearest to x that Tf32 holds: 10 bits of fraction. Halves go away from zero; infinity
/// stays infinity, and NaN is cut off: one that only the low 13 bits tell from infinity becomes it.
/// Source   PTX ISA, cvt.rna.tf32.f32.
TWEED_DEVICE unsigned toTf32(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
#else
  unsigned bits = __builtin_bit_cast(unsigned, x);
  if ((bits & 0x7f800000u) != 0x7f800000u) bits += 0x1000u;
  return bits & ~0x1fffu;
#endif
}

#if defined(TWEED_LOOM)
namespace detail {

inline float halfToFloat(unsigned bits) {
  unsigned const sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31u,
                 fraction = bits & 0x3ffu;
  if (exponent == 31) return __builtin_bit_cast(float, sign | 0x7f800000u | fraction << 13);
  if (exponent != 0)
    return __builtin_bit_cast(float, sign | (exponent + 112u) << 23 | fraction << 13);
  return (sign ? -1.f : 1.f) * float(fraction) * 0x1p-24f;
}

// Item `k` of a word, as the tensor core sees it.
template <MmaInput Input>
inline float mmaItem(unsigned word, int k) {
  if constexpr (Input == MmaInput::Tf32) return __builtin_bit_cast(float, word & ~0x1fffu);
  unsigned const bits = word >> (16 * k) & 0xffffu;
  return Input == MmaInput::Half ? halfToFloat(bits) : __builtin_bit_cast(float, bits << 16);
}

struct MmaLane {
  unsigned a[4], b[2];
  float c[4];
};

template <MmaInput Input>
inline void mmaOfWarp(void* const* payloads, unsigned arrived) {
  constexpr int depth = mmaDepth<Input>, each = depth / 8;  // items a word
  float a[16][depth], b[depth][8];
  auto const lanes = reinterpret_cast<MmaLane* const*>(payloads);
  if (arrived != 0xffffffffu) return;
  for (int l = 0; l < 32; ++l)
    for (int k = 0; k < each; ++k) {
      int const group = l / 4, depthIn = each * (l % 4) + k;
      for (int i = 0; i < 4; ++i)
        a[group + 8 * (i % 2)][depthIn + depth / 2 * (i / 2)] = mmaItem<Input>(lanes[l]->a[i], k);
      for (int i = 0; i < 2; ++i)
        b[depthIn + depth / 2 * i][group] = mmaItem<Input>(lanes[l]->b[i], k);
    }
  for (int l = 0; l < 32; ++l)
    for (int i = 0; i < 4; ++i) {
      double sum = double(lanes[l]->c[i]);
      for (int k = 0; k < depth; ++k)
        sum += double(a[l / 4 + 8 * (i / 2)][k]) * double(b[k][2 * (l % 4) + i % 2]);
      lanes[l]->c[i] = float(sum);
    }
}

}  // namespace detail
#endif

/// c += a * b: a has 16 rows, b 8 columns, both mmaDepth<Input> deep; c is 16 x 8 floats.
///
///     with g = lane / 4 and t = lane % 4, (row, column), items of one word as first:last
///              16 bits deep                    Tf32
///     a[0]     (g,     2t:2t+1)                (g,     t)
///     a[1]     (g + 8, 2t:2t+1)                (g + 8, t)
///     a[2]     (g,     2t+8:2t+9)              (g,     t + 4)
///     a[3]     (g + 8, 2t+8:2t+9)              (g + 8, t + 4)
///     b[0]     (2t:2t+1, g)                    (t, g)
///     b[1]     (2t+8:2t+9, g)                  (t + 4, g)
///     c[0:1]   (g, 2t:2t+1)    c[2:3] (g + 8, 2t:2t+1)     one float each
///
/// Shape    a whole warp.
/// Result   c. Products are exact. The GPU adds them to c with fewer bits than float has, cut off,
///          in an order of its own; the loom in double, c first, by rising depth, rounded once.
/// Sync     all 32 lanes call it together.
/// Cost     one instruction.
/// Errors   compile time: a target before sm_80. On the loom a lane that never comes.
/// Source   PTX ISA, mma.m16n8k16, mma.m16n8k8.
template <MmaInput Input>
TWEED_DEVICE void mma(float (&c)[4], unsigned const (&a)[4], unsigned const (&b)[2]) {
#if defined(TWEED_LOOM)
  detail::MmaLane lane{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}, {c[0], c[1], c[2], c[3]}};
  loom::device::warpExchange(0xffffffffu, &lane, &detail::mmaOfWarp<Input>, "mma");
  for (int i = 0; i < 4; ++i) c[i] = lane.c[i];
#elif defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ >= 800
#define TWEED_MMA(SHAPE, TYPES)                                                       \
  asm volatile("mma.sync.aligned." SHAPE ".row.col.f32." TYPES                        \
               ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                       \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
  if constexpr (Input == MmaInput::Half) TWEED_MMA("m16n8k16", "f16.f16");
  if constexpr (Input == MmaInput::Bfloat16) TWEED_MMA("m16n8k16", "bf16.bf16");
  if constexpr (Input == MmaInput::Tf32) TWEED_MMA("m16n8k8", "tf32.tf32");
#undef TWEED_MMA
#else
  static_assert(mmaDepth<Input> == 0,
                "tweed::arch::mma: needs compute capability 8.0 or later: pass -arch=sm_80 or "
                "later, and no earlier one");
#endif
#endif
}

}  // namespace tweed::arch
