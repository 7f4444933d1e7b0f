// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -Itweed/include -Itweed/examples tripCounts.cu && ./a.out
//
// A loop whose count differs by lane keeps the whole warp until its longest lane is done. Counts
// that differ by block, or a branch that a block takes as a whole, cost nothing. The first table
// has the share of lanes that work, counted on the host, and times against the loop in which all
// work. (A block keeps its place until its longest warp is done, so that warps which end early
// leave it half empty.)
//
// The second splits a warp 1, 2 and 4 ways among loops of the same cost: textbooks say 100, 50 and
// 25 % efficiency. The same ways by whole warps, or by whole blocks, are free.

#include <executionModel/experiment.cuh>
#include <tweed/core/math.cuh>

namespace tripCounts {

constexpr int threads = 256;

// x and b - x in turn, which takes a multiply-add that waits for the one before.
TWEED_DEVICE float turnOver(float x, float a, float b, int turns) {
#pragma unroll 4
  for (int turn = 0; turn < turns; ++turn) x = fmaf(a, x, b);
  return x;
}

__global__ void loops(int const* turns, long long n, float a, float* out) {
  long long const i = 1ll * blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = turnOver(float(i % 1000), a, 3, turns[i]);
}

// Way k turns x into 3 + k - x and back.
__global__ void ways(int const* way, long long n, float a, int turns, float* out) {
  long long const i = 1ll * blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = float(i % 1000);
  switch (way[i]) {
    case 0:
      x = turnOver(x, a, 3, turns);
      break;
    case 1:
      x = turnOver(x, a, 4, turns);
      break;
    case 2:
      x = turnOver(x, a, 5, turns);
      break;
    default:
      x = turnOver(x, a, 6, turns);
  }
  out[i] = x;
}

/// Neighbours that go the same way: of `ways` in turn.
struct Unit {
  char const* name;
  int threads;

  int wayOf(std::size_t i, int ways) const { return int(i / std::size_t(threads)) % ways; }
};
constexpr Unit units[] = {{"lane", 1}, {"warp", 32}, {"block", threads}};

/// The mean of the counts against that of each warp's longest, in percent: lanes that work.
inline double efficiencyOf(std::vector<int> const& turns) {
  double all = 0, longest = 0;
  for (std::size_t first = 0; first < turns.size(); first += 32) {
    int most = 0;
    for (std::size_t i = first; i < std::min(first + 32, turns.size()); ++i) {
      all += turns[i];
      most = std::max(most, turns[i]);
    }
    longest += 32.0 * most;
  }
  return 100 * all / longest;
}

inline void expectEach(model::Report& report, std::vector<float> const& results,
                       std::vector<int> const& turns, std::vector<int> const& way) {
  bool isRight = true;
  for (std::size_t i = 0; i < results.size(); ++i) {
    float const x = float(i % 1000), b = float(3 + way[i]);
    isRight = isRight && results[i] == (turns[i] % 2 == 0 ? x : b - x);
  }
  report.expect(isRight, "a lane made other turns than its own");
}

void run(model::Report& report) {
  long long const n = report.isSmall ? 32 * 32 : 1 << 20;
  int const most = report.isSmall ? 33 : 4097;
  auto const items = static_cast<std::size_t>(n);
  tweed::LaunchConfig const grid{tweed::ceilDiv(n, 1ll * threads), threads};
  model::Array<float> out(items);
  std::vector<int> const noWay(items, 0);

  struct Loop {
    char const* name;
    int (*turnsOf)(std::size_t i, int most);
  };
  double all = model::notMeasured, allTurns = 0;
  for (Loop const &loop :
       {Loop{"all the same", [](std::size_t, int most) { return most; }},
        Loop{"every other block half",
             [](std::size_t i, int most) { return i / threads % 2 == 0 ? most : most / 2; }},
        Loop{"every other warp half",
             [](std::size_t i, int most) { return i / 32 % 2 == 0 ? most : most / 2; }},
        Loop{"by lane, 1/32 to all",
             [](std::size_t i, int most) { return most * int(i % 32 + 1) / 32; }},
        Loop{"every other lane half",
             [](std::size_t i, int most) { return i % 2 == 0 ? most : most / 2; }},
        Loop{"one lane all, others one",
             [](std::size_t i, int most) { return i % 32 == 5 ? most : 1; }}}) {
    std::vector<int> host(items);
    double sum = 0;
    for (std::size_t i = 0; i < items; ++i) sum += host[i] = loop.turnsOf(i, most);
    model::Array<int> const turns(host);
    double const time = model::microsecondsOf(
        [&] { tweed::launch(loops, grid, turns.data(), n, -1.f, out.data()); });
    expectEach(report, out.host(), host, noWay);
    if (allTurns == 0) all = time, allTurns = sum;
    report.row({{"turns", loop.name},
                {"mean turns", sum / double(n)},
                {"working lanes %", efficiencyOf(host)},
                {"us", time},
                {"by the clock %", 100 * (all / time) * (sum / allTurns)}});
  }

  std::vector<int> const sameTurns(items, most);
  double oneWay = model::notMeasured;
  for (Unit const unit : units)
    for (int const split : {1, 2, 4}) {
      std::vector<int> host(items);
      bool const isByLane = unit.threads == 1;
      for (std::size_t i = 0; i < items; ++i) host[i] = unit.wayOf(i, split);
      model::Array<int> const way(host);
      double const time = model::microsecondsOf(
          [&] { tweed::launch(ways, grid, way.data(), n, -1.f, most, out.data()); });
      expectEach(report, out.host(), sameTurns, host);
      if (isByLane && split == 1) oneWay = time;
      report.row({{"ways", split},
                  {"split by", unit.name},
                  {"textbook %", isByLane ? 100 / split : 100},
                  {"us", time},
                  {"by the clock %", 100 * oneWay / time}});
    }
  report.lookAt("what the clock says beside the share of working lanes, and the textbook's");
}

constexpr model::Experiment experiment{"tripCounts", "loops and branches that differ within a warp",
                                       run};

}  // namespace tripCounts

#if !defined(MODEL_WITHOUT_MAIN)
int main(int argc, char** argv) { return model::program(tripCounts::experiment, argc, argv); }
#endif
