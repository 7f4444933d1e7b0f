// SPDX-License-Identifier: Apache-2.0
/// Block barriers, whole and named.
#include <cstring>

#include "engine.hpp"

namespace tweed::loom {

int Engine::barrier(detail::BarrierOp op, int predicate, char const* name, Site site) {
  Quiet quiet;
  Thread& thread = threads_[current_];
  ++counters_.barriers;
  thread.waitsIn = name, thread.site = site, thread.predicate = predicate;
  thread.state = State::barrierWait;
  if (barrierArrived_ == 0) {
    barrierOp_ = op, barrierName_ = name, barrierSite_ = site;
  } else if (barrierOp_ != op || barrierSite_.line != site.line ||
             (barrierSite_.file != site.file && std::strcmp(barrierSite_.file, site.file) != 0)) {
    TWEED_LOOM_RAISE(FaultKind::barrier,
                     format("barrier divergence: %s reaches %s at %s while others wait in %s at %s",
                            showThread(thread.index).c_str(), name, show(site).c_str(),
                            barrierName_, show(barrierSite_).c_str()) +
                         whereAllWait());
  }
  ++barrierArrived_;
  unsigned const generation = barrierGeneration_ & 1;
  tsanRelease(&tsanBarrier_[generation]);
  if (barrierArrived_ == live_) {
    finishBarrier();
    --warps_[thread.index / 32].runnable;  // woken with the rest, itself among the ready
    switchAway(current_, thread);
  } else {
    block();
  }
  tsanAcquire(&tsanBarrier_[generation]);
  return thread.result;
}

void Engine::finishBarrier() {
  using detail::BarrierOp;
  if (live_ != blockThreads_ && !options_.exitedMayMissBarrier)
    TWEED_LOOM_RAISE(
        FaultKind::barrier,
        format("barrier divergence: %s at %s is reached by %u of %u threads, the "
               "others have exited",
               barrierName_, show(barrierSite_).c_str(), barrierArrived_, blockThreads_) +
            whereAllWait());
  unsigned count = 0;
  for (unsigned i = 0; i < blockThreads_; ++i)
    if (threads_[i].state == State::barrierWait) count += threads_[i].predicate != 0;
  int result = 0;
  if (barrierOp_ == BarrierOp::count) result = int(count);
  if (barrierOp_ == BarrierOp::all) result = count == live_;
  if (barrierOp_ == BarrierOp::any) result = count != 0;
  barrierArrived_ = 0;
  ++barrierGeneration_;
  auto const release = [&](unsigned i) {
    if (threads_[i].state == State::barrierWait) threads_[i].result = result, wake(i);
  };
  if (options_.schedule == Order::reverse)
    for (unsigned i = blockThreads_; i-- > 0;) release(i);
  else
    for (unsigned i = 0; i < blockThreads_; ++i) release(i);
}

void Engine::namedBarrier(unsigned id, unsigned wanted, Site site) {
  Quiet quiet;
  Thread& thread = threads_[current_];
  if (id >= 16 || wanted == 0 || wanted % 32 != 0 || wanted > maxBlockThreads)
    TWEED_LOOM_RAISE(FaultKind::barrier,
                     format("named barrier %u of %u threads at %s: the id must be below 16, the "
                            "threads a multiple of 32 from 32 to 1024",
                            id, wanted, show(site).c_str()));
  NamedBarrier& barrier = namedBarriers_[id];
  if (barrier.arrived && barrier.wanted != wanted)
    TWEED_LOOM_RAISE(
        FaultKind::barrier,
        format("named barrier %u at %s: %s waits for %u threads, others for %u", id,
               show(site).c_str(), showThread(thread.index).c_str(), wanted, barrier.wanted));
  ++counters_.barriers;
  barrier.wanted = wanted;
  unsigned const generation = barrier.generation & 1;
  thread.site = site, thread.waitsIn = "named barrier", thread.namedBarrier = id;
  tsanRelease(&barrier.tsanSync[generation]);
  thread.state = State::namedWait;
  if (++barrier.arrived == wanted) {
    barrier.arrived = 0, ++barrier.generation;
    thread.state = State::running;
    for (unsigned i = 0; i < blockThreads_; ++i)
      if (threads_[i].state == State::namedWait && threads_[i].namedBarrier == id) wake(i);
  } else {
    block();
  }
  tsanAcquire(&barrier.tsanSync[generation]);
}

}  // namespace tweed::loom
