// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/tileReduce.cuh - what a tile adds to the reductions of its epilogue, and their end.
#pragma once

#include <tweed/core/thread.cuh>
#include <tweed/matmul/reductions.cuh>
#include <tweed/matmul/task.cuh>
#include <tweed/warp/warpReduce.cuh>

namespace tweed {

namespace detail {

// A strip of a part of C in shared memory: so many rows at a time, padded against conflicts.
template <class Part, class Acc, int ScratchBytes>
struct ReduceStrip {
  static constexpr int pitch = Part::n + 8;
  static constexpr int fitting = ScratchBytes / int(sizeof(Acc)) / pitch;
  static_assert(fitting >= 1, "tweed::reduceTile: the scratch is smaller than a row of the part");
  static constexpr int rows = smaller(fitting, Part::m);
};

}  // namespace detail

/// The bytes of scratch that reduceTile needs at least, and those with which it does a part of C at
/// once; what lies between has fewer barriers the more it is.
template <class Part, class Acc>
inline constexpr int leastReduceBytes = (Part::n + 8) * int(sizeof(Acc));
template <class Part, class Acc>
inline constexpr int mostReduceBytes = Part::m*(Part::n + 8) * int(sizeof(Acc));

/// Adds a part of C to all reductions of the task's epilogue: writes its partials.
///
///     if constexpr (tweed::detail::hasReductions<Epilogue>)
///       tweed::reduceTile<Tile, Threads, Bytes>(task, tile, scratch, threadIdx.x,
///           [] { __syncthreads(); },
///           [&](auto put) { for (each item of mine) put(value, row, column); });
///
/// Shape    Part: the rows and columns of the part. tile: its place in C, in parts. scratch: Bytes
///          of shared memory, aligned to 16 bytes. thread: 0 to Threads - 1 of those that take
///          part, whole warps. forEach(put): called several times; calls put(value, row, column)
///          for each item of this thread, with its place in the part and its value as store()
///          returned it. Items beyond C are ignored.
/// Sync     sync() holds those threads together. The scratch is free for others before, and after
///          it returns, behind one more sync() that is called here.
/// Result   the same bits whichever thread holds which item.
template <class Part, int Threads, int Bytes, class Task, class Sync, class ForEach>
TWEED_DEVICE void reduceTile(Task const& task, TileIndex tile, void* scratch, int thread, Sync sync,
                             ForEach forEach);

namespace detail {

// Combines the rows of a strip, a warp for each: lane l takes items l, l + 32, ...
template <class Part, int Threads, class Strip, class Reduction, class Acc, class Task>
TWEED_DEVICE void reduceStripRows(Task const& task, TileIndex tile, Reduction const& reduction,
                                  Acc* partials, Acc const* strip, int firstRow, int thread) {
  using Op = typename Reduction::Op;
  int const columns = smaller(Part::n, task.n() - tile.column * Part::n);
  int const rows = smaller(Strip::rows, smaller(Part::m, task.m() - tile.row * Part::m) - firstRow);
  int const lane = thread % warpThreads;
  for (int row = thread / warpThreads; row < rows; row += Threads / warpThreads) {
    Acc total = identityOf<Op, Acc>();
    for (int column = lane; column < columns; column += warpThreads)
      total = reduction.op(total, strip[row * Strip::pitch + column]);
    total = warpReduce(total, reduction.op);
    long long const line = 1ll * tile.matrix * task.m() + tile.row * Part::m + firstRow + row;
    if (lane == 0) partials[tile.column * reductionLines<Reduction>(task) + line] = total;
  }
}

// Combines the columns of a strip with those above it, a thread for each: always the same one.
template <class Part, int Threads, class Strip, class Reduction, class Acc, class Task>
TWEED_DEVICE void reduceStripColumns(Task const& task, TileIndex tile, Reduction const& reduction,
                                     Acc* partials, Acc const* strip, int firstRow, int thread) {
  int const columns = smaller(Part::n, task.n() - tile.column * Part::n);
  int const allRows = smaller(Part::m, task.m() - tile.row * Part::m);
  int const rows = smaller(Strip::rows, allRows - firstRow);
  Acc* const mine = partials + tile.row * reductionLines<Reduction>(task) +
                    1ll * tile.matrix * task.n() + tile.column * Part::n;
  for (int column = thread; column < columns && rows > 0; column += Threads) {
    Acc total = firstRow == 0 ? identityOf<typename Reduction::Op, Acc>() : mine[column];
    for (int row = 0; row < rows; ++row)
      total = reduction.op(total, strip[row * Strip::pitch + column]);
    mine[column] = total;
  }
}

template <int I, class Part, int Threads, class Strip, class Acc, class Task>
TWEED_DEVICE void reduceStrip(Task const& task, TileIndex tile, Acc const* strip, int firstRow,
                              int thread) {
  using List = Reductions<typename Task::Epilogue>;
  if constexpr (I < List::count) {
    auto const reduction = List::template at<I>(task.epilogue);
    using Reduction = RemoveConst<decltype(reduction)>;
    checkReduction<Reduction, Acc>();
    Acc* const partials = task.partials + partialsBefore<Part, I>(task);
    if constexpr (Reduction::isPerRow) {
      reduceStripRows<Part, Threads, Strip>(task, tile, reduction, partials, strip, firstRow,
                                            thread);
    } else {
      reduceStripColumns<Part, Threads, Strip>(task, tile, reduction, partials, strip, firstRow,
                                               thread);
    }
    reduceStrip<I + 1, Part, Threads, Strip>(task, tile, strip, firstRow, thread);
  }
}

}  // namespace detail

template <class Part, int Threads, int Bytes, class Task, class Sync, class ForEach>
TWEED_DEVICE void reduceTile(Task const& task, TileIndex tile, void* scratch, int thread, Sync sync,
                             ForEach forEach) {
  using Acc = typename Task::Acc;
  using Strip = detail::ReduceStrip<Part, Acc, Bytes>;
  static_assert(Threads % warpThreads == 0, "tweed::reduceTile: Threads are whole warps");
  Acc* const strip = static_cast<Acc*>(scratch);
  int const rows = smaller(Part::m, task.m() - tile.row * Part::m);
#pragma unroll 1
  for (int first = 0; first < rows; first += Strip::rows) {
    sync();
    forEach([&](Acc value, int row, int column) {
      if (row >= first && row < first + Strip::rows)
        strip[(row - first) * Strip::pitch + column] = value;
    });
    sync();
    detail::reduceStrip<0, Part, Threads, Strip>(task, tile, strip, first, thread);
  }
  sync();
}

/// Combines the partials of reduction I, of which each line has `parts` from `partials` on, in
/// their order into its output: a thread for each line.
template <int I, class Task>
TWEED_KERNEL void __launch_bounds__(256)
    foldReduction(Task const __grid_constant__ task, typename Task::Acc const* partials,
                  long long parts) {
  using Acc = typename Task::Acc;
  auto const reduction = detail::Reductions<typename Task::Epilogue>::template at<I>(task.epilogue);
  using Reduction = RemoveConst<decltype(reduction)>;
  long long const lines = detail::reductionLines<Reduction>(task);
  for (long long line = 1ll * blockIdx.x * blockDim.x + threadIdx.x; line < lines;
       line += 1ll * gridDim.x * blockDim.x) {
    Acc total = identityOf<typename Reduction::Op, Acc>();
    for (long long part = 0; part < parts; ++part)
      total = reduction.op(total, partials[part * lines + line]);
    reduction.out[line] = typename Reduction::Out(total);
  }
}

}  // namespace tweed
