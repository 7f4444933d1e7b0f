// SPDX-License-Identifier: Apache-2.0
// tweed/arch/copyAsync.cuh - copies from global to shared memory that run on by themselves
// (PTX cp.async).
#pragma once

#include <tweed/arch/sharedMemory.cuh>

namespace tweed::arch {

/// True if copies run on by themselves: sm_80 and later, and the loom. Before it copyAsync() loads
/// and stores, and is done when it returns: a caller that waits is right on both.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr bool hasCopyAsync = false;
#else
inline constexpr bool hasCopyAsync = true;
#endif

/// Starts to copy Bytes from global to shared memory: the first `fromBytes` of them, and zeros
/// behind. With 0 nothing is read, and `from` may be any aligned pointer, null too. With fewer than
/// Bytes memcheck of compute-sanitizer (13.0) reports the others as read, if memory ends there.
///
///     arch::copyAsync<16>(&tile[i], &in[i]);
///     arch::commitCopies();
///     arch::waitForCopies<0>();   // this thread's copies
///     arch::syncBlock();          // and everyone's
///
/// Shape    each thread by itself; Bytes is 4, 8 or 16.
/// Needs    `to` in shared and `from` in global memory, both multiples of Bytes; fromBytes in
///          0..Bytes. Nobody reads `to`, or writes either, from this call until the wait.
/// Sync     none. The bytes are this thread's to see after its wait, and another's after a barrier
///          behind that.
/// Cost     one instruction; 16 bytes pass by L1, fewer go through it.
/// Errors   compile time: Bytes. A wrong address or fromBytes stops the kernel under TWEED_DEBUG
///          and on the loom. There the destination is poisoned until the wait.
/// Source   PTX ISA, cp.async.
template <int Bytes>
TWEED_DEVICE void copyAsync(void* to, void const* from, int fromBytes = Bytes) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16,
                "tweed::arch::copyAsync: one instruction copies 4, 8 or 16 bytes");
  TWEED_ASSERT(reinterpret_cast<unsigned long long>(to) % Bytes == 0 &&
                   reinterpret_cast<unsigned long long>(from) % Bytes == 0,
               "tweed::arch::copyAsync: %d bytes from %p to %p: addresses must be multiples of it",
               Bytes, from, to);
  TWEED_ASSERT(fromBytes >= 0 && fromBytes <= Bytes,
               "tweed::arch::copyAsync: %d bytes are to be read, allowed are 0 to %d", fromBytes,
               Bytes);
#if defined(TWEED_LOOM)
  loom::device::copyAsync(to, from, Bytes, unsigned(fromBytes));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  // ptxas makes `condition ? Bytes : 0` a predicate; any other number costs four instructions.
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(sharedAddress(to)),
                 "l"(from), "r"(fromBytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2, %3;" ::"r"(sharedAddress(to)),
                 "l"(from), "n"(Bytes), "r"(fromBytes)
                 : "memory");
#elif defined(__CUDA_ARCH__)
  auto* const bytes = static_cast<unsigned char*>(to);
  if (fromBytes == Bytes) {
    memcpy(__builtin_assume_aligned(bytes, Bytes), __builtin_assume_aligned(from, Bytes), Bytes);
  } else {
    for (int i = 0; i < Bytes; ++i)
      bytes[i] = i < fromBytes ? static_cast<unsigned char const*>(from)[i] : 0;
  }
#endif
}

/// Makes this thread's copies since the last call one group, which may be empty.
/// Source   PTX ISA, cp.async.commit_group.
TWEED_DEVICE void commitCopies() {
#if defined(TWEED_LOOM)
  loom::device::commitCopies();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most the last GroupsLeft of this thread's groups are under way.
/// Source   PTX ISA, cp.async.wait_group.
template <int GroupsLeft>
TWEED_DEVICE void waitForCopies() {
  static_assert(GroupsLeft >= 0, "tweed::arch::waitForCopies: GroupsLeft is at least 0");
#if defined(TWEED_LOOM)
  loom::device::waitForCopies(GroupsLeft);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(GroupsLeft) : "memory");
#endif
}

/// Waits for all of this thread's copies, also those of no group.
/// Source   PTX ISA, cp.async.wait_all.
TWEED_DEVICE void waitForAllCopies() {
#if defined(TWEED_LOOM)
  loom::device::waitForAllCopies();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace tweed::arch
