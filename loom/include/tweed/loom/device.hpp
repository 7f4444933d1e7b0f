// SPDX-License-Identifier: Apache-2.0
/// What device code may ask of the loom beyond CUDA's own built-ins: the counterpart of inline PTX.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "executor.hpp"

namespace tweed::loom::device {

/// Whether the caller runs inside a kernel. All else here throws Fault outside of one.
inline bool inKernel() { return detail::inKernel(); }

/// The linear thread index modulo 32, for any shape of block.
inline unsigned laneId() { return detail::laneId(); }

/// The block's dynamic shared memory, aligned to 128 bytes.
inline void* dynamicShared() { return detail::dynamicShared(); }
inline std::size_t dynamicSharedBytes() { return detail::dynamicSharedBytes(); }

/// Lets other threads and blocks run. Belongs in the body of each loop that waits for a store.
inline void spinPause(Site site = Site::here()) { detail::spinPause(site); }

/// Ends the launch with FaultKind::trap; the fault says `text`. `text` must outlive the call.
[[noreturn]] inline void trap(char const* text, Site site = Site::here()) {
  detail::trap(text, site);
}

/// Waits until `threads` threads of the block have called it with this `id`.
/// Needs: id < 16; threads a positive multiple of 32, as bar.sync does.
inline void namedBarrier(unsigned id, unsigned threads, Site site = Site::here()) {
  detail::namedBarrier(id, threads, site);
}

/// The last lane of `mask` to arrive runs `complete(payloads, arrived)`: payloads[lane] is what
/// that lane passed, null for lanes not in `arrived`: a lane of `mask` that has exited
/// is a fault, unless Options::readsMustBeDefined is off. What matrix instructions are built
/// on. It orders no memory other than the payloads.
inline void warpExchange(unsigned mask, void* payload,
                         void (*complete)(void* const* payloads, unsigned arrived),
                         char const* name, Site site = Site::here()) {
  detail::warpExchange(mask, payload, complete, name, site);
}

/// Copies `bytes` from global to shared memory, or the first `fromBytes` of them and zeros behind.
/// As hardware may write at any time, the destination is poisoned (0xFF) until the thread waits for
/// the copy's group.
inline void copyAsync(void* to, void const* from, unsigned bytes, unsigned fromBytes,
                      Site site = Site::here()) {
  detail::copyAsync(to, from, bytes, fromBytes, site);
}
/// Makes the thread's copies since the last call one group.
inline void commitCopies() { detail::commitCopies(); }
/// Ends all of the thread's groups but the last `groupsLeft`.
inline void waitForCopies(unsigned groupsLeft) { detail::waitForCopies(groupsLeft, false); }
/// Ends all of the thread's copies, also those of no group.
inline void waitForAllCopies() { detail::waitForCopies(0, true); }

}  // namespace tweed::loom::device

namespace tweed::loom::detail {
template <std::size_t Bytes>
struct WordOf;
#define TWEED_LOOM_WORD(BYTES, T)                  \
  template <>                                      \
  struct WordOf<BYTES> {                           \
    using Bits = T;                                \
    using Aliasing = T __attribute__((may_alias)); \
  };
TWEED_LOOM_WORD(2, std::uint16_t)
TWEED_LOOM_WORD(4, std::uint32_t)
TWEED_LOOM_WORD(8, std::uint64_t)
#undef TWEED_LOOM_WORD
template <typename T>
using Bits = typename WordOf<sizeof(T)>::Bits;
template <typename T>
inline auto* asWord(T* p) {
  return reinterpret_cast<typename WordOf<sizeof(T)>::Aliasing*>(p);
}
template <typename T>
inline auto const* asWord(T const* p) {
  return reinterpret_cast<typename WordOf<sizeof(T)>::Aliasing const*>(p);
}

template <typename T>
struct SameTypeOf {
  using Type = T;
};
/// Keeps a parameter out of template argument deduction.
template <typename T>
using SameType = typename SameTypeOf<T>::Type;

template <typename To, typename From>
inline To bitCast(From const& from) {
  static_assert(sizeof(To) == sizeof(From), "tweed::loom: sizes must be equal");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
}  // namespace tweed::loom::detail

namespace tweed::loom::device {

/// Reads *p. `memoryOrder` is __ATOMIC_RELAXED, __ATOMIC_ACQUIRE or __ATOMIC_SEQ_CST. In a kernel
/// other threads may run before it.
template <typename T>
inline T atomicLoad(T const* p, int memoryOrder, Site site = Site::here()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "tweed::loom::atomicLoad: 4 or 8 bytes");
  static_assert(std::is_trivially_copyable_v<T>, "tweed::loom::atomicLoad: trivially copyable");
  detail::atomicPoint(p, sizeof(T), detail::AtomicUse::load, site);
  auto* const word = detail::asWord(p);
  // The order must be a constant: g++ turns a variable one into the strongest, which would hide
  // a missing acquire from ThreadSanitizer.
  switch (memoryOrder) {
    case __ATOMIC_RELAXED:
      return detail::bitCast<T>(__atomic_load_n(word, __ATOMIC_RELAXED));
    case __ATOMIC_ACQUIRE:
      return detail::bitCast<T>(__atomic_load_n(word, __ATOMIC_ACQUIRE));
    default:
      return detail::bitCast<T>(__atomic_load_n(word, __ATOMIC_SEQ_CST));
  }
}

/// Writes *p. `memoryOrder` is __ATOMIC_RELAXED, __ATOMIC_RELEASE or __ATOMIC_SEQ_CST. In a kernel
/// other threads may run before it.
template <typename T>
inline void atomicStore(T* p, detail::SameType<T> value, int memoryOrder,
                        Site site = Site::here()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "tweed::loom::atomicStore: 4 or 8 bytes");
  static_assert(std::is_trivially_copyable_v<T>, "tweed::loom::atomicStore: trivially copyable");
  detail::atomicPoint(p, sizeof(T), detail::AtomicUse::store, site);
  auto* const word = detail::asWord(p);
  auto const bits = detail::bitCast<detail::Bits<T>>(value);
  switch (memoryOrder) {
    case __ATOMIC_RELAXED:
      __atomic_store_n(word, bits, __ATOMIC_RELAXED);
      break;
    case __ATOMIC_RELEASE:
      __atomic_store_n(word, bits, __ATOMIC_RELEASE);
      break;
    default:
      __atomic_store_n(word, bits, __ATOMIC_SEQ_CST);
      break;
  }
  detail::madeProgress();
}

}  // namespace tweed::loom::device
