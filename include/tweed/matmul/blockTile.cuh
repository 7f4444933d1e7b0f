// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/blockTile.cuh - a tile of a product in one call, and its way to memory.
#pragma once

#include <tweed/matmul/blockMatmul.cuh>
#include <tweed/matmul/mmaMatmul.cuh>
#include <tweed/matmul/reductions.cuh>
#include <tweed/matmul/storeRun.cuh>
#include <tweed/matmul/wgmmaBlockMatmul.cuh>

namespace tweed {

/// The tile of a product that blockMatmul() made, in the registers of the block's threads.
///
/// Shape    Config::Tile::m rows and Config::Tile::n columns; items beyond A's rows and B's columns
///          are 0. Which items a thread has is the Product's to say.
/// Result   forEach() calls f(item, row, column) once for each item, in the thread that has it; f
///          may change it. store() writes the items that C has, the tile's first one at `at`, and
///          nothing else; the tile stays as it is. Each is finished as matmul() does it: epilogue
///          with places in the whole C, then one conversion to the type of C.
/// Needs    of store(): `at` not negative, and a C of at most 2^31 - 1 rows and columns.
/// Sync     none: a block that reads what it stored needs a barrier before.
/// Cost     neighbours of a row of a row-major C are stored together where C and at.column are
///          aligned to them, else, and by columns, item by item.
/// Errors   compile time: a C of const items, an epilogue with reductions, which are matmul()'s.
template <class Product_>
struct BlockTile {
  using Product = Product_;
  typename Product::Accumulator acc;  ///< for Product's other functions

  template <class F>
  TWEED_DEVICE void forEach(F f) {
    Product::forEach(acc, f);
  }

  template <class T, class Layout, class Epilogue = Identity>
  TWEED_DEVICE void store(MatrixView<T, Layout> const& c, Coord at, Epilogue epilogue = {}) {
    static_assert(isSame<T, RemoveConst<T>>, "tweed::BlockTile: C has const items");
    static_assert(!detail::hasReductions<Epilogue>,
                  "tweed::BlockTile: rowSum, columnMax and their like are of whole products alone");
    using Unused = MatrixView<float const, RowMajor>;
    if constexpr (isSame<Layout, RowMajor>) {
      MatmulTask<Unused, Unused, MatrixView<T, RowMajor>, Epilogue> const task{
          {}, {}, c, epilogue, nullptr};
      constexpr int runItems = Product::runItems;
      bool const areAligned = at.column % runItems == 0 && detail::hasAlignedRuns<runItems>(task);
      Product::forEachRun(acc, [&](auto const& run, int row, int column) {
        storeCopy(task, run, Coord{at.row + row, at.column + column, at.matrix}, areAligned);
      });
    } else {
      MatmulTask<Unused, Unused, MatrixView<T, RowMajor>, TransposedEpilogue<Epilogue>> const task{
          {}, {}, transposed(c), {epilogue}, nullptr};
      forEach([&](auto& item, int row, int column) {
        Coord const place{at.column + column, at.row + row, at.matrix};
        if (place.row < task.m() && place.column < task.n()) task.store(item, place);
      });
    }
  }

 private:
  template <class Task, class Acc, int Items>
  static TWEED_DEVICE void storeCopy(Task const& task, Acc const (&run)[Items], Coord at,
                                     bool areAligned) {
    Acc copy[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) copy[i] = run[i];
    detail::storeRun(task, copy, at, areAligned);
  }
};

namespace detail {

// Of two numbers each, which a compiler names with the complaint.
template <int Bytes, int NeededBytes>
struct ScratchOf {
  static_assert(Bytes >= NeededBytes,
                "tweed::blockMatmul: the scratch is smaller than BlockMatmul's Shared: see "
                "ScratchOf<its bytes, those needed>");
  static constexpr bool isEnough = true;
};
template <int Bytes, int NeededBytes>
struct ScratchAlignedTo {
  static_assert(Bytes >= NeededBytes,
                "tweed::blockMatmul: the scratch is less aligned than BlockMatmul's Shared: see "
                "ScratchAlignedTo<bytes, those needed>");
  static constexpr bool isEnough = true;
};

}  // namespace detail

/// A tile of A * B by all threads of a block: BlockMatmul in one call, for a sum that begins with 0
/// and runs to the end of A and B. The same text serves SimtConfig, MmaConfig and WgmmaConfig.
///
///     using Product = tweed::BlockMatmul<Config, decltype(tweed::loadRows(A(), 0)),
///                                        decltype(tweed::loadColumns(B(), 0)), float>;
///
///     __global__ void __launch_bounds__(Product::threads, Product::minBlocks) kernel(A a, ...) {
///       auto& scratch = *tweed::dynamicShared<Product::Shared>(1);
///       auto tile = tweed::blockMatmul<Config>(scratch, tweed::loadRows(a, row),
///                                              tweed::loadColumns(b, column));
///       tile.forEach([&](float& x, int i, int j) { ... });
///       tile.store(c, {row, column, 0}, tweed::gelu());
///     }
///     tweed::launch(kernel, {blocks, Product::threads, Product::sharedBytes}, ...);
///
/// Shape    a 1-D block of Product::threads; any scratch that is as large and as aligned as
///          Product::Shared, such as that of another product.
/// Result   the tile, whose items are the threads' as BlockTile says; the sums are those of
///          BlockMatmul, added up in AccumulatorOf<Item>, float for 16-bit floats.
/// Needs    what BlockMatmul needs of loaders and target.
/// Sync     all threads of the block call. Behind the call the scratch is free for another one, or
///          for anything else; what the block wrote there or to an operand needs a barrier before.
/// Cost     that of BlockMatmul's run().
/// Errors   compile time: a scratch too small or too little aligned, with both numbers;
///          Loading::ByWarpgroup, and what else BlockMatmul refuses. Another block size stops the
///          kernel under TWEED_DEBUG and on the loom.
template <class Config, class Scratch, class LoaderA, class LoaderB>
TWEED_DEVICE auto blockMatmul(Scratch& scratch, LoaderA const& a, LoaderB const& b) {
  using Product = BlockMatmul<Config, LoaderA, LoaderB, AccumulatorOf<typename LoaderA::Item>>;
  using Shared = typename Product::Shared;
  static_assert(detail::ScratchOf<int(sizeof(Scratch)), int(sizeof(Shared))>::isEnough);
  static_assert(detail::ScratchAlignedTo<int(alignof(Scratch)), int(alignof(Shared))>::isEnough);
  BlockTile<Product> tile{};
  Product product(reinterpret_cast<Shared&>(scratch));
  product.run(a, b, 0, smaller(a.depth, b.depth), tile.acc);
  return tile;
}

}  // namespace tweed
