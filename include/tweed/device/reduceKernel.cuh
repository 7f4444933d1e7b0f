// SPDX-License-Identifier: Apache-2.0
// tweed/device/reduceKernel.cuh - the kernels of deviceReduce; no function of its own to call.
#pragma once

#include <tweed/block/blockReduce.cuh>
#include <tweed/device/gridFold.cuh>
#include <tweed/memory/vectorLoad.cuh>

namespace tweed {

namespace detail {

struct NoInit {};

// One call of deviceReduce, divided among the threads.
//
// Operators that commute: a row is one vector for each thread of a block. A block takes `rows`
// neighbouring rows, then as many a grid further on; with little data `rows` is small, so that all
// blocks have some. Items before the first vector and behind the last, the edges, go to block 0.
// Order kept: each thread takes a run of neighbouring vectors, so all items of a thread, and of a
// block, are neighbours. The edges go to the first and the last thread that has a run.
template <class T, class Acc_, class Out, class Op_, class Init>
struct ReduceTask {
  using Item = T;
  using Acc = Acc_;
  using Op = Op_;
  static constexpr bool isOrdered = !isCommutative<Op>;
  static constexpr bool hasInit = !isSame<Init, NoInit>;

  T const* in;
  T const* vectors;  // 16-byte aligned where vectorItems<T> > 1
  Out* out;
  unsigned long long count;
  unsigned long long vectorCount;
  unsigned long long run;
  unsigned fullRows;
  int rest;  // vectors of the last row, if it is not full
  int rows;
  unsigned char head, tail;
  GridState state;
  Op op;
  Init init;
};

// What is folded so far. Without an identity it may be nothing, and no value is invented.
template <class Acc, class Op>
class Fold {
 public:
  static constexpr bool hasNone = !hasIdentity<Op, Acc>;

  TWEED_DEVICE explicit Fold(Op op) : op_(op) {
    if constexpr (!hasNone) words_ = arch::Words<Acc>::of(identityOf<Op, Acc>());
  }
  TWEED_DEVICE void append(Acc const& next) {
    words_ = arch::Words<Acc>::of(!hasNone || any_ ? op_(value(), next) : next);
    any_ = true;
  }
  TWEED_DEVICE Acc value() const { return words_.value(); }

 private:
  Op op_;
  bool any_ = false;
  arch::Words<Acc> words_ = {};
};

// The rows of this block.
template <int Threads, int Loads, class Task, class FoldType>
TWEED_DEVICE void foldRows(Task const& task, FoldType& fold) {
  using L = VectorLoad<typename Task::Item>;
  using Acc = typename Task::Acc;
  unsigned const rows = unsigned(task.rows);
  unsigned const allRows = task.fullRows + (task.rest > 0);
#pragma unroll 1
  for (unsigned row = blockIdx.x * rows; row < allRows; row += gridDim.x * rows) {
    typename L::Raw raw[Loads];
    auto const* const at = task.vectors + (row * (Threads * 1ull) + threadIdx.x) * L::items;
    if (rows == Loads && row + Loads <= task.fullRows) {
      loadSome<L, Loads, Threads>(at, Loads, raw);
      fold.append(foldLoaded<L, Acc, Loads>(raw, task.op));
    } else {
      // How many of the rows hold a vector for this thread: the first so many.
      unsigned const full = smaller(task.fullRows - smaller(row, task.fullRows), rows);
      int const some =
          int(full) + (full < rows && row + full == task.fullRows && int(threadIdx.x) < task.rest);
      loadSome<L, Loads, Threads>(at, some, raw);
#pragma unroll
      for (int u = 0; u < Loads; ++u)
        if (u < some) fold.append(L::template fold<Acc>(raw[u], task.op));
    }
  }
  if (blockIdx.x == 0 && (task.head | task.tail) != 0) {
    if (threadIdx.x < task.head) fold.append(Acc(task.in[threadIdx.x]));
    if (threadIdx.x < task.tail) fold.append(Acc(task.in[task.count - task.tail + threadIdx.x]));
  }
}

// The run of this thread.
template <int Threads, int Loads, class Task, class FoldType>
TWEED_DEVICE void foldOwnVectors(Task const& task, FoldType& fold) {
  using L = VectorLoad<typename Task::Item>;
  using Acc = typename Task::Acc;
  unsigned long long at = (blockIdx.x * (Threads * 1ull) + threadIdx.x) * task.run;
  unsigned long long const end = smaller(at + task.run, task.vectorCount);
  bool const isFirst = at == 0;
  bool const isLast = end == task.vectorCount && (at < end || isFirst);
  for (unsigned i = 0; isFirst && i < task.head; ++i) fold.append(Acc(task.in[i]));
#pragma unroll 1
  for (; at < end; at += Loads) {
    typename L::Raw raw[Loads];
    int const some = int(smaller(end - at, 0ull + Loads));
    loadSome<L, Loads, 1>(task.vectors + at * L::items, some, raw);
#pragma unroll
    for (int u = 0; u < Loads; ++u)
      if (u < some) fold.append(L::template fold<Acc>(raw[u], task.op));
  }
  for (unsigned i = 0; isLast && i < task.tail; ++i)
    fold.append(Acc(task.in[task.count - task.tail + i]));
}

// How many threads of this block have something, which are the first ones.
template <int Threads, class Task>
TWEED_DEVICE int threadsWithItems(Task const& task) {
  unsigned long long const perThread = Task::isOrdered ? task.run : 1;
  unsigned long long const first =
      blockIdx.x * (Threads * (Task::isOrdered ? task.run : 0ull + task.rows));
  unsigned long long const some = ceilDiv(task.vectorCount - first, perThread);
  int const edge = Task::isOrdered ? 1 : larger<int>(task.head, task.tail);
  return larger(int(smaller(some, 0ull + Threads)), blockIdx.x == 0 ? edge : 0);
}

// The share of the block, in every lane of warp 0; the other warps are done.
template <int Threads, int Loads, class Task>
TWEED_DEVICE typename Task::Acc foldShare(Task const& task) {
  using FoldType = Fold<typename Task::Acc, typename Task::Op>;
  static_assert(isReduction<typename Task::Op, typename Task::Acc>,
                "tweed::deviceReduce: op must be callable as Acc = op(Acc, Acc), where Acc is the "
                "type of *out");
  FoldType fold(task.op);
  if constexpr (Task::isOrdered) {
    foldOwnVectors<Threads, Loads>(task, fold);
  } else {
    foldRows<Threads, Loads>(task, fold);
  }
  using Words = arch::Words<typename Task::Acc>;
  Words share = Words::of(fold.value());
  auto const keep = [&](typename Task::Acc const& all, int) { share = Words::of(all); };
  if constexpr (FoldType::hasNone) {
    rakeFirstBy<Block<Threads>>(fold.value(), task.op, threadsWithItems<Threads>(task), keep);
  } else {
    rakeAllBy<Block<Threads>, warpThreads>(fold.value(), task.op, keep);
  }
  return share.value();
}

template <class Task>
TWEED_DEVICE void finish(Task const& task, typename Task::Acc const& total) {
  if (threadIdx.x != 0) return;
  if constexpr (Task::hasInit) {
    *task.out = task.count > 0 ? task.op(task.init, total) : task.init;
  } else {
    *task.out = total;
  }
}

// In both kernels the second launch bound lets a thread have as many registers as fit; without it
// the compiler saves them for a second block, and loads come one after the other.

// One block does it all. count == 0 needs an init or an identity; the host has checked that.
template <int Threads, int Loads, class Task>
TWEED_KERNEL void __launch_bounds__(Threads, 1) reduceInOneBlock(Task const task) {
  auto const total = foldShare<Threads, Loads>(task);
  if (threadIdx.x < warpThreads) finish(task, total);
}

template <int Threads, int Loads, class Task>
TWEED_KERNEL void __launch_bounds__(Threads, 1) reduceInGrid(Task const task) {
  GridTurn const turn = takeTurn(task.state);
  auto const share = foldShare<Threads, Loads>(task);
  if (threadIdx.x >= warpThreads) return;
  if (!isLastStarted(turn)) return putPartial<Task::isOrdered>(task.state, turn, share);
  finish(task, foldPartials<Task::isOrdered>(task.state, turn, share, task.op));
}

}  // namespace detail
}  // namespace tweed
