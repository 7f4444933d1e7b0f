// SPDX-License-Identifier: Apache-2.0
// tweed/block/blockReduce.cuh - combine the values of all threads of a block; every thread gets the
// result.
#pragma once

#include <tweed/block/blockScratch.cuh>
#include <tweed/block/rake.cuh>

namespace tweed {

namespace detail {

// A type that cannot move between lanes: thread 0 folds alone. Elements have a lifetime to end, and
// the result's ends only when all have read it, hence a third barrier.
template <class Shape, class T, class Op>
TWEED_DEVICE T foldByThread0(T const& value, Op op, int count) {
  auto& scratch = rakeScratch<T, Shape::maxThreads>();
  int const rank = Shape::rank();
  if (rank < count) scratch.values.construct(rank, value);
  arch::syncBlock();
  if (rank == 0) scratch.partials.construct(0, foldSerial(scratch.values.data(), count, op));
  arch::syncBlock();
  T const result = scratch.partials[0];
  if (rank < count) scratch.values.destroy(rank);
  arch::syncBlock();
  if (rank == 0) scratch.partials.destroy(0);
  return result;
}

// Integers in a block of few warps: every warp folds by one instruction, and every thread the few
// partials. The second barrier, which frees them, passes while they load. With more warps the rake
// is faster: redux takes twice as long as a shuffle, and there each warp would need it.
template <class T, class Op, int Threads>
inline constexpr bool isReduxBlock = isRedux<T, Op>&& Threads <= 4 * warpThreads;

template <int Warps, class T>
TWEED_DEVICE SharedArray<T, Warps>& reduxScratch() {
  __shared__ SharedArray<T, Warps> partials;
  return partials;
}

template <class Shape, bool IsAll, class T, class Op>
TWEED_DEVICE T foldWarpsByRedux(T value, Op op, int count) {
  constexpr int warps = ceilDiv(Shape::maxThreads, warpThreads);
  auto& partials = reduxScratch<warps, T>();
  int const rank = Shape::rank();
  int const warp = rank / warpThreads;
  unsigned mask = fullMask;
  if constexpr (!IsAll || Shape::maxThreads % warpThreads != 0) {
    mask = firstLanes(smaller(Shape::threads() - warp * warpThreads, warpThreads));
    if (rank >= count) value = identityOf<Op, T>();
  }
  T const fold = foldByRedux(mask, value, op);
  if (rank % warpThreads == 0) partials.construct(warp, fold);
  arch::syncBlock();
  T part[warps];
#pragma unroll
  for (int w = 0; w < warps; ++w) {
    bool const exists = Shape::isStatic || w * warpThreads < Shape::threads();
    part[w] = exists ? partials[w] : identityOf<Op, T>();
  }
  arch::syncBlock();
  return foldTree<warps>(part, op);
}

template <class Shape, bool IsCounted, class T, class Op>
TWEED_DEVICE T blockFold(T const& value, Op op, int count) {
  constexpr bool isAll = !IsCounted && Shape::isStatic;
  if constexpr (!isTriviallyCopyable<T>) {
    return foldByThread0<Shape>(value, op, count);
  } else if constexpr (Shape::maxThreads <= warpThreads) {
    constexpr int width = nextPow2(Shape::maxThreads);
    unsigned const mask = firstLanes(Shape::threads());
    int const lane = Shape::rank();
    if constexpr (isAll && width == Shape::maxThreads) {
      return foldLanes<width>(mask, value, op, lane);
    } else {
      return foldFirstLanes<width>(mask, value, op, lane, count);
    }
  } else if constexpr (isReduxBlock<T, Op, Shape::maxThreads>) {
    return foldWarpsByRedux<Shape, isAll>(value, op, count);
  } else if constexpr (isAll && Shape::maxThreads % warpThreads == 0) {
    return rakeAll<Shape>(value, op);
  } else {
    return rakeFirst<Shape>(value, op, count);
  }
}

// The fold in thread 0 alone: no partials to read. Its second barrier frees the rake.
template <class Shape, class T, class Op>
TWEED_DEVICE T blockFoldToFirst(T const& value, Op op) {
  constexpr bool isRake = isTriviallyCopyable<T> && Shape::maxThreads > warpThreads &&
                          !isReduxBlock<T, Op, Shape::maxThreads>;
  if constexpr (isRake && Shape::isStatic && Shape::maxThreads % warpThreads == 0) {
    using Form = RakeForm<T, Op, Shape::maxThreads>;
    auto result = arch::Words<T>::of(value);
    rakeParts<Shape, Form>(value, op, [&](T const& part, int lane) {
      constexpr int groups = Form::isTwice ? 4 : warpThreads;
      T fold = part;
      if constexpr (Form::isTwice)
        fold = rakeLanes<groups>(rakeScratchOf<T, Shape::maxThreads>().folds, part, op, lane);
      result = arch::Words<T>::of(foldToFirst<groups>(fullMask, fold, op, lane));
    });
    arch::syncBlock();
    return result.value();
  } else {
    return blockFold<Shape, false>(value, op, Shape::threads());
  }
}

// The fold of the first `count` threads' values: as of all, with the identity for the others, where
// there is one that may stand behind them; in thread 0 alone if IsToFirst and that is faster.
template <class Shape, bool IsToFirst, class T, class Op>
TWEED_DEVICE T foldPart(T const& value, Op op, int count) {
  constexpr bool isFilled = Shape::isStatic && Shape::maxThreads > warpThreads &&
                            Shape::maxThreads % warpThreads == 0 && isTriviallyCopyable<T> &&
                            isCommutative<Op> && hasIdentity<Op, T> &&
                            !isReduxBlock<T, Op, Shape::maxThreads>;
  if constexpr (!isFilled) {
    return blockFold<Shape, true>(value, op, count);
  } else {
    T const filled = Shape::rank() < count ? value : identityOf<Op, T>();
    if constexpr (IsToFirst) return blockFoldToFirst<Shape>(filled, op);
    return blockFold<Shape, false>(filled, op, Shape::threads());
  }
}
template <class Shape, bool IsToFirst, class T, class Op, class Count>
TWEED_DEVICE T reducePart(T const& value, Op op, Count count) {
  static_assert(isReduction<Op, T>, "tweed::blockReduce: op must be callable as T = op(T, T)");
  Shape::check("blockReduce");
  int const some = checkCount("blockReduce", count, leastCount<Op, T>, Shape::threads());
  if constexpr (hasIdentity<Op, T>) {
    if (some <= 0) return identityOf<Op, T>();
  }
  return T(foldPart<Shape, IsToFirst>(widen<Op>(value), op, some));
}

// The fold of a thread's first `count` items, 1 <= count <= N.
template <int N, class T, class Op>
TWEED_DEVICE Wide<Op, T> foldItems(T const (&items)[N], Op op, int count) {
  Wide<Op, T> value = widen<Op>(items[0]);
#pragma unroll
  for (int i = 1; i < N; ++i)
    if (i < count) value = op(value, widen<Op>(items[i]));
  return value;
}

template <int BlockThreads>
inline constexpr bool isBlockSize = BlockThreads >= 1 && BlockThreads <= maxBlockThreads;

}  // namespace detail

/// Combines `value` of all threads of the block with `op`.
///
///     float const sum = tweed::blockReduce<256>(x);
///     float const top = tweed::blockReduce<256>(x, tweed::Max{});
///
/// Shape    one T per thread, in a block of exactly BlockThreads threads (1 to 1024, any number);
///          blockReduce<Block<16, 16>> and blockReduce<Dynamic<1024>> name other shapes.
/// Result   every thread, same bits in each; same bits on every run, as the order depends on the
///          block's shape alone. Sums and products are made in AccumulatorOf<T> (half and bfloat16:
///          float), items too, and rounded once, at the end.
/// Op       associative, T = op(T, T); default Sum. Thread order is kept (x fastest) unless it says
///          it is commutative. No identity is needed; only values of threads are combined.
/// Sync     call it from all threads of the block. Holds two __syncthreads() (none in a block of at
///          most 32 threads, three if T is not trivially copyable); safe to call again at once,
///          also with another type, operator or block function.
/// Cost     a block of 256, 4-byte T: 1 shared store; 4 shared loads, a store and a shuffle in warp
///          0; 1 broadcast load. Static shared memory: BlockThreads * sizeof(T), up to 1/2 more as
///          padding (of more than 16 bytes a T a lane, if it fits), and four T, or 36 if T has at
///          most four bytes, once for all operators. Integers that warpReduce folds in one
///          instruction: that in place of the shuffles, and up to 128 threads a T a warp. T not
///          trivially copyable: thread 0 folds alone.
/// Errors   compile time: block size, op not callable as T = op(T, T), BlockThreads * sizeof(T) and
///          its padding above 48 KiB. A block of another shape than the launch's stops the kernel
///          under TWEED_DEBUG and on the loom, else is undefined.
/// Source   the raking reduction of G. Blelloch et al., and D. Merrill, CUB (BLOCK_REDUCE_RAKING);
///          here with the result in every thread.
template <class Shape, class T, class Op = Sum>
TWEED_DEVICE T blockReduce(T value, Op op = Op{}) {
  static_assert(isReduction<Op, T>, "tweed::blockReduce: op must be callable as T = op(T, T)");
  Shape::check("blockReduce");
  return T(detail::blockFold<Shape, false>(detail::widen<Op>(value), op, Shape::threads()));
}

/// The same when only the first `count` threads hold data: the values of the others are never read.
/// Shape    as above; 0 <= count <= threads, the same in all threads. count == 0 needs an operator
///          with an identity, which is then the result.
/// Op       as above. A commutative one with an identity may be called on that, too: values that
///          are all -0 add to +0.
/// Errors   as above, and a count that is no integer; a count out of range stops the kernel under
///          TWEED_DEBUG and on the loom.
template <class Shape, class T, class Op, class Count>
TWEED_DEVICE T blockReduce(T value, Op op, Count count) {
  return detail::reducePart<Shape, false>(value, op, count);
}

/// The same with the result in thread 0 alone; what the others get is not to be used.
///
///     float const sum = tweed::blockReduce<256, tweed::ToFirst>(x);
///     if (threadIdx.x == 0) out[blockIdx.x] = sum;
///
/// Cost     no broadcast. Where full multiprocessors do little else, whole warps without count take
///          up to 8 % less time; a block alone waits about as long.
template <class Shape, class To, class T, class Op = Sum, class = EnableIf<isSame<To, ToFirst>>>
TWEED_DEVICE T blockReduce(T value, Op op = Op{}) {
  static_assert(isReduction<Op, T>, "tweed::blockReduce: op must be callable as T = op(T, T)");
  Shape::check("blockReduce");
  return T(detail::blockFoldToFirst<Shape>(detail::widen<Op>(value), op));
}
template <class Shape, class To, class T, class Op, class Count,
          class = EnableIf<isSame<To, ToFirst>>>
TWEED_DEVICE T blockReduce(T value, Op op, Count count) {
  return detail::reducePart<Shape, true>(value, op, count);
}

/// The same of several items in each thread, in blocked order: thread r holds the items r * N to
/// r * N + N - 1.
///
///     float x[4] = {...};
///     float const sum = tweed::blockReduce<256>(x);
///
/// Cost     as for one item, and N - 1 calls of op in each thread.
template <class Shape, class T, int N, class Op = Sum>
TWEED_DEVICE T blockReduce(T const (&items)[N], Op op = Op{}) {
  static_assert(isReduction<Op, T>, "tweed::blockReduce: op must be callable as T = op(T, T)");
  Shape::check("blockReduce");
  using Acc = detail::Wide<Op, T>;
  int const threads = Shape::threads();
  if constexpr (sizeof(Acc) <= 16) {
    auto const get = [&](int i) { return detail::widen<Op>(items[i]); };
    return T(detail::blockFold<Shape, false>(detail::foldTreeOf<Acc, N>(get, op), op, threads));
  } else {
    return T(detail::blockFold<Shape, false>(detail::foldItems(items, op, N), op, threads));
  }
}

/// The same when only the first `count` items of the block are data: the others are never read.
/// Shape    0 <= count <= threads * N, the same in all threads; 0 as above.
template <class Shape, class T, int N, class Op, class Count>
TWEED_DEVICE T blockReduce(T const (&items)[N], Op op, Count count) {
  static_assert(isReduction<Op, T>, "tweed::blockReduce: op must be callable as T = op(T, T)");
  Shape::check("blockReduce");
  int const some =
      detail::checkCount("blockReduce", count, detail::leastCount<Op, T>, Shape::threads() * N);
  if constexpr (hasIdentity<Op, T>) {
    if (some <= 0) return identityOf<Op, T>();
  }
  auto const fold = detail::foldItems(items, op, some - Shape::rank() * N);
  return T(detail::foldPart<Shape, false>(fold, op, ceilDiv(some, N)));
}

template <int BlockThreads, class To, class T, class... Arguments,
          class = EnableIf<isSame<To, ToFirst>>>
TWEED_DEVICE T blockReduce(T const& value, Arguments const&... arguments) {
  static_assert(detail::isBlockSize<BlockThreads>,
                "tweed::blockReduce: BlockThreads must be 1 to 1024");
  return blockReduce<Block<BlockThreads>, To>(value, arguments...);
}
template <int BlockThreads, class... Arguments>
TWEED_DEVICE auto blockReduce(Arguments&&... arguments) {
  static_assert(detail::isBlockSize<BlockThreads>,
                "tweed::blockReduce: BlockThreads must be 1 to 1024");
  return blockReduce<Block<BlockThreads>>(arguments...);
}

}  // namespace tweed
