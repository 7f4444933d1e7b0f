// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/mmaMatmul.cuh - BlockMatmul by the tensor cores' mma.sync.
#pragma once

#include <tweed/arch/barrier.cuh>
#include <tweed/matmul/mmaConfig.cuh>
#include <tweed/matmul/mmaTiles.cuh>

namespace tweed {

template <class Config, class LoaderA, class LoaderB, class Acc>
struct BlockMatmul;

/// A tile of A * B, computed by tensor cores inside a kernel that may do more than that.
///
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
/// Shape    a 1-D block of `threads`; a tile of Config::Tile::m rows of A and Config::Tile::n
///          columns of B.
/// Result   run() adds the products of the items kBegin..kEnd-1 of the sum to acc. Products are
///          exact; sums are mma()'s, of 16 (TF32: 8) at a time by rising k. float items are rounded
///          to TF32 first, halves away from zero. Items that do not exist, of rows, columns and k
///          behind the end, count as 0.
/// Needs    loaders as loader.cuh says, of __half, __nv_bfloat16 or float, both of one type; Shared
///          aligned to 128 bytes. Compute capability 8.0.
/// Sync     all threads of the block call, with the same numbers. Behind run() the memory of Shared
///          is free for another run() at once, or for anything else until then; accumulators are
///          each thread's own. What the block itself wrote to an operand needs a barrier before.
/// Cost     a block barrier for each Tile::k of the sum, and one more. No bank conflicts, but two
///          ways for float operands whose neighbours are not along k.
/// Errors   compile time: the numbers of Config, types, target. Another block size stops the kernel
///          under TWEED_DEBUG and on the loom.
/// Source   PTX ISA, mma.sync, ldmatrix, cp.async; NVIDIA, CUTLASS: efficient GEMM in CUDA.
template <class Tile, int WarpM, int WarpN, int Stages, class LoaderA, class LoaderB>
struct BlockMatmul<MmaConfig<Tile, WarpM, WarpN, Stages>, LoaderA, LoaderB, float> {
  using Config = MmaConfig<Tile, WarpM, WarpN, Stages>;
  using Item = typename LoaderA::Item;
  static_assert(isSame<Item, typename LoaderB::Item> && detail::isMmaType<Item>,
                "tweed::BlockMatmul: with MmaConfig both operands are of __half, of __nv_bfloat16 "
                "or of float, which is rounded to TF32");
  static_assert(Tile::k * sizeof(Item) == 128,
                "tweed::BlockMatmul: with MmaConfig Tile::k is 128 bytes: 64 items of 16 bits, 32 "
                "floats");

 private:
  using TileA = detail::MmaTile<Item, LoaderA::major, Tile::m, Tile::k>;
  using TileB = detail::MmaTile<Item, LoaderB::major, Tile::n, Tile::k>;
  using ReadA = detail::MmaRead<Item, LoaderA::major, Tile::m, Tile::k, WarpM, true>;
  using ReadB = detail::MmaRead<Item, LoaderB::major, Tile::n, Tile::k, WarpN, false>;
  static constexpr int blocksM = WarpM / 16, blocksN = WarpN / 8;
  static constexpr int stageBytes = TileA::bytes + TileB::bytes;

 public:
  static constexpr Path path = Path::Mma;
  static constexpr int threads = Config::threads;
  static constexpr int sharedBytes = Stages * stageBytes;
  /// Blocks of a multiprocessor that registers and 227 KiB of shared memory suffice for.
  static constexpr int minBlocks =
      larger(1, smaller(65536 / threads / Config::registers, 227 * 1024 / (sharedBytes + 1024)));
  /// Neighbours of a row of the tile that forEachRun() hands out together.
  static constexpr int runItems = 2;

  struct Shared {
    alignas(128) unsigned char bytes[sharedBytes];
  };
  struct Accumulator {
    float item[blocksM][blocksN][4];
  };

  TWEED_DEVICE explicit BlockMatmul(Shared& shared) : stages_(shared.bytes) {
    Block<threads>::check("BlockMatmul");
    TWEED_ASSERT(reinterpret_cast<unsigned long long>(stages_) % 128 == 0,
                 "tweed::BlockMatmul: Shared begins at %p, which is no multiple of 128", stages_);
  }

  TWEED_DEVICE void run(LoaderA const& a, LoaderB const& b, int kBegin, int kEnd,
                        Accumulator& acc) {
    kEnd = smaller(kEnd, smaller(a.depth, b.depth));
    if (kBegin >= kEnd) return;
    int const rank = int(threadIdx.x), lane = rank % warpThreads;
    detail::MmaFill<LoaderA, Tile::m, Tile::k, threads> fillA(a, kBegin, kEnd, rank);
    detail::MmaFill<LoaderB, Tile::n, Tile::k, threads> fillB(b, kBegin, kEnd, rank);
    ReadA const readA(warpRow(), lane);
    ReadB const readB(warpColumn(), lane);

    auto const fill = [&](int to, int left) {
      if (left > 0) {
        fillA.fill(stages_ + to, a, kEnd, left);
        fillB.fill(stages_ + to + TileA::bytes, b, kEnd, left);
      }
      arch::commitCopies();
    };
#pragma unroll 1
    for (int s = 0; s < Stages - 1; ++s) fill(s * stageBytes, kEnd - kBegin - s * Tile::k);

    typename ReadA::Fragments fragmentsA[2];
    typename ReadB::Fragments fragmentsB[2];
    int stage = 0;
    auto const read = [&](int step) {
      readA.read(fragmentsA[step % 2], stages_ + stage, step);
      readB.read(fragmentsB[step % 2], stages_ + stage + TileA::bytes, step);
    };
    arch::waitForCopies<Stages - 2>();
    arch::syncBlock();
    read(0);
#pragma unroll 1
    for (int left = kEnd - kBegin; left > 0; left -= Tile::k) {
#pragma unroll
      for (int step = 0; step < ReadA::steps; ++step) {
        // The fragments of the next step are on their way while these are multiplied.
        if (step + 1 == ReadA::steps) {
          arch::waitForCopies<Stages - 2>();
          arch::syncBlock();  // the next stage is there, and nobody needs this one any more
          stage = stage == (Stages - 1) * stageBytes ? 0 : stage + stageBytes;
        }
        read((step + 1) % ReadA::steps);  // behind the last stage: what is there, for nothing
        multiply(fragmentsA[step % 2], fragmentsB[step % 2], acc);
        if (step == 0)  // here, where one set of fragments is free
          fill(stage == 0 ? (Stages - 1) * stageBytes : stage - stageBytes,
               left - (Stages - 1) * Tile::k);
      }
    }
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
  /// first one's column is even.
  template <class F>
  static TWEED_DEVICE void forEachRun(Accumulator& acc, F f) {
    int const lane = int(threadIdx.x) % warpThreads;
    int const row = warpRow() + lane / 4, column = warpColumn() + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < blocksM; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int j = 0; j < blocksN; ++j) {
          float(&four)[4] = acc.item[i][j];
          float two[2] = {four[2 * half], four[2 * half + 1]};
          f(two, row + i * 16 + half * 8, column + j * 8);
          four[2 * half] = two[0], four[2 * half + 1] = two[1];
        }
  }
  /// The same in a loop over blocks of 16 rows, for an f whose code is long: a register has no
  /// number at run time, so the blocks move up, and acc is then used up.
  template <class F>
  static TWEED_DEVICE void useUpRuns(Accumulator& acc, F f) {
    int const lane = int(threadIdx.x) % warpThreads;
    int const row = warpRow() + lane / 4, column = warpColumn() + lane % 4 * 2;
#pragma unroll 1
    for (int i = 0; i < blocksM; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int j = 0; j < blocksN; ++j) {
          float(&four)[4] = acc.item[0][j];
          float two[2] = {four[2 * half], four[2 * half + 1]};
          f(two, row + i * 16 + half * 8, column + j * 8);
        }
#pragma unroll
      for (int next = 1; next < blocksM; ++next)
#pragma unroll
        for (int j = 0; j < blocksN; ++j)
#pragma unroll
          for (int item = 0; item < 4; ++item)
            acc.item[next - 1][j][item] = acc.item[next][j][item];
    }
  }

 private:
  static TWEED_DEVICE int warpRow() {
    return int(threadIdx.x) / warpThreads / Config::warpsN * WarpM;
  }
  static TWEED_DEVICE int warpColumn() {
    return int(threadIdx.x) / warpThreads % Config::warpsN * WarpN;
  }

  // As a snake, so that one of two fragments is the one before.
  static TWEED_DEVICE void multiply(typename ReadA::Fragments const& a,
                                    typename ReadB::Fragments const& b, Accumulator& acc) {
#pragma unroll
    for (int i = 0; i < blocksM; ++i)
#pragma unroll
      for (int turn = 0; turn < blocksN; ++turn) {
        int const j = i % 2 == 0 ? turn : blocksN - 1 - turn;
        unsigned const(&words)[4] = b[j / 2];
        unsigned const pair[2] = {words[j % 2 * 2], words[j % 2 * 2 + 1]};
        arch::mma<detail::mmaInput<Item>>(acc.item[i][j], a[i], pair);
      }
  }

  unsigned char* stages_;
};

}  // namespace tweed
