// SPDX-License-Identifier: Apache-2.0
/// Warp collectives.
#include <algorithm>

#include "engine.hpp"

namespace tweed::loom {

// PTX: a collective waits for all non-exited threads of its mask that run it with the same
// qualifiers and the same mask. So a lane joins the group that waits for it, or opens one; the last
// to arrive, or to exit, computes for all.
detail::WarpResult Engine::collective(detail::WarpOp op, unsigned mask, std::uint64_t value,
                                      int argument, int width, char const* name, Site site,
                                      void* payload, detail::Complete complete) {
  Quiet quiet;
  Thread& thread = threads_[current_];
  unsigned const warpIndex = thread.index / 32, bit = 1u << (thread.index % 32);
  Warp& warp = warps_[warpIndex];
  ++counters_.collectives;
  if (!(mask & bit))
    TWEED_LOOM_RAISE(FaultKind::mask,
                     format("%s(0x%08x) at %s: the mask omits the calling lane, %s", name, mask,
                            show(site).c_str(), showThread(thread.index).c_str()));
  if ((mask & ~warp.exists) && !options_.absentLanesInMask)
    TWEED_LOOM_RAISE(FaultKind::mask,
                     format("%s(0x%08x) at %s: the mask names lanes that warp %u does not have (it "
                            "has %d, the block %u threads)",
                            name, mask, show(site).c_str(), warpIndex,
                            __builtin_popcount(warp.exists), blockThreads_));
  if (width < 1 || width > 32 || (width & (width - 1)))
    TWEED_LOOM_RAISE(FaultKind::mask, format("%s at %s: width %d is not a power of two up to 32",
                                             name, show(site).c_str(), width));
  LaneCall call{value, 0, argument, width, payload, complete, false};
  thread.call = &call;
  thread.waitsIn = name, thread.site = site, thread.mask = mask;

  std::size_t at = 0;
  for (; at < warp.pending.size(); ++at) {
    Group const& other = warp.pending[at];
    if (other.mask == mask && !(other.arrived & bit)) break;
    // They wait for me there, and I would wait for one of them here.
    if ((other.mask & bit) && (other.arrived & mask))
      TWEED_LOOM_RAISE(
          FaultKind::mask,
          format("lanes disagree on the mask: %s calls %s(0x%08x) at %s while %s waits for it in "
                 "%s(0x%08x) at %s",
                 showThread(thread.index).c_str(), name, mask, show(site).c_str(),
                 showThread(warpIndex * 32 + unsigned(__builtin_ctz(other.arrived & mask))).c_str(),
                 other.name, other.mask, show(other.site).c_str()));
  }
  if (at == warp.pending.size()) warp.pending.push_back({mask, 0, op, name, site});
  Group& group = warp.pending[at];
  if (group.op != op)
    TWEED_LOOM_RAISE(FaultKind::mask,
                     format("lanes of one mask call different intrinsics: %s calls %s(0x%08x) at "
                            "%s, others wait in %s at %s",
                            showThread(thread.index).c_str(), name, mask, show(site).c_str(),
                            group.name, show(group.site).c_str()));
  group.arrived |= bit;
  // Of all collectives CUDA lets __syncwarp alone order memory.
  bool const orders = underTsan() && op == detail::WarpOp::sync;
  char* const sync = &warp.tsanSync[__builtin_ctz(mask)];
  if (orders) __tsan_release(sync);
  thread.state = State::warpWait;
  if (((group.arrived | warp.gone) & mask) == mask) {
    thread.state = State::running;
    finishGroup(warp, warpIndex, at);
  } else {
    block();
  }
  if (orders) __tsan_acquire(sync);
  thread.call = nullptr;
  return {call.out, call.predicate};
}

void Engine::finishGroup(Warp& warp, unsigned warpIndex, std::size_t groupIndex) {
  Group const group = warp.pending[groupIndex];
  warp.pending.erase(warp.pending.begin() + std::ptrdiff_t(groupIndex));
  compute(warp, warpIndex, group);
  auto const wakeLane = [&](unsigned lane) {
    unsigned const i = warpIndex * 32 + lane;
    if ((group.arrived >> lane & 1) && threads_[i].state == State::warpWait) wake(i);
  };
  if (options_.schedule == Order::reverse)
    for (unsigned lane = 32; lane-- > 0;) wakeLane(lane);
  else
    for (unsigned lane = 0; lane < 32; ++lane) wakeLane(lane);
}

namespace {
template <typename F>
inline void forEachLane(unsigned lanes, F f) {
  for (; lanes; lanes &= lanes - 1) f(unsigned(__builtin_ctz(lanes)));
}

std::uint32_t combine(detail::WarpOp op, std::uint32_t a, std::uint32_t b) {
  using detail::WarpOp;
  switch (op) {
    case WarpOp::reduceAdd:
      return a + b;
    case WarpOp::reduceMinUnsigned:
      return std::min(a, b);
    case WarpOp::reduceMaxUnsigned:
      return std::max(a, b);
    case WarpOp::reduceMinSigned:
      return std::uint32_t(std::min(std::int32_t(a), std::int32_t(b)));
    case WarpOp::reduceMaxSigned:
      return std::uint32_t(std::max(std::int32_t(a), std::int32_t(b)));
    case WarpOp::reduceAnd:
      return a & b;
    case WarpOp::reduceOr:
      return a | b;
    default:
      return a ^ b;
  }
}
}  // namespace

void Engine::shuffle(Warp& warp, unsigned warpIndex, Group const& group) {
  using detail::WarpOp;
  forEachLane(group.arrived, [&](unsigned lane) {
    Thread& thread = threads_[warpIndex * 32 + lane];
    LaneCall& call = *thread.call;
    int const self = int(lane), first = self & ~(call.width - 1), last = first + call.width - 1;
    int const delta = call.argument & 31;  // PTX takes the low five bits
    int source = self;
    switch (group.op) {
      case WarpOp::shuffleIndex:
        source = first + (call.argument & (call.width - 1));
        break;
      case WarpOp::shuffleUp:
        source = self - delta < first ? self : self - delta;
        break;
      case WarpOp::shuffleDown:
        source = self + delta > last ? self : self + delta;
        break;
      default:
        source = (self ^ delta) > last ? self : self ^ delta;
    }
    if (group.arrived >> source & 1) {
      call.out = threads_[warpIndex * 32 + unsigned(source)].call->in;
      return;
    }
    call.out = ~std::uint64_t(0);  // NaN, -1
    if (!options_.readsMustBeDefined) return;
    char const* why = "which the mask omits";
    if (group.mask >> source & 1)
      why = warp.exists >> source & 1 ? "which has exited" : "which the block does not have";
    TWEED_LOOM_RAISE(
        FaultKind::undefinedRead,
        format("%s(0x%08x) at %s: %s reads lane %d, %s", thread.waitsIn, group.mask,
               show(thread.site).c_str(), showThread(thread.index).c_str(), source, why));
  });
}

void Engine::needEveryLane(Warp& warp, unsigned warpIndex, Group const& group, char const* verb) {
  unsigned const missing = group.mask & ~group.arrived;
  if (!missing || !options_.readsMustBeDefined) return;
  unsigned const first = unsigned(__builtin_ctz(group.arrived));
  int const lane = __builtin_ctz(missing);
  TWEED_LOOM_RAISE(
      FaultKind::undefinedRead,
      format("%s(0x%08x) at %s: %s %s lane %d, which %s", group.name, group.mask,
             show(group.site).c_str(), showThread(warpIndex * 32 + first).c_str(), verb, lane,
             warp.exists >> lane & 1 ? "has exited" : "the block does not have"));
}

void Engine::compute(Warp& warp, unsigned warpIndex, Group const& group) {
  using detail::WarpOp;
  auto const call = [&](unsigned lane) -> LaneCall& {
    return *threads_[warpIndex * 32 + lane].call;
  };
  switch (group.op) {
    case WarpOp::shuffleIndex:
    case WarpOp::shuffleUp:
    case WarpOp::shuffleDown:
    case WarpOp::shuffleXor:
      shuffle(warp, warpIndex, group);
      break;
    case WarpOp::ballot:
    case WarpOp::any:
    case WarpOp::all: {
      unsigned votes = 0;
      forEachLane(group.arrived, [&](unsigned lane) { votes |= unsigned(call(lane).in) << lane; });
      std::uint64_t const result = group.op == WarpOp::ballot ? votes
                                   : group.op == WarpOp::any  ? votes != 0
                                                              : votes == group.arrived;
      forEachLane(group.arrived, [&](unsigned lane) { call(lane).out = result; });
      break;
    }
    case WarpOp::sync:
      break;
    case WarpOp::exchange: {
      needEveryLane(warp, warpIndex, group, "needs");
      void* payloads[32] = {};
      forEachLane(group.arrived, [&](unsigned lane) { payloads[lane] = call(lane).payload; });
      call(unsigned(__builtin_ctz(group.arrived))).complete(payloads, group.arrived);
      break;
    }
    case WarpOp::matchAny:
    case WarpOp::matchAll:
      forEachLane(group.arrived, [&](unsigned lane) {
        unsigned equal = 0;
        forEachLane(group.arrived, [&](unsigned other) {
          equal |= unsigned(call(other).in == call(lane).in) << other;
        });
        call(lane).predicate = equal == group.arrived;
        call(lane).out = group.op == WarpOp::matchAny || equal == group.arrived ? equal : 0;
      });
      break;
    default: {  // a reduction
      unsigned const first = unsigned(__builtin_ctz(group.arrived));
      needEveryLane(warp, warpIndex, group, "folds");
      auto result = std::uint32_t(call(first).in);
      forEachLane(group.arrived & ~(1u << first), [&](unsigned lane) {
        result = combine(group.op, result, std::uint32_t(call(lane).in));
      });
      forEachLane(group.arrived, [&](unsigned lane) { call(lane).out = result; });
    }
  }
}

// -------------------------------------------------------------------------------- __activemask
// Forward and reverse: waits until the warp's other lanes all wait or have exited, then answers
// with those at this call. Random: the caller alone, the least that the hardware may answer.
unsigned Engine::activeMask(Site site) {
  Quiet quiet;
  Thread& thread = threads_[current_];
  unsigned const bit = 1u << (thread.index % 32);
  if (options_.schedule == Order::random) return bit;
  thread.waitsIn = "__activemask", thread.site = site;
  thread.state = State::activeWait;
  warps_[thread.index / 32].waitingActive |= bit;
  block();
  return thread.active;
}

void Engine::settleActive(unsigned warpIndex) {
  Warp& warp = warps_[warpIndex];
  if (!warp.waitingActive || warp.runnable) return;
  while (warp.waitingActive) {
    Site const site = threads_[warpIndex * 32 + unsigned(__builtin_ctz(warp.waitingActive))].site;
    unsigned together = 0;
    forEachLane(warp.waitingActive, [&](unsigned lane) {
      Site const other = threads_[warpIndex * 32 + lane].site;
      if (other.line == site.line && other.file == site.file) together |= 1u << lane;
    });
    warp.waitingActive &= ~together;
    forEachLane(together, [&](unsigned lane) {
      threads_[warpIndex * 32 + lane].active = together;
      wake(warpIndex * 32 + lane);
    });
  }
}

}  // namespace tweed::loom
