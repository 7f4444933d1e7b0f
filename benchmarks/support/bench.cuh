// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/bench.cuh - peers measured in turn, reported through Google Benchmark.
#pragma once

#include "machine.cuh"
#include "timing.cuh"

#include <benchmark/benchmark.h>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// One figure: device seconds of one call, and what else belongs in its row.
struct Sample {
  double seconds = 0;
  std::map<std::string, double> counters;
};

/// A peer made ready: `verify` says what is wrong with its results (nothing: they are right), and
/// `measure` times one batch of calls.
struct Probe {
  std::function<std::string()> verify;
  std::function<Sample()> measure;
};

/// Peers that do the same work. When Google Benchmark asks for the first of its rows, all peers are
/// made ready, verified, run to warm up, and measured in rounds: each round measures each peer
/// once, starting with another one, so that what drifts meets all of them alike and the figures of
/// a round form a pair. The repetitions of a row are its rounds. (Google Benchmark's own random
/// interleaving mixes the rows of the whole program, which leaves no pairs.)
class Case {
 public:
  explicit Case(std::string name) : name_(std::move(name)) {}

  Case& add(std::string peer, std::function<Probe()> make) {
    peers_.push_back({std::move(peer), std::move(make), {}, {}, {}});
    return *this;
  }

  /// Rounds before those that count go on for so long; by default there is one.
  void warmUp(double seconds) { warmUpSeconds_ = seconds; }

  std::string const& name() const { return name_; }
  std::size_t size() const { return peers_.size(); }
  std::string const& peerName(std::size_t i) const { return peers_[i].name; }
  std::string const& error(std::size_t i) const { return peers_[i].error; }
  std::vector<Sample> const& samples(std::size_t i) const { return peers_[i].samples; }
  double medianSeconds(std::size_t i) const {
    std::vector<double> all;
    for (Sample const& sample : peers_[i].samples) all.push_back(sample.seconds);
    return median(all);
  }
  double clockMHz() const { return clockMHz_; }
  bool hasRun() const { return hasRun_; }

  void run(int rounds) {
    hasRun_ = true;
    for (Peer& peer : peers_) {
      attempt(peer, [&peer] {
        peer.probe = std::make_unique<Probe>(peer.make());
        peer.error = peer.probe->verify();
      });
    }
    auto const measureEach = [this](int round) {
      for (std::size_t k = 0; k < peers_.size(); ++k) {
        Peer& peer = peers_[(std::size_t(round + 1) + k) % peers_.size()];
        if (!peer.error.empty()) continue;
        attempt(peer, [&peer, round] {
          Sample const sample = peer.probe->measure();
          if (round >= 0) peer.samples.push_back(sample);
        });
      }
    };
    using Clock = std::chrono::steady_clock;
    auto const start = Clock::now();
    do {
      measureEach(-1);
    } while (std::chrono::duration<double>(Clock::now() - start).count() < warmUpSeconds_);
    double const before = clockOrZero();
    for (int round = 0; round < rounds; ++round) measureEach(round);
    clockMHz_ = (before + clockOrZero()) / 2;
    for (Peer& peer : peers_) {
      if (peer.error.empty()) attempt(peer, [&peer] { peer.error = peer.probe->verify(); });
      peer.probe.reset();
    }
    print();
  }

 private:
  struct Peer {
    std::string name;
    std::function<Probe()> make;
    std::unique_ptr<Probe> probe;
    std::string error;
    std::vector<Sample> samples;
  };

  template <class Work>
  static void attempt(Peer& peer, Work&& work) {
    try {
      work();
    } catch (std::exception const& fault) {
      peer.error = fault.what();
      if (peer.error.empty()) peer.error = "failed";
    }
  }
  static double clockOrZero() {
    try {
      return measuredClockMHz();
    } catch (std::exception const&) {
      return 0;
    }
  }

  void print() const {
    std::printf("%-34s %4.0f MHz ", name_.c_str(), clockMHz_);
    std::size_t best = peers_.size();
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      if (!peers_[i].error.empty() || peers_[i].samples.empty()) continue;
      if (best == peers_.size() || medianSeconds(i) < medianSeconds(best)) best = i;
    }
    bool const isLong = peers_.size() > 12;  // a sweep prints a table of its own
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      if (!peers_[i].error.empty()) {
        std::printf(" | %s ERROR: %s", peers_[i].name.c_str(), peers_[i].error.c_str());
      } else if (!isLong || i == best) {
        std::printf(" | %s %.3f", peers_[i].name.c_str(), 1e6 * medianSeconds(i));
      }
    }
    std::printf(" us\n");
    std::fflush(stdout);
  }

  std::string name_;
  std::vector<Peer> peers_;
  double warmUpSeconds_ = 0;
  double clockMHz_ = 0;
  bool hasRun_ = false;
};

/// All cases of the program, in order.
inline std::deque<Case>& cases() {
  static std::deque<Case> all;
  return all;
}
inline Case& addCase(std::string name) { return cases().emplace_back(std::move(name)); }

namespace detail {

/// Prints nothing: cases print a line each.
class Silent : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(Context const&) override { return true; }
  void ReportRuns(std::vector<Run> const&) override {}
};

inline void registerReading(char const* name, std::function<Reading()> read) {
  benchmark::RegisterBenchmark(name,
                               [read](benchmark::State& state) {
                                 Reading const reading = read();
                                 for (auto _ : state) state.SetIterationTime(1e-6);
                                 state.counters["smClockMHz"] = reading.smClockMHz;
                                 state.counters["memoryClockMHz"] = reading.memoryClockMHz;
                                 state.counters["powerWatts"] = reading.powerWatts;
                                 state.counters["temperatureC"] = reading.temperatureC;
                               })
      ->Iterations(1)
      ->Repetitions(1)
      ->UseManualTime();
}

inline void registerCase(Case& of, std::string const& program, int rounds) {
  for (std::size_t i = 0; i < of.size(); ++i) {
    auto const next = std::make_shared<std::size_t>(0);
    benchmark::RegisterBenchmark(
        (program + "/" + of.name() + "/" + of.peerName(i)).c_str(),
        [&of, i, next, rounds](benchmark::State& state) {
          if (!of.hasRun()) of.run(rounds);
          if (!of.error(i).empty() || of.samples(i).empty()) {
            state.SkipWithError(of.error(i).empty() ? "not measured" : of.error(i).c_str());
            return;
          }
          Sample const& sample = of.samples(i)[(*next)++ % of.samples(i).size()];
          for (auto _ : state) state.SetIterationTime(sample.seconds);
          for (auto const& [name, value] : sample.counters) state.counters[name] = value;
          state.counters["smClockMHz"] = of.clockMHz();
        })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

inline void addContext(std::string const& commandLine, Reading const& now) {
  benchmark::AddCustomContext("card", now.isThere ? now.card : "nvidia-smi gave no answer");
  benchmark::AddCustomContext("driver", now.driver);
  int version = 0;
  TWEED_CHECK(cudaRuntimeGetVersion(&version));
  benchmark::AddCustomContext("cudaRuntime", std::to_string(version));
  benchmark::AddCustomContext("nvcc", std::to_string(__CUDACC_VER_MAJOR__) + "." +
                                          std::to_string(__CUDACC_VER_MINOR__) + "." +
                                          std::to_string(__CUDACC_VER_BUILD__));
  benchmark::AddCustomContext("multiprocessors", std::to_string(multiprocessors()));
  benchmark::AddCustomContext("l2Bytes", std::to_string(l2Bytes()));
  benchmark::AddCustomContext("revision", gitRevision());
  benchmark::AddCustomContext("commandLine", commandLine);
}

}  // namespace detail

/// Says in the JSON's context which version of something is measured.
inline void addVersion(std::string const& name, int version) {
  benchmark::AddCustomContext(name, std::to_string(version));
}

/// The main function of a program: `addCases` fills cases(). Repetitions are rounds; results go to
/// <program>.json unless --benchmark_out says otherwise.
/// Result   0 if every result was right.
template <class AddCases>
int run(int argc, char** argv, std::string const& program, int rounds, AddCases&& addCases) {
  std::vector<std::string> words(argv, argv + argc);
  bool hasOut = false;
  std::string commandLine;
  for (std::string const& word : words) {
    commandLine += (commandLine.empty() ? "" : " ") + word;
    std::string const flag = "--benchmark_repetitions=";
    if (word.compare(0, flag.size(), flag) == 0)
      rounds = std::max(1, std::atoi(word.c_str() + flag.size()));
    if (word.compare(0, 16, "--benchmark_out=") == 0) hasOut = true;
  }
  words.push_back("--benchmark_repetitions=" + std::to_string(rounds));
  if (!hasOut) words.push_back("--benchmark_out=" + program + ".json");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = int(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  try {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      std::fprintf(stderr, "%s: there is no CUDA device\n", program.c_str());
      return 77;
    }
    warmUp(1.0);
    Reading const before = readUnderLoad();
    detail::addContext(commandLine, before);
    addCases();
    detail::registerReading("machine/before", [before] { return before; });
    for (Case& each : cases()) detail::registerCase(each, program, rounds);
    detail::registerReading("machine/after", readUnderLoad);
    detail::Silent silent;
    if (benchmark::RunSpecifiedBenchmarks(&silent) == 0) return 2;
  } catch (std::exception const& fault) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), fault.what());
    return 1;
  }
  int wrong = 0;
  for (Case const& each : cases())
    for (std::size_t i = 0; i < each.size(); ++i) wrong += each.error(i).empty() ? 0 : 1;
  if (wrong > 0) std::printf("%s: %d rows are ERRORS\n", program.c_str(), wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace bench
