// SPDX-License-Identifier: Apache-2.0
/// One slot of resident blocks: runs block after block, each CUDA thread a fiber of one OS thread.
/// The functions of each switch are here so that they inline into the scheduler and the
/// collectives; src/*.cpp hold the rest by idea.
#pragma once
#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "context.hpp"
#include "hooks.hpp"

namespace tweed::loom {

inline constexpr unsigned maxBlockThreads = 1024;

enum class State : unsigned char {
  fresh,
  ready,
  running,
  warpWait,
  barrierWait,
  namedWait,
  activeWait,
  done
};

struct Fiber {
  Context context;
  char* low = nullptr;
  std::size_t bytes = 0;
  void* asanFakeStack = nullptr;
};

/// What a lane brings to a warp collective and takes from it; lies on the lane's own stack.
struct LaneCall {
  std::uint64_t in, out;
  int argument, width;
  void* payload;
  detail::Complete complete;
  bool predicate;
};

struct Thread {
  State state = State::fresh;
  bool fenced = false;  // it has fenced: its later atomics publish what it wrote before
  unsigned index = 0;
  uint3 threadIndex{};
  Fiber* fiber = nullptr;
  void* tsanFiber = nullptr;
  char const* waitsIn = "";
  Site site{"", 0};
  unsigned mask = 0, namedBarrier = 0, active = 0;
  LaneCall* call = nullptr;
  int predicate = 0, result = 0;
  unsigned atomics = 0;
  std::uint64_t spins = 0, progressSeen = 0;
  std::array<void*, 8> atomicsSinceFence{};  // the next fence takes over what they published
  unsigned atomicsSinceFenceCount = 0;
};

/// Lanes of one warp that wait in one collective with one mask.
struct Group {
  unsigned mask, arrived;
  detail::WarpOp op;
  char const* name;
  Site site;
};

struct Warp {
  unsigned exists = 0;         // lanes that the block has
  unsigned gone = 0;           // lanes that have exited or never existed
  unsigned waitingActive = 0;  // lanes in __activemask
  unsigned runnable = 0;       // lanes that neither wait nor have exited
  std::vector<Group> pending;
  char tsanSync[32];  // one address per first lane of a mask
};

struct NamedBarrier {
  unsigned arrived = 0, wanted = 0, generation = 0;
  char tsanSync[2];
};

/// Threads that can run, oldest first. Each is in it at most once.
class ReadyQueue {
 public:
  unsigned size() const { return tail_ - head_; }
  void clear() { head_ = tail_ = 0; }
  void push(unsigned i) { at(tail_++) = std::uint16_t(i); }
  unsigned pop() { return at(head_++); }
  unsigned take(unsigned k) {  // the k-th; the last one gets its place
    unsigned const taken = at(head_ + k);
    at(head_ + k) = at(--tail_);
    return taken;
  }

 private:
  std::uint16_t& at(unsigned i) { return slots_[i % maxBlockThreads]; }
  unsigned head_ = 0, tail_ = 0;
  std::array<std::uint16_t, maxBlockThreads> slots_;
};

/// What the slots of one launch share.
struct LaunchState {
  detail::LaunchDescription const* description = nullptr;
  Options options;
  unsigned blocks = 0, blockThreads = 0, slots = 1;
  std::atomic<unsigned> nextBlock{0};
  std::atomic<std::uint64_t> progress{0};
  std::atomic<bool> failed{false};
  std::mutex faultMutex;
  FaultKind faultKind{};
  std::string faultText;
  // Unless the slots run in parallel, the one whose turn it is holds the baton.
  std::atomic<unsigned> turn{0};
  std::vector<char> slotAlive;
  std::uint64_t random = 1;
  char tsanStart = 0, tsanEnd = 0;
};

inline std::uint64_t nextRandom(std::uint64_t& s) {
  s ^= s << 13, s ^= s >> 7, s ^= s << 17;
  return s;
}

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
  void spinPause(Site site);
  void preemptionPoint(Site site);
  [[noreturn]] void trap(char const* text, Site site);
  [[noreturn]] void nestedLaunch();

  Thread& currentThread() { return threads_[current_]; }
  unsigned current() const { return current_; }
  void* dynamicShared() const { return dynamicShared_; }
  LaunchState* launch() const { return launch_; }
  std::size_t stackBytes() const { return options_.stackBytes; }
  Counters takeCounters();

 private:
  // fibers and blocks: scheduler.cpp
  static void fiberEntry();
  void fiberMain();
  void runThread();
  Fiber* takeFiber();
  Fiber* fiberFor(unsigned i);
  void dropFibers();
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
  void shuffle(Warp& warp, unsigned warpIndex, Group const& group);
  void finishBarrier();
  void settleActive(unsigned warpIndex);

  // report.cpp
  void note(FaultKind kind, std::string const& text);
  std::string whereAllWait();
  std::string whatItWaitsFor(unsigned i);
  [[noreturn]] void abandon();
  [[noreturn]] void stuck();

  // ---------------------------------------------------------------- each switch
  int pick(bool yielding = false) {
    // Another slot's fault ends this one too; with one slot there is no other.
    if (launch_->slots > 1 && launch_->failed.load(std::memory_order_relaxed)) abandon();
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
  char tsanBarrier_[2], tsanBlockEnd_;

  std::vector<char> dynamicStorage_;
  char* dynamicShared_ = nullptr;
};

/// Of the calling OS thread. Constant-initialized and inline: no wrapper call at each access.
inline thread_local Engine* currentEngine = nullptr;
inline thread_local bool inDevice = false;

std::string format(char const* text, ...) __attribute__((format(printf, 1, 2)));
std::string show(Site site);             ///< file:line, without the folder
std::string showThread(unsigned index);  ///< thread 37 (warp 1 lane 5)

/// Opens device memory while kernels run; closed, AddressSanitizer reports host code that touches
/// it.
void gateDeviceMemory(bool open);

}  // namespace tweed::loom
