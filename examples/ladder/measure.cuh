// SPDX-License-Identifier: Apache-2.0
// examples/ladder/measure.cuh - the times of all rungs on a GPU, in turn.
#pragma once

#include "bar.cuh"

#include <support/machine.cuh>

#include <algorithm>
#include <cstdio>
#include <exception>

namespace ladder {

constexpr int leastRounds = 10;

inline std::vector<std::pair<char const*, std::string>> machineFacts() {
  bench::Reading const now = bench::readUnderLoad();
  tweed::DeviceInfo const info = tweed::deviceInfo();
  int runtime = 0;
  TWEED_CHECK(cudaRuntimeGetVersion(&runtime));
  auto const text = [](double value) { return std::to_string(static_cast<long long>(value)); };
  return {{"where", "gpu"},
          {"device", info.name},
          {"computeCapability", std::to_string(info.computeCapability)},
          {"driver", now.isThere ? now.driver : "nvidia-smi gave no answer"},
          {"runtime", std::to_string(runtime)},
          {"revision", bench::gitRevision()},
          {"smClockMHz", text(now.smClockMHz)},
          {"memoryClockMHz", text(now.memoryClockMHz)},
          {"powerWatts", text(now.powerWatts)}};
}

namespace detail {

/// A round of one bar takes at most about this long.
constexpr double mostSecondsOfRound = 0.5;
/// And at least this, in several calls.
constexpr double leastSecondsOfRound = 2e-3;

struct Measured {
  Bar const& bar;
  Ready ready;
  Figures figures;
};

template <class Work>
void attempt(Measured& one, Work&& work) {
  if (!one.figures.error.empty() || !one.bar.skipped.empty()) return;
  try {
    work();
  } catch (std::exception const& fault) {
    one.figures.error = fault.what();
  }
}

// Chooses the size and the number of calls of a round. A rung that is too slow gets a smaller
// size: n, halved as often as the time at a small size says.
inline void prepare(Measured& one, Ladder const& ladder, long long n, bench::EventTimer& timer) {
  auto const secondsOfCall = [&](long long size) {
    one.ready = {};
    one.ready = one.bar.make(size);
    one.ready.call();
    return timer.seconds(one.ready.call);
  };
  if (n > ladder.pilot) {
    double const small = secondsOfCall(ladder.pilot);
    auto const estimateFor = [&](long long size) {
      return small * one.bar.work(size) / one.bar.work(ladder.pilot);
    };
    while (n > ladder.pilot && estimateFor(n) > mostSecondsOfRound) n /= 2;
  }
  one.figures.n = n;
  double const calls = leastSecondsOfRound / secondsOfCall(n);
  one.figures.calls = int(std::min(100., std::max(1., calls)));
  one.figures.error = one.ready.verify();
}

}  // namespace detail

/// Each round times each bar once, starting with another one, so that what drifts meets all alike.
/// Results are verified before and after.
inline std::vector<Figures> figuresOf(Ladder const& ladder, std::vector<Bar> const& bars,
                                      long long n, int rounds) {
  bench::EventTimer timer(nullptr);
  bench::warmUp(0.3);
  std::vector<detail::Measured> all;
  for (Bar const& bar : bars) {
    std::printf("  %-28s", bar.name.c_str());
    std::fflush(stdout);
    detail::Measured& one = all.emplace_back(detail::Measured{bar, {}, {}});
    one.figures.n = n;
    detail::attempt(one, [&] { detail::prepare(one, ladder, n, timer); });
    if (!bar.skipped.empty()) {
      std::printf("skipped: %s\n", bar.skipped.c_str());
    } else if (!one.figures.error.empty()) {
      std::printf("%s\n", one.figures.error.c_str());
    } else if (one.figures.n == n) {
      std::printf("right, %d calls a round\n", one.figures.calls);
    } else {
      std::printf("right; slow: measured at n = %lld\n", one.figures.n);
    }
  }
  for (int round = -1; round < rounds; ++round) {  // the first one warms up
    std::printf("\r  round %d of %d", round + 1, rounds);
    std::fflush(stdout);
    for (std::size_t k = 0; k < all.size(); ++k) {
      detail::Measured& one = all[(std::size_t(round + 1) + k) % all.size()];
      detail::attempt(one, [&] {
        double const seconds = timer.seconds([&] {
          for (int i = 0; i < one.figures.calls; ++i) one.ready.call();
        });
        if (round >= 0) one.figures.seconds.push_back(seconds / one.figures.calls);
      });
    }
  }
  std::printf("\n");
  std::vector<Figures> figures;
  for (detail::Measured& one : all) {
    detail::attempt(one, [&] { one.figures.error = one.ready.verify(); });
    figures.push_back(one.figures);
  }
  return figures;
}

}  // namespace ladder
