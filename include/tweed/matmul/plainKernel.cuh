// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/plainKernel.cuh - a product by the shortest tiled kernel that keeps all contracts.
#pragma once

#include <tweed/matmul/configuration.cuh>
#include <tweed/matmul/tileReduce.cuh>

#if !defined(__CUDACC_RTC__)

#include <tweed/launch/launch.cuh>

// Hidden, as in launch/launch.cuh.
#pragma GCC visibility push(hidden)
namespace tweed {

/// One tile of C at a time: each thread adds up four items, from one stage of shared memory.
template <class Task>
TWEED_KERNEL void __launch_bounds__(256) plainMatmul(Task const __grid_constant__ task) {
  using Tile = TileShape<32, 32, 16>;
  using Acc = typename Task::Acc;
  __shared__ Acc tileA[Tile::k][Tile::m + 1];
  __shared__ Acc tileB[Tile::k][Tile::n + 1];
  auto const sync = [] { __syncthreads(); };
  int const thread = int(threadIdx.x);
  int const row = thread / 16, column = thread % 16;
  TileOrder const order = task.template order<Tile>();
  for (long long t = blockIdx.x; t < order.count(); t += gridDim.x) {
    TileIndex const tile = order.at(t);
    int const firstRow = tile.row * Tile::m, firstColumn = tile.column * Tile::n;
    auto const a = loadRows(task.a, firstRow, tile.matrix);
    auto const b = loadColumns(task.b, firstColumn, tile.matrix);
    Acc sums[2][2] = {};
    for (int left = task.k(); left > 0; left -= Tile::k) {  // a rising k could overflow
      int const k = task.k() - left;
#pragma unroll 1
      for (int item = thread; item < Tile::k * Tile::m; item += 256) {
        int const atK = item % Tile::k, i = item / Tile::k;
        bool const isDeep = atK < left;
        tileA[atK][i] = isDeep && i < a.extent ? Acc(*a.at(i, k + atK)) : Acc(0);
        tileB[atK][i] = isDeep && i < b.extent ? Acc(*b.at(i, k + atK)) : Acc(0);
      }
      __syncthreads();
      for (int atK = 0; atK < Tile::k; ++atK)
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 2; ++j)
            sums[i][j] += tileA[atK][row + 16 * i] * tileB[atK][column + 16 * j];
      __syncthreads();
    }
    auto const forEach = [&](auto visit) {
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) visit(sums[i][j], row + 16 * i, column + 16 * j);
    };
    forEach([&](Acc& sum, int i, int j) {
      if (firstRow + i < task.m() && firstColumn + j < task.n())
        sum = task.store(sum, Coord{firstRow + i, firstColumn + j, tile.matrix});
    });
    if constexpr (detail::hasReductions<typename Task::Epilogue>) {
      __shared__ Acc strip[8][Tile::n + 8];
      reduceTile<Tile, 256, int(sizeof strip)>(task, tile, strip, thread, sync, forEach);
    }
  }
}

/// The configuration of plainMatmul: all types that multiply and add, any layout and alignment.
struct PlainConfiguration : detail::BareConfiguration {
  static constexpr Path path = Path::Simt;
  using Part = TileShape<32, 32, 16>;
  static std::string name() { return "plain 32x32x16"; }

  template <class Task>
  static constexpr bool takes = true;
  template <class Task>
  static std::string refusal(Task const&, MatmulDevice const&) {
    return "";
  }
  template <class Task>
  static double microseconds(Task const& task, MatmulDevice const& device) {
    return detail::tiledMicroseconds<Part>(task, device, {20, 1000, 8});
  }
  template <class Task>
  static void launch(Task const& task, Prepared<Task> const&, MatmulDevice const& device, void*,
                     cudaStream_t stream) {
    long long const most = 8ll * device.multiprocessors;
    long long const blocks = smaller(task.template order<Part>().count(), most);
    tweed::launch(plainMatmul<Task>, {blocks, 256, 0, stream}, task);
  }
};

}  // namespace tweed
#pragma GCC visibility pop

#endif  // !defined(__CUDACC_RTC__)
