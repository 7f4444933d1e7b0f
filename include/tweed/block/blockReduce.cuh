// SPDX-License-Identifier: Apache-2.0
// tweed/block/blockReduce.cuh - combine one value per thread across a block; every thread gets it.
#pragma once

#include <tweed/arch/barrier.cuh>
#include <tweed/memory/sharedArray.cuh>
#include <tweed/warp/warpReduce.cuh>

namespace tweed {

namespace detail {

// The rake: every thread stores its value; warp 0 reads them all, each lane a run of neighbours,
// and folds with few shuffles; every thread reads the few partials. Two barriers, one buffer, no
// parity: the second barrier also releases the buffer for the next call. Five shuffles in every
// warp would cost more than all of this (measured: benchmarks/block/blockReduce.cu).
//
// Lane l reads the run [l * run, (l + 1) * run), in pieces of 16 bytes where it divides into them.
// Rows are padded by one piece, so that eight lanes reading a piece each meet eight different
// groups of banks; where a run is an odd number of pieces they do so without.
template <class T, int Threads>
struct RakeLayout {
  static constexpr int size = int(sizeof(T));
  static constexpr int run = ceilDiv(Threads, warpThreads);
  static constexpr bool isPieces =
      isTriviallyCopyable<T> && isPow2(size) && size <= 16 && run * size % 16 == 0;
  static constexpr int pieceItems = isPieces ? 16 / size : 1;
  static constexpr bool isPadded =
      isTriviallyCopyable<T> && size <= 16 && run / pieceItems % 2 == 0;
  static constexpr int lineItems = isPieces ? 128 / size : run;
  static constexpr int rowItems = lineItems % run == 0 ? lineItems : run;
  static constexpr int items = Threads + (isPadded ? (Threads - 1) / rowItems * pieceItems : 0);

  static TWEED_DEVICE constexpr int index(int rank) {
    return isPadded ? rank + int(unsigned(rank) / unsigned(rowItems)) * pieceItems : rank;
  }
};

// How many partials warp 0 leaves for every thread to fold: each doubling takes one
// shuffle out of the chain, and makes the load in every warp longer. Chosen by
// benchmarks/block/blockReduce.cu.
template <class T>
inline constexpr int rakePartials = sizeof(T) <= 8 ? 4 : 1;

// One scratch for all calls with this type and block size, whatever the operator: each leaves it
// free.
template <class T, int Items>
struct RakeScratch {
  SharedArray<T, Items> values;
  SharedArray<T, rakePartials<T>> partials;
};
template <class T, int Items>
TWEED_DEVICE RakeScratch<T, Items>& rakeScratch() {
  static_assert(
      sizeof(RakeScratch<T, Items>) <= 48 * 1024,
      "tweed: the block's threads times sizeof(T), padding and partials are more than the "
      "48 KiB of static shared memory that a block has");
  __shared__ RakeScratch<T, Items> scratch;
  return scratch;
}

// Folds Count >= 1 neighbours in order, as a balanced tree.
template <int Count, class T, class Op>
TWEED_DEVICE T foldTree(T const* values, Op op) {
  if constexpr (Count == 1) {
    return *values;
  } else {
    constexpr int half = nextPow2(Count) / 2;
    return op(foldTree<half>(values, op), foldTree<Count - half>(values + half, op));
  }
}

// The same with loads of 16 bytes.
template <int Count, class T, class Op>
TWEED_DEVICE T foldPieces(T const* values, Op op) {
  constexpr int items = 16 / int(sizeof(T));
  if constexpr (Count == items) {
    struct alignas(16) Piece {
      T item[items];
    };
    Piece const piece = *reinterpret_cast<Piece const*>(values);
    return foldTree<items>(piece.item, op);
  } else {
    constexpr int half = nextPow2(Count / items) / 2 * items;
    return op(foldPieces<half>(values, op), foldPieces<Count - half>(values + half, op));
  }
}

// Folds count >= 1 neighbours one after the other.
template <class T, class Op>
TWEED_DEVICE T foldSerial(T const* values, int count, Op op) {
  T value = values[0];
  for (int i = 1; i < count; ++i) value = op(value, values[i]);
  return value;
}

// Folds Count neighbours; large values in a loop, which unrolled would be thousands of
// instructions.
template <bool IsPieces, int Count, class T, class Op>
TWEED_DEVICE T foldRun(T const* values, Op op) {
  if constexpr (IsPieces) {
    return foldPieces<Count>(values, op);
  } else if constexpr (sizeof(T) <= 16) {
    return foldTree<Count>(values, op);
  } else {
    return foldSerial(values, Count, op);
  }
}

// Stores the values, and has warp 0 fold them: each of its lanes calls then(fold, lane) with the fold of
// its group of Lanes lanes. Holds one barrier. Every lane has a full run.
template <class Shape, int Lanes, class T, class Op, class Then>
TWEED_DEVICE void rakeAllBy(T const& value, Op op, Then then) {
  using Layout = RakeLayout<T, Shape::maxThreads>;
  auto& scratch = rakeScratch<T, Layout::items>();
  int const rank = Shape::rank();
  scratch.values.construct(Layout::index(rank), value);
  arch::syncBlock();
  if (rank >= warpThreads) return;
  T const* const run = scratch.values.data() + Layout::index(rank * Layout::run);
  T const fold = foldRun<Layout::isPieces, Layout::run>(run, op);
  then(foldLanes<Lanes>(fullMask, fold, op, rank), rank);
}

// The same when the first `count` threads hold data, 1 <= count <= threads: the fold of all of these.
template <class Shape, class T, class Op, class Then>
TWEED_DEVICE void rakeFirstBy(T const& value, Op op, int count, Then then) {
  using Layout = RakeLayout<T, Shape::maxThreads>;
  auto& scratch = rakeScratch<T, Layout::items>();
  int const rank = Shape::rank();
  if (rank < count) scratch.values.construct(Layout::index(rank), value);
  arch::syncBlock();
  if (rank >= warpThreads) return;
  int const lanes = ceilDiv(count, Layout::run);
  int const from = rank < lanes ? rank : 0;  // an idle lane repeats lane 0, and nobody asks it
  T const* const run = scratch.values.data() + Layout::index(from * Layout::run);
  T const fold = foldSerial(run, smaller(Layout::run, count - from * Layout::run), op);
  unsigned const mask = firstLanes(smaller(Shape::threads(), warpThreads));
  then(foldFirstLanes<warpThreads>(mask, fold, op, rank, lanes), rank);
}

template <class Shape, int Partials, class T, class Op>
TWEED_DEVICE T rakeAll(T const& value, Op op) {
  constexpr int lanes = warpThreads / Partials;
  auto& scratch = rakeScratch<T, RakeLayout<T, Shape::maxThreads>::items>();
  rakeAllBy<Shape, lanes>(value, op, [&](T const& fold, int lane) {
    if (lane % lanes == 0) scratch.partials.construct(lane / lanes, fold);
  });
  arch::syncBlock();
  constexpr int bytes = Partials * int(sizeof(T));
  constexpr bool isPieces = isPow2(sizeof(T)) && sizeof(T) <= 16 && bytes % 16 == 0;
  return foldRun<isPieces, Partials>(scratch.partials.data(), op);
}

template <class Shape, class T, class Op>
TWEED_DEVICE T rakeFirst(T const& value, Op op, int count) {
  auto& scratch = rakeScratch<T, RakeLayout<T, Shape::maxThreads>::items>();
  rakeFirstBy<Shape>(value, op, count, [&](T const& fold, int lane) {
    if (lane == 0) scratch.partials.construct(0, fold);
  });
  arch::syncBlock();
  return scratch.partials[0];
}

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
  } else if constexpr (isAll && Shape::maxThreads % warpThreads == 0) {
    return rakeAll<Shape, rakePartials<T>>(value, op);
  } else {
    return rakeFirst<Shape>(value, op, count);
  }
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
///          block's shape alone.
/// Op       associative, T = op(T, T); default Sum. Thread order is kept (x fastest) unless it says
///          it is commutative. No identity is needed; only values of threads are combined.
/// Sync     call it from all threads of the block. Holds two __syncthreads() (none in a block of at
///          most 32 threads, three if T is not trivially copyable); safe to call again at once,
///          also with another type, operator or block function.
/// Cost     a block of 256, 4-byte T: 1 shared store, 2 shared loads and 3 shuffles in warp 0, 1
///          broadcast load. Static shared memory: BlockThreads * sizeof(T), up to 1/2 more as
///          padding where T has at most 16 bytes, and four T, once for all operators. T not trivially copyable: thread 0 folds alone.
/// Errors   compile time: block size, op not callable as T = op(T, T), BlockThreads * sizeof(T) and
///          its padding above 48 KiB. A block of another shape than the launch's stops the kernel
///          under TWEED_DEBUG and on the loom, else is undefined.
/// Source   the raking reduction of G. Blelloch et al., and D. Merrill, CUB (BLOCK_REDUCE_RAKING);
///          here with the result in every thread.
template <class Shape, class T, class Op = Sum>
TWEED_DEVICE T blockReduce(T value, Op op = Op{}) {
  static_assert(isReduction<Op, T>, "tweed::blockReduce: op must be callable as T = op(T, T)");
  Shape::check("blockReduce");
  return detail::blockFold<Shape, false>(value, op, Shape::threads());
}

/// The same when only the first `count` threads hold data: the values of the others are never read.
/// Shape    as above; 0 <= count <= threads, the same in all threads. count == 0 needs an operator
///          with an identity, which is then the result.
/// Errors   as above; a count out of range stops the kernel under TWEED_DEBUG and on the loom.
template <class Shape, class T, class Op>
TWEED_DEVICE T blockReduce(T value, Op op, int count) {
  static_assert(isReduction<Op, T>, "tweed::blockReduce: op must be callable as T = op(T, T)");
  Shape::check("blockReduce");
  [[maybe_unused]] constexpr int least = hasIdentity<Op, T> ? 0 : 1;
  TWEED_ASSERT(count >= least && count <= Shape::threads(),
               "tweed::blockReduce: count is %d, allowed are %d to %d", count, least,
               Shape::threads());
  if constexpr (hasIdentity<Op, T>) {
    if (count <= 0) return identityOf<Op, T>();
  }
  return detail::blockFold<Shape, true>(value, op, count);
}

template <int BlockThreads, class T, class Op = Sum>
TWEED_DEVICE T blockReduce(T value, Op op = Op{}) {
  static_assert(detail::isBlockSize<BlockThreads>,
                "tweed::blockReduce: BlockThreads must be 1 to 1024");
  return blockReduce<Block<BlockThreads>>(value, op);
}
template <int BlockThreads, class T, class Op>
TWEED_DEVICE T blockReduce(T value, Op op, int count) {
  static_assert(detail::isBlockSize<BlockThreads>,
                "tweed::blockReduce: BlockThreads must be 1 to 1024");
  return blockReduce<Block<BlockThreads>>(value, op, count);
}

}  // namespace tweed
