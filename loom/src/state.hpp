// SPDX-License-Identifier: Apache-2.0
/// What the loom keeps of threads, warps, barriers and launches.
#pragma once
#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "context.hpp"

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
  int quietDepth = 0;  // Quiet objects alive in its frames
  unsigned atomics = 0;
  std::uint64_t spins = 0, progressSeen = 0;
  std::array<void*, 8> atomicsSinceFence{};  // the next fence takes over what they published
  unsigned atomicsSinceFenceCount = 0;
};

/// A copy to shared memory that its thread has not waited for.
struct PendingCopy {
  void* to;
  unsigned bytes, group;
  unsigned char data[16];
};
struct PendingCopies {
  std::vector<PendingCopy> copies;  // oldest first
  unsigned groups = 0;              // committed so far
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

}  // namespace tweed::loom
