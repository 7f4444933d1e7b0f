// SPDX-License-Identifier: Apache-2.0
// tweed/block/blockScratch.cuh - shared memory that the caller lends to a block function, and the
// reductions that take it.
#pragma once

#include <tweed/arch/barrier.cuh>
#include <tweed/memory/sharedArray.cuh>
#include <tweed/warp/warpReduce.cuh>

namespace tweed {

/// What blockReduce(value, op, scratch) needs: one T for each warp of the block, or one
/// AccumulatorOf<T> if that is another type.
///
///     __shared__ tweed::BlockScratch<tweed::Block<256>, float> scratch;
///
/// Shape    Block<...> or Dynamic<...>. It cannot be copied: a copy would be a thread's own.
/// Needs    T trivially copyable.
/// Sync     that of the function which uses it. It needs no first value.
template <class Shape, class T>
struct BlockScratch {
  static_assert(isTriviallyCopyable<T>, "tweed::BlockScratch: T must be trivially copyable");
  static_assert(detail::holdsAccumulator<T>,
                "tweed::BlockScratch: AccumulatorOf<T> must be no smaller nor less aligned than T");
  static constexpr int warps = ceilDiv(Shape::maxThreads, warpThreads);

  BlockScratch() = default;
  BlockScratch(BlockScratch const&) = delete;
  BlockScratch& operator=(BlockScratch const&) = delete;

  SharedArray<AccumulatorOf<T>, warps> folds;
};

namespace detail {

// The fold of the first `count` items, 1 <= count <= Most, as the tree that foldFirstLanes makes.
template <int Most, class T, class Op>
TWEED_DEVICE T foldFirstItems(T const* items, int count, Op op) {
  if constexpr (Most == 1) {
    return items[0];
  } else {
    constexpr int half = nextPow2(Most) / 2;
    bool const isMore = count > half;
    T const rest =
        foldFirstItems<half>(isMore ? items + half : items, isMore ? count - half : count, op);
    return isMore ? op(foldFirstItems<half>(items, half, op), rest) : rest;
  }
}

// Every warp folds itself, and after the barrier all folds of warps: up to eight in every thread,
// more by shuffles. The last warp may have fewer lanes than there are folds, so that each of its
// threads folds them all; the tree is the same, and so are the bits.
template <bool IsCounted, class Acc, class Shape, class T, class Op>
TWEED_DEVICE Acc foldInScratch(Acc const& value, Op op, BlockScratch<Shape, T>& scratch,
                               int count) {
  constexpr int warps = BlockScratch<Shape, T>::warps;
  auto& folds = reinterpret_cast<SharedArray<Acc, warps>&>(scratch.folds);
  constexpr bool isWhole = !IsCounted && Shape::isStatic && Shape::maxThreads % warpThreads == 0;
  int const rank = Shape::rank();
  int const lane = rank % warpThreads;
  int const first = rank - lane;
  int const lanes = smaller(Shape::threads() - first, warpThreads);
  unsigned const mask = isWhole ? fullMask : firstLanes(lanes);
  Acc const fold = isWhole
                       ? foldLanes<warpThreads>(mask, value, op, lane)
                       : foldFirstLanes<warpThreads>(
                             mask, value, op, lane, smaller(larger(count - first, 1), warpThreads));
  if constexpr (warps == 1) {
    return fold;
  } else {
    if (lane == 0 && first < count) folds.construct(rank / warpThreads, fold);
    arch::syncBlock();
    int const some = isWhole ? warps : ceilDiv(count, warpThreads);
    if constexpr (warps <= 8) return foldFirstItems<warps>(folds.data(), some, op);
    if (!isWhole && lanes < warpThreads) {
      // Of a number that it knows the compiler would load all folds at once: 68 registers.
      int const asked =
          IsCounted ? some : ceilDiv(Dynamic<maxBlockThreads>::threads(), warpThreads);
      return foldFirstItems<warps>(folds.data(), asked, op);
    }
    constexpr int width = isRedux<Acc, Op> ? warpThreads : nextPow2(warps);
    int const slot = lane % width;
    Acc const part = folds[slot < some ? slot : 0];
    if constexpr (isWhole && width == warps) return foldLanes<width>(mask, part, op, lane);
    return foldFirstLanes<width>(mask, part, op, slot, some);
  }
}

}  // namespace detail

/// blockReduce(value, op) of block/blockReduce.cuh with a scratch of the caller's, which is small,
/// and one barrier in place of two.
///
///     __shared__ tweed::BlockScratch<tweed::Block<256>, float> scratch;
///     float const sum = tweed::blockReduce(x, tweed::Sum{}, scratch);
///     ...
///     __syncthreads();  // before the next use of `scratch`
///
/// Shape    one T per thread, in a block of the scratch's shape. T trivially copyable.
/// Result   as there.
/// Op       as there.
/// Sync     call it from all threads of the block. Holds one __syncthreads() (none in a block of at
///          most 32 threads), before which the scratch is written and after which it is read: all
///          threads must pass another __syncthreads() before any of them uses the scratch again.
///          Any barrier of the block will do, so that two scratches used in turn, a call of one
///          between two of the other, need no more.
/// Cost     5 shuffles in every warp for every 4 bytes of T, then a few loads of the warps' folds
///          (up to 256 threads), or up to 5 shuffles more. Slower than the form without scratch in
///          most blocks of full multiprocessors: take it where shared memory is short, or where a
///          barrier follows anyway.
/// Errors   compile time: T not trivially copyable, op not callable as T = op(T, T). A block of
///          another shape than the launch's stops the kernel under TWEED_DEBUG and on the loom.
/// Source   M. Harris, "Optimizing parallel reduction in CUDA"; J. Luitjens, "Faster parallel
///          reductions on Kepler" (warp shuffles, then the partials).
template <class Shape, class T, class Op>
TWEED_DEVICE T blockReduce(Same<T> const& value, Op op, BlockScratch<Shape, T>& scratch) {
  static_assert(isReduction<Op, T>, "tweed::blockReduce: op must be callable as T = op(T, T)");
  Shape::check("blockReduce");
  return T(detail::foldInScratch<false>(detail::widen<Op>(value), op, scratch, Shape::threads()));
}

/// The same when only the first `count` threads hold data, 0 <= count <= threads, as above. With
/// count == 0 it holds no barrier.
template <class Shape, class T, class Op, class Count>
TWEED_DEVICE T blockReduce(Same<T> const& value, Op op, BlockScratch<Shape, T>& scratch,
                           Count count) {
  static_assert(isReduction<Op, T>, "tweed::blockReduce: op must be callable as T = op(T, T)");
  Shape::check("blockReduce");
  int const some =
      detail::checkCount("blockReduce", count, detail::leastCount<Op, T>, Shape::threads());
  if constexpr (hasIdentity<Op, T>) {
    if (some <= 0) return identityOf<Op, T>();
  }
  return T(detail::foldInScratch<true>(detail::widen<Op>(value), op, scratch, some));
}

}  // namespace tweed
