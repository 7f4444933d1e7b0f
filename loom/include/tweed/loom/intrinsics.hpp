// SPDX-License-Identifier: Apache-2.0
/// CUDA's built-in variables, warp intrinsics, barriers, fences and clocks. The overload sets are
/// CUDA's; each takes the call's place as a last default argument.
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>  // clock()

#include "executor.hpp"

// One copy an OS thread, rewritten at each switch: exact types, no macros, no proxies.
inline thread_local uint3 threadIdx{0, 0, 0};
inline thread_local uint3 blockIdx{0, 0, 0};
inline thread_local dim3 blockDim{1, 1, 1};
inline thread_local dim3 gridDim{1, 1, 1};
inline constexpr int warpSize = 32;

namespace tweed::loom::detail {
template <typename T>
inline std::uint64_t toBits(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
template <typename T>
inline T fromBits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <typename T>
inline WarpResult lanes(WarpOp op, unsigned mask, T value, int argument, int width,
                        char const* name, Site site) {
  return warpCollective(op, mask, toBits(value), argument, width, name, site);
}
}  // namespace tweed::loom::detail

#define TWEED_LOOM_SITE ::tweed::loom::Site site = ::tweed::loom::Site::here()
#define TWEED_LOOM_SHUFFLE(NAME, OP, T, ARGUMENT)                                              \
  inline T NAME(unsigned mask, T value, ARGUMENT argument, int width = 32, TWEED_LOOM_SITE) {  \
    using namespace ::tweed::loom::detail;                                                     \
    return fromBits<T>(                                                                        \
        lanes(WarpOp::OP, mask, value, static_cast<int>(argument), width, #NAME, site).value); \
  }
#define TWEED_LOOM_LANES(T)                                                                       \
  TWEED_LOOM_SHUFFLE(__shfl_sync, shuffleIndex, T, int)                                           \
  TWEED_LOOM_SHUFFLE(__shfl_up_sync, shuffleUp, T, unsigned)                                      \
  TWEED_LOOM_SHUFFLE(__shfl_down_sync, shuffleDown, T, unsigned)                                  \
  TWEED_LOOM_SHUFFLE(__shfl_xor_sync, shuffleXor, T, int)                                         \
  inline unsigned __match_any_sync(unsigned mask, T value, TWEED_LOOM_SITE) {                     \
    using namespace ::tweed::loom::detail;                                                        \
    return unsigned(lanes(WarpOp::matchAny, mask, value, 0, 32, "__match_any_sync", site).value); \
  }                                                                                               \
  inline unsigned __match_all_sync(unsigned mask, T value, int* predicate, TWEED_LOOM_SITE) {     \
    using namespace ::tweed::loom::detail;                                                        \
    WarpResult r = lanes(WarpOp::matchAll, mask, value, 0, 32, "__match_all_sync", site);         \
    *predicate = r.predicate;                                                                     \
    return unsigned(r.value);                                                                     \
  }
TWEED_LOOM_LANES(int)
TWEED_LOOM_LANES(unsigned)
TWEED_LOOM_LANES(long)
TWEED_LOOM_LANES(unsigned long)
TWEED_LOOM_LANES(long long)
TWEED_LOOM_LANES(unsigned long long)
TWEED_LOOM_LANES(float)
TWEED_LOOM_LANES(double)
#undef TWEED_LOOM_LANES
#undef TWEED_LOOM_SHUFFLE

#define TWEED_LOOM_VOTE(T, NAME, OP)                                                  \
  inline T NAME(unsigned mask, int predicate, TWEED_LOOM_SITE) {                      \
    using namespace ::tweed::loom::detail;                                            \
    return T(lanes(WarpOp::OP, mask, int(predicate != 0), 0, 32, #NAME, site).value); \
  }
TWEED_LOOM_VOTE(unsigned, __ballot_sync, ballot)
TWEED_LOOM_VOTE(int, __any_sync, any)
TWEED_LOOM_VOTE(int, __all_sync, all)
#undef TWEED_LOOM_VOTE

#define TWEED_LOOM_REDUCE(T, NAME, OP)                                  \
  inline T NAME(unsigned mask, T value, TWEED_LOOM_SITE) {              \
    using namespace ::tweed::loom::detail;                              \
    return T(lanes(WarpOp::OP, mask, value, 0, 32, #NAME, site).value); \
  }
TWEED_LOOM_REDUCE(unsigned, __reduce_add_sync, reduceAdd)
TWEED_LOOM_REDUCE(int, __reduce_add_sync, reduceAdd)
TWEED_LOOM_REDUCE(unsigned, __reduce_min_sync, reduceMinUnsigned)
TWEED_LOOM_REDUCE(int, __reduce_min_sync, reduceMinSigned)
TWEED_LOOM_REDUCE(unsigned, __reduce_max_sync, reduceMaxUnsigned)
TWEED_LOOM_REDUCE(int, __reduce_max_sync, reduceMaxSigned)
TWEED_LOOM_REDUCE(unsigned, __reduce_and_sync, reduceAnd)
TWEED_LOOM_REDUCE(unsigned, __reduce_or_sync, reduceOr)
TWEED_LOOM_REDUCE(unsigned, __reduce_xor_sync, reduceXor)
#undef TWEED_LOOM_REDUCE

inline void __syncwarp(unsigned mask = 0xffffffffu, TWEED_LOOM_SITE) {
  using namespace ::tweed::loom::detail;
  lanes(WarpOp::sync, mask, 0, 0, 32, "__syncwarp", site);
}
inline unsigned __activemask(TWEED_LOOM_SITE) { return tweed::loom::detail::activeMask(site); }

inline void __syncthreads(TWEED_LOOM_SITE) {
  tweed::loom::detail::barrier(tweed::loom::detail::BarrierOp::sync, 0, "__syncthreads", site);
}
#define TWEED_LOOM_BARRIER(NAME, OP)                       \
  inline int NAME(int predicate, TWEED_LOOM_SITE) {        \
    using namespace ::tweed::loom::detail;                 \
    return barrier(BarrierOp::OP, predicate, #NAME, site); \
  }
TWEED_LOOM_BARRIER(__syncthreads_count, count)
TWEED_LOOM_BARRIER(__syncthreads_and, all)
TWEED_LOOM_BARRIER(__syncthreads_or, any)
#undef TWEED_LOOM_BARRIER

inline void __threadfence(TWEED_LOOM_SITE) { tweed::loom::detail::fence(site); }
inline void __threadfence_block(TWEED_LOOM_SITE) { tweed::loom::detail::fence(site); }
inline void __threadfence_system(TWEED_LOOM_SITE) { tweed::loom::detail::fence(site); }

/// A spin pause: the loom has no clock to sleep by.
inline void __nanosleep(unsigned, TWEED_LOOM_SITE) { tweed::loom::detail::spinPause(site); }
[[noreturn]] inline void __trap(TWEED_LOOM_SITE) { tweed::loom::detail::trap("__trap()", site); }

/// Nanoseconds of a steady clock.
inline long long clock64() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
#undef TWEED_LOOM_SITE
