// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/simtKernel.cuh - whole products by CUDA cores.
#pragma once

#include <tweed/arch/atomic.cuh>
#include <tweed/arch/cluster.cuh>
#include <tweed/arch/overlap.cuh>
#include <tweed/arch/target.cuh>
#include <tweed/matmul/blockMatmul.cuh>
#include <tweed/matmul/simtWork.cuh>
#include <tweed/matmul/storeRun.cuh>
#include <tweed/matmul/tileReduce.cuh>
#include <tweed/memory/dynamicShared.cuh>

namespace tweed::detail {

/// One block's part of a product, piece after piece. With Split > 1 the blocks of a cluster share
/// each tile.
template <class Config, int Split, class Task>
struct SimtBody {
  using Tile = typename Config::Tile;
  using Acc = typename Task::Acc;
  using LoaderA = decltype(loadRows(declare<typename Task::A>(), 0));
  using LoaderB = decltype(loadColumns(declare<typename Task::B>(), 0));
  using Product = BlockMatmul<Config, LoaderA, LoaderB, Acc>;
  using Accumulator = typename Product::Accumulator;
  static constexpr int runItems = Product::runItems;
  static constexpr int mathThreads = Product::mathThreads;
  // Blocks that share tiles are as many as there are multiprocessors, or fewer.
  static constexpr int minBlocks = Split > 1 ? 1 : Product::minBlocks;
  static constexpr bool hasReductions = detail::hasReductions<typename Task::Epilogue>;

  static_assert(Split <= 1 || runItems * sizeof(Acc) == 16,
                "tweed::simtMatmul: to split the sum, the rows of a thread's tile are multiples of "
                "16 bytes");
  static_assert(Split == 1 || !hasReductions,
                "tweed::simtMatmul: a sum that is split has no reductions in its epilogue");

  // The sums of a block that shares its tile, in runs: those of neighbouring threads side by side.
  static constexpr int runs = Tile::m * Tile::n / runItems;
  static_assert(runs % larger(Split, 1) == 0);
  static_assert(
      Config::kGroups == 1 || Split > 1 || (Split == 1 && !Config::hasProducers),
      "tweed::simtMatmul: KGroups need a sum that is split among the blocks of a cluster, "
      "or Loading::ByAll and no balance");
  struct Run {
    alignas(16) Acc item[runItems];
  };
  static_assert(Split <= 1 || !Config::hasProducers ||
                    runs * Config::kGroups * sizeof(Run) <= Product::stageBytes,
                "tweed::simtMatmul: the stages are smaller than the tile's sums; take more stages");
  // Producers may be loading the next tile already.
  static constexpr int reduceBytes =
      !hasReductions || !Config::hasProducers ? 0 : 8 * leastReduceBytes<Tile, Acc>;
  struct Shared {
    union {
      typename Product::Shared product;
      Run sums[Split > 1 ? runs* Config::kGroups : 1];
    };
    alignas(16) unsigned char strip[reduceBytes > 0 ? reduceBytes : 16];
    bool isLast;
  };

  /// In global memory, for work that is balanced.
  struct Sharing {
    Run* sums;          ///< of 2 parts of tiles for each block
    unsigned* tickets;  ///< of up to 2 tiles for each block, 0 before the launch and after it
  };

  Task const& task;
  Sharing const sharing;
  TileOrder const order;
  Shared& shared;
  Product product;
  bool const areRunsAligned;
  Acc const one;

  TWEED_DEVICE SimtBody(Task const& t, Sharing s)
      : task(t),
        sharing(s),
        order(t.template order<Tile>()),
        shared(*dynamicShared<Shared>(1)),
        product(shared.product),
        areRunsAligned(hasAlignedRuns<runItems>(t)),
        one(int(gridDim.z)) {}

  TWEED_DEVICE void run() {
    auto const forEach = [&](auto f) { forEachPiece<Tile, Split>(order, task.k(), f); };
    if constexpr (Config::hasProducers) {
      product.split(
          [&] {
            forEach([&](SimtPiece const& p) {
              product.load(loaderA(p.tile), loaderB(p.tile), p.kBegin, p.kEnd);
              if constexpr (Split > 1) {
                arch::syncWarp();  // each thread has waited for its stages by itself
                arch::syncCluster(), arch::syncCluster();
              }
            });
          },
          [&] {
            forEach([&](SimtPiece const& p) {
              Accumulator acc{};
              product.multiply(p.kBegin, p.kEnd, acc);
              finish(p, acc);
            });
          });
    } else {
      forEach([&](SimtPiece const& p) {
        Accumulator acc{};
        product.runParts(loaderA(p.tile), loaderB(p.tile), p.kBegin, p.kEnd, acc);
        if constexpr (Split <= 1) product.addParts(acc);
        finish(p, acc);
      });
    }
  }

 private:
  TWEED_DEVICE LoaderA loaderA(TileIndex tile) const {
    return loadRows(task.a, 1ll * tile.row * Tile::m, tile.matrix);
  }
  TWEED_DEVICE LoaderB loaderB(TileIndex tile) const {
    return loadColumns(task.b, 1ll * tile.column * Tile::n, tile.matrix);
  }

  TWEED_DEVICE void finish(SimtPiece const& piece, Accumulator& acc) {
    if constexpr (Split > 1) {
      finishInCluster(piece.tile, acc);
      return;
    }
    if constexpr (Split == balanced) {
      if (piece.parts > 1) return finishShared(piece, acc);
    }
    auto const storeOne = [&](Acc(&items)[runItems], int row, int column) {
      loosen(items);
      store(items, piece.tile, row, column);
    };
    using Epilogue = typename Task::Epilogue;
    if constexpr (isIdentity<Epilogue> || needsC<Epilogue> || hasReductions) {
      product.forEachRun(acc, storeOne);
    } else {
      product.useUpRuns(acc, storeOne);
    }
    if constexpr (hasReductions) reduce(piece.tile, acc);
  }

  TWEED_DEVICE void store(Acc (&items)[runItems], TileIndex tile, int row, int column) const {
    storeRun(task, items,
             Coord{tile.row * Tile::m + row, tile.column * Tile::n + column, tile.matrix},
             areRunsAligned);
  }

  // Sums that go straight to memory would have to lie in their order of registers, which is not the
  // order in which they are added up fastest. A product with 1, which the compiler does not know to
  // be one, comes between.
  TWEED_DEVICE void loosen(Acc (&items)[runItems]) const {
#pragma unroll
    for (int i = 0; i < runItems; ++i) items[i] = items[i] * one;
  }

  TWEED_DEVICE static void syncMath() {
    if constexpr (Config::hasProducers) {
      arch::syncNamed<1, mathThreads>();
    } else {
      arch::syncBlock();
    }
  }

  TWEED_DEVICE void reduce(TileIndex tile, Accumulator& acc) const {
    constexpr int bytes = reduceBytes > 0 ? reduceBytes : int(sizeof(typename Product::Shared));
    void* const scratch =
        reduceBytes > 0 ? static_cast<void*>(shared.strip) : static_cast<void*>(&shared.product);
    reduceTile<Tile, mathThreads, bytes>(
        task, tile, scratch, int(threadIdx.x), [] { syncMath(); },
        [&](auto put) {
          Product::forEach(acc, [&](Acc& item, int row, int column) { put(item, row, column); });
        });
  }

  // A block's sums as lists of runs, one of each group, those of neighbouring threads side by side.
  TWEED_DEVICE void list(Accumulator& acc, Run* lists) const {
    constexpr int groupThreads = Config::groupThreads;
    int const rank = int(threadIdx.x);
    Run* place = lists + Product::groupOf(rank) * runs + rank % groupThreads;
    Product::forEachPart(acc, [&](Acc(&items)[runItems], int, int) {
      loosen(items);
      Run run;
#pragma unroll
      for (int i = 0; i < runItems; ++i) run.item[i] = items[i];
      *place = run;
      place += groupThreads;
    });
  }
  // Adds up `Count` runs from `begin` on of several such lists, in the lists' order, and stores
  // them. partOf(list, run) reads one; several reads of a thread are on their way at a time.
  template <int Count, class PartOf>
  TWEED_DEVICE void storeListed(TileIndex tile, int begin, int lists, PartOf partOf) const {
    constexpr int each = Count % mathThreads == 0 ? Count / mathThreads : 1;
    constexpr int some = each % 8 == 0 ? 8 : each % 4 == 0 ? 4 : each % 2 == 0 ? 2 : 1;
#pragma unroll 1
    for (int r = begin + int(threadIdx.x); r < begin + Count; r += some * mathThreads) {
      Run sum[some];
#pragma unroll
      for (int s = 0; s < some; ++s) sum[s] = partOf(0, r + s * mathThreads);
#pragma unroll 1
      for (int i = 1; i < lists; ++i) {
        Run part[some];
#pragma unroll
        for (int s = 0; s < some; ++s) part[s] = partOf(i, r + s * mathThreads);
#pragma unroll
        for (int s = 0; s < some; ++s)
#pragma unroll
          for (int j = 0; j < runItems; ++j) sum[s].item[j] = sum[s].item[j] + part[s].item[j];
      }
      constexpr int runsOfRow = Config::threadN / runItems;
#pragma unroll
      for (int s = 0; s < some; ++s) {
        int const run = r + s * mathThreads;
        auto const place = Product::Place::of(run % Config::groupThreads);
        int const which = run / Config::groupThreads;
        store(sum[s].item, tile, place.rowOf(which / runsOfRow),
              place.columnOf(which % runsOfRow * runItems));
      }
    }
  }

  // Each block of the cluster finishes its share of the runs.
  TWEED_DEVICE void finishInCluster(TileIndex tile, Accumulator& acc) {
    syncMath();  // the stages are free
    list(acc, shared.sums);
    arch::syncCluster();
    int const part = int(blockIdx.x) % Split;
    unsigned const sums = arch::sharedAddress(shared.sums);
    constexpr int groups = Config::kGroups;
    storeListed<runs / Split>(tile, runs / Split * part, Split * groups, [&](int list, int r) {
      unsigned const there = sums + unsigned(list % groups * runs + r) * 16;
      return __builtin_bit_cast(
          Run, arch::loadCluster(arch::clusterAddress(there, unsigned(list / groups))));
    });
    arch::syncCluster();  // nobody reads this block's sums any more
  }

  // Who comes last of those that have a part of the tile finishes it.
  TWEED_DEVICE void finishShared(SimtPiece const& piece, Accumulator& acc) {
    // A block has two parts of tiles at most: one that it begins with, and one that it ends with.
    auto const listOf = [&](int part) {
      return sharing.sums + ((piece.first + part) * 2ll + (part == 0 ? 1 : 0)) * runs;
    };
    list(acc, listOf(piece.part));
    syncMath();  // the sums of all threads come before the ticket of one
    if (threadIdx.x == 0)
      shared.isLast = arch::takeTicket(sharing.tickets + piece.ticket, unsigned(piece.parts - 1)) ==
                      unsigned(piece.parts - 1);
    syncMath();  // and its acquire before the reads of all
    if (shared.isLast)
      storeListed<runs>(piece.tile, 0, piece.parts,
                        [&](int part, int r) { return listOf(part)[r]; });
    syncMath();  // all have read isLast
  }
};

// Of a type that depends on a parameter, so that only what the target has is instantiated.
template <class Config, int Split, class>
inline constexpr bool isSimtTarget = (!Config::hasProducers || arch::hasWgmma) &&
                                     (Split <= 1 || arch::hasHopper);

template <class Config, int Split, class Task>
TWEED_KERNEL void __launch_bounds__(SimtBody<Config, Split, Task>::Product::threads,
                                    SimtBody<Config, Split, Task>::minBlocks)
    simtMatmul(Task const __grid_constant__ task,
               typename SimtBody<Config, Split, Task>::Sharing const __grid_constant__ sharing) {
  if constexpr (isSimtTarget<Config, Split, Task>) {
    arch::letNextStart();
    arch::waitForPrevious();
    SimtBody<Config, Split, Task>(task, sharing).run();
  } else {
    arch::stopWithoutTarget();
  }
}

}  // namespace tweed::detail
