// SPDX-License-Identifier: Apache-2.0
/// The part of cuda_fp16.h and cuda_bf16.h that kernels of single values use, for a machine with no
/// toolkit: the two types, conversions, arithmetic and comparisons. All by way of float, rounded to
/// nearest even, which for + - * and / is the exact result rounded once.
#pragma once

namespace tweed::loom {

/// A sign, ExponentBits and MantissaBits in 16 bits, as IEEE 754 has them.
template <int ExponentBits, int MantissaBits>
class ShortFloat {
  static_assert(ExponentBits + MantissaBits == 15);
  static constexpr int drop = 23 - MantissaBits;
  static constexpr int rebias = 128 - (1 << (ExponentBits - 1));  // float's bias less this one
  static constexpr unsigned infinity = ((1u << ExponentBits) - 1) << MantissaBits;
  static constexpr unsigned leastNormal = unsigned(rebias + 1) << 23;  // as bits of a float
  // Adding it leaves as many bits of a smaller number as a subnormal one has, rounded.
  static constexpr unsigned shifter = unsigned(rebias + 1 + drop) << 23;

  static float floatOf(unsigned bits) { return __builtin_bit_cast(float, bits); }
  static unsigned bitsOf(float x) { return __builtin_bit_cast(unsigned, x); }

  static unsigned short rounded(float x) {
    unsigned const sign = bitsOf(x) >> 16 & 0x8000u;
    unsigned const magnitude = bitsOf(x) & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return 0x7fff;  // the NaN of a GPU
    unsigned result;
    if (rebias > 0 && magnitude < leastNormal) {
      result = bitsOf(floatOf(magnitude) + floatOf(shifter)) - shifter;
    } else {
      unsigned const moved = magnitude - (unsigned(rebias) << 23);
      result = (moved + (1u << (drop - 1)) - 1 + (moved >> drop & 1)) >> drop;
      if (result > infinity) result = infinity;
    }
    return static_cast<unsigned short>(sign | result);
  }
  // A float between x and its neighbour away from it, with an odd last bit where x is none:
  // rounding that one is rounding x.
  static float roundedToOdd(long double x) {
    float f = static_cast<float>(x);
    if (x != x || static_cast<long double>(f) == x) return f;
    bool const isAbove = (f < 0 ? -f : f) > (x < 0 ? -x : x);
    return floatOf((bitsOf(f) - isAbove) | 1u);
  }

 public:
  ShortFloat() = default;
  ShortFloat(float x) : bits_(rounded(x)) {}
  ShortFloat(double x) : bits_(rounded(roundedToOdd(x))) {}
  ShortFloat(int x) : ShortFloat((long long)(x)) {}
  ShortFloat(unsigned x) : ShortFloat((long long)(x)) {}
  ShortFloat(long x) : ShortFloat((long long)(x)) {}
  ShortFloat(unsigned long x) : ShortFloat((unsigned long long)(x)) {}
  ShortFloat(long long x) : bits_(rounded(roundedToOdd(x))) {}
  ShortFloat(unsigned long long x) : bits_(rounded(roundedToOdd(x))) {}

  operator float() const {
    unsigned const sign = (bits_ & 0x8000u) << 16;
    unsigned const magnitude = bits_ & 0x7fffu;
    unsigned result = magnitude << drop;
    if (magnitude >= infinity) {
      result |= 0x7f800000u;
    } else if (rebias > 0 && magnitude >> MantissaBits == 0) {
      result = bitsOf(floatOf(result + leastNormal) - floatOf(leastNormal));
    } else {
      result += unsigned(rebias) << 23;
    }
    return floatOf(sign | result);
  }

  friend ShortFloat operator+(ShortFloat a, ShortFloat b) { return float(a) + float(b); }
  friend ShortFloat operator-(ShortFloat a, ShortFloat b) { return float(a) - float(b); }
  friend ShortFloat operator*(ShortFloat a, ShortFloat b) { return float(a) * float(b); }
  friend ShortFloat operator/(ShortFloat a, ShortFloat b) { return float(a) / float(b); }
  friend ShortFloat operator-(ShortFloat a) { return -float(a); }
  friend bool operator==(ShortFloat a, ShortFloat b) { return float(a) == float(b); }
  friend bool operator!=(ShortFloat a, ShortFloat b) { return float(a) != float(b); }
  friend bool operator<(ShortFloat a, ShortFloat b) { return float(a) < float(b); }
  friend bool operator>(ShortFloat a, ShortFloat b) { return float(a) > float(b); }
  friend bool operator<=(ShortFloat a, ShortFloat b) { return float(a) <= float(b); }
  friend bool operator>=(ShortFloat a, ShortFloat b) { return float(a) >= float(b); }
  ShortFloat& operator+=(ShortFloat o) { return *this = *this + o; }
  ShortFloat& operator-=(ShortFloat o) { return *this = *this - o; }
  ShortFloat& operator*=(ShortFloat o) { return *this = *this * o; }
  ShortFloat& operator/=(ShortFloat o) { return *this = *this / o; }

 private:
  unsigned short bits_;
};

}  // namespace tweed::loom
