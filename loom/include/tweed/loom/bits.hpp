// SPDX-License-Identifier: Apache-2.0
/// CUDA's integer and bit built-ins, and its cached loads and stores.
#pragma once
#include <cstdint>

#include "device.hpp"

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) {
  return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= ((x >> i) & 1u) << (31 - i);
  return reversed;
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(unsigned(x))) << 32 | __brev(unsigned(x >> 32));
}

/// Each nibble of the selector takes one of eight bytes; its top bit asks for that byte's sign.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  std::uint64_t const bytes = std::uint64_t(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned const nibble = selector >> (4 * i) & 0xf;
    unsigned byte = unsigned(bytes >> (8 * (nibble & 7))) & 0xff;
    if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return unsigned((std::uint64_t(high) << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned((std::uint64_t(high) << 32 | low) >> (shift & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

inline int __mulhi(int x, int y) { return int(std::int64_t(x) * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) { return unsigned(std::uint64_t(x) * y >> 32); }
inline long long __mul64hi(long long x, long long y) {
  __extension__ using Wide = __int128;
  return static_cast<long long>(Wide(x) * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>(Wide(x) * y >> 64);
}
/// The low 32 bits of the product of the low 24 bits.
inline int __mul24(int x, int y) {
  return int(unsigned(int(unsigned(x) << 8) >> 8) * unsigned(int(unsigned(y) << 8) >> 8));
}
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
inline unsigned __sad(int x, int y, unsigned z) {
  return z + (x > y ? unsigned(x) - unsigned(y) : unsigned(y) - unsigned(x));
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x > y ? x - y : y - x); }

inline int __dp4a(int a, int b, int c) {
  unsigned sum = unsigned(c);
  for (int i = 0; i < 4; ++i)
    sum += unsigned(int(std::int8_t(a >> (8 * i))) * int(std::int8_t(b >> (8 * i))));
  return int(sum);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> (8 * i) & 0xff) * (b >> (8 * i) & 0xff);
  return c;
}

// Cache hints mean nothing here.
#define TWEED_LOOM_LOAD(NAME) \
  template <typename T>       \
  inline T NAME(T const* p) { \
    return *p;                \
  }
#define TWEED_LOOM_STORE(NAME)                                              \
  template <typename T>                                                     \
  inline void NAME(T* p, ::tweed::loom::detail::SameType<T> const& value) { \
    *p = value;                                                             \
  }
TWEED_LOOM_LOAD(__ldg)
TWEED_LOOM_LOAD(__ldca)
TWEED_LOOM_LOAD(__ldcg)
TWEED_LOOM_LOAD(__ldcs)
TWEED_LOOM_LOAD(__ldcv)
TWEED_LOOM_LOAD(__ldlu)
TWEED_LOOM_STORE(__stwb)
TWEED_LOOM_STORE(__stwt)
TWEED_LOOM_STORE(__stcg)
TWEED_LOOM_STORE(__stcs)
#undef TWEED_LOOM_LOAD
#undef TWEED_LOOM_STORE
