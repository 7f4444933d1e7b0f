// SPDX-License-Identifier: Apache-2.0
// tweed/block/rake.cuh - how one warp folds what all threads of a block have stored; no function of
// its own to call.
#pragma once

#include <tweed/arch/barrier.cuh>
#include <tweed/memory/sharedArray.cuh>
#include <tweed/warp/warpReduce.cuh>

namespace tweed::detail {

// Folds Count >= 1 items in order, as a balanced tree: get(i) is item i.
template <class T, int Count, int First = 0, class Get, class Op>
TWEED_DEVICE T foldTreeOf(Get const& get, Op op) {
  if constexpr (Count == 1) {
    return get(First);
  } else {
    constexpr int half = nextPow2(Count) / 2;
    return op(foldTreeOf<T, half, First>(get, op),
              foldTreeOf<T, Count - half, First + half>(get, op));
  }
}
template <int Count, class T, class Op>
TWEED_DEVICE T foldTree(T const* values, Op op) {
  return foldTreeOf<T, Count>([&](int i) { return values[i]; }, op);
}

// The unit in which a run of neighbours is loaded from shared memory.
template <class T>
struct alignas(16) Piece {
  static constexpr int items = 16 / int(sizeof(T));
  T item[items];
};

// foldTree with loads of 16 bytes.
template <int Count, class T, class Op>
TWEED_DEVICE T foldPieces(T const* values, Op op) {
  constexpr int items = Piece<T>::items;
  if constexpr (Count == items) {
    Piece<T> const piece = *reinterpret_cast<Piece<T> const*>(values);
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

// The same with loads of 16 bytes, unrolled: the loads wait for nothing, and few registers hold
// what they bring.
template <int Count, class T, class Op>
TWEED_DEVICE T foldPiecesSerial(T const* values, Op op) {
  auto const* const pieces = reinterpret_cast<Piece<T> const*>(values);
  Piece<T> const first = pieces[0];
  T value = foldSerial(first.item, Piece<T>::items, op);
#pragma unroll
  for (int i = 1; i < Count / Piece<T>::items; ++i) {
    Piece<T> const piece = pieces[i];
#pragma unroll
    for (int k = 0; k < Piece<T>::items; ++k) value = op(value, piece.item[k]);
  }
  return value;
}

// Which form of the rake a block takes. Chosen by benchmarks/block/blockReduce.cu; all figures are
// of an H200.
//   columns   warp 0 keeps its own values, and lane l folds those of the threads l + 32, l + 64 ...
//             Eight bytes: 5 to 15 % faster than runs. Four: 5 and 16 % at 128 and 64 threads;
//             slower above, as a run comes in loads of 16 bytes. Sixteen: faster up to 256.
//   serial    eight bytes and more fold one after the other: for a tree the compiler spares
//             registers, and waits for each pair of loads (1024 threads: 731 cycles; 537 serially)
//   pairs     neighbours fold by a shuffle before they store: half as much to rake. 1024 threads:
//             7 to 14 % less latency, and less time for all but affine maps. 512: slower
//   twice     four lanes rake what all lanes have folded, in place of three shuffles
//   partials  what warp 0 leaves for every thread to fold: each doubling takes one shuffle out of
//             the chain, and makes the load in every warp longer
// IsOften: pairs and twice are for kernels that call again; one that folds once waits for every
// instruction to be fetched, and the plain form has fewer (2^13 doubles: 1.20 us; pairs 1.25).
template <class T, class Op, int Threads, bool IsOften = true>
struct RakeForm {
  static constexpr bool isPlain = isRedux<T, Op> || sizeof(T) > 16;
  static constexpr bool isPairs = IsOften && !isPlain && Threads == maxBlockThreads;
  static constexpr bool isColumns =
      isTriviallyCopyable<T> && isCommutative<Op> && !isPairs && Threads % warpThreads == 0 &&
      (sizeof(T) == 8 || (sizeof(T) == 4 && Threads <= 128) || (sizeof(T) == 16 && Threads <= 256));
  static constexpr bool isSerial = sizeof(T) >= 8;
  static constexpr bool isTwice = IsOften && !isPlain && sizeof(T) <= 4 && Threads >= 256;
  static constexpr int partials = isPlain || sizeof(T) > 8 ? 1
                                  : Threads <= 64          ? 4
                                  : sizeof(T) == 8         ? 1
                                                           : 2;
};

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
  // Of large values only if the padding leaves room for the rest in 48 KiB.
  static constexpr bool isPadded = isTriviallyCopyable<T> && run / pieceItems % 2 == 0 &&
                                   (size <= 16 || (Threads + warpThreads) * size <= 47 * 1024);
  static constexpr int lineItems = isPieces ? 128 / size : run;
  static constexpr int rowItems = lineItems % run == 0 ? lineItems : run;
  static constexpr int items = Threads + (isPadded ? (Threads - 1) / rowItems * pieceItems : 0);

  static TWEED_DEVICE constexpr int index(int rank) {
    return isPadded ? rank + int(unsigned(rank) / unsigned(rowItems)) * pieceItems : rank;
  }
};

// One scratch for all calls with this type and block size, whatever the operator: each leaves it
// free.
template <class T, int Items>
struct RakeScratch {
  static constexpr bool hasFolds = sizeof(T) <= 4;
  SharedArray<T, Items> values;
  SharedArray<typename Conditional<hasFolds, T, char>::Type, hasFolds ? warpThreads : 1> folds;
  SharedArray<T, sizeof(T) <= 8 ? 4 : 1> partials;
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
template <class T, int Threads>
TWEED_DEVICE auto& rakeScratchOf() {
  return rakeScratch<T, RakeLayout<T, Threads>::items>();
}

// Large values in a loop, which unrolled would be thousands of instructions.
template <bool IsPieces, bool IsSerial, int Count, class T, class Op>
TWEED_DEVICE T foldRun(T const* values, Op op) {
  if constexpr (IsPieces && IsSerial) {
    return foldPiecesSerial<Count>(values, op);
  } else if constexpr (IsPieces) {
    return foldPieces<Count>(values, op);
  } else if constexpr (sizeof(T) <= 16) {
    return foldTree<Count>(values, op);
  } else {
    return foldSerial(values, Count, op);
  }
}

// Stores the values, and has each lane of warp 0 fold its part of them: then(fold, lane). Holds one
// barrier. Every thread has a value, and warps are whole.
template <class Shape, class Form, class T, class Op, class Then>
TWEED_DEVICE void rakeParts(T const& value, Op op, Then then) {
  constexpr int share = Form::isPairs ? 2 : 1;
  using Layout = RakeLayout<T, Shape::maxThreads / share>;
  auto& scratch = rakeScratchOf<T, Shape::maxThreads>();
  int const rank = Shape::rank();
  if constexpr (Form::isColumns) {
    if (rank >= warpThreads) scratch.values.construct(rank, value);
    arch::syncBlock();
    if (rank >= warpThreads) return;
    T const* const column = scratch.values.data() + rank;
    auto const row = [&](int i) { return i == 0 ? value : column[i * warpThreads]; };
    then(foldTreeOf<T, Layout::run>(row, op), rank);
  } else {
    T const fold = foldDown<share>(fullMask, value, op, rank);
    if (rank % share == 0) scratch.values.construct(Layout::index(rank / share), fold);
    arch::syncBlock();
    if (rank >= warpThreads) return;
    T const* const run = scratch.values.data() + Layout::index(rank * Layout::run);
    then(foldRun<Layout::isPieces, Form::isSerial, Layout::run>(run, op), rank);
  }
}

// The folds of the Groups groups of neighbouring lanes, that of group g in the lanes g, g + Groups
// ... By shared memory: there and back takes less time than three shuffles. All lanes do the same,
// which spares a branch.
template <int Groups, class T, class Op>
TWEED_DEVICE T rakeLanes(SharedArray<T, warpThreads>& folds, T const& value, Op op, int lane) {
  constexpr int run = warpThreads / Groups;
  folds.construct(lane, value);
  arch::syncWarp();
  return foldRun<run * sizeof(T) % 16 == 0, false, run>(folds.data() + lane % Groups * run, op);
}

// The fold of all values, in every lane of warp 0: then(fold, lane). For kernels that fold once.
template <class Shape, class T, class Op, class Then>
TWEED_DEVICE void rakeAllBy(T const& value, Op op, Then then) {
  rakeParts<Shape, RakeForm<T, Op, Shape::maxThreads, false>>(
      value, op, [&](T const& part, int lane) {
        then(foldLanes<warpThreads>(fullMask, part, op, lane), lane);
      });
}

template <class Shape, class T, class Op>
TWEED_DEVICE T rakeAll(T const& value, Op op) {
  using Form = RakeForm<T, Op, Shape::maxThreads>;
  constexpr int groups = Form::isTwice ? 4 : warpThreads;
  constexpr int partials = Form::partials;
  constexpr int lanes = groups / partials;
  auto& scratch = rakeScratchOf<T, Shape::maxThreads>();
  rakeParts<Shape, Form>(value, op, [&](T const& part, int lane) {
    T fold = part;
    if constexpr (Form::isTwice) fold = rakeLanes<groups>(scratch.folds, part, op, lane);
    fold = isCommutative<Op> ? foldLanes<lanes>(fullMask, fold, op, lane)
                             : foldDown<lanes>(fullMask, fold, op, lane);
    if (lane < groups && lane % lanes == 0) scratch.partials.construct(lane / lanes, fold);
  });
  arch::syncBlock();
  constexpr int bytes = partials * int(sizeof(T));
  constexpr bool isPieces = isPow2(sizeof(T)) && sizeof(T) <= 16 && bytes % 16 == 0;
  return foldRun<isPieces, false, partials>(scratch.partials.data(), op);
}

// rakeAllBy when the first `count` threads hold data, 1 <= count <= threads: the fold of all of
// these, in every lane. By columns where the order is free, since rows of 32 are as many as there
// are data, also in a block of any size; else by runs.
template <class Shape, class T, class Op, class Then>
TWEED_DEVICE void rakeFirstBy(T const& value, Op op, int count, Then then) {
  using Layout = RakeLayout<T, Shape::maxThreads>;
  constexpr bool isColumns = isTriviallyCopyable<T> && isCommutative<Op> && sizeof(T) <= 16;
  auto& values = rakeScratchOf<T, Shape::maxThreads>().values;
  int const rank = Shape::rank();
  if (rank < count && !(isColumns && rank < warpThreads))
    values.construct(isColumns ? rank : Layout::index(rank), value);
  arch::syncBlock();
  if (rank >= warpThreads) return;
  unsigned const mask = firstLanes(smaller(Shape::threads(), warpThreads));
  if constexpr (isColumns) {
    constexpr int rows = 8;  // in a turn, whose loads wait for nothing
    T fold = value;
    T const* next = values.data() + rank + warpThreads;
#pragma unroll 1
    for (int left = count - rank - warpThreads; left > 0; left -= rows * warpThreads) {
#pragma unroll
      for (int i = 0; i < rows * warpThreads; i += warpThreads)
        if (i < left) fold = op(fold, next[i]);
      next += rows * warpThreads;
    }
    then(count < warpThreads ? foldFirstLanes<warpThreads>(mask, fold, op, rank, count)
                             : foldLanes<warpThreads>(fullMask, fold, op, rank),
         rank);
  } else {
    int const lanes = ceilDiv(count, Layout::run);
    int const from = rank < lanes ? rank : 0;  // an idle lane repeats lane 0, and nobody asks it
    T const* const run = values.data() + Layout::index(from * Layout::run);
    T const fold = foldSerial(run, smaller(Layout::run, count - from * Layout::run), op);
    then(foldFirstLanes<warpThreads>(mask, fold, op, rank, lanes), rank);
  }
}

template <class Shape, class T, class Op>
TWEED_DEVICE T rakeFirst(T const& value, Op op, int count) {
  auto& scratch = rakeScratchOf<T, Shape::maxThreads>();
  rakeFirstBy<Shape>(value, op, count, [&](T const& fold, int lane) {
    if (lane == 0) scratch.partials.construct(0, fold);
  });
  arch::syncBlock();
  return scratch.partials[0];
}

}  // namespace tweed::detail
