// SPDX-License-Identifier: Apache-2.0
/// The switch between stacks: own assembly for x86-64 and aarch64 (System V ABI), ucontext
/// elsewhere. ucontext makes a system call a switch: the whole is 4 to 6 times slower with it.
#pragma once
#include <cstddef>

#if defined(__x86_64__) || defined(__aarch64__)
#define TWEED_LOOM_ASSEMBLY 1
extern "C" void tweedLoomSwap(void** save, void* to);
#else
#define TWEED_LOOM_ASSEMBLY 0
#include <ucontext.h>
#endif

namespace tweed::loom {

/// One suspended flow of control.
class Context {
 public:
  /// Prepares `entry`, which must not return, on the stack [low, low + bytes).
  void make(char* low, std::size_t bytes, void (*entry)()) {
#if defined(__x86_64__)
    void** p = reinterpret_cast<void**>(low + bytes);
    *--p = nullptr;  // the return address of entry: ends a backtrace, and aligns the stack
    *--p = reinterpret_cast<void*>(entry);
    for (int i = 0; i < 6; ++i) *--p = nullptr;
    stackPointer_ = p;
#elif defined(__aarch64__)
    void** p = reinterpret_cast<void**>(low + bytes) - 20;
    for (int i = 0; i < 20; ++i) p[i] = nullptr;
    p[11] = reinterpret_cast<void*>(entry);  // x30, the link register
    stackPointer_ = p;
#else
    getcontext(&context_);
    context_.uc_stack.ss_sp = low;
    context_.uc_stack.ss_size = bytes;
    context_.uc_link = nullptr;
    makecontext(&context_, entry, 0);
#endif
  }

  static void swap(Context& from, Context& to) {
#if TWEED_LOOM_ASSEMBLY
    tweedLoomSwap(&from.stackPointer_, to.stackPointer_);
#else
    swapcontext(&from.context_, &to.context_);
#endif
  }

 private:
#if TWEED_LOOM_ASSEMBLY
  void* stackPointer_ = nullptr;
#else
  ucontext_t context_;
#endif
};

}  // namespace tweed::loom
