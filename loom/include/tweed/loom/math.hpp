// SPDX-License-Identifier: Apache-2.0
/// CUDA's mathematical built-ins that <cmath> lacks. Those named `_rn`, the conversions, the casts
/// and min and max give the device's bits; the fast approximations (`__expf`, `rsqrtf`, ...) are
/// the host's rounded functions, closer to the truth than the device's.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

#include "device.hpp"

namespace tweed::loom::detail {

// Keeps the compiler from contracting a product and a sum into one fused operation.
template <typename T>
inline T rounded(T value) {
  asm("" : "+m"(value));
  return value;
}

// As min.f32 and max.f32: a NaN loses, and -0 is less than +0.
template <typename T>
inline T lesser(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <typename T>
inline T greater(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

// Saturates; a NaN gives 0, or the top bit if one of the types has 64 bits (PTX, cvt).
template <typename To, typename From>
inline To toInteger(From value) {
  using Limits = std::numeric_limits<To>;
  if (value != value)
    return sizeof(From) == 8 || sizeof(To) == 8 ? To(std::uint64_t(1) << (8 * sizeof(To) - 1)) : 0;
  // The largest integer may round up to a power of two; that power does not fit.
  From const bound = std::ldexp(From(1), Limits::digits);
  if (value >= bound) return Limits::max();
  if (value <= From(Limits::min())) return Limits::min();
  return To(value);
}

}  // namespace tweed::loom::detail

// ------------------------------------------------------------------------------ min and max
#define TWEED_LOOM_MIN_MAX(T, A, B)                       \
  inline T min(A a, B b) {                                \
    T const x = static_cast<T>(a), y = static_cast<T>(b); \
    return x < y ? x : y;                                 \
  }                                                       \
  inline T max(A a, B b) {                                \
    T const x = static_cast<T>(a), y = static_cast<T>(b); \
    return x > y ? x : y;                                 \
  }
#define TWEED_LOOM_MIN_MAX_INTEGER(S)                    \
  TWEED_LOOM_MIN_MAX(S, S, S)                            \
  TWEED_LOOM_MIN_MAX(unsigned S, unsigned S, unsigned S) \
  TWEED_LOOM_MIN_MAX(unsigned S, S, unsigned S)          \
  TWEED_LOOM_MIN_MAX(unsigned S, unsigned S, S)
TWEED_LOOM_MIN_MAX_INTEGER(int)
TWEED_LOOM_MIN_MAX_INTEGER(long)
TWEED_LOOM_MIN_MAX_INTEGER(long long)
#undef TWEED_LOOM_MIN_MAX_INTEGER
#undef TWEED_LOOM_MIN_MAX
#define TWEED_LOOM_MIN_MAX(T, A, B)                                       \
  inline T min(A a, B b) { return tweed::loom::detail::lesser<T>(a, b); } \
  inline T max(A a, B b) { return tweed::loom::detail::greater<T>(a, b); }
TWEED_LOOM_MIN_MAX(float, float, float)
TWEED_LOOM_MIN_MAX(double, double, double)
TWEED_LOOM_MIN_MAX(double, float, double)
TWEED_LOOM_MIN_MAX(double, double, float)
#undef TWEED_LOOM_MIN_MAX
inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }

// ------------------------------------------------------------------------------ arithmetic
#define TWEED_LOOM_ARITHMETIC(T, F, D)                                                \
  inline T __##F##add_rn(T a, T b) { return tweed::loom::detail::rounded<T>(a + b); } \
  inline T __##F##sub_rn(T a, T b) { return tweed::loom::detail::rounded<T>(a - b); } \
  inline T __##F##mul_rn(T a, T b) { return tweed::loom::detail::rounded<T>(a * b); } \
  inline T __##D##div_rn(T a, T b) { return a / b; }                                  \
  inline T __##D##rcp_rn(T a) { return T(1) / a; }                                    \
  inline T __##D##sqrt_rn(T a) { return std::sqrt(a); }
TWEED_LOOM_ARITHMETIC(float, f, f)
TWEED_LOOM_ARITHMETIC(double, d, d)
#undef TWEED_LOOM_ARITHMETIC
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline float __saturatef(float x) { return x > 0.f ? (x < 1.f ? x : 1.f) : 0.f; }

inline float rsqrtf(float x) { return float(1.0 / std::sqrt(double(x))); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float fdividef(float a, float b) { return a / b; }
inline float __expf(float x) { return std::exp(x); }
inline float __exp10f(float x) { return std::pow(10.f, x); }
inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __log10f(float x) { return std::log10(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __tanf(float x) { return std::tan(x); }

// ------------------------------------------------------------------------------ conversions
#define TWEED_LOOM_CONVERT(FROM, TO, NAME)                                                      \
  inline TO __##NAME##_rn(FROM x) {                                                             \
    return tweed::loom::detail::toInteger<TO>(std::nearbyint(x));                               \
  }                                                                                             \
  inline TO __##NAME##_rz(FROM x) { return tweed::loom::detail::toInteger<TO>(std::trunc(x)); } \
  inline TO __##NAME##_ru(FROM x) { return tweed::loom::detail::toInteger<TO>(std::ceil(x)); }  \
  inline TO __##NAME##_rd(FROM x) { return tweed::loom::detail::toInteger<TO>(std::floor(x)); }
TWEED_LOOM_CONVERT(float, int, float2int)
TWEED_LOOM_CONVERT(float, unsigned, float2uint)
TWEED_LOOM_CONVERT(float, long long, float2ll)
TWEED_LOOM_CONVERT(float, unsigned long long, float2ull)
TWEED_LOOM_CONVERT(double, int, double2int)
TWEED_LOOM_CONVERT(double, unsigned, double2uint)
TWEED_LOOM_CONVERT(double, long long, double2ll)
TWEED_LOOM_CONVERT(double, unsigned long long, double2ull)
#undef TWEED_LOOM_CONVERT
inline float __int2float_rn(int x) { return float(x); }
inline float __uint2float_rn(unsigned x) { return float(x); }
inline float __ll2float_rn(long long x) { return float(x); }
inline float __ull2float_rn(unsigned long long x) { return float(x); }
inline float __double2float_rn(double x) { return float(x); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return double(x); }
inline double __ull2double_rn(unsigned long long x) { return double(x); }

// ------------------------------------------------------------------------------ bits
inline int __float_as_int(float x) { return tweed::loom::detail::bitCast<int>(x); }
inline unsigned __float_as_uint(float x) { return tweed::loom::detail::bitCast<unsigned>(x); }
inline float __int_as_float(int x) { return tweed::loom::detail::bitCast<float>(x); }
inline float __uint_as_float(unsigned x) { return tweed::loom::detail::bitCast<float>(x); }
inline long long __double_as_longlong(double x) {
  return tweed::loom::detail::bitCast<long long>(x);
}
inline double __longlong_as_double(long long x) { return tweed::loom::detail::bitCast<double>(x); }
inline int __double2hiint(double x) { return int(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return int(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)(std::uint64_t(unsigned(high)) << 32 | unsigned(low)));
}
