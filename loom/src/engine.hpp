// SPDX-License-Identifier: Apache-2.0
/// One slot of resident blocks: runs block after block, each CUDA thread a fiber of one OS thread.
/// The functions of each switch are here so that they inline into the scheduler and the
/// collectives; src/*.cpp hold the rest by idea.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "hooks.hpp"
#include "state.hpp"

namespace tweed::loom {

// Jumps to the main context and drops the fibers' frames, so nothing with a destructor may be alive
// in the frame that raises: the text's temporaries die at the first semicolon.
#define TWEED_LOOM_RAISE(...) \
  do {                        \
    note(__VA_ARGS__);        \
    abandon();                \
  } while (0)

class Engine {
 public:
  Engine() = default;
  ~Engine();
  Engine(Engine const&) = delete;
  Engine& operator=(Engine const&) = delete;

  /// Runs blocks of the launch until none is left or one fails.
  void runSlot(LaunchState& launch, unsigned slot);

  // What the current CUDA thread calls.
  detail::WarpResult collective(detail::WarpOp op, unsigned mask, std::uint64_t value, int argument,
                                int width, char const* name, Site site, void* payload,
                                detail::Complete complete);
  unsigned activeMask(Site site);
  int barrier(detail::BarrierOp op, int predicate, char const* name, Site site);
  void namedBarrier(unsigned id, unsigned wanted, Site site);
  void copyAsync(void* to, void const* from, unsigned bytes, unsigned fromBytes, Site site);
  void commitCopies();
  void waitForCopies(unsigned groupsLeft, bool ofAll);
  void spinPause(Site site);
  void preemptionPoint(Site site);
  [[noreturn]] void trap(char const* text, Site site);
  [[noreturn]] void nestedLaunch();

  Thread& currentThread() { return threads_[current_]; }
  unsigned current() const { return current_; }
  unsigned blockThreads() const { return blockThreads_; }
  void* dynamicShared() const { return dynamicShared_; }
  LaunchState* launch() const { return launch_; }
  std::size_t stackBytes() const { return options_.stackBytes; }
  Counters takeCounters();

 private:
  // fibers.cpp
  static void fiberEntry();
  void fiberMain();
  void runThread();
  Fiber* takeFiber();
  Fiber* fiberFor(unsigned i);
  void dropFibers();
  void endTsanThreads();

  // scheduler.cpp
  void prepare(LaunchState& launch);
  void poisonShared();
  void prepareBlock(unsigned block);
  void runBlock(unsigned block);
  void passBaton();
  void giveBaton(unsigned slot);
  void takeBaton();
  void leaveBaton();

  // collectives.cpp
  void finishGroup(Warp& warp, unsigned warpIndex, std::size_t groupIndex);
  void compute(Warp& warp, unsigned warpIndex, Group const& group);
  void needEveryLane(Warp& warp, unsigned warpIndex, Group const& group, char const* verb);
  void shuffle(Warp& warp, unsigned warpIndex, Group const& group);
  void settleActive(unsigned warpIndex);

  // barriers.cpp
  void finishBarrier();

  // report.cpp
  void note(FaultKind kind, std::string const& text);
  std::string whereAllWait();
  std::string whatItWaitsFor(unsigned i);
  [[noreturn]] void abandon();
  [[noreturn]] void stuck();

  // ---------------------------------------------------------------- each switch
  /// Another slot's fault ends this one's block too; with one slot there is no other. For a fiber:
  /// the main context has nothing to abandon.
  void heedFault() {
    if (launch_->slots > 1 && launch_->failed.load(std::memory_order_relaxed)) abandon();
  }

  int pick(bool yielding = false) {
    unsigned const ready = ready_.size(), fresh = unsigned(order_.size()) - started_;
    if (ready + fresh == 0) return -1;
    if (options_.schedule == Order::random) {
      unsigned const k = unsigned(nextRandom(random_) % (ready + fresh));
      return int(k < ready ? ready_.take(k) : order_[started_++]);
    }
    // Ready threads first: one warp's stacks stay in the cache. But a thread that spins may wait
    // for one that has not started.
    return int(ready && !(yielding && fresh) ? ready_.pop() : order_[started_++]);
  }

  void wake(unsigned i) {
    threads_[i].state = State::ready;
    ++warps_[i / 32].runnable;
    ready_.push(i);
  }

  void become(unsigned i, Fiber* fiber) {
    Thread& thread = threads_[i];
    thread.state = State::running;
    thread.fiber = fiber;
    current_ = i;
    threadIdx = thread.threadIndex;
  }

  void swap(Fiber* from, Fiber* to, void* toTsan) {
    ++counters_.switches;
    currentFiber_ = to;
    if (__sanitizer_start_switch_fiber)
      __sanitizer_start_switch_fiber(&from->asanFakeStack, to->low, to->bytes);
    if (toTsan) __tsan_switch_to_fiber(toTsan, 1);  // 1: the switch orders nothing
    Context::swap(from->context, to->context);
    if (__sanitizer_finish_switch_fiber)
      __sanitizer_finish_switch_fiber(from->asanFakeStack, nullptr, nullptr);
  }

  void switchAway(unsigned me, Thread& thread, bool yielding = false) {
    heedFault();
    int const next = pick(yielding);
    if (next < 0) stuck();
    if (unsigned(next) == me) {
      thread.state = State::running;
      return;
    }
    Thread& other = threads_[unsigned(next)];
    Fiber* const to = other.state == State::fresh ? fiberFor(unsigned(next)) : other.fiber;
    Fiber* const mine = thread.fiber;
    become(unsigned(next), to);
    swap(mine, to, other.tsanFiber);
    become(me, mine);
  }

  /// The current thread has set its state and what it waits in.
  void block() {
    unsigned const me = current_;
    --warps_[me / 32].runnable;
    settleActive(me / 32);
    switchAway(me, threads_[me]);
  }

  void yield() {
    unsigned const me = current_;
    threads_[me].state = State::ready;
    ready_.push(me);
    switchAway(me, threads_[me], true);
  }

  Options options_;
  LaunchState* launch_ = nullptr;
  unsigned slot_ = 0;
  unsigned blockThreads_ = 0, live_ = 0, current_ = 0;
  std::uint64_t random_ = 1;
  bool dead_ = false;  // a fault was raised: back in the main context, the fibers abandoned
  Counters counters_{};

  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<std::uint16_t> order_;  // in which threads start
  unsigned started_ = 0;
  ReadyQueue ready_;

  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> freeFibers_, ownFibers_;
  Fiber mainFiber_;
  Fiber* currentFiber_ = nullptr;
  void* tsanMain_ = nullptr;
  std::vector<void*> tsanFibers_;
  struct Mapping {
    char* low;
    std::size_t bytes;
  };
  std::vector<Mapping> mappings_;

  unsigned barrierArrived_ = 0, barrierGeneration_ = 0;
  detail::BarrierOp barrierOp_{};
  char const* barrierName_ = "";
  Site barrierSite_{"", 0};
  NamedBarrier namedBarriers_[16];
  char tsanBarrier_[2], tsanBlockStart_, tsanBlockEnd_;

  std::vector<PendingCopies> copies_;  // of each thread; empty until a launch copies
  std::vector<char> dynamicStorage_;
  char* dynamicShared_ = nullptr;
};

/// Of the calling OS thread. Constant-initialized and inline: no wrapper call at each access.
inline thread_local Engine* currentEngine = nullptr;
inline thread_local bool inDevice = false;

/// While it lives, ThreadSanitizer ignores the loom's own malloc, memmove and mmap, which it would
/// see through its interceptors and take for the kernel's.
class Quiet {
 public:
  Quiet() {
    if (underTsan()) tsanIgnore(), count(1);
  }
  ~Quiet() {
    if (underTsan()) tsanHeed(), count(-1);
  }
  Quiet(Quiet const&) = delete;
  Quiet& operator=(Quiet const&) = delete;

 private:
  static void count(int change) {
    if (inDevice) currentEngine->currentThread().quietDepth += change;
  }
};

std::string format(char const* text, ...) __attribute__((format(printf, 1, 2)));
std::string show(Site site);             ///< file:line, without the folder
std::string showThread(unsigned index);  ///< thread 37 (warp 1 lane 5)

/// Opens device memory while kernels run; closed, AddressSanitizer reports host code that touches
/// it.
void gateDeviceMemory(bool open);

}  // namespace tweed::loom
