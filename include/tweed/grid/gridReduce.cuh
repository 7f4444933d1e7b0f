// SPDX-License-Identifier: Apache-2.0
// tweed/grid/gridReduce.cuh - combine one value per thread across a whole launch, inside a kernel.
#pragma once

#include <tweed/block/blockReduce.cuh>
#include <tweed/grid/lastBlock.cuh>

namespace tweed {

/// What a block gets from gridReduce(). `isLast` is the same in all its threads.
template <class T>
struct GridReduced {
  T value;      ///< of the whole grid if isLast, else of this block
  bool isLast;  ///< true in one block of the launch, the last to call
};

namespace detail {

// The ticket of lastBlock(), then a partial of each block.
template <class T>
inline constexpr int partialsOffset = larger(16, int(alignof(AccumulatorOf<T>)));

}  // namespace detail

/// Bytes of state that gridReduce() of values of T needs in a grid of so many blocks.
template <class T>
TWEED_HOST_DEVICE constexpr unsigned long long gridReduceBytes(unsigned long long blocks) {
  return detail::partialsOffset<T> + blocks * sizeof(AccumulatorOf<T>);
}

/// Combines `value` of all threads of the launch with `op`; the block that calls last gets it.
///
///     auto const total = tweed::gridReduce<256>(x, tweed::Sum{}, state);
///     if (total.isLast && threadIdx.x == 0) *out = total.value;
///
///     void* const state =
///         workspace.takeState("kernel", tweed::gridReduceBytes<float>(blocks), stream);
///
/// Shape    one T per thread, in any grid of up to 2^32 blocks of exactly BlockThreads threads;
///          gridReduce<Block<16, 16>> and gridReduce<Dynamic<1024>> name other shapes.
/// Result   every thread of the block that calls last, same bits in each; the other blocks get
///          isLast == false. Same bits on every run, whichever block is last: the order depends on
///          the shape of grid and block alone. Sums and products are made in AccumulatorOf<T> (half
///          and bfloat16: float), also from block to block, and rounded once, at the end.
/// Op       associative, T = op(T, T), as of blockReduce(). Order is kept, of threads in a block
///          and of blocks in the grid (both x fastest), unless it says it is commutative. No
///          identity is needed; only values of threads are combined.
/// Needs    T trivially copyable. gridReduceBytes<T>(blocks) bytes of state in global memory, whose
///          first 4 are 0 before the first launch that uses it, and 0 again after each: nothing
///          resets it between launches or replays of a graph. Launches that may run at once need a
///          state each, and so do several calls in one launch.
/// Sync     call it from all threads of all blocks. Holds four __syncthreads(), and two more in the
///          last block (two and none in blocks of at most 32 threads). No block waits for another.
///          What any thread wrote before its call is seen by the last block after it.
/// Cost     blockReduce(), one store, lastBlock(); then in one block a load for each block, shared
///          among its threads, and blockReduce() again. A grid of one block touches no state.
/// Errors   compile time: as blockReduce(); T not trivially copyable. A block of another shape than
///          the launch's stops the kernel under TWEED_DEBUG and on the loom, else is undefined.
/// Source   NVIDIA CUDA samples, threadFenceReduction (M. Harris): the last block folds.
template <class Shape, class T, class Op>
TWEED_DEVICE GridReduced<T> gridReduce(T value, Op op, void* state) {
  static_assert(isReduction<Op, T>, "tweed::gridReduce: op must be callable as T = op(T, T)");
  static_assert(isTriviallyCopyable<T>,
                "tweed::gridReduce: T must be trivially copyable, as it goes from block to block");
  static_assert(detail::holdsAccumulator<T>,
                "tweed::gridReduce: AccumulatorOf<T> must be no smaller nor less aligned than T");
  Shape::check("gridReduce");
  using Acc = detail::Wide<Op, T>;
  Acc const share = blockReduce<Shape>(detail::widen<Op>(value), op);
  unsigned long long const blocks = detail::gridBlocks();
  if (blocks == 1) {
    arch::syncBlock();  // blockReduce() of one warp orders no memory
    return {T(share), true};
  }

  auto* const partials =
      reinterpret_cast<Acc*>(static_cast<unsigned char*>(state) + detail::partialsOffset<T>);
  int const rank = Shape::rank();
  if (rank == 0) partials[detail::gridBlockRank()] = share;
  if (!lastBlock(static_cast<unsigned*>(state))) return {T(share), false};

  // Order kept: each thread folds a run of neighbours. Else neighbours go to neighbouring threads.
  unsigned long long const threads = unsigned(Shape::threads());
  unsigned long long const run = ceilDiv(blocks, threads);
  unsigned long long const step = isCommutative<Op> ? threads : 1;
  unsigned long long const first = isCommutative<Op> ? rank : rank * run;
  unsigned long long const end = isCommutative<Op> ? blocks : smaller(first + run, blocks);
  Acc total = share;  // of a thread that has nothing, it is not looked at
  if (first < end) total = partials[first];
  for (unsigned long long i = first + step; i < end; i += step) total = op(total, partials[i]);
  unsigned long long const some =
      isCommutative<Op> ? smaller(threads, blocks) : ceilDiv(blocks, run);
  return {T(blockReduce<Shape>(total, op, int(some))), true};
}

template <int BlockThreads, class T, class Op>
TWEED_DEVICE GridReduced<T> gridReduce(T value, Op op, void* state) {
  static_assert(detail::isBlockSize<BlockThreads>,
                "tweed::gridReduce: BlockThreads must be 1 to 1024");
  return gridReduce<Block<BlockThreads>>(value, op, state);
}

}  // namespace tweed
