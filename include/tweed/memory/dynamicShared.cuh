// SPDX-License-Identifier: Apache-2.0
// tweed/memory/dynamicShared.cuh - the shared memory whose size the launch chooses.
#pragma once

#include <tweed/arch/sharedMemory.cuh>

namespace tweed {

/// Bytes of dynamic shared memory that the launch gave each block.
/// Cost     one read of a special register.
TWEED_DEVICE unsigned dynamicSharedBytes() { return arch::dynamicSharedBytes(); }

/// The block's dynamic shared memory as items of T.
///
///     float* const tile = tweed::dynamicShared<float>(rows * 33);
///     tweed::launch(kernel, {blocks, 256, rows * 33 * sizeof(float)}, ...);
///
/// Shape    `count` items from the start of the memory, which is aligned to 128 bytes. All calls,
///          whatever their type, name the same memory. An `extern __shared__` array of the caller's
///          may start before it and overlap it: use one or the other.
/// Needs    alignof(T) at most 128. Items are not constructed.
/// Sync     none; the caller places the barriers.
/// Cost     no instruction; up to 112 bytes of padding behind static shared memory.
/// Errors   compile time: alignment. More than the launch has stops the kernel under TWEED_DEBUG
///          and on the loom, else is undefined.
/// Source   CUDA C++ Programming Guide, __shared__.
template <class T>
TWEED_DEVICE T* dynamicShared([[maybe_unused]] unsigned long long count) {
  static_assert(alignof(T) <= 128,
                "tweed::dynamicShared: dynamic shared memory is aligned to 128 bytes, T asks more");
  TWEED_ASSERT(count <= dynamicSharedBytes() / sizeof(T),
               "tweed::dynamicShared: %llu items of %u bytes are asked for, the launch has %u "
               "bytes; pass enough as LaunchConfig::sharedBytes",
               count, unsigned(sizeof(T)), dynamicSharedBytes());
  return static_cast<T*>(arch::dynamicShared());
}

/// The same where the caller counts by itself.
template <class T>
TWEED_DEVICE T* dynamicShared() {
  return dynamicShared<T>(0);
}

}  // namespace tweed
