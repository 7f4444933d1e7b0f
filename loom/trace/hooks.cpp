// SPDX-License-Identifier: Apache-2.0
/// What code compiled with -fsanitize=thread calls before each access, answered by the recorder in
/// place of ThreadSanitizer.
#include "recorder.hpp"

namespace {

inline void note(void const* p, unsigned long bytes, bool isWhole, bool isStore,
                 void const* caller) {
  if (auto* const trace = tweed::loom::currentTrace)
    trace->access(reinterpret_cast<std::uintptr_t>(p), unsigned(bytes), isWhole, isStore,
                  reinterpret_cast<std::uintptr_t>(caller));
}

}  // namespace

#define CALLER __builtin_return_address(0)

extern "C" {

#define TWEED_LOOM_ACCESS(BYTES)                                                            \
  void __tsan_read##BYTES(void* p) { note(p, BYTES, true, false, CALLER); }                 \
  void __tsan_write##BYTES(void* p) { note(p, BYTES, true, true, CALLER); }                 \
  void __tsan_unaligned_read##BYTES(void* p) { note(p, BYTES, BYTES == 1, false, CALLER); } \
  void __tsan_unaligned_write##BYTES(void* p) { note(p, BYTES, BYTES == 1, true, CALLER); } \
  void __tsan_volatile_read##BYTES(void* p) { note(p, BYTES, true, false, CALLER); }        \
  void __tsan_volatile_write##BYTES(void* p) { note(p, BYTES, true, true, CALLER); }
TWEED_LOOM_ACCESS(1)
TWEED_LOOM_ACCESS(2)
TWEED_LOOM_ACCESS(4)
TWEED_LOOM_ACCESS(8)
TWEED_LOOM_ACCESS(16)
void __tsan_read_range(void* p, unsigned long bytes) { note(p, bytes, false, false, CALLER); }
void __tsan_write_range(void* p, unsigned long bytes) { note(p, bytes, false, true, CALLER); }

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

// The compiler leaves its atomic builtins to these. What a kernel does is recorded where the loom's
// atomics call it, with the operation's name.
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

#define TWEED_LOOM_FETCH(BITS, T, NAME)                         \
  T __tsan_atomic##BITS##_##NAME(T volatile* p, T value, int) { \
    return __atomic_##NAME(p, value, __ATOMIC_SEQ_CST);         \
  }
#define TWEED_LOOM_EXCHANGE(BITS, T, NAME)                                                      \
  int __tsan_atomic##BITS##_compare_exchange_##NAME(T volatile* p, T* expected, T desired, int, \
                                                    int) {                                      \
    return __atomic_compare_exchange_n(p, expected, desired, false, __ATOMIC_SEQ_CST,           \
                                       __ATOMIC_SEQ_CST);                                       \
  }
#define TWEED_LOOM_ATOMIC(BITS, T)                                \
  T __tsan_atomic##BITS##_load(T const volatile* p, int) {        \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                  \
  }                                                               \
  void __tsan_atomic##BITS##_store(T volatile* p, T value, int) { \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                 \
  }                                                               \
  T __tsan_atomic##BITS##_exchange(T volatile* p, T value, int) { \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);       \
  }                                                               \
  TWEED_LOOM_FETCH(BITS, T, fetch_add)                            \
  TWEED_LOOM_FETCH(BITS, T, fetch_sub)                            \
  TWEED_LOOM_FETCH(BITS, T, fetch_and)                            \
  TWEED_LOOM_FETCH(BITS, T, fetch_or)                             \
  TWEED_LOOM_FETCH(BITS, T, fetch_xor)                            \
  TWEED_LOOM_FETCH(BITS, T, fetch_nand)                           \
  TWEED_LOOM_EXCHANGE(BITS, T, strong)                            \
  TWEED_LOOM_EXCHANGE(BITS, T, weak)
TWEED_LOOM_ATOMIC(8, std::uint8_t)
TWEED_LOOM_ATOMIC(16, std::uint16_t)
TWEED_LOOM_ATOMIC(32, std::uint32_t)
TWEED_LOOM_ATOMIC(64, std::uint64_t)
}
