// SPDX-License-Identifier: Apache-2.0
// examples/ladder/count.cuh - what the rungs do to memory and to each other, counted by the loom's
// recorder.
#pragma once

#include "bar.cuh"

#include <tweed/loom/recording.hpp>

#include <cstdio>
#include <exception>

namespace ladder {

constexpr int leastRounds = 1;

inline std::vector<std::pair<char const*, std::string>> machineFacts() {
  return {{"where", "loom"}, {"device", "the loom (CPU)"}};
}

inline Figures countsOf(Bar const& bar, long long n) {
  using tweed::loom::Event;
  Figures figures;
  figures.n = n;
  Ready const ready = bar.make(n);
  ready.call();  // what a rung sets up in its first call is not counted
  tweed::synchronize();
  tweed::loom::Recording const recording =
      tweed::loom::record([&] { figures.error = ready.verify(); });
  unsigned long long launches = 0, blocks = 0;
  for (auto const& kernel : recording.kernels) {
    launches += kernel.launches;
    blocks += kernel.blocks;
  }
  tweed::loom::Counts shared, global;
  for (Event const event : {Event::sharedLoad, Event::sharedStore, Event::sharedAtomic})
    shared += recording.total(event);
  for (Event const event : {Event::globalLoad, Event::globalStore, Event::globalAtomic})
    global += recording.total(event);
  auto const requests = [&](Event event) { return recording.total(event).requests; };
  figures.counts = {{"launches", launches},
                    {"blocks", blocks},
                    {"barriers", requests(Event::barrier)},
                    {"warpBarriers", requests(Event::warpBarrier)},
                    {"shuffles", requests(Event::shuffle)},
                    {"votes", requests(Event::vote)},
                    {"exchanges", requests(Event::exchange)},
                    {"atomics", recording.total(Event::globalAtomic).lanes +
                                    recording.total(Event::sharedAtomic).lanes},
                    {"requests", shared.requests + global.requests},
                    {"divergent", shared.divergent + global.divergent},
                    {"passes", shared.passes},
                    {"idealPasses", shared.idealPasses},
                    {"sectors", global.sectors},
                    {"idealSectors", global.idealSectors}};
  return figures;
}

inline std::vector<Figures> figuresOf(Ladder const&, std::vector<Bar> const& bars, long long n,
                                      int) {
  std::vector<Figures> all;
  for (Bar const& bar : bars) {
    std::printf("  %-28s", bar.name.c_str());
    std::fflush(stdout);
    Figures figures;
    figures.n = n;
    if (!bar.skipped.empty()) {
      std::printf("skipped: %s\n", bar.skipped.c_str());
      all.push_back(figures);
      continue;
    }
    try {
      figures = countsOf(bar, n);
    } catch (std::exception const& fault) {
      figures.error = fault.what();
    }
    std::printf("%s\n", figures.error.empty() ? "right, counted" : figures.error.c_str());
    all.push_back(figures);
  }
  return all;
}

}  // namespace ladder
