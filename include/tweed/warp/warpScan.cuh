// SPDX-License-Identifier: Apache-2.0
// tweed/warp/warpScan.cuh - prefixes of one value per lane across a warp or an equal part of one.
#pragma once

#include <tweed/warp/warpReduce.cuh>

namespace tweed {

/// What a scan gives to each participant: its own prefix, and the fold of all values (without
/// init).
template <class T>
struct Scan {
  T prefix;
  T total;
};

namespace detail {

// Inclusive prefixes of the first `count` lanes of each group; `lane` counts within it. Each step
// doubles the run that ends at a lane:  d = 1: 0 01 12 23   d = 2: 0 01 012 0123
template <int Width, class T, class Op>
TWEED_DEVICE T scanUp(unsigned mask, T value, Op op, int lane, int count = Width) {
#pragma unroll
  for (int d = 1; d < Width; d *= 2) {
    if constexpr (sizeof(T) <= 4) {
      auto const [earlier, isThere] = arch::shuffleUpIfThere(mask, value, unsigned(d), Width);
      if (isThere && lane < count) {
        value = op(earlier, value);
        if constexpr (isBuiltinInteger<T>) arch::keepBranch();
      }
    } else {  // for whose words the compiler would choose, had it not compared
      T const earlier = arch::shuffleUp(mask, value, unsigned(d), Width);
      if (lane >= d && lane < count) value = op(earlier, value);
    }
  }
  return value;
}

// The same with the total, which lanes from `count` on also get as their prefix.
template <int Width, class T, class Op>
TWEED_DEVICE Scan<T> scanFirstLanes(unsigned mask, T value, Op op, int lane, int count) {
  T const prefix = scanUp<Width>(mask, value, op, lane, count);
  T const total = arch::shuffle(mask, prefix, count - 1, Width);
  return {lane < count ? prefix : total, total};
}

template <int Width, class T, class Op>
TWEED_DEVICE Scan<T> scanLanes(unsigned mask, T value, Op op, int lane) {
  T const prefix = scanUp<Width>(mask, value, op, lane);
  return {prefix, arch::shuffle(mask, prefix, Width - 1, Width)};
}

// Sums of integers: what is before a value is its inclusive prefix less itself, which spares a
// shuffle. Modulo 2^n, so that sums that overflow are right too.
template <class T, class Op>
inline constexpr bool isDifference = isSame<Op, Sum>&& isBuiltinInteger<T> && !isSame<T, bool>;

template <class T>
TWEED_DEVICE T without(T inclusive, T own, bool isData) {
  using Bits = unsigned long long;
  return T(Bits(inclusive) - (isData ? Bits(own) : 0));
}

// From the inclusive prefix of each lane to the exclusive one; the first `count` lanes hold data.
template <int Width, class T, class Op>
TWEED_DEVICE T toExclusive(unsigned mask, T inclusive, T own, Op op, T init, int lane,
                           int count = Width) {
  if constexpr (isDifference<T, Op>) {
    return op(init, without(inclusive, own, lane < count));
  } else {
    T const last = arch::shuffle(mask, inclusive, lane >= 1 ? lane - 1 : lane, Width);
    return lane >= 1 ? op(init, last) : init;
  }
}

template <class T, class Acc>
TWEED_DEVICE Scan<T> narrow(Scan<Acc> const& scan) {
  return {T(scan.prefix), T(scan.total)};
}

}  // namespace detail

/// Inclusive scan: lane i of a group gets value[0] op ... op value[i].
///
///     auto const [prefix, total] = tweed::warpInclusiveScan(x, tweed::Sum{});
///
/// Shape    one T per lane; Width is 1, 2, 4, 8, 16 or 32, groups are aligned. All lanes of the
///          group exist and call.
/// Result   every lane of the group: its prefix, and the total of the group. Sums and products are
///          made in AccumulatorOf<T>, as by warpReduce(), and each prefix is rounded once.
/// Op       associative, T = op(T, T); lane order is kept. Never called on anything but data.
/// Sync     the lanes of a group call it together; groups are independent. No barrier; orders no
///          memory.
/// Cost     log2(Width) + 1 shuffles for every 4 bytes of T.
/// Errors   compile time: Width, T not trivially copyable, op not callable as T = op(T, T).
/// Source   W. D. Hillis, G. L. Steele, "Data parallel algorithms", CACM 29(12), 1986.
template <int Width = warpThreads, class T, class Op>
TWEED_DEVICE Scan<T> warpInclusiveScan(T value, Op op) {
  static_assert(detail::isWarpWidth<Width>,
                "tweed::warpInclusiveScan: Width must be 1, 2, 4, 8, 16 or 32");
  static_assert(isReduction<Op, T>,
                "tweed::warpInclusiveScan: op must be callable as T = op(T, T)");
  if constexpr (detail::isWidened<Op, T>)
    return detail::narrow<T>(warpInclusiveScan<Width>(detail::widen<Op>(value), op));
  int const lane = arch::laneId();
  return detail::scanLanes<Width>(detail::groupMask<Width>(lane), value, op, lane & (Width - 1));
}

/// The same when only the first `count` lanes hold data: lanes from `count` on get the total as
/// their prefix, and their values are never read.
/// Shape    as above; 0 <= count <= Width, the same in all lanes of the group. count == 0 needs an
///          operator with an identity, which is then prefix and total.
/// Errors   as above, and a count that is no integer; a count out of range stops the kernel under
///          TWEED_DEBUG and on the loom.
template <int Width = warpThreads, class T, class Op, class Count>
TWEED_DEVICE Scan<T> warpInclusiveScan(T value, Op op, Count count) {
  static_assert(detail::isWarpWidth<Width>,
                "tweed::warpInclusiveScan: Width must be 1, 2, 4, 8, 16 or 32");
  static_assert(isReduction<Op, T>,
                "tweed::warpInclusiveScan: op must be callable as T = op(T, T)");
  if constexpr (detail::isWidened<Op, T>)
    return detail::narrow<T>(warpInclusiveScan<Width>(detail::widen<Op>(value), op, count));
  int const some = detail::checkCount("warpInclusiveScan", count, detail::leastCount<Op, T>, Width);
  int const lane = arch::laneId();
  if constexpr (hasIdentity<Op, T>) {
    if (some <= 0) return {identityOf<Op, T>(), identityOf<Op, T>()};
  }
  return detail::scanFirstLanes<Width>(detail::groupMask<Width>(lane), value, op,
                                       lane & (Width - 1), some);
}

/// Exclusive scan: lane i of a group gets init op value[0] op ... op value[i - 1].
/// Result   every lane of the group: its prefix (init in lane 0), and the total without init.
/// Everything else as warpInclusiveScan; one more shuffle, but for sums of integers.
template <int Width = warpThreads, class T, class Op>
TWEED_DEVICE Scan<T> warpExclusiveScan(T value, Op op, Same<T> init) {
  static_assert(detail::isWarpWidth<Width>,
                "tweed::warpExclusiveScan: Width must be 1, 2, 4, 8, 16 or 32");
  static_assert(isReduction<Op, T>,
                "tweed::warpExclusiveScan: op must be callable as T = op(T, T)");
  if constexpr (detail::isWidened<Op, T>)
    return detail::narrow<T>(
        warpExclusiveScan<Width>(detail::widen<Op>(value), op, detail::widen<Op>(init)));
  int const lane = arch::laneId();
  unsigned const mask = detail::groupMask<Width>(lane);
  Scan<T> const scan = detail::scanLanes<Width>(mask, value, op, lane & (Width - 1));
  return {detail::toExclusive<Width>(mask, scan.prefix, value, op, init, lane & (Width - 1)),
          scan.total};
}

/// The same when only the first `count` lanes hold data: lanes from `count` on get init op total.
/// With count == 0, which needs an operator with an identity, that is init.
template <int Width = warpThreads, class T, class Op, class Count>
TWEED_DEVICE Scan<T> warpExclusiveScan(T value, Op op, Same<T> init, Count count) {
  static_assert(detail::isWarpWidth<Width>,
                "tweed::warpExclusiveScan: Width must be 1, 2, 4, 8, 16 or 32");
  static_assert(isReduction<Op, T>,
                "tweed::warpExclusiveScan: op must be callable as T = op(T, T)");
  if constexpr (detail::isWidened<Op, T>)
    return detail::narrow<T>(
        warpExclusiveScan<Width>(detail::widen<Op>(value), op, detail::widen<Op>(init), count));
  int const some = detail::checkCount("warpExclusiveScan", count, detail::leastCount<Op, T>, Width);
  int const lane = arch::laneId();
  if constexpr (hasIdentity<Op, T>) {
    if (some <= 0) return {init, identityOf<Op, T>()};
  }
  unsigned const mask = detail::groupMask<Width>(lane);
  Scan<T> const scan = detail::scanFirstLanes<Width>(mask, value, op, lane & (Width - 1), some);
  return {detail::toExclusive<Width>(mask, scan.prefix, value, op, init, lane & (Width - 1), some),
          scan.total};
}

}  // namespace tweed
