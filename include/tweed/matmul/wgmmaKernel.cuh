// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/wgmmaKernel.cuh - the kernel of whole products by wgmma.
#pragma once

#include <tweed/arch/overlap.cuh>
#include <tweed/matmul/task.cuh>
#include <tweed/matmul/wgmmaStore.cuh>

namespace tweed {

namespace detail {

// What the kernel knows besides the task. The tiles are counted in clusters.
struct WgmmaWork {
  TileOrder order;
  int tiles;
  int steps;  // of k, for a whole tile
  bool hasBatchA, hasBatchB;
  bool storesBoxes;  // C by the copy engine
};

// The tiles of a block: cluster by cluster through the order.
template <class Config>
struct WgmmaTiles {
  WgmmaWork const& work;
  int first, stride;  // clusters
  int rank;           // in the cluster

  TWEED_DEVICE explicit WgmmaTiles(WgmmaWork const& w)
      : work(w),
        first(int(blockIdx.x) / Config::clusterBlocks),
        stride(int(gridDim.x) / Config::clusterBlocks),
        rank(int(blockIdx.x) % Config::clusterBlocks) {}

  TWEED_DEVICE bool operator()(int i, WgmmaTile& tile) const {
    int const t = first + i * stride;
    if (t >= work.tiles) return false;
    TileIndex const at = work.order.at(t);
    tile.row = (at.row * Config::clusterRows + (Config::clusterRows > 1 ? rank : 0)) * Config::m;
    tile.column = at.column * Config::n;
    tile.kBegin = Config::splitK > 1 ? share(rank) : 0;
    tile.kEnd = Config::splitK > 1 ? share(rank + 1) : work.steps;
    // An empty share becomes a step beyond k, which counts as 0.
    if (tile.kEnd <= tile.kBegin) tile.kBegin = work.steps + 1, tile.kEnd = work.steps + 2;
    tile.matrix = at.matrix;
    tile.matrixA = work.hasBatchA ? at.matrix : 0;
    tile.matrixB = work.hasBatchB ? at.matrix : 0;
    return true;
  }
  TWEED_DEVICE int share(int part) const { return int(1ll * work.steps * part / Config::splitK); }
};

template <class Config, class Task>
struct WgmmaBody {
  using T = RemoveConst<typename Task::A::Item>;
  using Matmul = WgmmaMatmul<Config, T, majorOfA<typename Task::A::Layout>,
                             majorOfB<typename Task::B::Layout>, typename Task::C::Item>;
  using Accumulator = typename Matmul::Accumulator;

  static TWEED_DEVICE void run(Task const& task, WgmmaWork const& work, arch::TensorMap const* a,
                               arch::TensorMap const* b, arch::TensorMap const* c) {
    arch::letNextStart();
    Matmul matmul{static_cast<unsigned char*>(arch::dynamicShared()), a, b};
    arch::waitForPrevious();
    WgmmaTiles<Config> const tiles(work);
    if constexpr (Config::splitK == 1) {
      WgmmaStore<Matmul, Task> store(matmul, task, work.storesBoxes ? c : nullptr);
      matmul.run(tiles, store);
      store.finish();
    } else {
      matmul.run(tiles, [&](Accumulator const& sums, WgmmaTile const&) { keep(matmul, sums); });
      arch::syncCluster();
      addUp(matmul, tiles, task);
    }
    matmul.finish();
  }

  // Splitting k. Four sums of a thread are a piece of 16 bytes; a piece stands where a warp's are
  // side by side, over the stages, which nobody uses any more.
  static constexpr int pieces = Config::fragments * Config::registers / 4;  // a thread
  static constexpr int consumerThreads = Config::consumers * 128;

  static TWEED_DEVICE void keep(Matmul const& matmul, Accumulator const& sums) {
    static_assert(pieces * consumerThreads * 16 <= Matmul::Memory::ring,
                  "tweed: the stages are smaller than the tile's sums; take more stages");
    Matmul::syncConsumers();  // the others' products still read the stages
    int const t = int(threadIdx.x) - 128;
#pragma unroll
    for (int piece = 0; piece < pieces; ++piece) {
      float const* const value =
          &sums.value[piece * 4 / Config::registers][piece * 4 % Config::registers];
      float4 const four = {value[0], value[1], value[2], value[3]};
      *reinterpret_cast<float4*>(matmul.shared() + (piece * consumerThreads + t) * 16) = four;
    }
  }

  // Each block of the cluster finishes its share of the pieces.
  static TWEED_DEVICE void addUp(Matmul const& matmul, WgmmaTiles<Config> const& tiles,
                                 Task const& task) {
    constexpr int all = pieces * consumerThreads;
    WgmmaTile tile;
    if (!tiles(0, tile)) return;
    int const end = all * (tiles.rank + 1) / Config::splitK;
    for (int p = all * tiles.rank / Config::splitK + int(threadIdx.x); p < end;
         p += Config::threads) {
      float sum[4] = {};
#pragma unroll
      for (int block = 0; block < Config::splitK; ++block) {
        auto const part =
            __builtin_bit_cast(float4, arch::loadCluster(arch::clusterAddress(
                                           matmul.address() + unsigned(p) * 16, unsigned(block))));
        sum[0] += part.x, sum[1] += part.y, sum[2] += part.z, sum[3] += part.w;
      }
      int const t = p % consumerThreads;
      int const fragment = p / consumerThreads * 4 / Config::registers;
      int const i = p / consumerThreads * 4 % Config::registers;
      int const row =
          tile.row + (t / 128 * Config::fragments + fragment) * 64 + t % 128 / 32 * 16 + t % 32 / 4;
      int const column = tile.column + i * 2 + t % 4 * 2;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        Coord const at{row + j / 2 * 8, column + j % 2, tile.matrix};
        if (at.row < task.m() && at.column < task.n()) task.store(sum[j], at);
      }
    }
  }
};

// Of a type that depends on a parameter, so that only what is chosen is instantiated.
template <class>
inline constexpr bool isWgmmaTarget = arch::hasWgmma;

template <class Config, class Task>
TWEED_KERNEL void __launch_bounds__(Config::threads, 1)
    wgmmaKernel(arch::TensorMap const __grid_constant__ a,
                arch::TensorMap const __grid_constant__ b,
                arch::TensorMap const __grid_constant__ c, Task const __grid_constant__ task,
                WgmmaWork const __grid_constant__ work) {
  if constexpr (isWgmmaTarget<Task>) {
    WgmmaBody<Config, Task>::run(task, work, &a, &b, &c);
  } else {
    arch::stopWithoutTarget();
  }
}

}  // namespace detail
}  // namespace tweed
