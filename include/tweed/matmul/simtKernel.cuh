// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/simtKernel.cuh - whole products by CUDA cores.
#pragma once

#include <tweed/arch/atomic.cuh>
#include <tweed/arch/cluster.cuh>
#include <tweed/arch/overlap.cuh>
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
  static_assert(Split <= 1 || !hasReductions,
                "tweed::simtMatmul: a split sum has no reductions in its epilogue");

  // The sums of a block that shares its tile, in runs: those of neighbouring threads side by side.
  static constexpr int runs = int(sizeof(Accumulator) / sizeof(Acc)) / runItems * mathThreads;
  struct Run {
    alignas(16) Acc item[runItems];
  };
  // Producers may be loading the next tile already.
  static constexpr int reduceBytes =
      !hasReductions || !Config::hasProducers ? 0 : 8 * leastReduceBytes<Tile, Acc>;
  struct Shared {
    union {
      typename Product::Shared product;
      Run sums[Split > 1 ? runs : 1];
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
              if constexpr (Split > 1) arch::syncCluster(), arch::syncCluster();
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
        product.run(loaderA(p.tile), loaderB(p.tile), p.kBegin, p.kEnd, acc);
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
      if (piece.parts > 1 && !addParts(piece, acc)) return;
    }
    product.forEachRun(acc, [&](Acc(&items)[runItems], int row, int column) {
      loosen(items);
      store(items, piece.tile, row, column);
    });
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

  // Calls f(items, where) for each run of this thread and its place in a list of the block's runs.
  template <class F>
  static TWEED_DEVICE void forEachListed(Accumulator& acc, F f) {
    int where = int(threadIdx.x);
    Product::forEachRun(acc, [&](Acc(&items)[runItems], int, int) {
      f(items, where);
      where += mathThreads;
    });
  }

  // Writes the sums of a part of a tile. Who comes last of all parts adds them up in their order.
  TWEED_DEVICE bool addParts(SimtPiece const& piece, Accumulator& acc) {
    // A block has at most two parts of tiles: one that it begins with, and one that it ends with.
    auto const listOf = [&](int part) {
      return sharing.sums + ((piece.first + part) * 2ll + (part == 0 ? 1 : 0)) * runs;
    };
    Run* const mine = listOf(piece.part);
    forEachListed(acc, [&](Acc(&items)[runItems], int where) {
      loosen(items);
      Run run;
#pragma unroll
      for (int i = 0; i < runItems; ++i) run.item[i] = items[i];
      mine[where] = run;
    });
    syncMath();  // the sums of all threads come before the ticket of one
    if (threadIdx.x == 0)
      shared.isLast = arch::takeTicket(sharing.tickets + piece.ticket, unsigned(piece.parts - 1)) ==
                      unsigned(piece.parts - 1);
    syncMath();  // and its acquire before the reads of all
    bool const isLast = shared.isLast;
    if (isLast)
      forEachListed(acc, [&](Acc(&items)[runItems], int where) {
#pragma unroll 1
        for (int part = 0; part < piece.parts; ++part) {
          Run const run = listOf(part)[where];
#pragma unroll
          for (int i = 0; i < runItems; ++i)
            items[i] = part == 0 ? run.item[i] : items[i] + run.item[i];
        }
      });
    syncMath();  // isLast has been read
    return isLast;
  }

  // Each block of the cluster adds up, in their order, and stores its share of the runs.
  TWEED_DEVICE void finishInCluster(TileIndex tile, Accumulator& acc) {
    using Place = typename Product::Place;
    int const rank = int(threadIdx.x);
    syncMath();  // the stages are free
    forEachListed(acc, [&](Acc(&items)[runItems], int where) {
      loosen(items);
      Run run;
#pragma unroll
      for (int i = 0; i < runItems; ++i) run.item[i] = items[i];
      shared.sums[where] = run;
    });
    arch::syncCluster();
    int const part = int(blockIdx.x) % Split;
    unsigned const sums = arch::sharedAddress(shared.sums);
#pragma unroll 1
    for (int r = runs / Split * part + rank; r < runs / Split * (part + 1); r += mathThreads) {
      Acc items[runItems] = {};
#pragma unroll
      for (int block = 0; block < Split; ++block) {
        auto const run = __builtin_bit_cast(
            Run, arch::loadCluster(arch::clusterAddress(sums + unsigned(r) * 16, unsigned(block))));
#pragma unroll
        for (int i = 0; i < runItems; ++i) items[i] = items[i] + run.item[i];
      }
      auto const place = Place::of(r % mathThreads);
      int const whichRun = r / mathThreads;
      constexpr int runsOfRow = Config::threadN / runItems;
      store(items, tile, place.rowOf(whichRun / runsOfRow),
            place.columnOf(whichRun % runsOfRow * runItems));
    }
    arch::syncCluster();  // nobody reads this block's sums any more
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
  }
}

}  // namespace tweed::detail
