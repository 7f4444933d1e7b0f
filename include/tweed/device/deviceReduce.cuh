// SPDX-License-Identifier: Apache-2.0
// tweed/device/deviceReduce.cuh - combine n values in device memory, in one launch.
#pragma once

#include <tweed/device/reduceKernel.cuh>
#include <tweed/device/tuning.cuh>
#include <tweed/launch/launch.cuh>
#include <tweed/memory/workspace.cuh>

namespace tweed {

namespace detail {

template <class Acc>
std::size_t reduceBytes(unsigned long long blocks) {
  return blocks <= 1 ? 0 : gridStateHeader + blocks * arch::Words<Acc>::count * 8;
}

inline unsigned long long reduceMostBlocks() {
  return static_cast<unsigned long long>(
             deviceAttribute(cudaDevAttrMultiProcessorCount, currentDevice())) *
         tuning::reduceBlocksPerProcessor;
}

// Fills in how the threads divide the vectors; returns the number of blocks.
template <class Task>
unsigned divideWork(Task& task, std::size_t bytes) {
  constexpr unsigned long long threads = tuning::reduceThreads;
  unsigned long long const vectors = task.split.vectors;
  if (bytes <= tuning::reduceOneBlockBytes) {
    task.run = larger(1ull, ceilDiv(vectors, 0ull + tuning::reduceOneBlockThreads));
    return 1;
  }
  unsigned long long const blocks = smaller(reduceMostBlocks(), ceilDiv(vectors, threads));
  task.run = ceilDiv(vectors, blocks * threads);
  return unsigned(Task::isOrdered ? ceilDiv(vectors, task.run * threads) : blocks);
}

template <class T, class Out, class Op, class Init>
void reduceChecked(T const* in, std::size_t n, Out* out, Op op, Init init, Workspace* workspace,
                   cudaStream_t stream) {
  using Acc = AccumulatorOf<Out>;
  static_assert(isTriviallyCopyable<Acc>,
                "tweed::deviceReduce: the accumulator must be trivially copyable");
  if (out == nullptr) fail(cudaErrorInvalidValue, "tweed::deviceReduce: out is a null pointer");
  if (in == nullptr && n > 0)
    fail(cudaErrorInvalidValue,
         "tweed::deviceReduce: in is a null pointer, with n = " + std::to_string(n));
  if constexpr (isSame<Init, NoInit> && !hasIdentity<Op, Acc>) {
    if (n == 0)
      fail(cudaErrorInvalidValue,
           "tweed::deviceReduce: n = 0 needs an init or an operator with an identity");
  }
  ReduceTask<T, Acc, Out, Op, Init> task{in, n, splitVectors(in, n), 1, out, op, init, {}};
  unsigned const blocks = divideWork(task, n * sizeof(T));
  if (blocks == 1) {
    if (workspace != nullptr) (void)workspace->take("tweed::deviceReduce", 0, stream);
    constexpr int threads = tuning::reduceOneBlockThreads;
    return launch(reduceKernel<threads, tuning::reduceLoads, decltype(task)>,
                  {1, threads, 0, stream}, task);
  }
  std::size_t const bytes = reduceBytes<Acc>(blocks);
  auto const start = [&](Workspace& scratch) {
    constexpr int threads = tuning::reduceThreads;
    task.state = GridState(scratch.take("tweed::deviceReduce", bytes, stream));
    launch(reduceKernel<threads, tuning::reduceLoads, decltype(task)>, {blocks, threads, 0, stream},
           task);
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
  return detail::reduceBytes<AccumulatorOf<Out>>(detail::reduceMostBlocks());
}

/// Combines in[0..n) with `op` and writes the result to *out.
///
///     tweed::deviceReduce(in, n, out, tweed::Sum{}, workspace);
///     tweed::deviceReduce(in, n, out, tweed::Min{}, limit, stream);   // *out = min(limit, in...)
///
/// Shape    n values in device memory, any n from 0 on (more than 2^32 too), at any address aligned
///          for T. out: one value in device memory; it may lie in the input.
/// Result   *out, in order of the stream. Accumulates in Out's type (half and bf16: float), to
/// which
///          each item is converted first; `init`, if given, comes before the first item. n == 0
///          gives init, else the operator's identity. Same bits on every run on one kind of device.
/// Op       associative, Acc = op(Acc, Acc), trivially copyable. Item order is kept unless it says
///          it is commutative. Only called on data.
/// Sync     asynchronous; one kernel in the workspace's stream. Can be captured in a graph. Blocks
///          may start in any order, also if few fit at once.
/// Cost     reads the input once; one launch. With a stream in place of a workspace: above 64 KiB
/// of
///          input also an allocation, a memset and a free, ordered by the stream. An operator that
///          is not commutative reads in 64-byte pieces per thread.
/// Errors   throws tweed::Error with nothing written: null pointer; n == 0 with neither init nor
///          identity; workspace too small (deviceReduceBytes<Out>() is enough) or on another
///          stream.
/// Source   the ticket and marked partials of D. Merrill and M. Garland, "Single-pass parallel
/// prefix
///          scan with decoupled look-back", 2016; last-block reduction: CUDA samples,
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
template <class T, class Out, class Op, class Init>
void deviceReduce(T const* in, std::size_t n, Out* out, Op op, Init init, Workspace& workspace) {
  detail::reduceChecked(in, n, out, op, AccumulatorOf<Out>(init), &workspace, workspace.stream());
}
template <class T, class Out, class Op, class Init>
void deviceReduce(T const* in, std::size_t n, Out* out, Op op, Init init, cudaStream_t stream) {
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
