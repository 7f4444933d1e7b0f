// SPDX-License-Identifier: Apache-2.0
// tweed/device/deviceReduce.cuh - combine n values in device memory, in one launch.
#pragma once

#include <tweed/arch/overlap.cuh>
#include <tweed/core/accumulator.cuh>
#include <tweed/device/reduceKernel.cuh>
#include <tweed/device/tuning.cuh>
#include <tweed/launch/launch.cuh>
#include <tweed/memory/workspace.cuh>

// Hidden, as in launch/launch.cuh.
#pragma GCC visibility push(hidden)
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

template <class Tuning>
unsigned reduceMostBlocks() {
  return unsigned(deviceAttribute(cudaDevAttrMultiProcessorCount, currentDevice()) *
                  Tuning::blocksPerProcessor);
}

// Gives each of the blocks, as many as are needed, the vectors that it loads at once.
template <class Shape, class Task>
unsigned divideOnce(Task& task) {
  task.run = Shape::loads;
  task.rows = Shape::loads;
  unsigned long long const share = 1ull * Shape::threads * Shape::loads;
  return unsigned(larger(1ull, ceilDiv(task.vectorCount, share)));
}

// Divides the vectors among at most so many blocks; returns how many there are.
template <class Shape, class Task>
unsigned divideRows(Task& task, unsigned mostBlocks) {
  constexpr unsigned long long threads = Shape::threads;
  unsigned long long const vectors = task.vectorCount;
  task.fullRows = unsigned(vectors / threads);
  task.rest = int(vectors % threads);
  unsigned long long const blocks =
      larger(1ull, smaller(0ull + mostBlocks, ceilDiv(vectors, threads)));
  task.run = larger(1ull, ceilDiv(vectors, blocks * threads));
  task.rows = int(smaller(task.run, 0ull + Shape::loads));
  unsigned long long const perThread = Task::isOrdered ? task.run : 0ull + task.rows;
  return unsigned(larger(1ull, smaller(blocks, ceilDiv(vectors, threads * perThread))));
}

// True if blocks of this shape, at most so many, can load all vectors at once.
template <class Shape>
bool fitsOnce(unsigned long long vectors, unsigned mostBlocks) {
  return vectors <= 1ull * mostBlocks * Shape::threads * Shape::loads;
}

template <class Shape, class Task>
void startReduce(char const* call, Task& task, unsigned blocks, Workspace* workspace,
                 cudaStream_t stream) {
  std::size_t const bytes = Shape::isGrid ? reduceBytes<typename Task::Acc>(blocks) : 0;
  LaunchConfig config{blocks, Shape::threads, 0, stream};
  if (workspace == nullptr) {
    Workspace own(stream, bytes);
    if (Shape::isGrid) task.state = gridState(own.take(call, bytes, stream), bytes);
    return launch(reduce<Shape, Task>, config, task);
  }
  void* const memory = workspace->take(call, bytes, stream);
  if (Shape::isGrid) task.state = gridState(memory, workspace->bytes());
  config.overlapPrevious =
      arch::canOverlapOn(workspace->computeCapability()) && workspace->mayOverlap();
  launch(reduce<Shape, Task>, config, task);
  workspace->noteLaunch();
}

// Combines as Acc, by at most so many blocks. IsAnySize: n is mostly too large for the kernels of
// small inputs, which are left out. The order of all is what n, `split` and `mostBlocks` make it.
template <class Acc, bool IsAnySize, bool IsAligned, class T, class Out, class Op, class Init>
void reduceSplit(char const* call, T const* in, std::size_t n, VectorSplit const& split,
                 unsigned mostBlocks, Out* out, Op op, Init init, Workspace* workspace,
                 cudaStream_t stream) {
  using Aligned = ReduceTask<T, Acc, Out, Op, Init>;
  using Task = typename Conditional<IsAligned, Aligned, UnalignedTask<Aligned>>::Type;
  using Tuning = tuning::Reduce<Acc, needsIndex<Op, T>>;
  using Small = typename Tuning::Small;
  using Block = typename Tuning::OneBlock;
  using Large = typename Tuning::Large;
  using OneSmall = ReduceShape<Small::threads, Small::loads, true, false>;
  using OneBlock = ReduceShape<Block::threads, Block::loads, true, false>;
  using ManySmall = ReduceShape<Small::threads, Small::loads, true, true>;
  using ManyLarge = ReduceShape<Large::threads, Large::loads, true, true>;
  using Rows = ReduceShape<Large::threads, Large::loads, false, true>;
  Task task{Aligned{in, in + split.head, out, n, split.vectors, 0, 0, 0, 0, 0, 0, {}, op, init}};
  task.head = static_cast<unsigned char>(split.head);
  task.tail = static_cast<unsigned char>(split.tail);
  if constexpr (!IsAnySize) {
    unsigned const onceMost = smaller(mostBlocks, unsigned(onceBlocks));
    if (fitsOnce<OneSmall>(split.vectors, 1))
      return startReduce<OneSmall>(call, task, divideOnce<OneSmall>(task), workspace, stream);
    if (fitsOnce<OneBlock>(split.vectors, 1))
      return startReduce<OneBlock>(call, task, divideOnce<OneBlock>(task), workspace, stream);
    if (fitsOnce<ManySmall>(split.vectors, onceMost))
      return startReduce<ManySmall>(call, task, divideOnce<ManySmall>(task), workspace, stream);
    if (fitsOnce<ManyLarge>(split.vectors, onceMost))
      return startReduce<ManyLarge>(call, task, divideOnce<ManyLarge>(task), workspace, stream);
  }
  startReduce<Rows>(call, task, divideRows<Rows>(task, mostBlocks), workspace, stream);
}

// As many blocks as the device holds, and loads of 16 bytes wherever `in` begins.
template <class Acc, bool IsAnySize = false, class T, class Out, class Op, class Init>
void reduceAs(T const* in, std::size_t n, Out* out, Op op, Init init, Workspace* workspace,
              cudaStream_t stream) {
  reduceSplit<Acc, IsAnySize, true>("tweed::deviceReduce", in, n, splitVectors(in, n),
                                    reduceMostBlocks<tuning::Reduce<Acc, needsIndex<Op, T>>>(), out,
                                    op, init, workspace, stream);
}

// Refuses what cannot be done; `call` is the function that the texts name.
template <class Acc, class Op, class Init, class T, class Out>
void checkReduce(char const* call, T const* in, std::size_t n, Out const* out) {
  static_assert(!isSame<Out, Out const>, "tweed::deviceReduce: out points to const");
  static_assert(isTriviallyCopyable<Acc>,
                "tweed::deviceReduce: the type of *out must be trivially copyable");
  std::string const name = call;
  if (out == nullptr) fail(cudaErrorInvalidValue, name + ": out is a null pointer");
  if (in == nullptr && n > 0)
    fail(cudaErrorInvalidValue, name + ": in is a null pointer, with n = " + std::to_string(n));
  if constexpr (isSame<Init, NoInit> && !hasIdentity<Op, Acc>) {
    if (n == 0)
      fail(cudaErrorInvalidValue, name + ": n = 0 needs an init or an operator with an identity");
  }
  constexpr unsigned long long most = 1ull << 39;  // rows of blocks are counted in 32 bits
  if (n > most)
    fail(cudaErrorInvalidValue, name + ": n is " + std::to_string(n) + "; at most " +
                                    std::to_string(most) + " is allowed");
}

template <class T, class Out, class Op, class Init>
void reduceChecked(T const* in, std::size_t n, Out* out, Op op, Init init, Workspace* workspace,
                   cudaStream_t stream) {
  using Acc = AccumulatorOf<Out>;
  checkReduce<Acc, Op, Init>("tweed::deviceReduce", in, n, out);
  reduceAs<Acc>(in, n, out, op, init, workspace, stream);
}

}  // namespace detail

/// The bytes of workspace that deviceReduce may need on the current device for results of type Out,
/// whatever n.
template <class Out>
std::size_t deviceReduceBytes() {
  using Acc = AccumulatorOf<Out>;
  return detail::reduceBytes<Acc>(detail::reduceMostBlocks<tuning::Reduce<Acc>>());
}

/// Combines in[0..n) with `op` and writes the result to *out.
///
///     tweed::deviceReduce(in, n, out, tweed::Sum{}, workspace);
///     tweed::deviceReduce(in, n, out, tweed::Min{}, limit, stream);   // *out = min(limit, in...)
///     tweed::deviceReduce(in, n, range, tweed::MinMax{}, workspace);  // a Values<float, float>
///
/// Shape    n values in device memory, any n from 0 on (more than 2^32 too), at any address aligned
///          for T. out: one value in device memory; it may lie in the input, since it is written
///          when all items have been read.
/// Result   *out, in order of the stream. Accumulates in AccumulatorOf<Out>: Out itself unless that
///          is too short to add up in (half and bfloat16: float, rounded once at the end). Each
///          item is converted to it first, by the operator's lift(item, i) if it has one, else by a
///          constructor, an explicit one too. `init`, if given, comes before the first item. n == 0
///          gives init, else the operator's identity. Same bits on every run on one kind of device,
///          for the same alignment of `in` to 16 bytes (deviceReduceReproducible(): anywhere).
/// Op       associative, Acc = op(Acc, Acc), trivially copyable. Item order is kept unless it says
///          it is commutative. Only called on data, and on its identity if it names one.
/// Sync     asynchronous; one kernel in the workspace's stream. Can be captured in a graph. Blocks
///          may start in any order, also if few fit at once. With a workspace the launch overlaps
///          the end of the kernel before it, and waits there until that has ended.
/// Cost     reads the input once; one launch. With a stream in place of a workspace: above 64 KiB
///          of input (4 KiB for an accumulator of more than 16 bytes) also an allocation, a memset
///          and a free, ordered by the stream. An operator that is not commutative reads one
///          contiguous run per thread, 128 bytes at a time.
/// Errors   throws tweed::Error with nothing written: null pointer; n == 0 with neither init nor
///          identity; n above 2^39; workspace too small (deviceReduceBytes<Out>() is enough) or on
///          another stream.
/// Source   the ticket and marked partials of D. Merrill and M. Garland, "Single-pass parallel
///          prefix scan with decoupled look-back", 2016; last-block reduction: CUDA samples,
///          threadFenceReduction. Here the block that comes last folds, so none waits for one that
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
#pragma GCC visibility pop
