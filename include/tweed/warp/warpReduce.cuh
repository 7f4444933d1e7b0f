// SPDX-License-Identifier: Apache-2.0
// tweed/warp/warpReduce.cuh - combine one value per lane across a warp, an equal part of one, or
// any set of its lanes.
#pragma once

#include <tweed/arch/redux.cuh>
#include <tweed/arch/shuffle.cuh>
#include <tweed/arch/vote.cuh>
#include <tweed/core/accumulator.cuh>
#include <tweed/core/thread.cuh>
#include <tweed/warp/laneMask.cuh>

namespace tweed {

/// Where the result goes, in warpReduce<Width, ToFirst> and blockReduce<BlockThreads, ToFirst>.
struct ToFirst {};

namespace detail {

template <class Op>
inline constexpr bool isBitwise = isSame<Op, BitAnd> || isSame<Op, BitOr> || isSame<Op, BitXor>;
template <class Op>
inline constexpr bool isExtreme =
    isSame<Op, Min> || isSame<Op, MinNumber> || isSame<Op, Max> || isSame<Op, MaxNumber>;
template <class T>
inline constexpr bool isBuiltinInteger =
    isSame<T, int> || isSame<T, unsigned> || isSame<T, long> || isSame<T, unsigned long> ||
    isSame<T, long long> || isSame<T, unsigned long long> || isSame<T, short> ||
    isSame<T, unsigned short> || isSame<T, signed char> || isSame<T, unsigned char> ||
    isSame<T, char> || isSame<T, bool>;

// What redux.sync folds: integers of up to 32 bits, the narrow ones widened, whose fold in 32 bits
// has the same low bits; and, or and xor of 64 bits as two halves.
template <class T, class Op>
inline constexpr bool isRedux = arch::hasRedux&& isBuiltinInteger<T> &&
                                (isBitwise<Op> ||
                                 (sizeof(T) <= 4 && (isSame<Op, Sum> || isExtreme<Op>)));

template <class T, class Op>
TWEED_DEVICE T foldByRedux(unsigned mask, T value, Op op) {
  using Wide = typename Conditional<Limits<T>::isSigned, int, unsigned>::Type;
  if constexpr (sizeof(T) == 8) {
    auto const bits = static_cast<unsigned long long>(value);
    unsigned long long const high = foldByRedux(mask, unsigned(bits >> 32), op);
    return T(high << 32 | foldByRedux(mask, unsigned(bits), op));
  } else if constexpr (isSame<Op, Sum>) {
    return T(arch::reduxAdd(mask, Wide(value)));
  } else if constexpr (isSame<Op, Min> || isSame<Op, MinNumber>) {
    return T(arch::reduxMin(mask, Wide(value)));
  } else if constexpr (isExtreme<Op>) {
    return T(arch::reduxMax(mask, Wide(value)));
  } else if constexpr (isSame<Op, BitAnd>) {
    return T(arch::reduxAnd(mask, unsigned(value)));
  } else if constexpr (isSame<Op, BitOr>) {
    return T(arch::reduxOr(mask, unsigned(value)));
  } else {
    return T(arch::reduxXor(mask, unsigned(value)));
  }
}

// The fold of each group of Width lanes, in its first lane alone: keeping the order costs nothing.
template <int Width, class T, class Op>
TWEED_DEVICE T foldDown(unsigned mask, T value, Op op, int lane) {
#pragma unroll
  for (int d = 1; d < Width; d *= 2) {
    T const other = arch::shuffleDown(mask, value, unsigned(d), Width);
    if ((lane & (2 * d - 1)) == 0) value = op(value, other);
  }
  return value;
}

// Butterfly over neighbours. After the step of distance d each lane holds the fold, in lane order,
// of its aligned group of 2d lanes, so every lane ends with the same tree and hence the same bits:
//
//   lane      0      1      2      3
//   d = 1    01     01     23     23
//   d = 2  0123   0123   0123   0123
//
// redux takes as long for a part of a warp as for a whole one, so that groups do better without.
// Where the order is kept, from 16 lanes on it is cheaper to fold the halves down and to give both
// to all lanes than to choose in each step which operand comes first.
template <int Width, class T, class Op>
TWEED_DEVICE T foldLanes(unsigned mask, T value, Op op, [[maybe_unused]] int lane) {
  if constexpr (Width == warpThreads && isRedux<T, Op>) {
    return foldByRedux(mask, value, op);
  } else if constexpr (Width >= 16 && !isCommutative<Op>) {
    T const fold = foldDown<Width / 2>(mask, value, op, lane);
    T const low = arch::shuffle(mask, fold, 0, Width);
    T const high = arch::shuffle(mask, fold, Width / 2, Width);
    return op(low, high);
  } else {
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
}

// The fold in the first lane of each group. Down is faster than a butterfly of 32 lanes for four
// bytes, and slower for eight.
template <int Width, class T, class Op>
TWEED_DEVICE T foldToFirst(unsigned mask, T const& value, Op op, int lane) {
  constexpr bool isDown = sizeof(T) <= 4 && !isRedux<T, Op> && Width == warpThreads;
  if constexpr (isDown || !isCommutative<Op>)
    return foldDown<Width>(mask, value, op, lane);
  else
    return foldLanes<Width>(mask, value, op, lane);
}

// The same when only the first `count` lanes of each group hold data, 1 <= count <= Width. After
// the step of distance d a lane holds the fold of the 2d lanes from itself on, as far as there is
// data; the first lane's tree is that of foldLanes.
template <int Width, class T, class Op>
TWEED_DEVICE T foldFirstLanes(unsigned mask, T value, Op op, int lane, int count) {
  if constexpr (Width == warpThreads && isRedux<T, Op>) {
    return foldByRedux(mask, lane < count ? value : identityOf<Op, T>(), op);
  } else {
    int const last = count - 1;
#pragma unroll
    for (int d = 1; d < Width; d *= 2) {
      T const other = arch::shuffle(mask, value, smaller(lane + d, last), Width);
      if (d <= last - lane) value = op(value, other);
    }
    return arch::shuffle(mask, value, 0, Width);
  }
}

// The same for any set of lanes, by pointer jumping: a lane holds the fold of the lanes from itself
// up to `next`, and takes in the run that starts there. Each round doubles the runs, and the lowest
// lane ends with all. Set lanes 1, 2, 6, 7, 9:
//
//   lane         1      2      6      7      9
//   round 1     12     26     67     79      9
//   round 2   1267   2679    679     79      9
//   round 3  12679   2679    679     79      9
template <class T, class Op>
TWEED_DEVICE T foldMask(unsigned mask, T value, Op op, int lane) {
  if constexpr (isRedux<T, Op>) {
    return foldByRedux(mask, value, op);
  } else {
    if (mask == fullMask) return foldLanes<warpThreads>(mask, value, op, lane);
    int next = nextLane(mask, lane);
    for (int run = 1; run < arch::countLanes(mask); run *= 2) {
      int const from = next < warpThreads ? next : lane;
      T const other = arch::shuffle(mask, value, from);
      int const beyond = arch::shuffle(mask, next, from);
      if (next < warpThreads) {
        value = op(value, other);
        next = beyond;
      }
    }
    return arch::shuffle(mask, value, lowestLane(mask));
  }
}

template <int Width>
inline constexpr bool isWarpWidth = isPow2(Width) && Width <= warpThreads;

// A count may have any integer type; what does not fit an int is out of range too.
template <class Count>
TWEED_DEVICE int checkCount([[maybe_unused]] char const* call, Count count,
                            [[maybe_unused]] int least, [[maybe_unused]] int most) {
  static_assert(isBuiltinInteger<Count>, "tweed: a count must be an integer");
  [[maybe_unused]] auto const asked = static_cast<long long>(count);
  TWEED_ASSERT(asked >= least && asked <= most, "tweed::%s: count is %lld, allowed are %d to %d",
               call, asked, least, most);
  return int(count);
}

// Nothing can be folded where there is an identity to give.
template <class Op, class T>
inline constexpr int leastCount = hasIdentity<Op, T> ? 0 : 1;

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
/// Result   every lane of the group, same bits in each (payloads of NaN aside). Sums and products
///          are made in AccumulatorOf<T> (half and bfloat16: float) and rounded once, at the end.
/// Op       associative, T = op(T, T). Lane order is kept unless it says it is commutative.
/// Sync     the lanes of a group call it together; groups are independent. No barrier; orders no
///          memory.
/// Cost     log2(Width) shuffles for every 4 bytes of T, and one more in 16 or 32 lanes if op does
///          not say that it is commutative. A whole warp's sum, minimum or maximum of integers of
///          at most 32 bits, and their and, or and xor of at most 64: one instruction for every 4
///          bytes from sm_80 on.
/// Errors   compile time: Width, T not trivially copyable, op not callable as T = op(T, T).
/// Source   CUDA C++ Programming Guide, warp shuffle functions: reduction across a warp; PTX ISA,
///          redux.sync.
template <int Width = warpThreads, class T, class Op = Sum>
TWEED_DEVICE T warpReduce(T value, Op op = Op{}) {
  static_assert(detail::isWarpWidth<Width>,
                "tweed::warpReduce: Width must be 1, 2, 4, 8, 16 or 32");
  static_assert(isReduction<Op, T>, "tweed::warpReduce: op must be callable as T = op(T, T)");
  int const lane = arch::laneId();
  unsigned const mask = detail::groupMask<Width>(lane);
  return T(detail::foldLanes<Width>(mask, detail::widen<Op>(value), op, lane));
}

/// The same when only the first `count` lanes of the group hold data: the values of the others are
/// never read.
/// Shape    as above; 0 <= count <= Width, the same in all lanes of the group. count == 0 needs an
///          operator with an identity, which is then the result.
/// Cost     one more shuffle, also where op says that it is commutative.
/// Errors   as above, and a count that is no integer; a count out of range stops the kernel under
///          TWEED_DEBUG and on the loom.
template <int Width = warpThreads, class T, class Op, class Count>
TWEED_DEVICE T warpReduce(T value, Op op, Count count) {
  static_assert(detail::isWarpWidth<Width>,
                "tweed::warpReduce: Width must be 1, 2, 4, 8, 16 or 32");
  static_assert(isReduction<Op, T>, "tweed::warpReduce: op must be callable as T = op(T, T)");
  int const some = detail::checkCount("warpReduce", count, detail::leastCount<Op, T>, Width);
  int const lane = arch::laneId();
  if constexpr (hasIdentity<Op, T>) {
    if (some <= 0) return identityOf<Op, T>();
  }
  unsigned const mask = detail::groupMask<Width>(lane);
  return T(
      detail::foldFirstLanes<Width>(mask, detail::widen<Op>(value), op, lane & (Width - 1), some));
}

/// The same with the result in the first lane of the group alone; what the others get is not to be
/// used.
///
///     float const sum = tweed::warpReduce<32, tweed::ToFirst>(x);
///
/// Cost     log2(Width) shuffles for every 4 bytes of T, also where op does not say that it is
///          commutative; redux as above. With a count, as above.
template <int Width, class To, class T, class Op = Sum, class = EnableIf<isSame<To, ToFirst>>>
TWEED_DEVICE T warpReduce(T value, Op op = Op{}) {
  static_assert(detail::isWarpWidth<Width>,
                "tweed::warpReduce: Width must be 1, 2, 4, 8, 16 or 32");
  static_assert(isReduction<Op, T>, "tweed::warpReduce: op must be callable as T = op(T, T)");
  int const lane = arch::laneId();
  unsigned const mask = detail::groupMask<Width>(lane);
  return T(detail::foldToFirst<Width>(mask, detail::widen<Op>(value), op, lane));
}
template <int Width, class To, class T, class Op, class Count,
          class = EnableIf<isSame<To, ToFirst>>>
TWEED_DEVICE T warpReduce(T value, Op op, Count count) {
  return warpReduce<Width>(value, op, count);
}

/// Combines `value` of a set of lanes: any set, also in code that other lanes do not run.
///
///     if (x > 0) sum = tweed::warpReduce(tweed::activeLanes(), x, tweed::Sum{});
///
/// Shape    one T per lane of the set. All of these lanes exist and call, with the same set.
/// Result   every lane of the set, same bits in each; rounded as above.
/// Op       associative, T = op(T, T). Lane order is kept.
/// Sync     the lanes of the set call it together; other lanes may do what they like, also call it
///          with a set of their own. No barrier; orders no memory.
/// Cost     n lanes: ceil(log2(n)) rounds of one shuffle and one more for every 4 bytes of T, and a
///          last one without the extra shuffle. A whole warp and integers: as above.
/// Errors   compile time as above. A set without the calling lane (an empty one, too) stops the
///          kernel under TWEED_DEBUG and on the loom, which also names lanes that never come.
/// Source   J. C. Wyllie, "The complexity of parallel computations", 1979 (pointer jumping).
template <class T, class Op = Sum>
TWEED_DEVICE T warpReduce(LaneMask lanes, T value, Op op = Op{}) {
  static_assert(isReduction<Op, T>, "tweed::warpReduce: op must be callable as T = op(T, T)");
  int const lane = arch::laneId();
  detail::checkMask("warpReduce", lanes.bits, lane);
  return T(detail::foldMask(lanes.bits, detail::widen<Op>(value), op, lane));
}

}  // namespace tweed
