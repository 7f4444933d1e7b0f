// SPDX-License-Identifier: Apache-2.0
// tweed/device/reduceKernel.cuh - the kernel of deviceReduce; no function of its own to call.
#pragma once

#include <tweed/arch/atomic.cuh>
#include <tweed/arch/cache.cuh>
#include <tweed/block/blockReduce.cuh>
#include <tweed/memory/vector.cuh>

namespace tweed {

/// The type in which values of T are combined by default; wider than T where T is too short for it.
template <class T>
struct Accumulator {
  using Type = T;
};
template <class T>
using AccumulatorOf = typename Accumulator<T>::Type;

namespace detail {

// What blocks leave for each other, zero between launches: a ticket, and for each block its partial
// as 32-bit pieces, each in one 64-bit word with a mark beside it. A word is stored and loaded
// whole, so no fence is needed, and a type of any size fits.
struct GridState {
  unsigned* ticket = nullptr;
  unsigned long long* words = nullptr;

  GridState() = default;
  explicit GridState(void* workspace)
      : ticket(static_cast<unsigned*>(workspace)),
        words(static_cast<unsigned long long*>(workspace) + 16) {}
};
inline constexpr unsigned long long gridStateHeader = 128;
inline constexpr unsigned long long mark = 1ull << 32;

template <class Acc>
TWEED_DEVICE void putPartial(GridState state, unsigned block, Acc const& value) {
  auto const pieces = arch::Words<Acc>::of(value);
#pragma unroll
  for (int i = 0; i < pieces.count; ++i)
    arch::storeRelaxed(state.words + block * pieces.count + i, mark | pieces.word[i]);
}

// The partials of the blocks first, first + 1, ... below end, in order, where `own` is this
// block's. Waits for those of blocks that still run, and leaves zero behind for the next launch.
template <class Acc, class FoldType>
TWEED_DEVICE void takePartials(GridState state, unsigned first, unsigned end, unsigned ownBlock,
                               Acc const& own, FoldType& fold) {
  constexpr int pieces = arch::Words<Acc>::count;
  constexpr int batch = pieces <= 4 ? 8 / pieces : 1;  // so many are on their way at a time
  for (; first < end; first += batch) {
    unsigned long long found[batch][pieces];
#pragma unroll
    for (int u = 0; u < batch; ++u)
#pragma unroll
      for (int i = 0; i < pieces; ++i)
        if (first + u < end && first + u != ownBlock)
          found[u][i] = arch::loadRelaxed(state.words + (first + u) * pieces + i);
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      if (first + u >= end) break;
      arch::Words<Acc> partial = arch::Words<Acc>::of(own);
      if (first + u != ownBlock) {
#pragma unroll
        for (int i = 0; i < pieces; ++i) {
          unsigned long long* const word = state.words + (first + u) * pieces + i;
          while (found[u][i] == 0) {
            arch::spinPause();
            found[u][i] = arch::loadRelaxed(word);
          }
          partial.word[i] = unsigned(found[u][i]);
          arch::storeRelaxed(word, 0);
        }
      }
      fold.append(partial.value());
    }
  }
}

struct NoInit {};

// One call of deviceReduce. A thread folds vectors at a stride (operators that commute), or `run`
// neighbours (order kept).
template <class T, class Acc_, class Out, class Op_, class Init>
struct ReduceTask {
  using Item = T;
  using Acc = Acc_;
  using Op = Op_;
  static constexpr bool isOrdered = !isCommutative<Op>;
  static constexpr bool hasInit = !isSame<Init, NoInit>;

  T const* in;
  unsigned long long count;
  VectorSplit split;
  unsigned long long run;
  Out* out;
  Op op;
  Init init;
  GridState state;
};

// What is folded so far, which may be nothing: no value is invented for an operator without
// identity.
template <class Acc, class Op>
class Fold {
 public:
  TWEED_DEVICE explicit Fold(Op op) : op_(op) {}
  TWEED_DEVICE void append(Acc const& next) {
    words_ = arch::Words<Acc>::of(any_ ? op_(value(), next) : next);
    any_ = true;
  }
  TWEED_DEVICE bool any() const { return any_; }
  TWEED_DEVICE Acc value() const { return words_.value(); }

 private:
  Op op_;
  bool any_ = false;
  arch::Words<Acc> words_;
};

// 16 bytes of items, or one item of a type that does not divide them.
template <class T>
struct Load {
  static constexpr int items = vectorItems<T>;
  static constexpr bool isVector = items > 1;
  using Raw = typename Conditional<isVector, arch::Bytes16, arch::Words<T>>::Type;

  static TWEED_DEVICE Raw at(T const* vectors, unsigned long long i) {
    if constexpr (isVector) {
      return arch::loadOnce(reinterpret_cast<arch::Bytes16 const*>(vectors) + i);
    } else {
      return arch::Words<T>::of(vectors[i]);
    }
  }

  template <class Acc, int First, int Count, class Op>
  static TWEED_DEVICE Acc foldItems(T const* item, Op op) {
    if constexpr (Count == 1) {
      return Acc(item[First]);
    } else {
      return op(foldItems<Acc, First, Count / 2>(item, op),
                foldItems<Acc, First + Count / 2, Count / 2>(item, op));
    }
  }
  template <class Acc, class Op>
  static TWEED_DEVICE Acc fold(Raw const& raw, Op op) {
    if constexpr (isVector) {
      auto const vector = __builtin_bit_cast(Vector<T, items>, raw);
      return foldItems<Acc, 0, items>(vector.item, op);
    } else {
      return Acc(raw.value());
    }
  }
};

// Folds Count vectors that are loaded, in order.
template <class L, class Acc, int Count, class Op>
TWEED_DEVICE Acc foldLoaded(typename L::Raw const* raw, Op op) {
  if constexpr (Count == 1) {
    return L::template fold<Acc>(*raw, op);
  } else {
    return op(foldLoaded<L, Acc, Count / 2>(raw, op),
              foldLoaded<L, Acc, Count / 2>(raw + Count / 2, op));
  }
}

// The vectors at, at + stride, ... below end, with several loads in flight.
template <int Loads, class T, class Acc, class Op>
TWEED_DEVICE Fold<Acc, Op> foldVectors(T const* vectors, unsigned long long at,
                                       unsigned long long stride, unsigned long long end, Op op) {
  using L = Load<T>;
  Fold<Acc, Op> fold(op);
  typename L::Raw raw[Loads];
  for (; at + (Loads - 1) * stride < end; at += Loads * stride) {
#pragma unroll
    for (int u = 0; u < Loads; ++u) raw[u] = L::at(vectors, at + u * stride);
    fold.append(foldLoaded<L, Acc, Loads>(raw, op));
  }
#pragma unroll
  for (int u = 0; u < Loads - 1; ++u)
    if (at + u * stride < end) raw[u] = L::at(vectors, at + u * stride);
#pragma unroll
  for (int u = 0; u < Loads - 1; ++u)
    if (at + u * stride < end) fold.append(L::template fold<Acc>(raw[u], op));
  return fold;
}

// The block's share of the vectors, in every thread; nothing if there are no vectors at all.
template <int Threads, int Loads, class Task>
TWEED_DEVICE Fold<typename Task::Acc, typename Task::Op> foldShare(Task const& task) {
  using Acc = typename Task::Acc;
  unsigned long long const vectors = task.split.vectors;
  unsigned long long const run = Task::isOrdered ? task.run : 1;
  unsigned long long const firstOfBlock = blockIdx.x * (Threads * run);
  unsigned long long const first = firstOfBlock + threadIdx.x * run;
  auto fold = foldVectors<Loads, typename Task::Item, Acc>(
      task.in + task.split.head, first, Task::isOrdered ? 1 : gridDim.x * (Threads * 1ull),
      Task::isOrdered ? smaller(first + run, vectors) : vectors, task.op);

  Fold<Acc, typename Task::Op> share(task.op);
  if (firstOfBlock + (Threads - 1) * run < vectors) {
    share.append(blockReduce<Threads>(fold.value(), task.op));
  } else if (firstOfBlock < vectors) {
    share.append(
        blockReduce<Threads>(fold.value(), task.op, int(ceilDiv(vectors - firstOfBlock, run))));
  }
  return share;
}

// Puts init, the items before the first vector and those behind the last around the fold of all
// vectors, and writes the result.
template <class Task, class FoldOfVectors>
TWEED_DEVICE void finish(Task const& task, FoldOfVectors const& vectors) {
  using Acc = typename Task::Acc;
  FoldOfVectors fold(task.op);
  if constexpr (Task::hasInit) fold.append(task.init);
  for (unsigned long long i = 0; i < task.split.head; ++i) fold.append(Acc(task.in[i]));
  if (vectors.any()) fold.append(vectors.value());
  for (unsigned long long i = task.count - task.split.tail; i < task.count; ++i)
    fold.append(Acc(task.in[i]));
  if constexpr (hasIdentity<typename Task::Op, Acc>) {
    if (!fold.any()) fold.append(identityOf<typename Task::Op, Acc>());
  }
  *task.out = fold.value();
}

// Each block takes a ticket when it starts, and leaves its partial. The one that started last waits
// for the others, all of which run or have ended, and folds the partials in block order.
template <int Threads, int Loads, class Task>
TWEED_KERNEL void __launch_bounds__(Threads) reduceKernel(Task const task) {
  using Acc = typename Task::Acc;
  static_assert(isReduction<typename Task::Op, Acc>,
                "tweed::deviceReduce: op must be callable as Acc = op(Acc, Acc), where Acc is the "
                "type of *out");
  unsigned const blocks = gridDim.x;
  unsigned ticket = 0;
  if (blocks > 1 && threadIdx.x == 0) ticket = arch::takeTicket(task.state.ticket, blocks - 1);
  auto const share = foldShare<Threads, Loads>(task);
  if (blocks == 1) {
    if (threadIdx.x == 0) finish(task, share);
    return;
  }
  if (threadIdx.x >= warpThreads) return;
  if (arch::shuffle(fullMask, ticket, 0) != blocks - 1) {
    if (threadIdx.x == 0) putPartial(task.state, blockIdx.x, share.value());
    return;
  }
  // Lane l folds a run of neighbouring blocks.
  unsigned const run = ceilDiv(blocks, unsigned(warpThreads));
  unsigned const first = threadIdx.x * run;
  Fold<Acc, typename Task::Op> fold(task.op);
  takePartials(task.state, first, smaller(first + run, blocks), blockIdx.x, share.value(), fold);
  Fold<Acc, typename Task::Op> all(task.op);
  all.append(foldFirstLanes<warpThreads>(fullMask, fold.value(), task.op, int(threadIdx.x),
                                         int(ceilDiv(blocks, run))));
  if (threadIdx.x == 0) finish(task, all);
}

}  // namespace detail
}  // namespace tweed
