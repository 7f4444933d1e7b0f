// SPDX-License-Identifier: Apache-2.0
// tweed/block/blockScan.cuh - prefixes of the values of all threads of a block.
#pragma once

#include <tweed/block/blockReduce.cuh>
#include <tweed/block/scanGroups.cuh>

namespace tweed {

namespace detail {

template <class Shape, bool IsCounted, class T, class Op>
TWEED_DEVICE Scan<T> exclusiveFrom(T const& value, Op op, T const& init, int count) {
  Scan<T> const scan = scanBlock<Shape, true, IsCounted>(value, op, count);
  if (!isDifference<T, Op> && Shape::rank() == 0) return {init, scan.total};
  return {op(init, scan.prefix), scan.total};
}

// Blocked items: each thread scans its own, then the threads' totals are scanned. In `items` stay
// the thread's own inclusive prefixes, of the first `some` items; the result is the scan of the
// totals: the fold of the threads before, and of all.
template <class Shape, bool IsCounted, class T, int N, class Op>
TWEED_DEVICE Scan<T> scanOwnItems(T (&items)[N], Op op, int count, int some) {
  T last = items[0];
#pragma unroll
  for (int i = 1; i < N; ++i)
    if (!IsCounted || i < some) last = items[i] = op(items[i - 1], items[i]);
  return scanBlock<Shape, true, IsCounted>(last, op, ceilDiv(count, N));
}

template <class Shape, bool IsCounted, class T, int N, class Op>
TWEED_DEVICE T inclusiveItems(T (&items)[N], Op op, int count) {
  int const some = IsCounted ? count - Shape::rank() * N : N;
  Scan<T> const scan = scanOwnItems<Shape, IsCounted>(items, op, count, some);
#pragma unroll
  for (int i = 0; i < N; ++i) {
    if (i >= some) {
      items[i] = scan.total;
    } else if (isDifference<T, Op> || Shape::rank() > 0) {
      items[i] = op(scan.prefix, items[i]);
    }
  }
  return scan.total;
}

template <class Shape, bool IsCounted, class T, int N, class Op>
TWEED_DEVICE T exclusiveItems(T (&items)[N], Op op, T const& init, int count) {
  int const some = IsCounted ? count - Shape::rank() * N : N;
  Scan<T> const scan = scanOwnItems<Shape, IsCounted>(items, op, count, some);
  T const before = isDifference<T, Op> || Shape::rank() > 0 ? op(init, scan.prefix) : init;
#pragma unroll
  for (int i = N - 1; i > 0; --i)
    if (i <= some) items[i] = op(before, items[i - 1]);
  if constexpr (IsCounted) {
    if (some < N - 1) {
      T const all = op(init, scan.total);
#pragma unroll
      for (int i = 1; i < N; ++i)
        if (i > some) items[i] = all;
    }
  }
  items[0] = before;
  return scan.total;
}

// What scan(items) does, with the items as they are combined.
template <class Op, class T, int N, class Scan>
TWEED_DEVICE T scanWide(T (&items)[N], Scan scan) {
  Wide<Op, T> wide[N];
#pragma unroll
  for (int i = 0; i < N; ++i) wide[i] = widen<Op>(items[i]);
  T const total = T(scan(wide));
#pragma unroll
  for (int i = 0; i < N; ++i) items[i] = T(wide[i]);
  return total;
}

}  // namespace detail

/// Inclusive scan: thread i gets value[0] op ... op value[i].
///
///     auto const [prefix, total] = tweed::blockInclusiveScan<256>(x, tweed::Sum{});
///
/// Shape    one T per thread, in a block of exactly BlockThreads threads (1 to 1024, any number);
///          Block<16, 16> and Dynamic<1024> name other shapes.
/// Result   every thread: its prefix, and the total of the block. Same bits on every run; of floats
///          the total may be rounded otherwise than the last prefix. Sums and products are made in
///          AccumulatorOf<T>, as by blockReduce(), and each prefix is rounded once.
/// Op       associative, T = op(T, T); thread order is kept (x fastest). Only called on data.
/// Sync     call it from all threads of the block. Holds two __syncthreads() (none in a block of at
///          most 32 threads, three if T is not trivially copyable); safe to call again at once,
///          also with another type, operator or block function.
/// Cost     4-byte T: up to 64 threads 5 shuffles a warp and one broadcast load; above 8 shuffles
///          in warp 0, and 1 or 2 in every warp from 257 threads on. Static shared memory: a T a
///          warp up to 64 threads (128 with a larger T); above 2 T for every 1, 2 or 4 threads (to
///          256, 512, 1024), of 8-byte T for every 8 (257 to 512 threads: 4); T of 4 or 8 bytes in
///          64, 128, ... 1024 threads: no bank conflicts. T not trivially copyable: thread 0 scans
///          alone.
/// Errors   compile time: block size, op not callable as T = op(T, T). A block of another shape
///          than the launch's stops the kernel under TWEED_DEBUG and on the loom, else is
///          undefined.
/// Source   S. Sengupta et al., "Scan primitives for GPU computing", 2007 (scan of scans);
///          D. Merrill, CUB (BLOCK_SCAN_RAKING).
template <class Shape, class T, class Op>
TWEED_DEVICE Scan<T> blockInclusiveScan(T value, Op op) {
  static_assert(isReduction<Op, T>,
                "tweed::blockInclusiveScan: op must be callable as T = op(T, T)");
  if constexpr (detail::isWidened<Op, T>)
    return detail::narrow<T>(blockInclusiveScan<Shape>(detail::widen<Op>(value), op));
  Shape::check("blockInclusiveScan");
  return detail::scanBlock<Shape, false, false>(value, op, Shape::threads());
}

/// The same when only the first `count` threads hold data: the others get the total as their
/// prefix, and their values are never read.
/// Shape    as above; 0 <= count <= threads, the same in all threads. count == 0 needs an operator
///          with an identity, which is then prefix and total.
/// Errors   as above, and a count that is no integer; a count out of range stops the kernel under
///          TWEED_DEBUG and on the loom.
template <class Shape, class T, class Op, class Count>
TWEED_DEVICE Scan<T> blockInclusiveScan(T value, Op op, Count count) {
  static_assert(isReduction<Op, T>,
                "tweed::blockInclusiveScan: op must be callable as T = op(T, T)");
  if constexpr (detail::isWidened<Op, T>)
    return detail::narrow<T>(blockInclusiveScan<Shape>(detail::widen<Op>(value), op, count));
  Shape::check("blockInclusiveScan");
  int const some =
      detail::checkCount("blockInclusiveScan", count, detail::leastCount<Op, T>, Shape::threads());
  if constexpr (hasIdentity<Op, T>) {
    if (some <= 0) return {identityOf<Op, T>(), identityOf<Op, T>()};
  }
  return detail::scanBlock<Shape, false, true>(value, op, some);
}

/// The same of several items in each thread, in blocked order: thread r holds the items r * N to
/// r * N + N - 1. The prefixes take the items' place.
///
///     int const total = tweed::blockInclusiveScan<256>(items, tweed::Sum{});
///
/// Result   every thread: the total of the block; `items` are the prefixes.
/// Cost     as for one item, and 2 * N - 1 calls of op in each thread.
template <class Shape, class T, int N, class Op>
TWEED_DEVICE T blockInclusiveScan(T (&items)[N], Op op) {
  static_assert(isReduction<Op, T>,
                "tweed::blockInclusiveScan: op must be callable as T = op(T, T)");
  if constexpr (detail::isWidened<Op, T>)
    return detail::scanWide<Op>(items,
                                [&](auto& wide) { return blockInclusiveScan<Shape>(wide, op); });
  Shape::check("blockInclusiveScan");
  return detail::inclusiveItems<Shape, false>(items, op, Shape::threads() * N);
}

/// The same when only the first `count` items of the block are data, 0 <= count <= threads * N, as
/// above: the others become the total.
template <class Shape, class T, int N, class Op, class Count>
TWEED_DEVICE T blockInclusiveScan(T (&items)[N], Op op, Count count) {
  static_assert(isReduction<Op, T>,
                "tweed::blockInclusiveScan: op must be callable as T = op(T, T)");
  if constexpr (detail::isWidened<Op, T>)
    return detail::scanWide<Op>(
        items, [&](auto& wide) { return blockInclusiveScan<Shape>(wide, op, count); });
  Shape::check("blockInclusiveScan");
  int const some = detail::checkCount("blockInclusiveScan", count, detail::leastCount<Op, T>,
                                      Shape::threads() * N);
  if constexpr (hasIdentity<Op, T>) {
    if (some <= 0) {
      for (T& item : items) item = identityOf<Op, T>();
      return identityOf<Op, T>();
    }
  }
  return detail::inclusiveItems<Shape, true>(items, op, some);
}

/// Exclusive scan: thread i gets init op value[0] op ... op value[i - 1].
/// Result   every thread: its prefix (init in thread 0), and the total without init.
/// Everything else as blockInclusiveScan; one more shuffle, but for sums of integers.
template <class Shape, class T, class Op>
TWEED_DEVICE Scan<T> blockExclusiveScan(T value, Op op, Same<T> init) {
  static_assert(isReduction<Op, T>,
                "tweed::blockExclusiveScan: op must be callable as T = op(T, T)");
  if constexpr (detail::isWidened<Op, T>)
    return detail::narrow<T>(
        blockExclusiveScan<Shape>(detail::widen<Op>(value), op, detail::widen<Op>(init)));
  Shape::check("blockExclusiveScan");
  return detail::exclusiveFrom<Shape, false>(value, op, init, Shape::threads());
}

/// The same when only the first `count` threads hold data: the others get init op total. With
/// count == 0, which needs an operator with an identity, that is init.
template <class Shape, class T, class Op, class Count>
TWEED_DEVICE Scan<T> blockExclusiveScan(T value, Op op, Same<T> init, Count count) {
  static_assert(isReduction<Op, T>,
                "tweed::blockExclusiveScan: op must be callable as T = op(T, T)");
  if constexpr (detail::isWidened<Op, T>)
    return detail::narrow<T>(
        blockExclusiveScan<Shape>(detail::widen<Op>(value), op, detail::widen<Op>(init), count));
  Shape::check("blockExclusiveScan");
  int const some =
      detail::checkCount("blockExclusiveScan", count, detail::leastCount<Op, T>, Shape::threads());
  if constexpr (hasIdentity<Op, T>) {
    if (some <= 0) return {init, identityOf<Op, T>()};
  }
  return detail::exclusiveFrom<Shape, true>(value, op, init, some);
}

/// The same of several items in each thread, in place and in blocked order.
/// Result   every thread: the total of the block without init; `items` are the prefixes.
template <class Shape, class T, int N, class Op>
TWEED_DEVICE T blockExclusiveScan(T (&items)[N], Op op, Same<T> init) {
  static_assert(isReduction<Op, T>,
                "tweed::blockExclusiveScan: op must be callable as T = op(T, T)");
  if constexpr (detail::isWidened<Op, T>)
    return detail::scanWide<Op>(items, [&](auto& wide) {
      return blockExclusiveScan<Shape>(wide, op, detail::widen<Op>(init));
    });
  Shape::check("blockExclusiveScan");
  return detail::exclusiveItems<Shape, false>(items, op, init, Shape::threads() * N);
}

/// The same when only the first `count` items of the block are data, 0 <= count <= threads * N, as
/// above: the others become init op total.
template <class Shape, class T, int N, class Op, class Count>
TWEED_DEVICE T blockExclusiveScan(T (&items)[N], Op op, Same<T> init, Count count) {
  static_assert(isReduction<Op, T>,
                "tweed::blockExclusiveScan: op must be callable as T = op(T, T)");
  if constexpr (detail::isWidened<Op, T>)
    return detail::scanWide<Op>(items, [&](auto& wide) {
      return blockExclusiveScan<Shape>(wide, op, detail::widen<Op>(init), count);
    });
  Shape::check("blockExclusiveScan");
  int const some = detail::checkCount("blockExclusiveScan", count, detail::leastCount<Op, T>,
                                      Shape::threads() * N);
  if constexpr (hasIdentity<Op, T>) {
    if (some <= 0) {
      for (T& item : items) item = init;
      return identityOf<Op, T>();
    }
  }
  return detail::exclusiveItems<Shape, true>(items, op, init, some);
}

template <int BlockThreads, class... Arguments>
TWEED_DEVICE auto blockInclusiveScan(Arguments&&... arguments) {
  static_assert(detail::isBlockSize<BlockThreads>,
                "tweed::blockInclusiveScan: BlockThreads must be 1 to 1024");
  return blockInclusiveScan<Block<BlockThreads>>(arguments...);
}
template <int BlockThreads, class... Arguments>
TWEED_DEVICE auto blockExclusiveScan(Arguments&&... arguments) {
  static_assert(detail::isBlockSize<BlockThreads>,
                "tweed::blockExclusiveScan: BlockThreads must be 1 to 1024");
  return blockExclusiveScan<Block<BlockThreads>>(arguments...);
}

}  // namespace tweed
