// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/wgmmaBlockMatmul.cuh - BlockMatmul by the tensor cores' wgmma.
#pragma once

#include <tweed/arch/barrier.cuh>
#include <tweed/arch/bulkCopy.cuh>
#include <tweed/arch/shuffle.cuh>
#include <tweed/core/thread.cuh>
#include <tweed/matmul/mmaTiles.cuh>
#include <tweed/matmul/wgmmaConfig.cuh>

namespace tweed {

template <class Config, class LoaderA, class LoaderB, class Acc>
struct BlockMatmul;

/// A tile of A * B, computed by Hopper's tensor cores inside a kernel that may do more than that:
/// the kernels of the other forms of BlockMatmul, with a WgmmaConfig. All threads load and
/// multiply, so there are no roles to keep apart; WgmmaMatmul, which has them, is made for aligned
/// matrices.
///
///     using Config = tweed::WgmmaConfig<128, 128, 2, 4>;
///     using Product = tweed::BlockMatmul<Config, LoaderA, LoaderB, float>;
///
///     __global__ void __launch_bounds__(Product::threads, Product::minBlocks) kernel(...) {
///       Product product(*tweed::dynamicShared<typename Product::Shared>(1));
///       typename Product::Accumulator acc{};                                 // zeros
///       product.run(tweed::loadRows(a, row), tweed::loadColumns(b, column), 0, k, acc);
///       product.forEach(acc, [&](float& value, int i, int j) { ... });       // in the tile
///     }
///     tweed::launch(kernel, {blocks, Product::threads, Product::sharedBytes}, ...);
///
/// Shape    a 1-D block of `threads`, 128 for each of the Consumers: nobody loads alone, which
///          Config::threads counts in. A tile of Config::Tile::m rows of A and Config::Tile::n
///          columns of B. With 3 consumers N is 192, and N 192 of a row-major B needs them.
/// Result   run() adds the products of the items kBegin..kEnd-1 of the sum to acc. Products are
///          exact; sums are wgmma's, of 16 (TF32: 8) at a time by rising k. Of float items the low
///          13 bits are ignored (TF32, rounded toward zero). Items that do not exist, of rows,
///          columns and k behind the end, count as 0.
/// Needs    loaders as loader.cuh says, of __half, __nv_bfloat16 or float, both of one type; float
///          items of Major::K alone: A row-major, B column-major. ClusterRows and SplitK 1; the
///          configuration's StoreColumns and GroupRows have no meaning here. The target sm_90a.
/// Sync     all threads of the block call, with the same numbers. Behind run() the memory of Shared
///          is free for another run() at once, or for anything else until then; accumulators are
///          each thread's own. What the block itself wrote to an operand needs a barrier before.
/// Cost     a block barrier for each 128 bytes of k, and one more. 896 bytes of Shared align the
///          stages. With LeftInFlight 1, for which 3 stages are needed, a step of the product is
///          left under way at the barrier, and one stage less is loaded ahead.
/// Errors   compile time: types, layouts, the numbers of Config, more shared memory than a block
///          can have, the target. Another block size stops the kernel under TWEED_DEBUG.
/// Source   PTX ISA, wgmma, cp.async, fence.proxy.async.
template <int M, int N, int Consumers, int Stages, int ClusterRows, int SplitK, int StoreColumns,
          int GroupRows, int LeftInFlight, class LoaderA, class LoaderB>
struct BlockMatmul<WgmmaConfig<M, N, Consumers, Stages, ClusterRows, SplitK, StoreColumns,
                               GroupRows, LeftInFlight>,
                   LoaderA, LoaderB, float> {
  using Config = WgmmaConfig<M, N, Consumers, Stages, ClusterRows, SplitK, StoreColumns, GroupRows,
                             LeftInFlight>;
  using Item = typename LoaderA::Item;
  static_assert(isSame<Item, typename LoaderB::Item> && detail::isWgmmaType<Item>,
                "tweed::BlockMatmul: with WgmmaConfig both operands are of __half, of "
                "__nv_bfloat16 or of float, of which TF32 is taken");
  static_assert(sizeof(Item) == 2 || (LoaderA::major == Major::K && LoaderB::major == Major::K),
                "tweed::BlockMatmul: wgmma takes TF32 from A row-major and B column-major alone");
  static_assert(ClusterRows == 1 && SplitK == 1,
                "tweed::BlockMatmul: a block multiplies by itself; take a WgmmaConfig with "
                "ClusterRows and SplitK 1");
  static_assert(Consumers == 3 ? N == 192 : N != 192 || LoaderB::major == Major::K,
                "tweed::BlockMatmul: the threads of a WgmmaConfig share a stage evenly: with 3 "
                "consumers N is 192, and N 192 of a row-major B needs 3 consumers");

  static constexpr Path path = Path::Wgmma;
  static constexpr int threads = 128 * Consumers;
  static constexpr int k = detail::wgmmaRow / int(sizeof(Item));  ///< items of k in a step

 private:
  using TileA = detail::MmaTile<Item, LoaderA::major, M, k>;
  using TileB = detail::MmaTile<Item, LoaderB::major, N, k>;
  static constexpr bool isMnA = LoaderA::major == Major::Mn;
  static constexpr bool isMnB = LoaderB::major == Major::Mn;
  static constexpr int fragments = Config::fragments;
  static constexpr int registers = Config::registers;
  static constexpr int stageBytes = TileA::bytes + TileB::bytes;
  static_assert(TileA::bytes % detail::wgmmaAlignment == 0 &&
                TileB::bytes % detail::wgmmaAlignment == 0);
  static constexpr int inFlight = Stages > 2 ? LeftInFlight : 0;
  static constexpr int ahead = Stages - 1 - inFlight;  // steps that are loaded before their turn

 public:
  static constexpr int sharedBytes =
      Stages * stageBytes + detail::wgmmaAlignment - 128;  // it begins at a multiple of 128
  static_assert(sharedBytes <= detail::wgmmaMostShared,
                "tweed::BlockMatmul: a block has 227 KiB of shared memory; take fewer stages");
  /// Blocks of a multiprocessor that registers and 227 KiB of shared memory suffice for.
  static constexpr int minBlocks = larger(1, smaller(65536 / threads / (fragments * registers + 64),
                                                     227 * 1024 / (sharedBytes + 1024)));
  /// Neighbours of a row of the tile that forEachRun() hands out together.
  static constexpr int runItems = 2;

  struct Shared {
    alignas(128) unsigned char bytes[sharedBytes];
  };
  struct Accumulator {
    float item[fragments][registers];
  };

  TWEED_DEVICE explicit BlockMatmul(Shared& shared) {
    Block<threads>::check("BlockMatmul");
    unsigned const start = arch::sharedAddress(shared.bytes);
    unsigned const skip = (0u - start) % detail::wgmmaAlignment;
    TWEED_ASSERT(skip <= detail::wgmmaAlignment - 128,
                 "tweed::BlockMatmul: Shared begins at %u, which is no multiple of 128", start);
    stages_ = shared.bytes + skip;
    address_ = start + skip;
  }

  TWEED_DEVICE void run(LoaderA const& a, LoaderB const& b, int kBegin, int kEnd,
                        Accumulator& acc) {
    kEnd = smaller(kEnd, smaller(a.depth, b.depth));
    if (kBegin >= kEnd) return;
    int const rank = int(threadIdx.x);
    detail::MmaFill<LoaderA, M, k, threads> fillA(a, kBegin, kEnd, rank);
    detail::MmaFill<LoaderB, N, k, threads> fillB(b, kBegin, kEnd, rank);
    auto const fill = [&](int to, int left) {
      if (left > 0) {
        fillA.fill(stages_ + to, a, kEnd, left);
        fillB.fill(stages_ + to + TileA::bytes, b, kEnd, left);
      }
      arch::commitCopies();
    };
    auto const next = [](int stage) {
      return stage == (Stages - 1) * stageBytes ? 0 : stage + stageBytes;
    };
#pragma unroll 1
    for (int s = 0; s < ahead; ++s) fill(s * stageBytes, kEnd - kBegin - s * k);

    int const warpgroup = arch::shuffle(fullMask, rank / 128, 0);  // known to be uniform
    unsigned long long const descriptorA = arch::wgmmaDescriptor<isMnA>(
        address_ + unsigned(warpgroup * fragments * 64 * detail::wgmmaRow), k * detail::wgmmaRow);
    unsigned long long const descriptorB =
        arch::wgmmaDescriptor<isMnB>(address_ + TileA::bytes, k * detail::wgmmaRow);
    pin(acc);
    int stage = 0, loadStage = ahead * stageBytes;
    int left = kEnd - kBegin;
    // Tested at its end: ptxas runs the products one by one (C7514, C7515) where it finds a way
    // past the loop and the caller's code comes near.
#pragma unroll 1
    do {
      // Each thread hands what it copied or stored to wgmma, and the barrier says that all have.
      // It also says that all are done with the stage that is filled next, since each has waited
      // for its products but the last `inFlight`.
      arch::waitForCopies<ahead - 1>();
      arch::fenceAsyncProxy();
      arch::syncBlock();
      arch::wgmmaFence();
      multiply(descriptorA + unsigned(stage / 16), descriptorB + unsigned(stage / 16), acc);
      arch::wgmmaCommit();
      fill(loadStage, left - ahead * k);
      arch::syncWarp();  // fill() may have parted the warp, and wgmma's instructions take it whole
      arch::wgmmaWait<inFlight>();
      stage = next(stage);
      loadStage = next(loadStage);
      left -= k;
    } while (left > 0);
    arch::wgmmaWait<0>();
    pin(acc);
    arch::syncBlock();
  }

  /// Calls f(item, row, column) for each item of the tile that this thread has; f may change it.
  template <class F>
  static TWEED_DEVICE void forEach(Accumulator& acc, F f) {
    forEachRun(acc, [&](float(&items)[2], int row, int column) {
      f(items[0], row, column);
      f(items[1], row, column + 1);
    });
  }
  /// The same for neighbours of a row: f(items, row, column), items an array of `runItems`. The
  /// first one's column is even. All items of a row are in four neighbouring lanes.
  template <class F>
  static TWEED_DEVICE void forEachRun(Accumulator& acc, F f) {
#pragma unroll
    for (int fragment = 0; fragment < fragments; ++fragment)
      visit<registers>(acc.item[fragment], firstRow() + fragment * 64, firstColumn(), f);
  }
  /// The same in a loop over blocks of 32 columns, for an f whose code is long: a register has no
  /// number at run time, so the blocks move up, and acc is then used up.
  template <class F>
  static TWEED_DEVICE void useUpRuns(Accumulator& acc, F f) {
    constexpr int some = 16;  // of a fragment's registers: 32 columns
#pragma unroll 1
    for (int column = 0; column < N; column += 2 * some)
#pragma unroll
      for (int fragment = 0; fragment < fragments; ++fragment) {
        visit<some>(acc.item[fragment], firstRow() + fragment * 64, firstColumn() + column, f);
#pragma unroll
        for (int i = some; i < registers; ++i) acc.item[fragment][i - some] = acc.item[fragment][i];
      }
  }

 private:
  static TWEED_DEVICE int firstRow() {
    int const warp = int(threadIdx.x) / warpThreads, lane = int(threadIdx.x) % warpThreads;
    return warp / 4 * fragments * 64 + warp % 4 * 16 + lane / 4;
  }
  static TWEED_DEVICE int firstColumn() { return int(threadIdx.x) % 4 * 2; }

  // The first Count registers of a fragment.
  template <int Count, class F>
  static TWEED_DEVICE void visit(float (&item)[registers], int row, int column, F& f) {
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int i = 2 * half; i < Count; i += 4) {
        float two[2] = {item[i], item[i + 1]};
        f(two, row + half * 8, column + i / 4 * 8);
        item[i] = two[0], item[i + 1] = two[1];
      }
  }

  static TWEED_DEVICE void pin(Accumulator& acc) {
#pragma unroll
    for (int fragment = 0; fragment < fragments; ++fragment) arch::wgmmaPin(acc.item[fragment]);
  }

  // The products of a stage, as many rows of A as a warpgroup has.
  static TWEED_DEVICE void multiply(unsigned long long a, unsigned long long b, Accumulator& acc) {
    using Input = typename detail::WgmmaTypeOf<Item>::Type;
#pragma unroll
    for (int fragment = 0; fragment < fragments; ++fragment)
#pragma unroll
      for (int part = 0; part < detail::wgmmaRow / arch::wgmmaK; ++part)
        arch::wgmma<Input, isMnA, isMnB>(
            acc.item[fragment],
            a + unsigned(fragment * 64 * detail::wgmmaRow / 16) + part * arch::wgmmaStep<isMnA>,
            b + part * arch::wgmmaStep<isMnB>, true);
  }

  unsigned char* stages_;  // from a multiple of 1024 on
  unsigned address_;
};

}  // namespace tweed
