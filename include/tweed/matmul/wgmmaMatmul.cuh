// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/wgmmaMatmul.cuh - tiles of a product by wgmma, inside a kernel of your own.
#pragma once

#include <tweed/arch/barrier.cuh>
#include <tweed/arch/bulkCopy.cuh>
#include <tweed/arch/cluster.cuh>
#include <tweed/arch/mbarrier.cuh>
#include <tweed/arch/registers.cuh>
#include <tweed/arch/sharedMemory.cuh>
#include <tweed/arch/shuffle.cuh>
#include <tweed/core/thread.cuh>
#include <tweed/matmul/wgmmaConfig.cuh>

namespace tweed {

/// A tile of C and the part of k to add up for it.
struct WgmmaTile {
  int row;      ///< of C
  int column;   ///< of C
  int kBegin;   ///< in steps of 128 bytes
  int kEnd;     ///< beyond kBegin
  int matrix;   ///< of the batch
  int matrixA;  ///< the same, or 0 where all share one A
  int matrixB;
};

/// The product of a tile, for which the threads of the block divide the work: one warpgroup loads,
/// the others multiply. `Output` is the type that WgmmaStore stages, if it is used.
///
///     __global__ void __launch_bounds__(Matmul::threads, 1) kernel(
///         arch::TensorMap const __grid_constant__ a, arch::TensorMap const __grid_constant__ b) {
///       Matmul matmul(tweed::dynamicShared<unsigned char>(), &a, &b);
///       matmul.run(tiles, [&](Matmul::Accumulator& sums, WgmmaTile const& tile) {
///         sums.forEach([&](float& value, int row, int column) { ... });  // of the tile
///       });
///       matmul.finish();
///     }
///
/// Shape    `tiles(i, tile)` sets `tile` to the i-th of this block and returns true, or returns
///          false when there are no more; each thread asks for itself, so it has no side effects. A
///          tile has at least one step.
///          With ClusterRows 2 the blocks of a cluster walk over as many tiles, of the same columns
///          and part of k. What lies beyond the matrices, steps of k too, counts as 0.
/// Result   `consume` is called for each tile by all threads of each consumer with their sums; each
///          element of the tile belongs to one thread.
/// Needs    T __half, __nv_bfloat16 or float (TF32, both operands Major::K). Blocks of `threads`
///          threads in one dimension, `sharedBytes` of dynamic shared memory, the cluster of the
///          configuration, __launch_bounds__(threads, 1), the target sm_90a. The maps' boxes are
///          boxA() and boxB().
/// Sync     consumers may meet by syncConsumers(); the whole block must not, inside `consume`.
///          All threads of the block, and of the cluster, make, run and finish it together; it can
///          run again.
/// Cost     one mbarrier round a stage; no barrier of the block between tiles.
/// Errors   compile time: types, layouts, more shared memory than a block can have, the target.
/// Source   PTX ISA, wgmma; CUTLASS's documentation, efficient GEMM: warp specialisation.
template <class Config_, class T, Major MajorA, Major MajorB, class Output = __nv_bfloat16>
class WgmmaMatmul {
 public:
  using Config = Config_;
  using Memory = detail::WgmmaMemory<Config>;
  static constexpr int threads = Config::threads;
  static constexpr int k = detail::wgmmaRow / int(sizeof(T));  ///< items of k in a step
  static constexpr int sharedBytes = Memory::template total<Output> + detail::wgmmaAlignment -
                                     128;  // it begins at a multiple of 128

  static_assert(detail::isWgmmaType<T>,
                "tweed::WgmmaMatmul: the items are __half, __nv_bfloat16 or float (TF32)");
  static_assert(sizeof(T) == 2 || (MajorA == Major::K && MajorB == Major::K),
                "tweed::WgmmaMatmul: wgmma takes TF32 from A row-major and B column-major alone");
  static_assert(
      MajorB == Major::K || Config::n % (k * Config::clusterRows) == 0,
      "tweed::WgmmaMatmul: of a row-major B each block of the cluster loads whole columns of "
      "64; take N a multiple of 64 times ClusterRows");
  static_assert(sharedBytes <= detail::wgmmaMostShared,
                "tweed::WgmmaMatmul: a block has 227 KiB of shared memory; take fewer stages");

  /// The sums of a tile that this thread has.
  struct Accumulator {
    float value[Config::fragments][Config::registers];
    int row;     ///< of value[0][0] in the tile
    int column;  ///< of value[0][0] in the tile

    TWEED_DEVICE int rowOf(int fragment, int i) const {
      return row + 64 * fragment + i / 2 % 2 * 8;
    }
    TWEED_DEVICE int columnOf(int i) const { return column + i / 4 * 8 + i % 2; }

    /// f(float& value, int row, int column), of the tile, for each.
    template <class F>
    TWEED_DEVICE void forEach(F f) {
#pragma unroll
      for (int fragment = 0; fragment < Config::fragments; ++fragment)
#pragma unroll
        for (int i = 0; i < Config::registers; ++i)
          f(value[fragment][i], rowOf(fragment, i), columnOf(i));
    }
  };

  /// Rows and columns of the box of a map: k x rows if K, rows x k if Mn. A box has at most 256
  /// rows; of more, equal ones.
  static TWEED_HOST_DEVICE constexpr unsigned boxA(int dimension) {
    return dimension == 0 ? detail::wgmmaRow / unsigned(sizeof(T))
                          : unsigned(MajorA == Major::K ? Config::m / ceilDiv(Config::m, 256) : k);
  }
  static TWEED_HOST_DEVICE constexpr unsigned boxB(int dimension) {
    return dimension == 0 ? detail::wgmmaRow / unsigned(sizeof(T))
                          : unsigned(MajorB == Major::K ? Config::n / Config::clusterRows : k);
  }

  TWEED_DEVICE WgmmaMatmul(unsigned char* shared, arch::TensorMap const* a,
                           arch::TensorMap const* b)
      : a_(a), b_(b) {
    unsigned const start = arch::sharedAddress(shared);
    unsigned const skip = (0u - start) % detail::wgmmaAlignment;
    shared_ = shared + skip;
    address_ = start + skip;
    warpgroup_ = arch::shuffle(fullMask, int(threadIdx.x) / 128, 0);  // known to be uniform
    if constexpr (Config::clusterRows > 1) rank_ = arch::clusterRank();
    if (threadIdx.x == 0) {
      for (int s = 0; s < Config::stages; ++s) {
        arch::mbarrierInit(full(s), 1);
        arch::mbarrierInit(empty(s), Config::consumers * 4 * Config::clusterRows);
      }
      arch::fenceMbarrierInit();
      arch::tensorPrefetch(a);
      arch::tensorPrefetch(b);
    }
    arch::syncWarp();
    if constexpr (Config::clusterBlocks > 1) {
      arch::clusterArriveRelaxed();  // the fence above has made the barriers visible
      arch::clusterWait();
    } else {
      arch::syncBlock();
    }
  }

  template <class Tiles, class Consume>
  TWEED_DEVICE void run(Tiles tiles, Consume consume) {
    if (warpgroup_ == 0) {
      if constexpr (Config::movesRegisters) arch::lowerRegisters<Config::producerRegisters>();
      if (threadIdx.x == 0) load(tiles);
      arch::syncWarp();
      arch::syncNamed<2, 128>();
      if constexpr (Config::movesRegisters) arch::raiseRegisters<Config::startRegisters>();
    } else {
      if constexpr (Config::movesRegisters) arch::raiseRegisters<Config::consumerRegisters>();
      int const t = int(threadIdx.x) % 128;
      WgmmaTile tile;
      for (int i = 0; tiles(i, tile); ++i) {
        Accumulator sums;
        sums.row = consumer() * 64 * Config::fragments + t / 32 * 16 + t % 32 / 4;
        sums.column = t % 4 * 2;
        multiply(sums, tile.kEnd - tile.kBegin);
        consume(sums, tile);
      }
      if constexpr (Config::movesRegisters) arch::lowerRegisters<Config::startRegisters>();
    }
  }

  /// Before the block ends: others of the cluster may still write to its memory.
  TWEED_DEVICE void finish() {
    if constexpr (Config::clusterBlocks > 1) {
      arch::syncWarp();
      arch::clusterArriveRelaxed();
      arch::clusterWait();
    }
  }

  /// Which consumer this thread belongs to, from 0; -1 if it loads.
  TWEED_DEVICE int consumer() const { return warpgroup_ - 1; }

  /// A barrier of all consumers' threads.
  TWEED_DEVICE static void syncConsumers() { arch::syncNamed<1, 128 * Config::consumers>(); }

  /// The block's shared memory from a multiple of 1024 on, and its address.
  TWEED_DEVICE unsigned char* shared() const { return shared_; }
  TWEED_DEVICE unsigned address() const { return address_; }

 private:
  static constexpr bool isMnA = MajorA == Major::Mn;
  static constexpr bool isMnB = MajorB == Major::Mn;

  TWEED_DEVICE unsigned full(int stage) const {
    return address_ + Memory::template barriers<Output> + 8 * unsigned(stage);
  }
  TWEED_DEVICE unsigned empty(int stage) const { return full(stage) + 8 * Config::stages; }
  TWEED_DEVICE void advance() {
    if (++stage_ == Config::stages) stage_ = 0, parity_ ^= 1;
  }

  template <class Tiles>
  TWEED_DEVICE void load(Tiles tiles) {
    WgmmaTile tile;
    for (int i = 0; tiles(i, tile); ++i)
#pragma unroll 1
      for (int step = tile.kBegin; step < tile.kEnd; ++step) {
        arch::mbarrierWait(empty(stage_), parity_ ^ 1);
        arch::mbarrierArriveExpect(full(stage_), Memory::aBytes + Memory::bBytes);
        loadA(tile, step * k);
        loadB(tile, step * k);
        advance();
      }
  }

  TWEED_DEVICE void loadA(WgmmaTile const& tile, int firstK) {
    unsigned const to = address_ + unsigned(stage_ * Memory::aBytes);
    constexpr int rows = int(boxA(1));
    constexpr int boxes = Memory::aBytes / (rows * detail::wgmmaRow);
    static_assert(boxes * rows * detail::wgmmaRow == Memory::aBytes);
#pragma unroll
    for (int i = 0; i < boxes; ++i) {
      int const x = isMnA ? tile.row + i * k : firstK;
      int const y = isMnA ? firstK : tile.row + i * rows;
      arch::tensorLoad(to + i * rows * detail::wgmmaRow, a_, full(stage_), x, y, tile.matrixA);
    }
  }
  TWEED_DEVICE void loadB(WgmmaTile const& tile, int firstK) {
    unsigned const to = address_ + unsigned(Memory::b + stage_ * Memory::bBytes);
    constexpr int rows = int(boxB(1));
    constexpr int boxes = Memory::bBytes / (rows * detail::wgmmaRow) / Config::clusterRows;
    static_assert(boxes * rows * Config::clusterRows * detail::wgmmaRow == Memory::bBytes);
#pragma unroll
    for (int i = 0; i < boxes; ++i) {
      int const box = int(rank_) * boxes + i;
      int const x = isMnB ? tile.column + box * k : firstK;
      int const y = isMnB ? firstK : tile.column + box * rows;
      unsigned const there = to + unsigned(box * rows * detail::wgmmaRow);
      if constexpr (Config::clusterRows > 1) {
        arch::tensorLoadMulticast(there, b_, full(stage_), x, y, tile.matrixB, 3);
      } else {
        arch::tensorLoad(there, b_, full(stage_), x, y, tile.matrixB);
      }
    }
  }

  // One step of k is left under way while the barrier of the next is awaited.
  TWEED_DEVICE void multiply(Accumulator& sums, int steps) {
    using Input = typename detail::WgmmaTypeOf<T>::Type;
    unsigned long long const a0 = arch::wgmmaDescriptor<isMnA>(
        address_ + unsigned(consumer() * 64 * Config::fragments * detail::wgmmaRow),
        k * detail::wgmmaRow);
    unsigned long long const b0 =
        arch::wgmmaDescriptor<isMnB>(address_ + Memory::b, k * detail::wgmmaRow);
    int before = 0;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      arch::mbarrierWait(full(stage_), parity_);
      unsigned long long const a = a0 + unsigned(stage_ * (Memory::aBytes / 16));
      unsigned long long const b = b0 + unsigned(stage_ * (Memory::bBytes / 16));
      arch::wgmmaFence();
#pragma unroll
      for (int fragment = 0; fragment < Config::fragments; ++fragment)
#pragma unroll
        for (int part = 0; part < detail::wgmmaRow / arch::wgmmaK; ++part)
          arch::wgmma<Input, isMnA, isMnB>(
              sums.value[fragment],
              a + unsigned(fragment * 64 * detail::wgmmaRow / 16) + part * arch::wgmmaStep<isMnA>,
              b + part * arch::wgmmaStep<isMnB>, (step | part) != 0);
      arch::wgmmaCommit();
      arch::wgmmaWait<Config::leftInFlight>();
      if (Config::leftInFlight == 0 || step > 0)
        release(Config::leftInFlight == 0 ? stage_ : before);
      before = stage_;
      advance();
    }
    if constexpr (Config::leftInFlight > 0) {
      arch::wgmmaWait<0>();
      release(before);
    }
  }

  // Gives a stage back, by each warp for itself: its wait says nothing of the others' products.
  TWEED_DEVICE void release(int stage) {
    int const lane = int(threadIdx.x) % 32;
    if constexpr (Config::clusterRows > 1) {
      if (lane < Config::clusterRows) arch::mbarrierArriveAt(empty(stage), unsigned(lane));
    } else {
      if (lane == 0) arch::mbarrierArrive(empty(stage));
    }
  }

  arch::TensorMap const* a_;
  arch::TensorMap const* b_;
  unsigned char* shared_;
  unsigned address_;
  int warpgroup_;
  unsigned rank_ = 0;
  int stage_ = 0;  // of this thread's role
  unsigned parity_ = 0;
};

}  // namespace tweed
