// SPDX-License-Identifier: Apache-2.0
// tweed/block/scanGroups.cuh - how the threads of a block scan their values; no function of its own
// to call.
#pragma once

#include <tweed/block/rake.cuh>
#include <tweed/warp/warpScan.cuh>

namespace tweed::detail {

// All functions here give each thread its prefix, and the total. Inclusive or, IsExclusive, the
// fold of the threads before this one, without init and, unless isDifference, meaningless in thread
// 0. The first `count` threads hold data, 1 <= count <= threads; the others get the total.
//
// One warp, and no barrier.
template <class Shape, bool IsExclusive, class T, class Op>
TWEED_DEVICE Scan<T> scanOneWarp(T const& value, Op op, int count) {
  constexpr int width = nextPow2(Shape::maxThreads);
  int const lane = Shape::rank();
  unsigned const mask = firstLanes(Shape::threads());
  Scan<T> const scan = scanFirstLanes<width>(mask, value, op, lane, count);
  if constexpr (!IsExclusive) return scan;
  return {arch::shuffleUp(mask, scan.prefix, 1u), scan.total};
}

// Few warps: every warp scans itself, and every thread folds the totals of the warps. The second
// barrier, which frees these, passes while they load. Four warps wait less for groups, if a T
// has 4 bytes (floats: 256 cycles, not 273), and longer, if it has more (doubles: 469, not 345).
template <class T>
inline constexpr int fewWarps = sizeof(T) <= 4 ? 2 : 4;

template <class T, int Warps>
TWEED_DEVICE SharedArray<T, Warps>& scanScratch() {
  __shared__ SharedArray<T, Warps> totals;
  return totals;
}

template <class Shape, bool IsExclusive, bool IsWhole, class T, class Op>
TWEED_DEVICE Scan<T> scanFewWarps(T const& value, Op op, int count) {
  constexpr int warps = ceilDiv(Shape::maxThreads, warpThreads);
  auto& totals = scanScratch<T, warps>();
  int const rank = Shape::rank();
  int const lane = rank % warpThreads;
  int const warp = rank / warpThreads;
  int const first = rank - lane;
  unsigned const mask =
      IsWhole ? fullMask : firstLanes(smaller(warpThreads, Shape::threads() - first));
  int const last = IsWhole ? warpThreads - 1 : smaller(warpThreads, count - first) - 1;
  T own = scanUp<warpThreads>(mask, value, op, lane, last + 1);
  if (lane == last) totals.construct(warp, own);
  if constexpr (IsExclusive) own = arch::shuffleUp(mask, own, 1u);
  arch::syncBlock();
  T total = totals[0];
  T before = total;
#pragma unroll
  for (int w = 1; w < warps; ++w) {
    if (w == warp) before = total;
    if (IsWhole || w * warpThreads < count) total = op(total, totals[w]);
  }
  arch::syncBlock();
  if (!IsWhole && rank - IsExclusive >= count) return {total, total};
  if (warp == 0) return {own, total};
  return {IsExclusive && lane == 0 ? before : op(before, own), total};
}

// More warps: lanes scan in groups, warp 0 rakes the groups' totals as blockReduce rakes values,
// and every thread puts the prefix of the groups before its own (a group may be one thread). A scan
// of whole warps would cost more shuffles, smaller groups longer runs in warp 0. Chosen by
// benchmarks/block/blockScan.cu on an H200; runs of a T of more than 16 bytes would not fit the
// registers.
template <class T, int Threads>
inline constexpr int scanGroup = sizeof(T) > 16                                      ? warpThreads
                                 : sizeof(T) > 8 && Threads > 512                    ? 16
                                 : sizeof(T) == 8 && Threads > 256 && Threads <= 512 ? 4
                                 : sizeof(T) > 4                                     ? 8
                                 : Threads > 512                                     ? 4
                                 : Threads > 256                                     ? 2
                                                                                     : 1;

// The two arrays make two barriers enough: the next call writes totals, which only warp 0 reads,
// and it has; and it writes prefixes behind a barrier that all readers pass first.
template <class T, int Groups>
struct GroupScratch {
  using Layout = RakeLayout<T, Groups>;
  SharedArray<T, Layout::items> totals;    // of each group: read by warp 0
  SharedArray<T, Layout::items> prefixes;  // inclusive, of each group: written by warp 0
};
template <class T, int Groups>
TWEED_DEVICE GroupScratch<T, Groups>& groupScratch() {
  __shared__ GroupScratch<T, Groups> scratch;
  return scratch;
}

// N values in registers, none of which exists before it is assigned, also as the units in which
// they move between registers and shared memory.
template <class T, int N, class Unit>
union Slots {
  T value[N];
  Unit unit[N * sizeof(T) / sizeof(Unit)];
  TWEED_DEVICE Slots() {}
};

// The fold of the lanes before this one, of which the first `count` have data; meaningless in lane
// 0 and behind lane `count`. Three shuffles at a time let a step join four runs in little more time
// than two; the last step leaves out the lane itself:
//
//   lane            0    1    2    3    4     5 ...
//   d = 1: value    0   01  012 0123 1234  2345
//   last: before         0   01  012 0123 01234
template <class T, class Op>
TWEED_DEVICE T foldLanesBefore(unsigned mask, T value, Op op, int lane, int count) {
#pragma unroll
  for (int d = 1; d < warpThreads / 2; d *= 4) {
    T const near = arch::shuffleUp(mask, value, unsigned(d));
    T middle = arch::shuffleUp(mask, value, unsigned(2 * d));
    T const far = arch::shuffleUp(mask, value, unsigned(3 * d));
    if (lane >= d && lane < count) value = op(near, value);
    if (lane >= 3 * d && lane < count) middle = op(far, middle);
    if (lane >= 2 * d && lane < count) value = op(middle, value);
  }
  T const near = arch::shuffleUp(mask, value, 1u);
  T const far = arch::shuffleUp(mask, value, unsigned(warpThreads / 2 + 1));
  return lane > warpThreads / 2 && lane <= count ? op(far, near) : near;
}

// Lane l of warp 0 makes the inclusive prefixes of its run of groups. The first `groups` of all
// have data; IsWhole: all of them.
template <bool IsWhole, int Most, class T, class Op>
TWEED_DEVICE void rakePrefixes(unsigned mask, Op op, int lane, int groups) {
  using Layout = RakeLayout<T, Most>;
  using Unit = typename Conditional<Layout::isPieces, Piece<T>, T>::Type;
  constexpr int run = Layout::run;
  constexpr int units = run * int(sizeof(T)) / int(sizeof(Unit));
  auto& scratch = groupScratch<T, Most>();
  int const some = IsWhole ? run : groups - lane * run;  // of this lane's groups
  int const fullLanes = IsWhole ? warpThreads : groups / run;
  int const at = Layout::index(lane * run);
  Slots<T, run, Unit> slots;
  auto const* const from = reinterpret_cast<Unit const*>(scratch.totals.data() + at);
#pragma unroll
  for (int i = 0; i < units; ++i) slots.unit[i] = from[i];
#pragma unroll
  for (int i = 1; i < run; ++i)
    if (i < some) slots.value[i] = op(slots.value[i - 1], slots.value[i]);
  if constexpr (sizeof(T) <= 4) {
    T const before = foldLanesBefore(mask, slots.value[run - 1], op, lane, fullLanes);
    if (lane > 0) {
#pragma unroll
      for (int i = 0; i < run; ++i)
        if (i < some) slots.value[i] = op(before, slots.value[i]);
    }
  } else {
    T const upTo = scanUp<warpThreads>(mask, slots.value[run - 1], op, lane, fullLanes);
    if constexpr (run > 1) {
      T const before = arch::shuffleUp(mask, upTo, 1u);
      if (lane > 0) {
#pragma unroll
        for (int i = 0; i < run - 1; ++i)
          if (i < some) slots.value[i] = op(before, slots.value[i]);
      }
    }
    slots.value[run - 1] = upTo;
  }
  auto* const to = reinterpret_cast<Unit*>(scratch.prefixes.data() + at);
#pragma unroll
  for (int i = 0; i < units; ++i) to[i] = slots.unit[i];
}

template <class Shape, bool IsExclusive, bool IsWhole, class T, class Op>
TWEED_DEVICE Scan<T> scanByGroups(T const& value, Op op, int count) {
  constexpr int width = scanGroup<T, Shape::maxThreads>;
  constexpr int most = roundUp(ceilDiv(Shape::maxThreads, width), warpThreads);
  using Layout = RakeLayout<T, most>;
  auto& scratch = groupScratch<T, most>();
  int const rank = Shape::rank();
  int const lane = rank % width;
  int const group = rank / width;
  int const groups = ceilDiv(count, width);
  int const last = IsWhole ? width - 1 : smaller(width, count - (rank - lane)) - 1;
  unsigned const mask =
      IsWhole
          ? fullMask
          : firstLanes(smaller(warpThreads, Shape::threads() - rank / warpThreads * warpThreads));
  T own = scanUp<width>(mask, value, op, lane, last + 1);
  if (lane == last) scratch.totals.construct(Layout::index(group), own);
  if constexpr (IsExclusive && width > 1) own = arch::shuffleUp(mask, own, 1u, width);
  arch::syncBlock();
  if (rank < warpThreads)
    rakePrefixes<IsWhole && Shape::maxThreads == most * width, most, T>(mask, op, rank, groups);
  arch::syncBlock();
  T const total = scratch.prefixes[Layout::index(groups - 1)];
  if (!IsWhole && rank - IsExclusive >= count) return {total, total};
  if constexpr (!IsExclusive && width == 1) return {scratch.prefixes[Layout::index(group)], total};
  if (group == 0) return {own, total};
  T const before = scratch.prefixes[Layout::index(group - 1)];
  return {IsExclusive && lane == 0 ? before : op(before, own), total};
}

// Thread 0 alone, for a type that cannot move between lanes.
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
  constexpr bool isWhole = !IsCounted && Shape::isStatic && Shape::maxThreads % warpThreads == 0;
  if constexpr (IsExclusive && isDifference<T, Op>) {
    Scan<T> const scan = scanBlock<Shape, false, IsCounted>(value, op, count);
    return {without(scan.prefix, value, !IsCounted || Shape::rank() < count), scan.total};
  } else if constexpr (!isTriviallyCopyable<T>) {
    return scanByThread0<Shape, IsExclusive>(value, op, count);
  } else if constexpr (Shape::maxThreads <= warpThreads) {
    return scanOneWarp<Shape, IsExclusive>(value, op, count);
  } else if constexpr (Shape::maxThreads <= fewWarps<T> * warpThreads) {
    return scanFewWarps<Shape, IsExclusive, isWhole>(value, op, count);
  } else {
    return scanByGroups<Shape, IsExclusive, isWhole>(value, op, count);
  }
}

}  // namespace tweed::detail
