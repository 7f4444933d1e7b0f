// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/mmaKernel.cuh - whole products by mma.sync.
#pragma once

#include <tweed/arch/overlap.cuh>
#include <tweed/arch/target.cuh>
#include <tweed/matmul/mmaMatmul.cuh>
#include <tweed/matmul/storeRun.cuh>
#include <tweed/matmul/tileReduce.cuh>
#include <tweed/memory/dynamicShared.cuh>

namespace tweed {

namespace detail {

template <class Config, class Task>
using MmaProduct = BlockMatmul<
    Config, MatrixLoader<RemoveConst<typename Task::A::Item>, majorOfA<typename Task::A::Layout>>,
    MatrixLoader<RemoveConst<typename Task::B::Item>, majorOfB<typename Task::B::Layout>>, float>;

// Of a type that depends on a parameter, so that only what the target has is instantiated.
template <class>
inline constexpr bool isMmaTarget = arch::hasMma;

template <class Config, class Task>
TWEED_DEVICE void mmaTile(Task const& task) {
  using Product = MmaProduct<Config, Task>;
  using Tile = typename Config::Tile;
  TileIndex const tile = task.template order<Tile>().at(blockIdx.x);
  int const row = tile.row * Tile::m, column = tile.column * Tile::n;
  typename Product::Accumulator acc{};
  auto& shared = *dynamicShared<typename Product::Shared>(1);
  Product product(shared);
  product.run(loadRows(task.a, row, tile.matrix), loadColumns(task.b, column, tile.matrix), 0,
              task.k(), acc);
  bool const areAligned = hasAlignedRuns<Product::runItems>(task);
  auto const store = [&](float(&items)[Product::runItems], int i, int j) {
    storeRun(task, items, Coord{row + i, column + j, tile.matrix}, areAligned);
  };
  using Epilogue = typename Task::Epilogue;
  if constexpr (isIdentity<Epilogue> || hasReductions<Epilogue>) {
    Product::forEachRun(acc, store);
  } else {
    Product::useUpRuns(acc, store);
  }
  if constexpr (hasReductions<Epilogue>)
    reduceTile<Tile, Config::threads, Product::sharedBytes>(
        task, tile, &shared, int(threadIdx.x), [] { arch::syncBlock(); },
        [&](auto put) {
          Product::forEach(acc, [&](float& item, int i, int j) { put(item, i, j); });
        });
}

}  // namespace detail

/// C = epilogue(A * B) of a batch: a block for each tile, in the order of TileOrder.
///
///     tweed::launch(tweed::mmaMatmul<Config, Task>,
///                   {task.order<Config::Tile>().count(), Config::threads,
///                    tweed::mmaSharedBytes<Config, Task>}, task);
///
/// Shape    any m, n and k from 0 on, any leading dimension and base; layouts as BlockMatmul has.
/// Result   the same bits every time. Nothing but the m x n items of each C is written, and nothing
///          but the items of A and B read.
/// Needs    compute capability 8.0; at most 2^31 - 1 tiles.
/// Op       Task::Epilogue, once for each item, in the thread that has it.
/// Sync     none beyond the block; what earlier kernels of the stream wrote is waited for.
/// Cost     see BlockMatmul. An operand whose base or leading dimension is no multiple of 16 bytes
///          is copied in pieces of 8 or 4, or item by item.
/// Errors   those of BlockMatmul; on a target without mma.sync the kernel stops.
template <class Config, class Task>
TWEED_KERNEL void __launch_bounds__(Config::threads, detail::MmaProduct<Config, Task>::minBlocks)
    mmaMatmul(Task const __grid_constant__ task) {
  if constexpr (detail::isMmaTarget<Task>) {
    arch::letNextStart();
    arch::waitForPrevious();
    detail::mmaTile<Config>(task);
  } else {
    arch::stopWithoutTarget();
  }
}

/// The dynamic shared memory that mmaMatmul takes.
template <class Config, class Task>
inline constexpr int mmaSharedBytes = detail::MmaProduct<Config, Task>::sharedBytes;

}  // namespace tweed
