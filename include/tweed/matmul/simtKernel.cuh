// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/simtKernel.cuh - whole products by CUDA cores.
#pragma once

#include <tweed/arch/cluster.cuh>
#include <tweed/arch/overlap.cuh>
#include <tweed/matmul/blockMatmul.cuh>
#include <tweed/matmul/storeRun.cuh>
#include <tweed/matmul/tileReduce.cuh>
#include <tweed/memory/dynamicShared.cuh>

namespace tweed::detail {

/// One block's part of a product: tile after tile. With Split > 1 the blocks of a cluster share a
/// tile, each a piece of the sum.
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

  static_assert(Split == 1 || runItems * sizeof(Acc) == 16,
                "tweed::simtMatmul: to split the sum, the rows of a thread's tile are multiples of "
                "16 bytes");
  static_assert(Split == 1 || !hasReductions,
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
  };

  Task const& task;
  TileOrder const order;
  Shared& shared;
  Product product;
  bool const areRunsAligned;
  Acc const one;

  TWEED_DEVICE explicit SimtBody(Task const& t)
      : task(t),
        order(t.template order<Tile>()),
        shared(*dynamicShared<Shared>(1)),
        product(shared.product),
        areRunsAligned(hasAlignedRuns<runItems>(t)),
        one(int(gridDim.z)) {}

  TWEED_DEVICE void run() {
    if constexpr (Config::hasProducers) {
      product.split(
          [&] {
            forEachTile([&](TileIndex tile, int kBegin, int kEnd) {
              product.load(loaderA(tile), loaderB(tile), kBegin, kEnd);
              if constexpr (Split > 1) arch::syncCluster(), arch::syncCluster();
            });
          },
          [&] {
            forEachTile([&](TileIndex tile, int kBegin, int kEnd) {
              Accumulator acc{};
              product.multiply(kBegin, kEnd, acc);
              finish(tile, acc);
            });
          });
    } else {
      forEachTile([&](TileIndex tile, int kBegin, int kEnd) {
        Accumulator acc{};
        product.run(loaderA(tile), loaderB(tile), kBegin, kEnd, acc);
        finish(tile, acc);
      });
    }
  }

 private:
  template <class F>
  TWEED_DEVICE void forEachTile(F f) const {
    int const part = int(blockIdx.x) % Split;
    int const steps = ceilDiv(task.k(), Tile::k);
    int const kBegin = int(1ll * steps * part / Split) * Tile::k;
    int const kEnd = part + 1 == Split ? task.k() : int(1ll * steps * (part + 1) / Split) * Tile::k;
    long long const count = order.count();
#pragma unroll 1
    for (long long t = blockIdx.x / Split; t < count; t += gridDim.x / Split)
      f(count <= 0x7fffffff ? order.at(int(t)) : order.at(t), kBegin, kEnd);
  }
  TWEED_DEVICE LoaderA loaderA(TileIndex tile) const {
    return loadRows(task.a, 1ll * tile.row * Tile::m, tile.matrix);
  }
  TWEED_DEVICE LoaderB loaderB(TileIndex tile) const {
    return loadColumns(task.b, 1ll * tile.column * Tile::n, tile.matrix);
  }

  TWEED_DEVICE void finish(TileIndex tile, Accumulator& acc) {
    if constexpr (Split > 1) {
      finishShared(tile, acc);
    } else {
      product.forEachRun(acc, [&](Acc(&items)[runItems], int row, int column) {
        loosen(items);
        store(items, tile, row, column);
      });
      if constexpr (hasReductions) reduce(tile, acc);
    }
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

  // Each block of the cluster adds up, in their order, and stores its share of the runs.
  TWEED_DEVICE void finishShared(TileIndex tile, Accumulator& acc) {
    using Place = typename Product::Place;
    int const rank = int(threadIdx.x);
    syncMath();  // the stages are free
    int index = rank;
    Product::forEachRun(acc, [&](Acc(&items)[runItems], int, int) {
      loosen(items);
      Run run;
#pragma unroll
      for (int i = 0; i < runItems; ++i) run.item[i] = items[i];
      shared.sums[index] = run;
      index += mathThreads;
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
                                     (Split == 1 || arch::hasHopper);

template <class Config, int Split, class Task>
TWEED_KERNEL void __launch_bounds__(SimtBody<Config, Split, Task>::Product::threads,
                                    SimtBody<Config, Split, Task>::minBlocks)
    simtMatmul(Task const __grid_constant__ task) {
  if constexpr (isSimtTarget<Config, Split, Task>) {
    arch::letNextStart();
    arch::waitForPrevious();
    SimtBody<Config, Split, Task>(task).run();
  }
}

}  // namespace tweed::detail
