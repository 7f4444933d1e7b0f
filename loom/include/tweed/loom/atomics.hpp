// SPDX-License-Identifier: Apache-2.0
/// CUDA's atomic functions: relaxed, each with the names of the three scopes. `atomicAdd` of float
/// rounds to nearest and keeps denormals.
#pragma once
#include "device.hpp"

namespace tweed::loom::detail {

// ThreadSanitizer must see the builtin itself, so this is compiled in the test's translation unit.
template <typename T, typename F>
inline T readModifyWrite(T* p, F next, Site site) {
  atomicPoint(p, sizeof(T), AtomicUse::update, site);
  auto* const word = asWord(p);
  Bits<T> old = __atomic_load_n(word, __ATOMIC_RELAXED), want;
  do {
    want = bitCast<Bits<T>>(static_cast<T>(next(bitCast<T>(old))));
  } while (
      !__atomic_compare_exchange_n(word, &old, want, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  if (want != old) madeProgress();
  return bitCast<T>(old);
}

}  // namespace tweed::loom::detail

#define TWEED_LOOM_ATOMIC_NAME(T, NAME, EXPRESSION)                                      \
  inline T NAME(T* p, T value, ::tweed::loom::Site site = ::tweed::loom::Site::here()) { \
    return ::tweed::loom::detail::readModifyWrite(                                       \
        p, [=]([[maybe_unused]] T old) -> T { return EXPRESSION; }, site);               \
  }
#define TWEED_LOOM_ATOMIC(T, NAME, EXPRESSION)        \
  TWEED_LOOM_ATOMIC_NAME(T, NAME, EXPRESSION)         \
  TWEED_LOOM_ATOMIC_NAME(T, NAME##_block, EXPRESSION) \
  TWEED_LOOM_ATOMIC_NAME(T, NAME##_system, EXPRESSION)
#define TWEED_LOOM_CAS_NAME(T, NAME)                                      \
  inline T NAME(T* p, T compare, T value,                                 \
                ::tweed::loom::Site site = ::tweed::loom::Site::here()) { \
    return ::tweed::loom::detail::readModifyWrite(                        \
        p, [=](T old) { return old == compare ? value : old; }, site);    \
  }
#define TWEED_LOOM_CAS(T)                 \
  TWEED_LOOM_CAS_NAME(T, atomicCAS)       \
  TWEED_LOOM_CAS_NAME(T, atomicCAS_block) \
  TWEED_LOOM_CAS_NAME(T, atomicCAS_system)

#define TWEED_LOOM_ATOMICS(T)                                \
  TWEED_LOOM_ATOMIC(T, atomicExch, value)                    \
  TWEED_LOOM_ATOMIC(T, atomicMin, old < value ? old : value) \
  TWEED_LOOM_ATOMIC(T, atomicMax, old > value ? old : value) \
  TWEED_LOOM_ATOMIC(T, atomicAnd, old& value)                \
  TWEED_LOOM_ATOMIC(T, atomicOr, old | value)                \
  TWEED_LOOM_ATOMIC(T, atomicXor, old ^ value)               \
  TWEED_LOOM_CAS(T)
TWEED_LOOM_ATOMICS(int)
TWEED_LOOM_ATOMICS(unsigned)
TWEED_LOOM_ATOMICS(unsigned long long)
TWEED_LOOM_CAS(unsigned short)

// Signed addition wraps on the device; in C++ it would be undefined.
TWEED_LOOM_ATOMIC(int, atomicAdd, int(unsigned(old) + unsigned(value)))
TWEED_LOOM_ATOMIC(int, atomicSub, int(unsigned(old) - unsigned(value)))
TWEED_LOOM_ATOMIC(unsigned, atomicAdd, old + value)
TWEED_LOOM_ATOMIC(unsigned, atomicSub, old - value)
TWEED_LOOM_ATOMIC(unsigned, atomicInc, old >= value ? 0u : old + 1)
TWEED_LOOM_ATOMIC(unsigned, atomicDec, old == 0 || old > value ? value : old - 1)
TWEED_LOOM_ATOMIC(unsigned long long, atomicAdd, old + value)
TWEED_LOOM_ATOMIC(long long, atomicMin, old < value ? old : value)
TWEED_LOOM_ATOMIC(long long, atomicMax, old > value ? old : value)
TWEED_LOOM_ATOMIC(float, atomicAdd, old + value)
TWEED_LOOM_ATOMIC(double, atomicAdd, old + value)
TWEED_LOOM_ATOMIC(float, atomicExch, value)

#undef TWEED_LOOM_ATOMICS
#undef TWEED_LOOM_CAS
#undef TWEED_LOOM_CAS_NAME
#undef TWEED_LOOM_ATOMIC
#undef TWEED_LOOM_ATOMIC_NAME
