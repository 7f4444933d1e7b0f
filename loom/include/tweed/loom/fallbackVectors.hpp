// SPDX-License-Identifier: Apache-2.0
/// CUDA's vector types, for a machine with no toolkit.
#pragma once
#include <cstddef>

#define TWEED_LOOM_VECTOR(T, N)                                   \
  struct N##1 {                                                   \
    T x;                                                          \
  };                                                              \
  struct alignas(2 * sizeof(T)) N##2 {                            \
    T x, y;                                                       \
  };                                                              \
  struct N##3 {                                                   \
    T x, y, z;                                                    \
  };                                                              \
  struct alignas(sizeof(T) == 8 ? 16 : 4 * sizeof(T)) N##4 {      \
    T x, y, z, w;                                                 \
  };                                                              \
  constexpr N##1 make_##N##1(T x) { return {x}; }                 \
  constexpr N##2 make_##N##2(T x, T y) { return {x, y}; }         \
  constexpr N##3 make_##N##3(T x, T y, T z) { return {x, y, z}; } \
  constexpr N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
TWEED_LOOM_VECTOR(signed char, char)
TWEED_LOOM_VECTOR(unsigned char, uchar)
TWEED_LOOM_VECTOR(short, short)
TWEED_LOOM_VECTOR(unsigned short, ushort)
TWEED_LOOM_VECTOR(int, int)
TWEED_LOOM_VECTOR(unsigned, uint)
TWEED_LOOM_VECTOR(long, long)
TWEED_LOOM_VECTOR(unsigned long, ulong)
TWEED_LOOM_VECTOR(long long, longlong)
TWEED_LOOM_VECTOR(unsigned long long, ulonglong)
TWEED_LOOM_VECTOR(float, float)
TWEED_LOOM_VECTOR(double, double)
#undef TWEED_LOOM_VECTOR

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
