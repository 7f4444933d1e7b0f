// SPDX-License-Identifier: Apache-2.0
/// Stacks, and what runs on them.
#include <sys/mman.h>

#include <cstdio>
#include <exception>

#include "engine.hpp"
#include "observer.hpp"

namespace tweed::loom {
namespace {
constexpr std::size_t page = 4096;
constexpr std::size_t guardBytes = 65536;  // whole pages on every system, aarch64's 64 KiB too
}  // namespace

Engine::~Engine() {
  dropFibers();
  asanUnpoison(dynamicStorage_.data(), dynamicStorage_.size());
}

void Engine::dropFibers() {
  for (Mapping const& m : mappings_) {
    asanUnpoison(m.low + guardBytes, m.bytes - guardBytes);
    munmap(m.low, m.bytes);
  }
  mappings_.clear(), fibers_.clear(), freeFibers_.clear(), ownFibers_.clear();
  for (void* f : tsanFibers_) __tsan_destroy_fiber(f);
  tsanFibers_.clear();
}

// What ThreadSanitizer must hear from the threads of a block that failed.
void Engine::endTsanThreads() {
  for (unsigned i = 0; underTsan() && i < blockThreads_; ++i) {
    __tsan_switch_to_fiber(tsanFibers_[i], 1);
    // A dropped frame never ended its Quiet, and a thread that ends with ignores on stops the
    // program.
    for (; threads_[i].quietDepth > 0; --threads_[i].quietDepth) tsanHeed();
    __tsan_release(&tsanBlockEnd_);
    __tsan_switch_to_fiber(tsanMain_, 1);
  }
}

// ThreadSanitizer takes each CUDA thread for a thread: a stack that two of them use one after the
// other would look like a race.
Fiber* Engine::fiberFor(unsigned i) {
  if (!underTsan()) return takeFiber();
  if (ownFibers_.size() < blockThreads_) ownFibers_.resize(blockThreads_);
  if (!ownFibers_[i]) ownFibers_[i] = takeFiber();
  return ownFibers_[i];
}

Fiber* Engine::takeFiber() {
  if (!freeFibers_.empty()) {
    Fiber* const fiber = freeFibers_.back();
    freeFibers_.pop_back();
    return fiber;
  }
  Quiet quiet;
  std::size_t const stack = (options_.stackBytes + guardBytes - 1) / guardBytes * guardBytes;
  std::size_t const bytes = guardBytes + stack + page;
  void* const mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) {
    std::fprintf(stderr, "tweed loom: no memory for the stacks of a block's threads\n");
    std::abort();
  }
  char* const low = static_cast<char*>(mapping);
  mprotect(low, guardBytes, PROT_NONE);  // an overflow stops at once
  mappings_.push_back({low, bytes});
  auto fiber = std::make_unique<Fiber>();
  // Stack tops at one offset within the page share cache sets: 1024 fibers cost three times as much
  // a switch.
  std::size_t const stagger = fibers_.size() % 61 * 64;
  fiber->low = low + guardBytes;
  fiber->bytes = stack + page - stagger;
  (void)VALGRIND_STACK_REGISTER(fiber->low, fiber->low + fiber->bytes);
  fiber->context.make(fiber->low, fiber->bytes, &Engine::fiberEntry);
  fibers_.push_back(std::move(fiber));
  return fibers_.back().get();
}

void Engine::fiberEntry() { currentEngine->fiberMain(); }

void Engine::fiberMain() {
  if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
  Fiber* const me = currentFiber_;
  for (;;) {
    runThread();
    heedFault();
    int const next = pick();
    if (next < 0) {
      if (live_ != 0) stuck();
      if (!underTsan()) freeFibers_.push_back(me);
      swap(me, &mainFiber_, tsanMain_);  // the block is done; back with a fresh thread
      continue;
    }
    Thread& thread = threads_[unsigned(next)];
    if (thread.state == State::fresh && !underTsan()) {
      become(unsigned(next), me);  // no switch: kernels without barriers need none
      continue;
    }
    if (thread.state == State::fresh) thread.fiber = fiberFor(unsigned(next));
    if (!underTsan()) freeFibers_.push_back(me);
    become(unsigned(next), thread.fiber);
    swap(me, thread.fiber, thread.tsanFiber);
  }
}

void Engine::runThread() {
  Thread& thread = threads_[current_];
  ++counters_.threads;
  tsanAcquire(&launch_->tsanStart);
  tsanAcquire(&tsanBlockStart_);
  bool threw = true;
  try {
    launch_->description->invoke(launch_->description->context);
    threw = false;
  } catch (std::exception const& e) {
    note(FaultKind::exception, std::string("an exception left the kernel: ") + e.what());
  } catch (...) {
    note(FaultKind::exception, "an exception left the kernel");
  }
  Quiet quiet;
  if (threw) abandon();  // not inside the catch: its exception would never be freed
  if (isObserved()) observer->threadEnds();
  tsanRelease(&tsanBlockEnd_);
  thread.state = State::done;
  --live_;
  launch_->progress.store(launch_->progress.load(std::memory_order_relaxed) + 1,
                          std::memory_order_relaxed);
  unsigned const warpIndex = thread.index / 32;
  Warp& warp = warps_[warpIndex];
  warp.gone |= 1u << (thread.index % 32);
  --warp.runnable;
  // An exit can complete what others wait for.
  for (std::size_t g = 0; g < warp.pending.size();) {
    Group const& group = warp.pending[g];
    if (((group.arrived | warp.gone) & group.mask) == group.mask)
      finishGroup(warp, warpIndex, g);
    else
      ++g;
  }
  if (barrierArrived_ && barrierArrived_ == live_) finishBarrier();
  settleActive(warpIndex);
}

}  // namespace tweed::loom
