// SPDX-License-Identifier: Apache-2.0
/// The sanitizers' entry points, as weak symbols: one library serves every build. The loom itself
/// is never instrumented and tells them about its fibers.
#pragma once
#include <cstddef>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define VALGRIND_MAKE_MEM_UNDEFINED(pointer, bytes) 0
#define VALGRIND_STACK_REGISTER(low, high) 0
#endif

extern "C" {
void __sanitizer_start_switch_fiber(void**, void const*, std::size_t) __attribute__((weak));
void __sanitizer_finish_switch_fiber(void*, void const**, std::size_t*) __attribute__((weak));
void __asan_unpoison_memory_region(void const volatile*, std::size_t) __attribute__((weak));
void __asan_poison_memory_region(void const volatile*, std::size_t) __attribute__((weak));
void* __tsan_get_current_fiber(void) __attribute__((weak));
void* __tsan_create_fiber(unsigned) __attribute__((weak));
void __tsan_destroy_fiber(void*) __attribute__((weak));
void __tsan_switch_to_fiber(void*, unsigned) __attribute__((weak));
void __tsan_acquire(void*) __attribute__((weak));
void __tsan_release(void*) __attribute__((weak));
void __tsan_set_fiber_name(void*, char const*) __attribute__((weak));
void AnnotateIgnoreReadsBegin(char const*, int) __attribute__((weak));
void AnnotateIgnoreReadsEnd(char const*, int) __attribute__((weak));
void AnnotateIgnoreWritesBegin(char const*, int) __attribute__((weak));
void AnnotateIgnoreWritesEnd(char const*, int) __attribute__((weak));
}

namespace tweed::loom {

inline bool underTsan() { return __tsan_create_fiber != nullptr; }
inline void tsanAcquire(void* p) {
  if (underTsan()) __tsan_acquire(p);
}
inline void tsanRelease(void* p) {
  if (underTsan()) __tsan_release(p);
}

inline void asanPoison(void const* p, std::size_t bytes) {
  if (__asan_poison_memory_region) __asan_poison_memory_region(p, bytes);
}
inline void asanUnpoison(void const* p, std::size_t bytes) {
  if (__asan_unpoison_memory_region) __asan_unpoison_memory_region(p, bytes);
}

inline void tsanIgnore() { AnnotateIgnoreReadsBegin("", 0), AnnotateIgnoreWritesBegin("", 0); }
inline void tsanHeed() { AnnotateIgnoreWritesEnd("", 0), AnnotateIgnoreReadsEnd("", 0); }

}  // namespace tweed::loom
