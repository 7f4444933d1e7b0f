// SPDX-License-Identifier: Apache-2.0
/// Blocks, pauses, and the slots' baton.
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "engine.hpp"
#include "observer.hpp"
#include "symbols.hpp"

namespace tweed::loom {
namespace {
// A mutex would order the slots for ThreadSanitizer, which intercepts it, and hide races.
void futex(std::atomic<unsigned>& word, int operation, unsigned value) {
  syscall(SYS_futex, reinterpret_cast<unsigned*>(&word), operation, value, nullptr, nullptr, 0);
}
}  // namespace

// -------------------------------------------------------------------------------- blocks
void Engine::prepare(LaunchState& launch) {
  launch_ = &launch;
  options_ = launch.options;
  blockThreads_ = launch.blockThreads;
  random_ = options_.seed * 0x9E3779B97F4A7C15ull + 12345;
  if (random_ == 0) random_ = 1;  // where the generator would stay
  if (threads_.size() < blockThreads_) threads_.resize(blockThreads_);
  warps_.resize((blockThreads_ + 31) / 32);
  freeFibers_.reserve(blockThreads_ + 1);
  if (__sanitizer_start_switch_fiber) {
    // Reads /proc/self/maps on the main thread: half a millisecond, so once an OS thread.
    static thread_local void* low = nullptr;
    static thread_local std::size_t bytes = 0;
    if (!low) {
      pthread_attr_t attributes;
      pthread_getattr_np(pthread_self(), &attributes);
      pthread_attr_getstack(&attributes, &low, &bytes);
      pthread_attr_destroy(&attributes);
    }
    mainFiber_.low = static_cast<char*>(low);
    mainFiber_.bytes = bytes;
  }
  if (underTsan()) {
    tsanMain_ = __tsan_get_current_fiber();
    while (tsanFibers_.size() < blockThreads_) {  // making one is slow: they are kept
      tsanFibers_.push_back(__tsan_create_fiber(0));
      std::string const name = format("CUDA thread %zu, slot %u", tsanFibers_.size() - 1, slot_);
      __tsan_set_fiber_name(tsanFibers_.back(), name.c_str());
    }
  }
  std::size_t const bytes = launch.description->dynamicSharedBytes;
  constexpr std::size_t alignment = 128, redZone = 128;
  asanUnpoison(dynamicStorage_.data(), dynamicStorage_.size());
  dynamicStorage_.assign(bytes + alignment + redZone + 8, char(0xFF));
  auto const start = reinterpret_cast<std::uintptr_t>(dynamicStorage_.data());
  dynamicShared_ = dynamicStorage_.data() + ((alignment - start % alignment) % alignment);
  asanPoison(dynamicShared_ + bytes, redZone + (8 - bytes % 8) % 8);
}

void Engine::poisonShared() {
  auto const fill = [](char* p, std::size_t bytes) {
    std::memset(p, 0xFF, bytes);  // NaN, -1
    (void)VALGRIND_MAKE_MEM_UNDEFINED(p, bytes);
  };
  char* const block = Symbols::threadLocalBlock();
  for (Symbols::Span const& s : Symbols::get().shared()) fill(block + s.offset, s.bytes);
  if (launch_->description->dynamicSharedBytes)
    fill(dynamicShared_, launch_->description->dynamicSharedBytes);
}

void Engine::prepareBlock(unsigned block) {
  detail::LaunchDescription const& d = *launch_->description;
  gridDim = dim3(d.grid[0], d.grid[1], d.grid[2]);
  blockDim = dim3(d.block[0], d.block[1], d.block[2]);
  blockIdx.x = block % d.grid[0];
  blockIdx.y = block / d.grid[0] % d.grid[1];
  blockIdx.z = block / d.grid[0] / d.grid[1];
  if (options_.poisonShared) poisonShared();

  uint3 at{0, 0, 0};
  for (unsigned i = 0; i < blockThreads_; ++i) {
    Thread& thread = threads_[i];
    thread = Thread{};
    thread.index = i;
    thread.threadIndex = at;
    if (underTsan()) thread.tsanFiber = tsanFibers_[i];
    if (++at.x == d.block[0]) at.x = 0, ++at.y;
    if (at.y == d.block[1]) at.y = 0, ++at.z;
  }
  for (unsigned w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    unsigned const lanes = std::min(32u, blockThreads_ - w * 32);
    warp.exists = lanes == 32 ? ~0u : (1u << lanes) - 1;
    warp.gone = ~warp.exists;
    warp.waitingActive = 0;
    warp.runnable = lanes;
    warp.pending.clear();
  }
  order_.resize(blockThreads_);
  bool const reverse = options_.schedule == Order::reverse;
  for (unsigned i = 0; i < blockThreads_; ++i)
    order_[i] = std::uint16_t(reverse ? blockThreads_ - 1 - i : i);
  if (options_.schedule == Order::random)
    for (unsigned i = blockThreads_; i > 1; --i)
      std::swap(order_[i - 1], order_[nextRandom(random_) % i]);
  started_ = 0;
  ready_.clear();
  live_ = blockThreads_;
  for (PendingCopies& c : copies_) c.copies.clear(), c.groups = 0;
  barrierArrived_ = 0;
  for (NamedBarrier& b : namedBarriers_) b.arrived = 0;
  dead_ = false;
}

void Engine::runBlock(unsigned block) {
  ++counters_.blocks;
  prepareBlock(block);
  if (isObserved()) observer->blockStarts(*this);
  tsanRelease(&tsanBlockStart_);  // one block's shared memory before the next's
  unsigned const first = unsigned(pick());
  Fiber* const fiber = fiberFor(first);
  become(first, fiber);
  inDevice = true;
  swap(&mainFiber_, fiber, threads_[first].tsanFiber);
  inDevice = false;
  if (isObserved()) observer->blockEnds(dead_);
  if (dead_) endTsanThreads();
  tsanAcquire(&tsanBlockEnd_);  // of this slot's blocks only: another slot's would hide races
  if (dead_) dropFibers();      // they hold frames that nothing will return to
}

void Engine::runSlot(LaunchState& launch, unsigned slot) {
  Engine* const saved = currentEngine;
  currentEngine = this;
  slot_ = slot;
  prepare(launch);
  if (launch.slots > 1 && !options_.parallel) takeBaton();
  while (!launch.failed) {
    unsigned const block = launch.nextBlock++;
    if (block >= launch.blocks) break;
    runBlock(block);
    if (!launch.failed) passBaton();  // else the first slot would run every block
  }
  leaveBaton();
  tsanRelease(&launch.tsanEnd);
  currentEngine = saved;
}

Counters Engine::takeCounters() {
  Counters const taken = counters_;
  counters_ = Counters{};
  return taken;
}

// -------------------------------------------------------------------------------- spinning, baton
void Engine::spinPause(Site site) {
  Quiet quiet;
  Thread& thread = threads_[current_];
  thread.waitsIn = "a spin loop", thread.site = site;
  std::uint64_t const progress = launch_->progress.load(std::memory_order_relaxed);
  if (thread.progressSeen != progress) thread.progressSeen = progress, thread.spins = 0;
  if (++thread.spins > options_.spinLimit)
    TWEED_LOOM_RAISE(FaultKind::spin,
                     format("%s spins at %s: %llu rounds and nothing it waits for came",
                            showThread(thread.index).c_str(), show(site).c_str(),
                            static_cast<unsigned long long>(thread.spins)) +
                         whereAllWait());
  yield();
  // Rounds say nothing about OS threads that the system has not run: give them time.
  if (options_.parallel && launch_->slots > 1 && thread.spins > 100) {
    timespec const pause{0, 100000};
    syscall(SYS_nanosleep, &pause, nullptr);
  }
  passBaton();
}

void Engine::preemptionPoint(Site site) {
  if (++threads_[current_].atomics >= 4096) {  // a lock taken in a loop without a pause
    threads_[current_].atomics = 0;
    spinPause(site);
  } else if (options_.preempt && nextRandom(random_) % options_.preempt == 0) {
    Quiet quiet;
    yield();
    passBaton();
  }
}

void Engine::passBaton() {
  if (launch_->slots == 1) return;
  if (options_.parallel) {
    sched_yield();
    return;
  }
  unsigned to = slot_;
  do {
    to = options_.schedule == Order::random ? unsigned(nextRandom(launch_->random) % launch_->slots)
                                            : (to + 1) % launch_->slots;
  } while (!launch_->slotAlive[to]);  // its own slot is
  giveBaton(to);
  takeBaton();
}

void Engine::giveBaton(unsigned slot) {
  launch_->turn.store(slot, std::memory_order_release);
  futex(launch_->turn, FUTEX_WAKE_PRIVATE, 1 << 30);
}

void Engine::takeBaton() {
  for (;;) {
    unsigned const turn = launch_->turn.load(std::memory_order_acquire);
    if (turn == slot_) return;
    futex(launch_->turn, FUTEX_WAIT_PRIVATE, turn);
  }
}

void Engine::leaveBaton() {
  if (launch_->slots == 1 || options_.parallel) return;
  launch_->slotAlive[slot_] = 0;
  for (unsigned k = 1; k < launch_->slots; ++k) {
    unsigned const to = (slot_ + k) % launch_->slots;
    if (launch_->slotAlive[to]) return giveBaton(to);
  }
}

}  // namespace tweed::loom
