// SPDX-License-Identifier: Apache-2.0
/// Launches, and the entry points of the built-ins.
#include <algorithm>
#include <thread>

#include "engine.hpp"
#include "observer.hpp"

namespace tweed::loom {
namespace {

// Engines keep their stacks from launch to launch.
std::mutex poolMutex;
std::vector<std::unique_ptr<Engine>>& pool() {
  static auto* const engines = new std::vector<std::unique_ptr<Engine>>;  // outlives all statics
  return *engines;
}
Counters total{};

std::unique_ptr<Engine> borrowEngine(std::size_t stackBytes) {
  std::lock_guard<std::mutex> lock(poolMutex);
  for (auto it = pool().begin(); it != pool().end(); ++it) {
    if ((*it)->stackBytes() != stackBytes) continue;
    auto engine = std::move(*it);
    pool().erase(it);
    return engine;
  }
  return std::make_unique<Engine>();
}

void returnEngine(std::unique_ptr<Engine> engine) {
  std::lock_guard<std::mutex> lock(poolMutex);
  Counters const c = engine->takeCounters();
  total.switches += c.switches;
  total.collectives += c.collectives;
  total.barriers += c.barriers;
  total.threads += c.threads;
  total.blocks += c.blocks;
  pool().push_back(std::move(engine));
}

[[noreturn, gnu::cold]] void outsideKernel(char const* name) {
  throw Fault(FaultKind::launch, format("tweed loom: %s called outside a kernel", name));
}
[[gnu::always_inline]] inline Engine& engineFor(char const* name) {
  if (!inDevice) outsideKernel(name);
  return *currentEngine;
}

}  // namespace

Counters takeCounters() {
  std::lock_guard<std::mutex> lock(poolMutex);
  Counters const taken = total;
  total = Counters{};
  return taken;
}

namespace detail {

void launch(LaunchDescription const& description) {
  LaunchState state;
  state.description = &description;
  state.options = defaults();
  unsigned const* const grid = description.grid;
  unsigned const* const block = description.block;
  state.blocks = grid[0] * grid[1] * grid[2];
  state.blockThreads = block[0] * block[1] * block[2];
  unsigned const resident = description.allResident ? state.blocks : state.options.residentBlocks;
  state.slots = std::max(1u, std::min(resident, state.blocks));
  state.random = state.options.seed * 77 + 1;
  if (isObserved()) observer->launchStarts(description);
  gateDeviceMemory(true);
  tsanRelease(&state.tsanStart);
  // The slots take no lock: it would order them for ThreadSanitizer. So engines are borrowed here.
  std::vector<std::unique_ptr<Engine>> engines;
  for (unsigned s = 0; s < state.slots; ++s)
    engines.push_back(borrowEngine(state.options.stackBytes));
  if (state.slots == 1) {
    engines[0]->runSlot(state, 0);
  } else {
    state.slotAlive.assign(state.slots, 1);
    std::vector<std::thread> slots;
    for (unsigned s = 0; s < state.slots; ++s)
      slots.emplace_back([&state, &engines, s] { engines[s]->runSlot(state, s); });
    for (std::thread& slot : slots) slot.join();
  }
  for (auto& engine : engines) returnEngine(std::move(engine));
  tsanAcquire(&state.tsanEnd);
  gateDeviceMemory(false);
  if (state.failed) throw Fault(state.faultKind, state.faultText);
}

WarpResult warpCollective(WarpOp op, unsigned mask, std::uint64_t value, int argument, int width,
                          char const* name, Site site) {
  Engine& engine = engineFor(name);
  if (isObserved()) observer->warpCall(op, mask, __builtin_return_address(0));
  return engine.collective(op, mask, value, argument, width, name, site, nullptr, nullptr);
}
void warpExchange(unsigned mask, void* payload, Complete complete, char const* name, Site site) {
  Engine& engine = engineFor(name);
  if (isObserved()) observer->warpCall(WarpOp::exchange, mask, __builtin_return_address(0));
  engine.collective(WarpOp::exchange, mask, 0, 0, 32, name, site, payload, complete);
}
unsigned activeMask(Site site) {
  Engine& engine = engineFor("__activemask");
  if (isObserved()) observer->activeMask(__builtin_return_address(0));
  return engine.activeMask(site);
}
int barrier(BarrierOp op, int predicate, char const* name, Site site) {
  Engine& engine = engineFor(name);
  if (isObserved()) observer->barrier(false, __builtin_return_address(0));
  return engine.barrier(op, predicate, name, site);
}
void namedBarrier(unsigned id, unsigned threads, Site site) {
  Engine& engine = engineFor("named barrier");
  if (isObserved()) observer->barrier(true, __builtin_return_address(0));
  engine.namedBarrier(id, threads, site);
}
void copyAsync(void* to, void const* from, unsigned bytes, unsigned fromBytes, Site site) {
  Engine& engine = engineFor("copyAsync");
  if (isObserved()) observer->copy(to, from, bytes, fromBytes, __builtin_return_address(0));
  engine.copyAsync(to, from, bytes, fromBytes, site);
}
void commitCopies() { engineFor("commitCopies").commitCopies(); }
void waitForCopies(unsigned groupsLeft, bool ofAll) {
  engineFor("waitForCopies").waitForCopies(groupsLeft, ofAll);
}
void* dynamicShared() { return engineFor("dynamicShared").dynamicShared(); }
std::size_t dynamicSharedBytes() {
  return engineFor("dynamicSharedBytes").launch()->description->dynamicSharedBytes;
}
unsigned laneId() { return engineFor("laneId").current() % 32; }
void trap(char const* text, Site site) { engineFor(text).trap(text, site); }
bool inKernel() { return inDevice; }

// Atomics, fences and pauses also make sense on the host, in functions for both sides.
void spinPause(Site site) {
  if (inDevice) currentEngine->spinPause(site);
}
void madeProgress() {
  if (!inDevice) return;
  auto& progress = currentEngine->launch()->progress;  // a lost count does no harm
  progress.store(progress.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// ThreadSanitizer knows no fences. "A fence, then an atomic" publishes at that address what came
// before; "an atomic, then a fence" takes it over. (A little generous: writes between the fence and
// the atomic are published too.)
void atomicPoint(void const* p, unsigned bytes, AtomicUse use, Site site) {
  if (!inDevice) return;
  if (isObserved()) observer->atomic(p, bytes, use, __builtin_return_address(0));
  currentEngine->preemptionPoint(site);
  if (!underTsan()) return;
  Thread& thread = currentEngine->currentThread();
  void* const address = const_cast<void*>(p);
  if (thread.fenced) __tsan_release(address);
  auto& since = thread.atomicsSinceFence;
  since[thread.atomicsSinceFenceCount++ % since.size()] = address;
}
void fence(Site site) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!inDevice) return;
  if (isObserved()) observer->fence(__builtin_return_address(0));
  currentEngine->preemptionPoint(site);
  if (!underTsan()) return;
  Thread& thread = currentEngine->currentThread();
  thread.fenced = true;
  for (void*& address : thread.atomicsSinceFence)
    if (address) __tsan_acquire(address), address = nullptr;
  thread.atomicsSinceFenceCount = 0;
}

}  // namespace detail
}  // namespace tweed::loom
