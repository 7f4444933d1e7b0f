// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include <link.h>

#include <algorithm>
#include <stdexcept>

#include "engine.hpp"
#include "symbols.hpp"

namespace tweed::loom {
namespace {

std::uintptr_t toNumber(void const* p) { return reinterpret_cast<std::uintptr_t>(p); }

struct Range {
  std::uintptr_t low = 0, high = 0;
  bool holds(std::uintptr_t address) const { return address >= low && address < high; }
};

// The program's variables, which are global memory; constants, which it can only read, are not.
struct ProgramData {
  std::vector<Range> writable;
  Range constant;
  static ProgramData const& get() {
    static ProgramData const data = [] {
      ProgramData found;
      dl_iterate_phdr(
          [](dl_phdr_info* info, std::size_t, void* p) {
            auto& result = *static_cast<ProgramData*>(p);
            for (int i = 0; i < info->dlpi_phnum; ++i) {
              auto const& header = info->dlpi_phdr[i];
              std::uintptr_t const low = info->dlpi_addr + header.p_vaddr;
              Range const range{low, low + header.p_memsz};
              if (header.p_type == PT_LOAD && (header.p_flags & PF_W))
                result.writable.push_back(range);
              if (header.p_type == PT_GNU_RELRO) result.constant = range;
            }
            return 1;  // the first entry is the program
          },
          &found);
      return found;
    }();
    return data;
  }
  bool holds(std::uintptr_t address) const {
    for (Range const& range : writable)
      if (range.holds(address)) return !constant.holds(address);
    return false;
  }
};

// Where __shared__ variables lie in the thread-local block, sorted.
std::vector<Range> const& sharedOffsets() {
  static std::vector<Range> const offsets = [] {
    std::vector<Range> all;
    for (Symbols::Span const& span : Symbols::get().shared())
      all.push_back({span.offset, span.offset + span.bytes});
    std::sort(all.begin(), all.end(), [](Range a, Range b) { return a.low < b.low; });
    return all;
  }();
  return offsets;
}

bool isSharedOffset(std::uintptr_t offset) {
  auto const& all = sharedOffsets();
  auto const after = std::upper_bound(all.begin(), all.end(), offset,
                                      [](std::uintptr_t o, Range const& r) { return o < r.low; });
  return after != all.begin() && std::prev(after)->holds(offset);
}

}  // namespace

// -------------------------------------------------------------------------------- one block
BlockTrace::BlockTrace(Engine& engine)
    : engine_(engine),
      warps_((engine.blockThreads() + 31) / 32),
      meetings_(engine.blockThreads()),
      barriers_(engine.blockThreads()),
      dynamicLow_(toNumber(engine.dynamicShared())),
      dynamicHigh_(dynamicLow_ + engine.launch()->description->dynamicSharedBytes),
      threadLocalLow_(toNumber(Symbols::threadLocalBlock())) {
  for (unsigned w = 0; w < warps_.size(); ++w) {
    unsigned const lanes = std::min(32u, engine.blockThreads() - w * 32);
    warps_[w].exists = warps_[w].live = lanes == 32 ? ~0u : (1u << lanes) - 1;
  }
}

// Anything else is a thread's own: its stack, its copy of the parameters, built-in variables.
BlockTrace::Space BlockTrace::spaceOf(std::uintptr_t address) {
  Fiber const& stack = *engine_.currentThread().fiber;
  if (address - toNumber(stack.low) < stack.bytes) return Space::none;
  if (address >= allocatedLow_ && address < allocatedHigh_) return Space::global;
  if (address >= dynamicLow_ && address < dynamicHigh_) return Space::shared;
  if (isSharedOffset(address - threadLocalLow_)) return Space::shared;
  if (isAllocated(reinterpret_cast<void const*>(address), allocatedLow_, allocatedHigh_))
    return Space::global;
  return ProgramData::get().holds(address) ? Space::global : Space::none;
}

void BlockTrace::access(std::uintptr_t address, unsigned bytes, bool isWhole, bool isStore,
                        std::uintptr_t caller) {
  Space const space = spaceOf(address);
  if (space == Space::none) return;
  Event event = isStore ? Event::sharedStore : Event::sharedLoad;
  if (space == Space::global) event = isStore ? Event::globalStore : Event::globalLoad;
  note({caller, event, isWhole, bytes}, address);
}

void BlockTrace::atomic(std::uintptr_t address, unsigned bytes, detail::AtomicUse use,
                        std::uintptr_t caller) {
  if (use != detail::AtomicUse::update)
    return access(address, bytes, true, use == detail::AtomicUse::store, caller);
  Space const space = spaceOf(address);
  if (space == Space::none) return;
  note({caller, space == Space::global ? Event::globalAtomic : Event::sharedAtomic, true, bytes},
       address);
}

// `meets`: no lane of the warp passes it before all that are left have come.
void BlockTrace::call(Event event, bool meets, std::uintptr_t caller) {
  note({caller, event, true, 0}, 0);
  if (meets) ++meetings_[engine_.current()];
}

// The n-th of each thread is the n-th of all, wherever in the code it is.
void BlockTrace::blockBarrier(std::uintptr_t caller) {
  unsigned const thread = engine_.current();
  Counts& counts = barrierPlaces_[{caller, Event::barrier, true, 0}];
  ++counts.lanes;
  if (barriers_[thread]++ == barriersSeen_) ++barriersSeen_, ++counts.requests;
  ++meetings_[thread];
}

void BlockTrace::threadEnds() {
  unsigned const thread = engine_.current();
  warps_[thread / 32].exited |= 1u << (thread % 32);
}

void BlockTrace::note(Place const& place, std::uintptr_t address) {
  unsigned const thread = engine_.current(), lane = thread % 32;
  Warp& warp = warps_[thread / 32];
  if (meetings_[thread] != warp.meetings) lanesMet(warp, thread / 32, meetings_[thread]);
  Stream& stream = warp.streams[place];
  unsigned const time = stream.times[lane]++ - stream.closed;
  if (time == stream.open.size()) stream.open.emplace_back();
  Request& request = stream.open[time];
  request.lanes |= 1u << lane;
  request.address[lane] = address;
  // Nobody else can join it. The front is the first to be complete.
  while (!stream.open.empty() && stream.open.front().lanes == warp.live) close(warp, place, stream);
}

void BlockTrace::close(Warp& warp, Place const& place, Stream& stream) {
  Request const& request = stream.open.front();
  addCost(stream.counts, place.event, request, place.bytes, place.isWhole,
          request.lanes != warp.live);
  stream.open.pop_front();
  ++stream.closed;
}

void BlockTrace::lanesMet(Warp& warp, unsigned warpIndex, unsigned meetings) {
  for (auto& [place, stream] : warp.streams) {
    while (!stream.open.empty()) close(warp, place, stream);
    stream.times.fill(0);
    stream.closed = 0;
  }
  warp.meetings = meetings;
  // A lane that has left before they met is not missed any more.
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((warp.exited >> lane & 1) && meetings_[warpIndex * 32 + lane] < meetings)
      warp.live &= ~(1u << lane);
}

void BlockTrace::finish(KernelTotals& totals) {
  ++totals.blocks;
  totals.warps += warps_.size();
  totals.threads += engine_.blockThreads();
  for (auto const& [place, counts] : barrierPlaces_) totals.places[place] += counts;
  std::map<Place, std::uint64_t> named;
  for (unsigned w = 0; w < warps_.size(); ++w) {
    lanesMet(warps_[w], w, warps_[w].meetings);
    for (auto const& [place, stream] : warps_[w].streams) {
      Counts counts = stream.counts;
      if (place.event == Event::barrier) {  // a named one: once a block, whatever its warps
        std::uint64_t& most = named[place];
        std::uint64_t const before = most;
        most = std::max(most, counts.requests);
        counts.requests = most - before;
      }
      totals.places[place] += counts;
    }
  }
}

// -------------------------------------------------------------------------------- all blocks
KernelTotals& Recorder::totalsOf(void const* kernel) {
  for (KernelTotals& totals : kernels_)
    if (totals.kernel == kernel) return totals;
  kernels_.push_back({});
  kernels_.back().kernel = kernel;
  return kernels_.back();
}

void Recorder::launchStarts(detail::LaunchDescription const& description) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++totalsOf(description.kernel).launches;
}
void Recorder::blockStarts(Engine& engine) { currentTrace = new BlockTrace(engine); }
void Recorder::blockEnds(bool failed) {
  std::unique_ptr<BlockTrace> const trace(currentTrace);
  currentTrace = nullptr;
  if (failed) return;
  std::lock_guard<std::mutex> lock(mutex_);
  trace->finish(totalsOf(currentEngine->launch()->description->kernel));
}
void Recorder::threadEnds() { currentTrace->threadEnds(); }

void Recorder::warpCall(detail::WarpOp op, unsigned mask, void const* caller) {
  using detail::WarpOp;
  Event event = Event::reduce;
  if (op <= WarpOp::shuffleXor) {
    event = Event::shuffle;
  } else if (op <= WarpOp::all || op == WarpOp::matchAny || op == WarpOp::matchAll) {
    event = Event::vote;
  } else if (op == WarpOp::sync) {
    event = Event::warpBarrier;
  } else if (op == WarpOp::exchange) {
    event = Event::exchange;
  }
  unsigned const lanes =
      std::min(32u, currentEngine->blockThreads() - currentEngine->current() / 32 * 32);
  unsigned const all = lanes == 32 ? ~0u : (1u << lanes) - 1;
  currentTrace->call(event, (mask & all) == all, toNumber(caller));
}
void Recorder::activeMask(void const* caller) {
  currentTrace->call(Event::vote, false, toNumber(caller));
}
void Recorder::barrier(bool isNamed, void const* caller) {
  if (isNamed) return currentTrace->call(Event::barrier, false, toNumber(caller));
  currentTrace->blockBarrier(toNumber(caller));
}
void Recorder::copy(void const* to, void const* from, unsigned bytes, unsigned fromBytes,
                    void const* caller) {
  if (fromBytes > 0)
    currentTrace->access(toNumber(from), fromBytes, fromBytes == bytes, false, toNumber(caller));
  currentTrace->access(toNumber(to), bytes, true, true, toNumber(caller));
}
void Recorder::fence(void const* caller) {
  currentTrace->call(Event::fence, false, toNumber(caller));
}
void Recorder::atomic(void const* p, unsigned bytes, detail::AtomicUse use, void const* caller) {
  currentTrace->atomic(toNumber(p), bytes, use, toNumber(caller));
}

Recording record(std::function<void()> const& run) {
  if (observer) throw std::logic_error("tweed::loom::record: a recording is under way already");
  struct Scope {
    Recorder recorder;
    Scope() { observer = &recorder; }
    ~Scope() { observer = nullptr; }
  } scope;
  run();
  observer = nullptr;
  return resolve(scope.recorder.kernels());
}

}  // namespace tweed::loom
