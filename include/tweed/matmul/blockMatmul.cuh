// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/blockMatmul.cuh - a tile of a matrix product, computed by one block.
#pragma once

#include <tweed/arch/barrier.cuh>
#include <tweed/arch/mbarrier.cuh>
#include <tweed/arch/registers.cuh>
#include <tweed/arch/sharedMemory.cuh>
#include <tweed/core/accumulator.cuh>
#include <tweed/matmul/simtTiles.cuh>

namespace tweed {

/// A tile of A * B, computed by a block inside a kernel that may do more than that. This header has
/// the form for CUDA cores, of a SimtConfig.
///
///     using Product = tweed::BlockMatmul<Config, LoaderA, LoaderB>;
///
///     __global__ void __launch_bounds__(Product::threads, Product::minBlocks) kernel(...) {
///       Product product(*tweed::dynamicShared<typename Product::Shared>(1));
///       typename Product::Accumulator acc{};                                 // zeros
///       product.run(tweed::loadRows(a, row), tweed::loadColumns(b, column), 0, k, acc);
///       product.forEach(acc, [&](float& value, int i, int j) { ... });       // in the tile
///     }
///     tweed::launch(kernel, {blocks, Product::threads, Product::sharedBytes}, ...);
///
/// Shape    a 1-D block of `threads`, of which the first `mathThreads` hold accumulators; a tile of
///          Config::Tile::m rows of A and Config::Tile::n columns of B.
/// Result   run() adds the products of the items kBegin..kEnd-1 of the sum to acc, in this order
///          for each item: its bits depend neither on the tile nor on the stages (with several
///          KGroups, on those and on Tile::k). Items that do not exist count as 0: run() stops
///          where A or B ends.
/// Needs    loaders as loader.cuh says, of any type of numbers that has Acc + Acc * Acc, and whose
///          zero is T{}, all bytes 0. Acc is what the items are converted to and added up in.
/// Sync     all threads of the block call, with the same numbers. Behind run() the memory of Shared
///          is free for another run() at once, or for anything else until then; accumulators are
///          each thread's own. What the block itself wrote to an operand needs a barrier before.
/// Cost     a block barrier for each Tile::k of the sum (with one stage two), and one more. No bank
///          conflicts if Tile::m and Tile::n are multiples of 32 and Tile::k of 8.
/// Errors   compile time: the numbers of Config. Another block size stops the kernel under
///          TWEED_DEBUG and on the loom.
/// Source   V. Volkov, Better Performance at Lower Occupancy; S. Boehm, How to Optimize a CUDA
///          Matmul Kernel for cuBLAS-like Performance.
template <class Config, class LoaderA, class LoaderB,
          class Acc = AccumulatorOf<typename LoaderA::Item>>
struct BlockMatmul;

template <class Tile, int ThreadM, int ThreadN, int Stages, Loading Loading_, int KGroups,
          int Unroll, Snake Snake_, class LoaderA, class LoaderB, class Acc>
struct BlockMatmul<SimtConfig<Tile, ThreadM, ThreadN, Stages, Loading_, KGroups, Unroll, Snake_>,
                   LoaderA, LoaderB, Acc> {
  using Config = SimtConfig<Tile, ThreadM, ThreadN, Stages, Loading_, KGroups, Unroll, Snake_>;

 private:
  using Tiles = detail::SimtTiles<Config, LoaderA, LoaderB, Acc>;
  static constexpr bool hasProducers = Config::hasProducers;
  static constexpr int allRegisters = 65536;
  static constexpr int wordsOfAcc = ceilDiv(int(sizeof(Acc)), 4);

 public:
  static constexpr Path path = Path::Simt;
  static constexpr int mathThreads = Config::mathThreads;
  static constexpr int threads = Config::threads;
  /// Blocks of a multiprocessor that the registers suffice for; at most 3.
  static constexpr int minBlocks =
      hasProducers
          ? 1
          : smaller(3, larger(1, allRegisters / threads /
                                     (wordsOfAcc * (ThreadM * ThreadN + 2 * (ThreadM + ThreadN)) +
                                      32)));
  /// Neighbours of a row of the tile that a thread has, and that forEachRun() hands out together.
  static constexpr int runItems = Tiles::runN;

  struct Shared {
    union {
      typename Tiles::Shared tiles;
      Acc sums[KGroups > 1 ? (KGroups - 1) * Tile::m* Tile::n : 1];
    };
    unsigned long long full[hasProducers ? Stages : 1];
    unsigned long long empty[hasProducers ? Stages : 1];
  };
  static constexpr int sharedBytes = int(sizeof(Shared));
  /// Those that are free when all have multiplied; the barriers of producers lie behind them.
  static constexpr int stageBytes = int(sizeof(typename Tiles::Shared));
  using Accumulator = typename Tiles::Accumulator;
  using Place = typename Tiles::Place;

  TWEED_DEVICE explicit BlockMatmul(Shared& shared) : shared_(shared) {
    Block<threads>::check("BlockMatmul");
    if constexpr (hasProducers) {
      static_assert(Tiles::StageA::isCopied && Tiles::StageB::isCopied,
                    "tweed::BlockMatmul: Loading::ByWarpgroup takes items of 4, 8 or 16 bytes in "
                    "global memory");
      if (threadIdx.x == 0) {
#pragma unroll
        for (int s = 0; s < Stages; ++s) {
          arch::mbarrierInit(arch::sharedAddress(&shared.full[s]), Config::producers);
          arch::mbarrierInit(arch::sharedAddress(&shared.empty[s]), mathThreads);
        }
        arch::fenceMbarrierInit();
      }
      arch::syncBlock();
    }
  }

  /// Whether this thread only loads, and has no accumulators.
  static TWEED_DEVICE bool isProducer() { return hasProducers && int(threadIdx.x) >= mathThreads; }

  TWEED_DEVICE void run(LoaderA const& a, LoaderB const& b, int kBegin, int kEnd,
                        Accumulator& acc) {
    static_assert(
        !hasProducers,
        "tweed::BlockMatmul: with Loading::ByWarpgroup the kernel calls split(), and in it "
        "load() and multiply()");
    kEnd = smaller(kEnd, smaller(a.depth, b.depth));
    if (kBegin >= kEnd) return;
    runParts(a, b, kBegin, kEnd, acc);
    addParts(acc);
  }
  /// The same of items that exist, but that each group has its part of the sums: forEachPart()
  /// visits them, or addParts() makes them what run() leaves.
  TWEED_DEVICE void runParts(LoaderA const& a, LoaderB const& b, int kBegin, int kEnd,
                             Accumulator& acc) {
    if constexpr (Stages == 1) {
      int const rank = int(threadIdx.x);
      for (int left = kEnd - kBegin; left > 0; left -= Tile::k) {
        Tiles::load(shared_.tiles, 0, a, b, kEnd - left, kEnd, rank);
        arch::waitForAllCopies();
        arch::syncBlock();
        Tiles::multiply(shared_.tiles, 0, Place::of(rank), acc);
        arch::syncBlock();
      }
    } else {
      runStages(a, b, kBegin, kEnd, acc);
    }
  }

  TWEED_DEVICE void addParts(Accumulator& acc) {
    if constexpr (KGroups > 1) addGroups(acc);
  }

  // With Loading::ByWarpgroup, in place of run(): a kernel whose two kinds of threads go their own
  // ways to its end, since the compiler gives them different numbers of registers.
  //
  //     product.split([&] { product.load(a, b, 0, k); },
  //                   [&] { Product::Accumulator acc{}; product.multiply(0, k, acc); ... });

  /// Calls `loading` in the threads that only load, and `multiplying` in the others.
  template <class Load, class Multiply>
  TWEED_DEVICE void split(Load loading, Multiply multiplying) {
    if (isProducer()) {
      arch::lowerRegisters<producerRegisters>();
      loading();
    } else {
      arch::raiseRegisters<mathRegisters>();
      multiplying();
    }
  }
  /// The loading part of run(), which may be tiles ahead of the other.
  TWEED_DEVICE void load(LoaderA const& a, LoaderB const& b, int kBegin, int kEnd) {
    int const rank = int(threadIdx.x) - mathThreads;
#pragma unroll 1
    for (int left = kEnd - kBegin; left > 0; left -= Tile::k) {
      arch::mbarrierWait(arch::sharedAddress(&shared_.empty[stage_]), parity_ ^ 1);
      Tiles::load(shared_.tiles, stage_, a, b, kEnd - left, kEnd, rank);
      arch::mbarrierArriveCopied(arch::sharedAddress(&shared_.full[stage_]));
      nextStage();
    }
    arch::waitForAllCopies();
  }
  /// The other part. The sums are those of runParts().
  TWEED_DEVICE void multiply(int kBegin, int kEnd, Accumulator& acc) {
    auto const place = Place::of(int(threadIdx.x));
#pragma unroll 1
    for (int left = kEnd - kBegin; left > 0; left -= Tile::k) {
      arch::mbarrierWait(arch::sharedAddress(&shared_.full[stage_]), parity_);
      Tiles::multiply(shared_.tiles, stage_, place, acc);
      arch::mbarrierArrive(arch::sharedAddress(&shared_.empty[stage_]));
      nextStage();
    }
  }

  /// Calls f(item, row, column) for each item of the tile that this thread has; f may change it.
  template <class F>
  static TWEED_DEVICE void forEach(Accumulator& acc, F f) {
    forEachRun(acc, [&](Acc(&items)[runItems], int row, int column) {
#pragma unroll
      for (int i = 0; i < runItems; ++i) f(items[i], row, column + i);
    });
  }
  /// The same for runs of neighbours of a row: f(items, row, column), items an array of `runItems`.
  template <class F>
  static TWEED_DEVICE void forEachRun(Accumulator& acc, F f) {
    if (int(threadIdx.x) < Config::groupThreads) visit(acc, f);
  }
  /// The same in a loop, for an f whose code is long: rows move up, and acc is then used up.
  template <class F>
  static TWEED_DEVICE void useUpRuns(Accumulator& acc, F f) {
    constexpr int some = ThreadM % 4 == 0 ? 4 : ThreadM;
    if (int(threadIdx.x) >= Config::groupThreads) return;
    auto const place = Place::of(int(threadIdx.x));
#pragma unroll 1
    for (int begin = 0; begin < ThreadM; begin += some) {
#pragma unroll
      for (int i = 0; i < some; ++i)
#pragma unroll
        for (int r = 0; r < Tiles::runs; ++r)
          f(acc.item[i][r], place.rowOf(begin + i), place.columnOf(r * runItems));
      Tiles::template moveUp<some>(acc);
    }
  }
  /// The same after runParts(), for the parts of all groups; groupOf() is this thread's.
  template <class F>
  static TWEED_DEVICE void forEachPart(Accumulator& acc, F f) {
    if (!isProducer()) visit(acc, f);
  }
  static TWEED_DEVICE int groupOf(int rank) { return Place::of(rank).group; }

 private:
  static constexpr int producerRegisters = 56;
  static constexpr int mathRegisters =
      smaller(240, (allRegisters - Config::producers * producerRegisters) / mathThreads / 8 * 8);

  template <class F>
  static TWEED_DEVICE void visit(Accumulator& acc, F f) {
    auto const place = Place::of(int(threadIdx.x));
#pragma unroll
    for (int i = 0; i < ThreadM; ++i)
#pragma unroll
      for (int r = 0; r < Tiles::runs; ++r)
        f(acc.item[i][r], place.rowOf(i), place.columnOf(r * runItems));
  }

  // The first group adds up the sums of all, in their order; the others begin anew.
  TWEED_DEVICE void addGroups(Accumulator& acc) {
    int const group = groupOf(int(threadIdx.x));
    constexpr int items = Tile::m * Tile::n;
    auto const forEachItem = [&](auto f) {
      int at = int(threadIdx.x) % Config::groupThreads;
      visit(acc, [&](Acc(&run)[runItems], int, int) {
#pragma unroll
        for (int i = 0; i < runItems; ++i, at += Config::groupThreads) f(run[i], at);
      });
    };
    if (group > 0)
      forEachItem([&](Acc& item, int at) {
        shared_.sums[(group - 1) * items + at] = item;
        item = Acc{};
      });
    arch::syncBlock();
    if (group == 0)
      forEachItem([&](Acc& item, int at) {
#pragma unroll
        for (int other = 0; other < KGroups - 1; ++other)
          item = item + shared_.sums[other * items + at];
      });
    arch::syncBlock();
  }

  // The stages go round; while one is multiplied, all others are on their way.
  TWEED_DEVICE void runStages(LoaderA const& a, LoaderB const& b, int kBegin, int kEnd,
                              Accumulator& acc) {
    int const rank = int(threadIdx.x);
    auto const place = Place::of(rank);
    int leftToLoad = kEnd - kBegin;
    int loadStage = 0;
    auto const loadNext = [&] {
      if (leftToLoad > 0)
        Tiles::load(shared_.tiles, loadStage, a, b, kEnd - leftToLoad, kEnd, rank);
      arch::commitCopies();
      leftToLoad -= Tile::k;
      loadStage = loadStage + 1 == Stages ? 0 : loadStage + 1;
    };
#pragma unroll
    for (int s = 0; s < Stages - 1; ++s) loadNext();
    int stage = 0;
#pragma unroll 1
    for (int left = kEnd - kBegin; left > 0; left -= Tile::k) {
      arch::waitForCopies<Stages - 2>();
      arch::syncBlock();  // this stage is there, and nobody needs the one before any more
      loadNext();
      Tiles::multiply(shared_.tiles, stage, place, acc);
      stage = stage + 1 == Stages ? 0 : stage + 1;
    }
    arch::syncBlock();
  }

  TWEED_DEVICE void nextStage() {
    if (++stage_ == Stages) stage_ = 0, parity_ ^= 1;
  }

  Shared& shared_;
  int stage_ = 0;  // of the producers, or of the others
  unsigned parity_ = 0;
};

}  // namespace tweed
