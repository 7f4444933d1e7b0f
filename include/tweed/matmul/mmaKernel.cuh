// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/mmaKernel.cuh - whole products by mma.sync.
#pragma once

#include <tweed/arch/overlap.cuh>
#include <tweed/matmul/mmaMatmul.cuh>
#include <tweed/matmul/task.cuh>
#include <tweed/memory/dynamicShared.cuh>

namespace tweed {

namespace detail {

template <class Config, class Task>
using MmaProduct = BlockMatmul<
    Config, MatrixLoader<RemoveConst<typename Task::A::Item>, majorOfA<typename Task::A::Layout>>,
    MatrixLoader<RemoveConst<typename Task::B::Item>, majorOfB<typename Task::B::Layout>>, float>;

// Finishes two neighbours of a row of C, the second of which may not exist, and stores them:
// together, if `arePairs` says that pairs are aligned.
template <class Task>
TWEED_DEVICE void storePair(Task const& task, float const (&values)[2], Coord at, bool arePairs) {
  using Item = typename Task::C::Item;
  Coord const next{at.row, at.column + 1, at.matrix};
  if (arePairs && next.column < task.n()) {
    struct alignas(2 * sizeof(Item)) Pair {
      Item first, second;
    };
    Item* const c = &task.c(at.row, at.column, at.matrix);
    *reinterpret_cast<Pair*>(c) = {
        Item(finish(task.epilogue, values[0], at, [&] { return c[0]; })),
        Item(finish(task.epilogue, values[1], next, [&] { return c[1]; }))};
  } else {
    task.store(values[0], at);
    if (next.column < task.n()) task.store(values[1], next);
  }
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
/// Cost     see BlockMatmul. An operand whose base or leading dimension is no multiple of 16 bytes
///          is copied in pieces of 8 or 4, or item by item.
template <class Config, class Task>
TWEED_KERNEL void __launch_bounds__(Config::threads, detail::MmaProduct<Config, Task>::minBlocks)
    mmaMatmul(Task const task) {
  using Product = detail::MmaProduct<Config, Task>;
  using Tile = typename Config::Tile;
  using Item = typename Task::C::Item;
  arch::letNextStart();
  arch::waitForPrevious();
  TileIndex const tile = task.template order<Tile>().at(blockIdx.x);
  int const row = tile.row * Tile::m, column = tile.column * Tile::n;
  typename Product::Accumulator acc{};
  Product product(*dynamicShared<typename Product::Shared>(1));
  product.run(loadRows(task.a, row, tile.matrix), loadColumns(task.b, column, tile.matrix), 0,
              task.k(), acc);
  Item const* const c = task.c.data + tile.matrix * task.c.batchStride;
  bool const arePairs =
      (reinterpret_cast<unsigned long long>(c) | task.c.leadingDimension * sizeof(Item)) %
          (2 * sizeof(Item)) ==
      0;
  product.forEachRun(acc, [&](float const(&values)[2], int i, int j) {
    Coord const at{row + i, column + j, tile.matrix};
    if (at.row < task.m() && at.column < task.n()) detail::storePair(task, values, at, arePairs);
  });
}

/// The dynamic shared memory that mmaMatmul takes.
template <class Config, class Task>
inline constexpr int mmaSharedBytes = detail::MmaProduct<Config, Task>::sharedBytes;

}  // namespace tweed
