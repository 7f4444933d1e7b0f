// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -Itweed/include -Itweed/examples latencyHiding.cu && ./a.out
//
// A multiprocessor hides latency by having other work under way, and Little's law says how much:
// latency times throughput. The first table is that arithmetic for two pipes of a Fermi card of
// 2010 that textbooks take, and for this device. (They round 73.6 KB to 74 and come to 579 warps.)
//
// Then the law against the clock, for memory: one to 64 warps on each multiprocessor, with one,
// four or eight loads of 4 bytes in each thread before the first is used. Bandwidth follows the
// bytes under way, so that few warps with many loads take the place of many with one, though not
// wholly (compare the rows of 8 KB), as a thread issues its loads one after the other. And for
// arithmetic: a chain of multiply-adds a thread, or four that do not wait for each other. There the
// law tells what is possible, not what one chain reaches: however many warps have one, they stop at
// half of the 128 a cycle of an H200, for which each warp must have two instructions that can
// start.

#include <executionModel/experiment.cuh>
#include <executionModel/littlesLaw.hpp>
#include <tweed/warp/warpReduce.cuh>

namespace latencyHiding {

constexpr int hops = 1024;
constexpr long long hopItems = 32771;  // 128 KiB and a line further: none is in a cache yet

// in[i] says where to go from i. Thread 0 alone follows it.
__global__ void chase(int const* in, int* end, long long* cycles) {
  int at = 0;
  long long const start = clock64();
#pragma unroll 8
  for (int hop = 0; hop < hops; ++hop) at = in[at];
  *end = at;
  *cycles = clock64() - start;
}

template <int Loads>
__global__ void add(int const* in, long long n, unsigned* sum) {
  long long const step = 1ll * gridDim.x * blockDim.x;
  unsigned share = 0;
#pragma unroll 1
  for (long long i = 1ll * blockIdx.x * blockDim.x + threadIdx.x; i < n; i += Loads * step) {
    int items[Loads];
#pragma unroll
    for (int k = 0; k < Loads; ++k) items[k] = i + k * step < n ? in[i + k * step] : 0;
#pragma unroll
    for (int k = 0; k < Loads; ++k) share += unsigned(items[k]);
  }
  share = tweed::warpReduce(share);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, share);
}

// Chains that turn x into b - x and back; a is -1, which the compiler does not know.
template <int Chains>
__global__ void multiplyAdd(float a, float b, int turns, float* out) {
  float x[Chains];
#pragma unroll
  for (int k = 0; k < Chains; ++k) x[k] = float(threadIdx.x + unsigned(k));
#pragma unroll 32
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int k = 0; k < Chains; ++k) x[k] = fmaf(a, x[k], b);
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < Chains; ++k) sum += x[k];
  out[1ll * blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Multiply-adds of 32 bits that a multiprocessor starts in a cycle.
constexpr int lanesOf(int computeCapability) {
  int const major = computeCapability / 10;
  if (major == 3) return 192;
  return major == 7 || computeCapability == 60 || computeCapability == 80 ? 64 : 128;
}
constexpr int multiplyAddCycles = 4;  // from one to the next that needs it, since Volta

struct Machine {
  double latency;           ///< of memory, cycles
  double bandwidth;         ///< bytes a second
  double cyclesEachSecond;  ///< of a multiprocessor
  int multiprocessors, lanes;
};

// Blocks and threads so that each multiprocessor has so many warps.
inline tweed::LaunchConfig warpsEach(int multiprocessors, int warps) {
  int const blocks = warps > 32 ? 2 : 1;
  return {blocks * multiprocessors, 32 * warps / blocks};
}

template <int Loads>
void bandwidth(model::Report& report, Machine const& machine, int warps,
               model::Array<int> const& in, long long n, unsigned expected) {
  model::Array<unsigned> sum(1);
  tweed::LaunchConfig const config = warpsEach(machine.multiprocessors, warps);
  auto const call = [&] { tweed::launch(add<Loads>, config, in.data(), n, sum.data()); };
  sum.fill(0);
  call();
  report.expect(sum.host()[0] == expected, "the sum differs from the host's");
  double const bytes = 128.0 * warps * Loads;
  double const each =
      model::eachCycle(bytes, machine.latency,
                       machine.bandwidth / machine.cyclesEachSecond / machine.multiprocessors);
  report.row({{"warps", warps},
              {"loads a thread", Loads},
              {"KB under way", bytes / 1000},
              {"GB/s by the law", each * machine.multiprocessors * machine.cyclesEachSecond / 1e9},
              {"GB/s", 4e-3 * double(n) / model::microsecondsOf(call)}});
}

template <int Chains>
void arithmetic(model::Report& report, Machine const& machine, int warps, int turns) {
  tweed::LaunchConfig const config = warpsEach(machine.multiprocessors, warps);
  auto const threads = std::size_t(config.grid.x * config.block.x);
  model::Array<float> out(threads);
  auto const call = [&] {
    tweed::launch(multiplyAdd<Chains>, config, -1.0f, 3.0f, turns, out.data());
  };
  double const time = model::microsecondsOf(call);
  std::vector<float> const sums = out.host();
  bool isRight = true;
  for (std::size_t i = 0; i < threads; ++i) {
    float expected = 0;
    for (int k = 0; k < Chains; ++k) {
      float const x = float(i % std::size_t(config.block.x) + std::size_t(k));
      expected += turns % 2 == 0 ? x : 3 - x;
    }
    isRight = isRight && sums[i] == expected;
  }
  report.expect(isRight, "a chain of multiply-adds ended at another number than the host's");
  double const operations = double(threads) * Chains * turns;
  report.row({{"warps", warps},
              {"chains a thread", Chains},
              {"operations under way", 32 * warps * Chains},
              {"a cycle by the law",
               model::eachCycle(32.0 * warps * Chains, multiplyAddCycles, machine.lanes)},
              {"a cycle",
               operations / (time * 1e-6) / machine.cyclesEachSecond / machine.multiprocessors}});
}

void law(model::Report& report, char const* pipe, double latency, double eachCycle,
         char const* unit, double ofThread, int multiprocessors) {
  double const items = model::inFlight(latency, eachCycle);
  report.row(
      {{"pipe", pipe},
       {"latency", latency},
       {"a cycle", eachCycle},
       {"under way", items},
       {"of", unit},
       {"warps", std::isnan(items) ? items : double(model::warpsFor(items, ofThread))},
       {"of each multiprocessor",
        std::isnan(items) ? items : double(model::warpsFor(items, ofThread)) / multiprocessors}});
}

void run(model::Report& report) {
  bool const isLoom = report.device.isLoom;
  long long const n = report.isSmall ? 20011 : 1ll << 26;
  std::vector<int> next(static_cast<std::size_t>(n));
  unsigned expected = 0;
  for (long long i = 0; i < n; ++i) {
    next[std::size_t(i)] = int((i + hopItems) % n);
    expected += unsigned(next[std::size_t(i)]);
  }
  model::Array<int> const in(next);
  // The copy's end is what the caches hold: the chain walks the first half.
  model::Array<int> end(1);
  model::Array<long long> cycles(1);
  tweed::launch(chase, {1, 1}, in.data(), end.data(), cycles.data());
  report.expect(end.host()[0] == int(hops * hopItems % n), "the chain ended at another item");

  Machine const machine{isLoom ? model::notMeasured : double(cycles.host()[0]) / hops,
                        model::peakBandwidth(), model::clockRate(), report.device.multiprocessors,
                        lanesOf(report.device.computeCapability)};
  law(report, "Fermi, arithmetic", 20, 32, "operations of one multiprocessor", 1, 1);
  law(report, "Fermi, memory", 800, 92, "bytes of the device", 4, 16);
  law(report, "here, arithmetic", multiplyAddCycles, machine.lanes,
      "operations of one multiprocessor", 1, 1);
  law(report, "here, memory", machine.latency,
      model::bytesEachCycle(machine.bandwidth, machine.cyclesEachSecond), "bytes of the device", 4,
      machine.multiprocessors);

  std::vector<int> const warps =
      report.isSmall ? std::vector<int>{1, 34} : std::vector<int>{1, 2, 4, 8, 16, 32, 64};
  for (int const w : warps) bandwidth<1>(report, machine, w, in, n, expected);
  for (int const w : warps) bandwidth<4>(report, machine, w, in, n, expected);
  for (int const w : warps) bandwidth<8>(report, machine, w, in, n, expected);
  int const turns = report.isSmall ? 5 : 1 << 15 | 1;
  for (int const w : warps) arithmetic<1>(report, machine, w, turns);
  for (int const w : warps) arithmetic<4>(report, machine, w, turns);
  report.lookAt(
      "bandwidth and multiply-adds follow what is under way, until the pipe is full: by many warps "
      "or by many loads a warp; and one chain a thread does not fill the arithmetic pipe");
}

constexpr model::Experiment experiment{"latencyHiding", "how much work under way hides latency",
                                       run};

}  // namespace latencyHiding

#if !defined(MODEL_WITHOUT_MAIN)
int main(int argc, char** argv) { return model::program(latencyHiding::experiment, argc, argv); }
#endif
