// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -Itweed/include -Itweed/examples ballotCount.cu && ./a.out
//
// A branch turned into data: a vote gives each lane the answers of its whole warp as 32 bits. Their
// number (popc) counts the positive items of a warp without a branch and with one atomic; how many
// stand below a lane is its place among them, which packs the positive items together.
//
// The atomics of the branch are merged by nvcc with the same vote, once a turn; by hand it is once
// a warp. The order of items within a warp is kept; that of warps is the order in which they come.

#include <executionModel/experiment.cuh>
#include <tweed/arch/shuffle.cuh>
#include <tweed/arch/vote.cuh>
#include <tweed/core/thread.cuh>
#include <tweed/grid/gridStride.cuh>
#include <tweed/launch/occupancy.cuh>

namespace ballotCount {

constexpr int threads = 256;
using Count = unsigned long long;

__global__ void countByBranch(int const* in, long long n, Count* count) {
  for (auto const i : tweed::gridStride(n))
    if (in[i] > 0) atomicAdd(count, Count(1));
}

// All lanes of a warp run the same turns, as a vote of all needs: the loop asks for its first lane.
template <class Visit>
TWEED_DEVICE void forEachOfWarp(long long n, Visit visit) {
  int const lane = int(threadIdx.x) % 32;
  long long const step = 1ll * gridDim.x * blockDim.x;
  long long first = 1ll * blockIdx.x * blockDim.x + threadIdx.x - lane;
  for (; first < n; first += step) visit(first + lane, lane);
}

__global__ void countByBallot(int const* in, long long n, Count* count) {
  Count mine = 0;
  forEachOfWarp(n, [&](long long i, int) {
    mine +=
        Count(tweed::arch::countLanes(tweed::arch::ballot(tweed::fullMask, i < n && in[i] > 0)));
  });
  if (threadIdx.x % 32 == 0) atomicAdd(count, mine);
}

__global__ void compact(int const* in, long long n, int* out, Count* count) {
  forEachOfWarp(n, [&](long long i, int lane) {
    int const item = i < n ? in[i] : 0;
    unsigned const kept = tweed::arch::ballot(tweed::fullMask, item > 0);
    Count base = 0;
    if (lane == 0) base = atomicAdd(count, Count(tweed::arch::countLanes(kept)));
    base = tweed::arch::shuffle(tweed::fullMask, base, 0);
    if (item > 0) out[base + Count(tweed::arch::lanesBelow(kept, lane))] = item;
  });
}

/// What of the n items is positive: how many by each kernel, and which.
struct Positives {
  Count byBranch, byBallot;
  std::vector<int> items;  ///< as many as the third kernel counts, and what it wrote
};

inline unsigned gridFor(long long n) {
  return tweed::gridFor(std::uint64_t(n), countByBallot, threads);
}

inline Positives positivesOf(model::Array<int> const& in, long long n) {
  model::Array<Count> counts(3);
  counts.fill(0);
  model::Array<int> out(std::size_t(n) + 1);
  out.fill(0xFF);
  tweed::launch(countByBranch, {gridFor(n), threads}, in.data(), n, counts.data());
  tweed::launch(countByBallot, {gridFor(n), threads}, in.data(), n, counts.data() + 1);
  tweed::launch(compact, {gridFor(n), threads}, in.data(), n, out.data(), counts.data() + 2);
  std::vector<Count> const found = counts.host();
  std::vector<int> items = out.host();
  if (found[2] < items.size()) {
    bool const isIntact = std::all_of(items.begin() + std::ptrdiff_t(found[2]), items.end(),
                                      [](int item) { return item == -1; });
    items.resize(isIntact ? found[2] : 0);
  }
  return {found[0], found[1], items};
}

/// n items that follow no pattern, about half of them positive.
inline std::vector<int> itemsOf(long long n) {
  std::vector<int> items(static_cast<std::size_t>(n));
  unsigned long long state = 1;
  for (int& item : items) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    item = int(unsigned(state >> 32));
  }
  return items;
}

void run(model::Report& report) {
  std::vector<long long> sizes = {0, 1, 31, 32, 33, 10007};
  if (!report.isSmall) sizes.push_back(1 << 25);
  for (long long const n : sizes) {
    std::vector<int> positives = itemsOf(n);
    model::Array<int> const in(positives), out(positives.size());
    model::Array<Count> count(1);
    Positives found = positivesOf(in, n);
    positives.erase(
        std::remove_if(positives.begin(), positives.end(), [](int i) { return i <= 0; }),
        positives.end());
    std::sort(positives.begin(), positives.end());
    std::sort(found.items.begin(), found.items.end());
    report.expect(found.byBranch == positives.size() && found.byBallot == positives.size(),
                  std::to_string(n) + " items: another count than the host's");
    report.expect(found.items == positives, std::to_string(n) + " items: other ones are packed");
    auto const time = [&](auto launch) {
      return model::microsecondsOf([&] {
        TWEED_CHECK(cudaMemsetAsync(count.data(), 0, sizeof(Count)));
        launch();
      });
    };
    tweed::LaunchConfig const grid{gridFor(n), threads};
    report.row({{"items", n},
                {"positive", found.byBallot},
                {"branch us",
                 time([&] { tweed::launch(countByBranch, grid, in.data(), n, count.data()); })},
                {"ballot us",
                 time([&] { tweed::launch(countByBallot, grid, in.data(), n, count.data()); })},
                {"packed us", time([&] {
                   tweed::launch(compact, grid, in.data(), n, out.data(), count.data());
                 })}});
  }
  report.lookAt("the time of the largest count: one atomic a warp instead of one a turn");
}

constexpr model::Experiment experiment{"ballotCount", "votes count and pack positive items", run};

}  // namespace ballotCount

#if !defined(MODEL_WITHOUT_MAIN)
int main(int argc, char** argv) { return model::program(ballotCount::experiment, argc, argv); }
#endif
