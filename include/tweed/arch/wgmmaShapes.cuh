// SPDX-License-Identifier: Apache-2.0
// tweed/arch/wgmmaShapes.cuh - wgmma.mma_async for each width of B, with its list of registers.
#pragma once

#include <tweed/arch/target.cuh>

namespace tweed::arch {

/// What wgmma multiplies; it adds up in float.
struct WgmmaHalf {
  static constexpr bool isTf32 = false;
  static constexpr bool isBfloat16 = false;
};
struct WgmmaBfloat16 {
  static constexpr bool isTf32 = false;
  static constexpr bool isBfloat16 = true;
};
struct WgmmaTf32 {
  static constexpr bool isTf32 = true;
  static constexpr bool isBfloat16 = false;
};

/// The instruction for B of N columns. Specialised below for those that exist here.
template <int N>
struct WgmmaShape {
  static_assert(N < 0, "tweed::arch::wgmma: N is 8 or a multiple of 16 up to 256");
};

// The names of 8 operands, those of 8 * n as LISTn, and the operands themselves.
#define TWEED_NAMES(a, b, c, d, e, f, g, h) \
  "%" #a ", %" #b ", %" #c ", %" #d ", %" #e ", %" #f ", %" #g ", %" #h
#define TWEED_LIST1 TWEED_NAMES(0, 1, 2, 3, 4, 5, 6, 7)
#define TWEED_LIST2 TWEED_LIST1 ", " TWEED_NAMES(8, 9, 10, 11, 12, 13, 14, 15)
#define TWEED_LIST3 TWEED_LIST2 ", " TWEED_NAMES(16, 17, 18, 19, 20, 21, 22, 23)
#define TWEED_LIST4 TWEED_LIST3 ", " TWEED_NAMES(24, 25, 26, 27, 28, 29, 30, 31)
#define TWEED_LIST5 TWEED_LIST4 ", " TWEED_NAMES(32, 33, 34, 35, 36, 37, 38, 39)
#define TWEED_LIST6 TWEED_LIST5 ", " TWEED_NAMES(40, 41, 42, 43, 44, 45, 46, 47)
#define TWEED_LIST7 TWEED_LIST6 ", " TWEED_NAMES(48, 49, 50, 51, 52, 53, 54, 55)
#define TWEED_LIST8 TWEED_LIST7 ", " TWEED_NAMES(56, 57, 58, 59, 60, 61, 62, 63)
#define TWEED_LIST9 TWEED_LIST8 ", " TWEED_NAMES(64, 65, 66, 67, 68, 69, 70, 71)
#define TWEED_LIST10 TWEED_LIST9 ", " TWEED_NAMES(72, 73, 74, 75, 76, 77, 78, 79)
#define TWEED_LIST11 TWEED_LIST10 ", " TWEED_NAMES(80, 81, 82, 83, 84, 85, 86, 87)
#define TWEED_LIST12 TWEED_LIST11 ", " TWEED_NAMES(88, 89, 90, 91, 92, 93, 94, 95)
#define TWEED_LIST13 TWEED_LIST12 ", " TWEED_NAMES(96, 97, 98, 99, 100, 101, 102, 103)
#define TWEED_LIST14 TWEED_LIST13 ", " TWEED_NAMES(104, 105, 106, 107, 108, 109, 110, 111)
#define TWEED_LIST15 TWEED_LIST14 ", " TWEED_NAMES(112, 113, 114, 115, 116, 117, 118, 119)
#define TWEED_LIST16 TWEED_LIST15 ", " TWEED_NAMES(120, 121, 122, 123, 124, 125, 126, 127)
#define TWEED_R4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define TWEED_R8(i) TWEED_R4(i), TWEED_R4(i + 4)
#define TWEED_R16(i) TWEED_R8(i), TWEED_R8(i + 8)
#define TWEED_R32(i) TWEED_R16(i), TWEED_R16(i + 16)
#define TWEED_R64(i) TWEED_R32(i), TWEED_R32(i + 32)
#define TWEED_BARE(...) __VA_ARGS__

// A and B are 1 where the operand is MN-major. The numbers behind the registers are those of the
// operands that follow them.
#define TWEED_WGMMA(N, LIST, REGISTERS, A_, B_, ADD, MAJOR_A, MAJOR_B)                             \
  template <>                                                                                      \
  struct WgmmaShape<N> {                                                                           \
    template <class Input, int A, int B>                                                           \
    static TWEED_DEVICE void multiply(float (&d)[N / 2], unsigned long long a,                     \
                                      unsigned long long b, int accumulate) {                      \
      if constexpr (Input::isTf32) {                                                               \
        asm volatile(                                                                              \
            "{.reg .pred p;\n"                                                                     \
            "setp.ne.b32 p, %" #ADD                                                                \
            ", 0;\n"                                                                               \
            "wgmma.mma_async.sync.aligned.m64n" #N "k8.f32.tf32.tf32 {" LIST "}, %" #A_ ", %" #B_  \
            ", p, 1, 1;}"                                                                          \
            : TWEED_BARE REGISTERS                                                                 \
            : "l"(a), "l"(b), "r"(accumulate));                                                    \
      } else if constexpr (Input::isBfloat16) {                                                    \
        asm volatile(                                                                              \
            "{.reg .pred p;\n"                                                                     \
            "setp.ne.b32 p, %" #ADD                                                                \
            ", 0;\n"                                                                               \
            "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {" LIST "}, %" #A_ ", %" #B_ \
            ", p, 1, 1, %" #MAJOR_A ", %" #MAJOR_B ";}"                                            \
            : TWEED_BARE REGISTERS                                                                 \
            : "l"(a), "l"(b), "r"(accumulate), "n"(A), "n"(B));                                    \
      } else {                                                                                     \
        asm volatile(                                                                              \
            "{.reg .pred p;\n"                                                                     \
            "setp.ne.b32 p, %" #ADD                                                                \
            ", 0;\n"                                                                               \
            "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.f16.f16 {" LIST "}, %" #A_ ", %" #B_   \
            ", p, 1, 1, %" #MAJOR_A ", %" #MAJOR_B ";}"                                            \
            : TWEED_BARE REGISTERS                                                                 \
            : "l"(a), "l"(b), "r"(accumulate), "n"(A), "n"(B));                                    \
      }                                                                                            \
    }                                                                                              \
  };
TWEED_WGMMA(8, "%0, %1, %2, %3", (TWEED_R4(0)), 4, 5, 6, 7, 8)
TWEED_WGMMA(16, TWEED_LIST1, (TWEED_R8(0)), 8, 9, 10, 11, 12)
TWEED_WGMMA(32, TWEED_LIST2, (TWEED_R16(0)), 16, 17, 18, 19, 20)
TWEED_WGMMA(48, TWEED_LIST3, (TWEED_R16(0), TWEED_R8(16)), 24, 25, 26, 27, 28)
TWEED_WGMMA(64, TWEED_LIST4, (TWEED_R32(0)), 32, 33, 34, 35, 36)
TWEED_WGMMA(80, TWEED_LIST5, (TWEED_R32(0), TWEED_R8(32)), 40, 41, 42, 43, 44)
TWEED_WGMMA(96, TWEED_LIST6, (TWEED_R32(0), TWEED_R16(32)), 48, 49, 50, 51, 52)
TWEED_WGMMA(112, TWEED_LIST7, (TWEED_R32(0), TWEED_R16(32), TWEED_R8(48)), 56, 57, 58, 59, 60)
TWEED_WGMMA(128, TWEED_LIST8, (TWEED_R64(0)), 64, 65, 66, 67, 68)
TWEED_WGMMA(144, TWEED_LIST9, (TWEED_R64(0), TWEED_R8(64)), 72, 73, 74, 75, 76)
TWEED_WGMMA(160, TWEED_LIST10, (TWEED_R64(0), TWEED_R16(64)), 80, 81, 82, 83, 84)
TWEED_WGMMA(176, TWEED_LIST11, (TWEED_R64(0), TWEED_R16(64), TWEED_R8(80)), 88, 89, 90, 91, 92)
TWEED_WGMMA(192, TWEED_LIST12, (TWEED_R64(0), TWEED_R32(64)), 96, 97, 98, 99, 100)
TWEED_WGMMA(208, TWEED_LIST13, (TWEED_R64(0), TWEED_R32(64), TWEED_R8(96)), 104, 105, 106, 107, 108)
TWEED_WGMMA(224, TWEED_LIST14, (TWEED_R64(0), TWEED_R32(64), TWEED_R16(96)), 112, 113, 114, 115,
            116)
TWEED_WGMMA(240, TWEED_LIST15, (TWEED_R64(0), TWEED_R32(64), TWEED_R16(96), TWEED_R8(112)), 120,
            121, 122, 123, 124)
TWEED_WGMMA(256, TWEED_LIST16, (TWEED_R64(0), TWEED_R64(64)), 128, 129, 130, 131, 132)
#undef TWEED_WGMMA
#undef TWEED_BARE
#undef TWEED_R4
#undef TWEED_R8
#undef TWEED_R16
#undef TWEED_R32
#undef TWEED_R64
#undef TWEED_NAMES
#undef TWEED_LIST1
#undef TWEED_LIST2
#undef TWEED_LIST3
#undef TWEED_LIST4
#undef TWEED_LIST5
#undef TWEED_LIST6
#undef TWEED_LIST7
#undef TWEED_LIST8
#undef TWEED_LIST9
#undef TWEED_LIST10
#undef TWEED_LIST11
#undef TWEED_LIST12
#undef TWEED_LIST13
#undef TWEED_LIST14
#undef TWEED_LIST15
#undef TWEED_LIST16

}  // namespace tweed::arch
