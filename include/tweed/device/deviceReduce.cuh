// SPDX-License-Identifier: Apache-2.0
// tweed/device/deviceReduce.cuh - combine n values in device memory, in one launch.
#pragma once

#include <tweed/device/reduceKernel.cuh>
#include <tweed/device/tuning.cuh>
#include <tweed/launch/launch.cuh>
#include <tweed/memory/workspace.cuh>

namespace tweed {

namespace detail {

inline constexpr std::size_t gridStateHeader = 128;  // the ticket, and a cache line of its own

template <class Acc>
std::size_t reduceBytes(unsigned blocks) {
  constexpr std::size_t slotBytes = arch::Words<Acc>::count * sizeof(unsigned long long);
  return gridStateHeader + roundUp(blocks, 32u) * slotBytes;
}

inline GridState gridState(void* memory, std::size_t bytes) {
  auto* const words = static_cast<unsigned long long*>(memory);
  return {words, words + gridStateHeader / sizeof *words,
          (bytes - gridStateHeader) / sizeof *words};
}

template <class Acc>
unsigned reduceMostBlocks() {
  return unsigned(deviceAttribute(cudaDevAttrMultiProcessorCount, currentDevice())) *
         tuning::Reduce<Acc>::blocksPerProcessor;
}

// Divides the vectors among blocks of `Threads` threads; returns the number of blocks.
template <int Threads, int Loads, class Task>
unsigned divideWork(Task& task, unsigned mostBlocks) {
  constexpr unsigned long long threads = Threads;
  VectorSplit const split = splitVectors(task.in, task.count);
  task.vectors = task.in + split.head;
  task.vectorCount = split.vectors;
  task.head = static_cast<unsigned char>(split.head);
  task.tail = static_cast<unsigned char>(split.tail);
  task.fullRows = unsigned(split.vectors / threads);
  task.rest = int(split.vectors % threads);
  unsigned long long const blocks =
      larger(1ull, smaller(0ull + mostBlocks, ceilDiv(split.vectors, threads)));
  task.run = larger(1ull, ceilDiv(split.vectors, blocks * threads));
  task.rows = int(smaller(task.run, 0ull + Loads));
  unsigned long long const perThread = Task::isOrdered ? task.run : 0ull + task.rows;
  return unsigned(larger(1ull, smaller(blocks, ceilDiv(split.vectors, threads * perThread))));
}

template <class T, class Out, class Op, class Init>
void reduceChecked(T const* in, std::size_t n, Out* out, Op op, Init init, Workspace* workspace,
                   cudaStream_t stream) {
  using Acc = AccumulatorOf<Out>;
  using Task = ReduceTask<T, Acc, Out, Op, Init>;
  using Tuning = tuning::Reduce<Acc>;
  static_assert(!isSame<Out, Out const>, "tweed::deviceReduce: out points to const");
  static_assert(isTriviallyCopyable<Acc>,
                "tweed::deviceReduce: the type of *out must be trivially copyable");
  if (out == nullptr) fail(cudaErrorInvalidValue, "tweed::deviceReduce: out is a null pointer");
  if (in == nullptr && n > 0)
    fail(cudaErrorInvalidValue,
         "tweed::deviceReduce: in is a null pointer, with n = " + std::to_string(n));
  if constexpr (isSame<Init, NoInit> && !hasIdentity<Op, Acc>) {
    if (n == 0)
      fail(cudaErrorInvalidValue,
           "tweed::deviceReduce: n = 0 needs an init or an operator with an identity");
  }
  constexpr unsigned long long most = 1ull << 39;  // rows of blocks are counted in 32 bits
  if (n > most)
    fail(cudaErrorInvalidValue, "tweed::deviceReduce: n is " + std::to_string(n) + "; at most " +
                                    std::to_string(most) + " is allowed");
  Task task{in, nullptr, out, n, 0, 0, 0, 0, 0, 0, 0, {}, op, init};
  if (n * sizeof(T) <= Tuning::oneBlockBytes) {
    constexpr int threads = Tuning::oneBlockThreads;
    constexpr int loads = Tuning::oneBlockLoads;
    if (workspace != nullptr) (void)workspace->take("tweed::deviceReduce", 0, stream);
    divideWork<threads, loads>(task, 1);
    return launch(reduceInOneBlock<threads, loads, Task>, {1, threads, 0, stream}, task);
  }
  constexpr int threads = Tuning::threads;
  constexpr int loads = Tuning::loads;
  unsigned const blocks = divideWork<threads, loads>(task, reduceMostBlocks<Acc>());
  std::size_t const bytes = reduceBytes<Acc>(blocks);
  auto const start = [&](Workspace& scratch) {
    task.state = gridState(scratch.take("tweed::deviceReduce", bytes, stream), scratch.bytes());
    launch(reduceInGrid<threads, loads, Task>, {blocks, threads, 0, stream}, task);
  };
  if (workspace != nullptr) return start(*workspace);
  Workspace own(stream, bytes);
  start(own);
}

}  // namespace detail

/// The bytes of workspace that deviceReduce may need on the current device for results of type Out,
/// whatever n.
template <class Out>
std::size_t deviceReduceBytes() {
  using Acc = AccumulatorOf<Out>;
  return detail::reduceBytes<Acc>(detail::reduceMostBlocks<Acc>());
}

/// Combines in[0..n) with `op` and writes the result to *out.
///
///     tweed::deviceReduce(in, n, out, tweed::Sum{}, workspace);
///     tweed::deviceReduce(in, n, out, tweed::Min{}, limit, stream);   // *out = min(limit, in...)
///
/// Shape    n values in device memory, any n from 0 on (more than 2^32 too), at any address aligned
///          for T. out: one value in device memory; it may lie in the input, since
///          it is written when all items have been read.
/// Result   *out, in order of the stream. Accumulates in Out's type, wider than T or another one:
///          each item is converted to it first, by an explicit constructor too. `init`, if given,
///          comes before the first item. n == 0 gives init, else the operator's identity. Same bits
///          on every run on one kind of device, for the same alignment of `in` to 16 bytes.
/// Op       associative, Acc = op(Acc, Acc), trivially copyable. Item order is kept unless it says
///          it is commutative. Only called on data, and on its identity if it names one.
/// Sync     asynchronous; one kernel in the workspace's stream. Can be captured in a graph. Blocks
///          may start in any order, also if few fit at once.
/// Cost     reads the input once; one launch. With a stream in place of a workspace: above 128 KiB
///          of input also an allocation, a memset and a free, ordered by the stream. An operator
///          that is not commutative reads one contiguous run per thread, 128 bytes at a time.
/// Errors   throws tweed::Error with nothing written: null pointer; n == 0 with neither init nor
///          identity; n above 2^39; workspace too small (deviceReduceBytes<Out>() is enough) or on another
///          stream.
/// Source   the ticket and marked partials of D. Merrill and M. Garland, "Single-pass parallel
///          prefix scan with decoupled look-back", 2016; last-block reduction: CUDA samples,
///          threadFenceReduction. Here the block that starts last folds, so none waits for one that
///          has not started, and folds in block order.
template <class T, class Out, class Op>
void deviceReduce(T const* in, std::size_t n, Out* out, Op op, Workspace& workspace) {
  detail::reduceChecked(in, n, out, op, detail::NoInit{}, &workspace, workspace.stream());
}
template <class T, class Out, class Op>
void deviceReduce(T const* in, std::size_t n, Out* out, Op op, cudaStream_t stream = nullptr) {
  detail::reduceChecked(in, n, out, op, detail::NoInit{}, nullptr, stream);
}
template <class T, class Out, class Op>
void deviceReduce(T const* in, std::size_t n, Out* out, Op op, decltype(nullptr)) {
  detail::reduceChecked(in, n, out, op, detail::NoInit{}, nullptr, nullptr);
}
template <class T, class Out, class Op, class Init>
void deviceReduce(T const* in, std::size_t n, Out* out, Op op, Init init, Workspace& workspace) {
  detail::reduceChecked(in, n, out, op, AccumulatorOf<Out>(init), &workspace, workspace.stream());
}
template <class T, class Out, class Op, class Init>
void deviceReduce(T const* in, std::size_t n, Out* out, Op op, Init init,
                  cudaStream_t stream = nullptr) {
  detail::reduceChecked(in, n, out, op, AccumulatorOf<Out>(init), nullptr, stream);
}
/// The same with the stream said twice: throws unless it is the workspace's.
template <class T, class Out, class Op>
void deviceReduce(T const* in, std::size_t n, Out* out, Op op, Workspace& workspace,
                  cudaStream_t stream) {
  detail::reduceChecked(in, n, out, op, detail::NoInit{}, &workspace, stream);
}
template <class T, class Out, class Op, class Init>
void deviceReduce(T const* in, std::size_t n, Out* out, Op op, Init init, Workspace& workspace,
                  cudaStream_t stream) {
  detail::reduceChecked(in, n, out, op, AccumulatorOf<Out>(init), &workspace, stream);
}

}  // namespace tweed
