// SPDX-License-Identifier: Apache-2.0
// tweed/device/reduceKernel.cuh - the kernels of deviceReduce; no function of its own to call.
#pragma once

#include <tweed/arch/overlap.cuh>
#include <tweed/block/blockReduce.cuh>
#include <tweed/device/gridFold.cuh>
#include <tweed/memory/vectorLoad.cuh>

namespace tweed {

namespace detail {

struct NoInit {};

// How a kernel is shaped. isOnce: no thread has more vectors than it loads at once. isGrid: more
// than one block. A single one needs no partials; with count == 0 it needs an init or an identity,
// which the host has checked.
template <int Threads, int Loads, bool IsOnce, bool IsGrid>
struct ReduceShape {
  static constexpr int threads = Threads;
  static constexpr int loads = Loads;
  static constexpr bool isOnce = IsOnce;
  static constexpr bool isGrid = IsGrid;
};

// The most blocks of a grid in which each loads once.
inline constexpr int onceBlocks = 288;

// One call of deviceReduce, divided among the threads. Small inputs give a thread at most as many
// vectors as it loads at once; larger ones, several times as many.
//
// Operators that commute: a row is one vector for each thread of a block. A block takes `rows`
// neighbouring rows, then as many a grid further on; with little data `rows` is small, so that all
// blocks have some. Items before the first vector and behind the last, the edges, go to block 0.
// Order kept: each thread takes a run of neighbouring vectors, so all items of a thread, and of a
// block, are neighbours. The edges go to the first and the last thread that has a run.
template <class T, class Acc_, class Out_, class Op_, class Init>
struct ReduceTask {
  using Item = T;
  using Out = Out_;
  using Acc = Acc_;
  using Op = Op_;
  using Load = VectorLoad<T>;
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

  // Item i of the array as the operator combines it.
  TWEED_DEVICE Acc item(unsigned long long i) const { return Acc(lift(op, in[i], i)); }
};

// The same of vectors at any address.
template <class Task>
struct UnalignedTask : Task {
  using Load = VectorLoad<typename Task::Item, false>;
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

// Loads vectors, Step apart, from vector `first` on: all, or the first `some` of them.
template <int Loads, int Step, class Index, class Task, class FoldType>
TWEED_DEVICE void foldAll(Task const& task, unsigned long long first, FoldType& fold) {
  using L = typename Task::Load;
  typename L::Raw raw[Loads];
  loadSome<L, Loads, Step>(task.vectors + first * L::items, Loads, raw);
  Index const index = Index(task.head + first * L::items);
  fold.append(foldLoaded<L, typename Task::Acc, Loads, Step>(raw, task.op, index));
}
template <int Loads, int Step, class Index, class Task, class FoldType>
TWEED_DEVICE void foldSome(Task const& task, unsigned long long first, int some, FoldType& fold) {
  using L = typename Task::Load;
  using Acc = typename Task::Acc;
  if (some <= 0) return;  // also no address is formed
  typename L::Raw raw[Loads];
  loadSome<L, Loads, Step>(task.vectors + first * L::items, some, raw);
#pragma unroll
  for (int u = 0; u < Loads; ++u) {
    Index const index = Index(task.head + (first + u * Step) * L::items);
    if (u < some) fold.append(L::template fold<Acc>(raw[u], task.op, index));
  }
}

// The rows of this block.
template <class Shape, class Task, class FoldType>
TWEED_DEVICE void foldRows(Task const& task, FoldType& fold) {
  constexpr int loads = Shape::loads;
  constexpr int threads = Shape::threads;
  unsigned const rows = unsigned(task.rows);
  unsigned const allRows = task.fullRows + (task.rest > 0);
#pragma unroll 1
  for (unsigned row = blockIdx.x * rows; row < allRows; row += gridDim.x * rows) {
    unsigned long long const first = row * (1ull * threads) + threadIdx.x;
    if (rows == loads && row + loads <= task.fullRows) {
      foldAll<loads, threads, unsigned long long>(task, first, fold);
    } else {
      // How many of the rows hold a vector for this thread: the first so many.
      unsigned const full = smaller(task.fullRows - smaller(row, task.fullRows), rows);
      int const some =
          int(full) + (full < rows && row + full == task.fullRows && int(threadIdx.x) < task.rest);
      foldSome<loads, threads, unsigned long long>(task, first, some, fold);
    }
  }
}

// The run of this thread, at..end.
template <class Shape, class Task, class FoldType>
TWEED_DEVICE void foldRun(Task const& task, unsigned long long at, unsigned long long end,
                          FoldType& fold) {
  constexpr int loads = Shape::loads;
#pragma unroll 1
  for (; at < end; at += loads) {
    if (at + loads <= end) {
      foldAll<loads, 1, unsigned long long>(task, at, fold);
    } else {
      foldSome<loads, 1, unsigned long long>(task, at, int(end - at), fold);
    }
  }
}

// The vectors of this thread where they are at most Loads: no loop, and so little code that a
// kernel of a microsecond does not wait for its instructions.
template <class Shape, class Task, class FoldType>
TWEED_DEVICE void foldOnce(Task const& task, FoldType& fold) {
  constexpr unsigned loads = Shape::loads;
  constexpr unsigned share = Shape::threads * loads;
  constexpr unsigned step = Task::isOrdered ? 1 : Shape::threads;
  unsigned const count = unsigned(task.vectorCount);
  unsigned const first = blockIdx.x * share + threadIdx.x * (Task::isOrdered ? loads : 1);
  if (blockIdx.x * share + share <= count) {
    foldAll<loads, step, unsigned>(task, first, fold);
  } else {
    unsigned const left = count - smaller(first, count);
    foldSome<loads, step, unsigned>(task, first, int(smaller(ceilDiv(left, step), loads)), fold);
  }
}

// How many threads of this block have something, which are the first ones.
template <class Shape, class Task>
TWEED_DEVICE int threadsWithItems(Task const& task) {
  constexpr unsigned long long threads = Shape::threads;
  unsigned long long const perThread = Task::isOrdered ? task.run : 1;
  unsigned long long const first =
      blockIdx.x * (threads * (Task::isOrdered ? task.run : 0ull + task.rows));
  unsigned long long const some = ceilDiv(task.vectorCount - first, perThread);
  int const edge = Task::isOrdered ? 1 : larger<int>(task.head, task.tail);
  return larger(int(smaller(some, threads)), blockIdx.x == 0 ? edge : 0);
}

// All that this thread has; calls then() between, where that delays no load.
template <class Shape, class Task, class FoldType, class Then>
TWEED_DEVICE void foldOwn(Task const& task, FoldType& fold, Then then) {
  if constexpr (Task::isOrdered) {
    unsigned long long const at = (blockIdx.x * (1ull * Shape::threads) + threadIdx.x) * task.run;
    unsigned long long const end = smaller(at + task.run, task.vectorCount);
    bool const isFirst = at == 0;
    bool const isLast = end == task.vectorCount && (at < end || isFirst);
    for (unsigned i = 0; isFirst && i < task.head; ++i) fold.append(task.item(i));
    if constexpr (Shape::isOnce) {
      foldOnce<Shape>(task, fold);
    } else {
      foldRun<Shape>(task, at, end, fold);
    }
    for (unsigned i = 0; isLast && i < task.tail; ++i)
      fold.append(task.item(task.count - task.tail + i));
    then();
  } else {
    if constexpr (Shape::isOnce) {
      foldOnce<Shape>(task, fold);
    } else {
      foldRows<Shape>(task, fold);
    }
    then();
    if (blockIdx.x == 0 && (task.head | task.tail) != 0) {
      if (threadIdx.x < task.head) fold.append(task.item(threadIdx.x));
      if (threadIdx.x < task.tail) fold.append(task.item(task.count - task.tail + threadIdx.x));
    }
  }
}

template <class Task>
TWEED_DEVICE void finish(Task const& task, typename Task::Acc const& total) {
  using Out = typename Task::Out;
  if constexpr (Task::hasInit) {
    *task.out = Out(task.count > 0 ? task.op(task.init, total) : task.init);
  } else {
    *task.out = Out(total);
  }
}

// The second launch bound lets a thread have as many registers as fit; without it the compiler
// saves them for a second block, and loads come one after the other.
template <class Shape, class Task>
TWEED_KERNEL void __launch_bounds__(Shape::threads, 1) reduce(Task const task) {
  using Acc = typename Task::Acc;
  using Words = arch::Words<Acc>;
  using AllThreads = Block<Shape::threads>;
  static_assert(isReduction<typename Task::Op, Acc>,
                "tweed::deviceReduce: op must be callable as Acc = op(Acc, Acc), where Acc is the "
                "type of *out");
  arch::letNextStart();
  arch::waitForPrevious();
  Fold<Acc, typename Task::Op> fold(task.op);
  GridTurn turn{};
  foldOwn<Shape>(task, fold, [&] {
    if constexpr (Shape::isGrid) turn = takeTurn(task.state);
  });
  Words share = Words::of(fold.value());
  auto const keep = [&](Acc const& all, int) { share = Words::of(all); };
  if constexpr (fold.hasNone) {
    rakeFirstBy<AllThreads>(fold.value(), task.op, threadsWithItems<Shape>(task), keep);
  } else {
    rakeAllBy<AllThreads>(fold.value(), task.op, keep);
  }
  if (threadIdx.x >= warpThreads) return;
  if constexpr (Shape::isGrid) {
    if (!isLast(turn)) return putPartial<Task::isOrdered>(task.state, turn, share.value());
    constexpr bool isFew = Shape::isOnce && onceBlocks <= 32 * partialBatch<Acc>;
    share =
        Words::of(foldPartials<Task::isOrdered, isFew>(task.state, turn, share.value(), task.op));
  }
  if (threadIdx.x == 0) finish(task, share.value());
}

}  // namespace detail
}  // namespace tweed
