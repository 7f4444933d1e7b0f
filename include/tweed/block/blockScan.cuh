// SPDX-License-Identifier: Apache-2.0
// tweed/block/blockScan.cuh - prefixes of one value per thread across a block.
#pragma once

#include <tweed/block/blockReduce.cuh>
#include <tweed/warp/warpScan.cuh>

namespace tweed {

namespace detail {

template <class T, int Warps>
struct ScanScratch {
  SharedArray<T, Warps> totals;    // of each warp: written by all warps, read by warp 0
  SharedArray<T, Warps> prefixes;  // inclusive, of each warp: written by warp 0, read by all
};
template <class T, int Warps>
TWEED_DEVICE ScanScratch<T, Warps>& scanScratch() {
  __shared__ ScanScratch<T, Warps> scratch;
  return scratch;
}

// Every warp scans itself; warp 0 scans the warps' totals; every thread puts the prefix of the
// warps before its own. The two arrays make two barriers enough: the next call writes totals, which
// only warp 0 reads, and it has; and it writes prefixes behind a barrier that all readers pass
// first. Exclusive: the fold of the threads before this one, without init; meaningless in thread 0.
template <class Shape, bool IsExclusive, bool IsCounted, class T, class Op>
TWEED_DEVICE Scan<T> scanWarps(T const& value, Op op, int count) {
  constexpr int warps = ceilDiv(Shape::maxThreads, warpThreads);
  constexpr bool isWhole = !IsCounted && Shape::isStatic && Shape::maxThreads % warpThreads == 0;
  int const rank = Shape::rank();
  int const lane = rank & (warpThreads - 1);
  int const warp = rank >> log2Floor(warpThreads);
  int const first = warp * warpThreads;
  unsigned const mask =
      isWhole ? fullMask : firstLanes(smaller(warpThreads, Shape::threads() - first));
  int const valid = larger(1, smaller(warpThreads, count - first));  // lanes of this warp with data
  Scan<T> scan = isWhole ? scanLanes<warpThreads>(mask, value, op, lane)
                         : scanFirstLanes<warpThreads>(mask, value, op, lane, valid);
  T own = scan.prefix;
  if constexpr (IsExclusive) own = arch::shuffle(mask, own, lane >= 1 ? lane - 1 : lane);
  if constexpr (warps == 1) {
    return {own, scan.total};
  } else {
    auto& scratch = scanScratch<T, warps>();
    int const warpCount = ceilDiv(count, warpThreads);
    if (lane == 0 && warp < warpCount) scratch.totals.construct(warp, scan.total);
    arch::syncBlock();
    if (warp == 0) {
      T const total = scratch.totals[lane < warpCount ? lane : 0];
      T const prefix = scanFirstLanes<warpThreads>(mask, total, op, lane, warpCount).prefix;
      if (lane < warpCount) scratch.prefixes.construct(lane, prefix);
    }
    arch::syncBlock();
    T const total = scratch.prefixes[warpCount - 1];
    if (rank - IsExclusive >= count) return {total, total};
    if (warp == 0) return {own, total};
    T const before = scratch.prefixes[warp - 1];
    return {IsExclusive && lane == 0 ? before : op(before, own), total};
  }
}

// The same by thread 0 alone, for a type that cannot move between lanes.
template <class Shape, bool IsExclusive, class T, class Op>
TWEED_DEVICE Scan<T> scanByThread0(T const& value, Op op, int count) {
  auto& scratch = rakeScratch<T, Shape::maxThreads>();
  int const rank = Shape::rank();
  if (rank < count) scratch.values.construct(rank, value);
  arch::syncBlock();
  if (rank == 0) {
    for (int i = 1; i < count; ++i)
      scratch.values[i] = op(scratch.values[i - 1], scratch.values[i]);
  }
  arch::syncBlock();
  int const last = larger(0, smaller(rank - IsExclusive, count - 1));
  Scan<T> const scan = {scratch.values[last], scratch.values[count - 1]};
  arch::syncBlock();
  if (rank < count) scratch.values.destroy(rank);
  return scan;
}

template <class Shape, bool IsExclusive, bool IsCounted, class T, class Op>
TWEED_DEVICE Scan<T> scanBlock(T const& value, Op op, int count) {
  if constexpr (isTriviallyCopyable<T>) {
    return scanWarps<Shape, IsExclusive, IsCounted>(value, op, count);
  } else {
    return scanByThread0<Shape, IsExclusive>(value, op, count);
  }
}

template <class Shape, bool IsCounted, class T, class Op>
TWEED_DEVICE Scan<T> exclusiveFrom(T const& value, Op op, T const& init, int count) {
  Scan<T> const scan = scanBlock<Shape, true, IsCounted>(value, op, count);
  if (Shape::rank() == 0) return {init, scan.total};
  return {op(init, scan.prefix), scan.total};
}

}  // namespace detail

/// Inclusive scan: thread i gets value[0] op ... op value[i].
///
///     auto const [prefix, total] = tweed::blockInclusiveScan<256>(x, tweed::Sum{});
///
/// Shape    one T per thread, in a block of exactly BlockThreads threads (1 to 1024, any number);
///          Block<16, 16> and Dynamic<1024> name other shapes.
/// Result   every thread: its prefix, and the total of the block. Same bits on every run; of floats
///          the total may be rounded otherwise than the last prefix.
/// Op       associative, T = op(T, T); thread order is kept (x fastest). Only called on data.
/// Sync     call it from all threads of the block. Holds two __syncthreads() (none in a block of at
///          most 32 threads, three if T is not trivially copyable); safe to call again at once,
///          also with another type, operator or block function.
/// Cost     4-byte T: 6 shuffles a warp, 7 more in warp 0; 2 T of static shared memory a warp.
/// Errors   compile time: block size, op not callable as T = op(T, T). A block of another shape
///          than the launch's stops the kernel under TWEED_DEBUG and on the loom, else is
///          undefined.
/// Source   S. Sengupta et al., "Scan primitives for GPU computing", 2007 (scan of warp scans).
template <class Shape, class T, class Op>
TWEED_DEVICE Scan<T> blockInclusiveScan(T value, Op op) {
  static_assert(isReduction<Op, T>,
                "tweed::blockInclusiveScan: op must be callable as T = op(T, T)");
  Shape::check("blockInclusiveScan");
  return detail::scanBlock<Shape, false, false>(value, op, Shape::threads());
}

/// The same when only the first `count` threads hold data, 1 <= count <= threads: the others get
/// the total as their prefix, and their values are never read. A count out of range stops the
/// kernel under TWEED_DEBUG and on the loom.
template <class Shape, class T, class Op>
TWEED_DEVICE Scan<T> blockInclusiveScan(T value, Op op, int count) {
  static_assert(isReduction<Op, T>,
                "tweed::blockInclusiveScan: op must be callable as T = op(T, T)");
  Shape::check("blockInclusiveScan");
  TWEED_ASSERT(count >= 1 && count <= Shape::threads(),
               "tweed::blockInclusiveScan: count is %d, allowed are 1 to %d", count,
               Shape::threads());
  return detail::scanBlock<Shape, false, true>(value, op, count);
}

/// Exclusive scan: thread i gets init op value[0] op ... op value[i - 1].
/// Result   every thread: its prefix (init in thread 0), and the total without init.
/// Everything else as blockInclusiveScan; one more shuffle.
template <class Shape, class T, class Op>
TWEED_DEVICE Scan<T> blockExclusiveScan(T value, Op op, Same<T> init) {
  static_assert(isReduction<Op, T>,
                "tweed::blockExclusiveScan: op must be callable as T = op(T, T)");
  Shape::check("blockExclusiveScan");
  return detail::exclusiveFrom<Shape, false>(value, op, init, Shape::threads());
}

/// The same when only the first `count` threads hold data, 1 <= count <= threads: the others get
/// init op total.
template <class Shape, class T, class Op>
TWEED_DEVICE Scan<T> blockExclusiveScan(T value, Op op, Same<T> init, int count) {
  static_assert(isReduction<Op, T>,
                "tweed::blockExclusiveScan: op must be callable as T = op(T, T)");
  Shape::check("blockExclusiveScan");
  TWEED_ASSERT(count >= 1 && count <= Shape::threads(),
               "tweed::blockExclusiveScan: count is %d, allowed are 1 to %d", count,
               Shape::threads());
  return detail::exclusiveFrom<Shape, true>(value, op, init, count);
}

template <int BlockThreads, class T, class Op>
TWEED_DEVICE Scan<T> blockInclusiveScan(T value, Op op) {
  static_assert(detail::isBlockSize<BlockThreads>,
                "tweed::blockInclusiveScan: BlockThreads must be 1 to 1024");
  return blockInclusiveScan<Block<BlockThreads>>(value, op);
}
template <int BlockThreads, class T, class Op>
TWEED_DEVICE Scan<T> blockInclusiveScan(T value, Op op, int count) {
  static_assert(detail::isBlockSize<BlockThreads>,
                "tweed::blockInclusiveScan: BlockThreads must be 1 to 1024");
  return blockInclusiveScan<Block<BlockThreads>>(value, op, count);
}
template <int BlockThreads, class T, class Op>
TWEED_DEVICE Scan<T> blockExclusiveScan(T value, Op op, Same<T> init) {
  static_assert(detail::isBlockSize<BlockThreads>,
                "tweed::blockExclusiveScan: BlockThreads must be 1 to 1024");
  return blockExclusiveScan<Block<BlockThreads>>(value, op, init);
}
template <int BlockThreads, class T, class Op>
TWEED_DEVICE Scan<T> blockExclusiveScan(T value, Op op, Same<T> init, int count) {
  static_assert(detail::isBlockSize<BlockThreads>,
                "tweed::blockExclusiveScan: BlockThreads must be 1 to 1024");
  return blockExclusiveScan<Block<BlockThreads>>(value, op, init, count);
}

}  // namespace tweed
