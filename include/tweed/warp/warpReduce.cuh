// SPDX-License-Identifier: Apache-2.0
// tweed/warp/warpReduce.cuh - combine one value per lane across a warp or an equal part of one.
#pragma once

#include <tweed/arch/shuffle.cuh>
#include <tweed/core/ops.cuh>
#include <tweed/core/thread.cuh>

namespace tweed {

namespace detail {

// Butterfly over neighbours. After the step of distance d each lane holds the fold, in lane order,
// of its aligned group of 2d lanes, so every lane ends with the same tree and hence the same bits:
//
//   lane      0      1      2      3
//   d = 1    01     01     23     23
//   d = 2  0123   0123   0123   0123
template <int Width, class T, class Op>
TWEED_DEVICE T foldLanes(unsigned mask, T value, Op op, [[maybe_unused]] int lane) {
#pragma unroll
  for (int d = 1; d < Width; d *= 2) {
    T const other = arch::shuffleXor(mask, value, d, Width);
    if constexpr (isCommutative<Op>) {
      value = op(value, other);
    } else {
      bool const later = (lane & d) != 0;
      T const first = later ? other : value;
      T const second = later ? value : other;
      value = op(first, second);
    }
  }
  return value;
}

// The same when only the first `count` lanes of each group hold data, 1 <= count <= Width. A group
// of d lanes has a fold if its first lane holds data; all its lanes have it, so the first is asked.
template <int Width, class T, class Op>
TWEED_DEVICE T foldFirstLanes(unsigned mask, T value, Op op, int lane, int count) {
#pragma unroll
  for (int d = 1; d < Width; d *= 2) {
    int const mine = lane & ~(d - 1);
    int const theirs = mine ^ d;
    T const other = arch::shuffle(mask, value, theirs < count ? theirs : lane, Width);
    if (theirs < count && mine < count) {
      T const first = theirs > mine ? value : other;
      T const second = theirs > mine ? other : value;
      value = op(first, second);
    } else if (theirs < count) {
      value = other;
    }
  }
  return value;
}

template <int Width>
inline constexpr bool isWarpWidth = isPow2(Width) && Width <= warpThreads;

// The lanes of this lane's group of Width.
template <int Width>
TWEED_DEVICE unsigned groupMask(int lane) {
  unsigned const mask = firstLanes(Width) << (lane & ~(Width - 1));
  TWEED_ASSERT((mask & ~presentLanes()) == 0,
               "tweed: a warp function of Width %d needs the lanes 0x%08x, this warp has only "
               "0x%08x: the block has %d threads",
               Width, mask, presentLanes(), Dynamic<maxBlockThreads>::threads());
  return mask;
}

}  // namespace detail

/// Combines `value` of the Width lanes of a group with `op`.
///
///     float const sum = tweed::warpReduce(x, tweed::Sum{});
///
/// Shape    one T per lane; Width is 1, 2, 4, 8, 16 or 32, groups are aligned. All lanes of the
///          group exist and call.
/// Result   every lane of the group, same bits in each (payloads of NaN aside).
/// Op       associative, T = op(T, T). Lane order is kept unless it says it is commutative.
/// Sync     the lanes of a group call it together; groups are independent. No barrier; orders no
///          memory.
/// Cost     log2(Width) shuffles for every 4 bytes of T.
/// Errors   compile time: Width, T not trivially copyable, op not callable as T = op(T, T).
/// Source   CUDA C++ Programming Guide, warp shuffle functions: reduction across a warp.
template <int Width = warpThreads, class T, class Op = Sum>
TWEED_DEVICE T warpReduce(T value, Op op = Op{}) {
  static_assert(detail::isWarpWidth<Width>,
                "tweed::warpReduce: Width must be 1, 2, 4, 8, 16 or 32");
  static_assert(isReduction<Op, T>, "tweed::warpReduce: op must be callable as T = op(T, T)");
  int const lane = arch::laneId();
  return detail::foldLanes<Width>(detail::groupMask<Width>(lane), value, op, lane);
}

/// The same when only the first `count` lanes of the group hold data: the values of the others are
/// never read.
/// Shape    as above; 0 <= count <= Width, the same in all lanes of the group. count == 0 needs an
///          operator with an identity, which is then the result.
/// Errors   as above; count out of range stops the kernel under TWEED_DEBUG and on the loom.
template <int Width = warpThreads, class T, class Op>
TWEED_DEVICE T warpReduce(T value, Op op, int count) {
  static_assert(detail::isWarpWidth<Width>,
                "tweed::warpReduce: Width must be 1, 2, 4, 8, 16 or 32");
  static_assert(isReduction<Op, T>, "tweed::warpReduce: op must be callable as T = op(T, T)");
  [[maybe_unused]] constexpr int least = hasIdentity<Op, T> ? 0 : 1;
  TWEED_ASSERT(count >= least && count <= Width,
               "tweed::warpReduce: count is %d, allowed are %d to %d", count, least, Width);
  int const lane = arch::laneId();
  if constexpr (hasIdentity<Op, T>) {
    if (count <= 0) return identityOf<Op, T>();
  }
  return detail::foldFirstLanes<Width>(detail::groupMask<Width>(lane), value, op,
                                       lane & (Width - 1), count);
}

}  // namespace tweed
