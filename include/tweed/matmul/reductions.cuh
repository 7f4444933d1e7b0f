// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/reductions.cuh - sums and maxima along the rows and columns of a product.
#pragma once

#include <tweed/core/ops.cuh>
#include <tweed/matmul/epilogue.cuh>

#if !defined(__CUDACC_RTC__)
#include <string>
#endif

namespace tweed {

/// A piece that lets each item pass and combines those of each row, or of each column, by Op;
/// rowReduce() and its like below say how, and make it.
template <bool IsPerRow, class Op_, class Out_>
struct AxisReduction {
  static constexpr bool isPiece = true;
  static constexpr bool isPerRow = IsPerRow;
  using Op = Op_;
  using Out = Out_;

  Out* out;
  Op op;

  template <class Acc>
  TWEED_HOST_DEVICE Acc operator()(Acc value, Coord) const {
    return value;
  }
#if !defined(__CUDACC_RTC__)
  std::string refusal(long long, long long, long long) const {
    return out != nullptr
               ? ""
               : std::string(IsPerRow ? "row" : "column") + " reduction: the pointer is null";
  }
#endif
};

/// The sum of each row, or column, of the result; or its maximum: a reduction of the product
/// without reading it again.
///
///     tweed::matmul(stream, a, b, c, tweed::biasPerColumn(bias) | tweed::gelu() |
///                                        tweed::rowSum(sums));
///
/// Shape    out: one item for each row (column) of C, those of a batch behind each other:
///          out[matrix * rows + row], apart from A, B, C and other reductions. They come last in a
///          chain, several if you like.
/// Result   of the items as the epilogue ends with them, before they become items of C; cast<T>()
///          before it takes them as rounded. Combined in the accumulator's type, converted once.
///          Same bits on every run: tiles are combined in their order, not as they end. All of
///          `out` is written, by a kernel behind the product's.
/// Op       rowReduce and columnReduce: commutative, with an identity, as Sum and Max.
/// Sync     asynchronous, in order of the stream, as matmul().
/// Cost     each tile passes through shared memory once; a workspace of one accumulator for each
///          row and tile along it, and one more small kernel. Kernels that share a tile's sum among
///          blocks are not chosen, so few tiles of long sums take longer than without reductions.
/// Errors   compile time: something else behind a reduction; an operator that says it is not
///          commutative or names no identity. At run time: a null pointer, items that A, B, C or
///          another reduction have too.
template <class Out, class Op>
AxisReduction<true, Op, Out> rowReduce(Out* out, Op op) {
  return {out, op};
}
template <class Out, class Op>
AxisReduction<false, Op, Out> columnReduce(Out* out, Op op) {
  return {out, op};
}
template <class Out>
auto rowSum(Out* out) {
  return rowReduce(out, Sum{});
}
template <class Out>
auto columnSum(Out* out) {
  return columnReduce(out, Sum{});
}
template <class Out>
auto rowMax(Out* out) {
  return rowReduce(out, Max{});
}
template <class Out>
auto columnMax(Out* out) {
  return columnReduce(out, Max{});
}

namespace detail {

// The reductions of an epilogue, in their order: at<I>(epilogue) is an AxisReduction as the kernel
// sees it.
template <class Epilogue>
struct Reductions {
  static constexpr int count = 0;
  static constexpr bool areAll = false;  // nothing but reductions
};
template <bool IsPerRow, class Op, class Out>
struct Reductions<AxisReduction<IsPerRow, Op, Out>> {
  static constexpr int count = 1;
  static constexpr bool areAll = true;
  template <int I>
  static TWEED_HOST_DEVICE auto at(AxisReduction<IsPerRow, Op, Out> const& reduction) {
    return reduction;
  }
};
template <class First, class Second>
struct Reductions<Chain<First, Second>> {
  using InFirst = Reductions<First>;
  using InSecond = Reductions<Second>;
  static_assert(InFirst::count == 0 || InSecond::areAll,
                "tweed::matmul: reductions are the last pieces of an epilogue");
  static constexpr int count = InFirst::count + InSecond::count;
  static constexpr bool areAll = InFirst::areAll && InSecond::areAll;
  template <int I>
  static TWEED_HOST_DEVICE auto at(Chain<First, Second> const& chain) {
    if constexpr (I < InFirst::count) {
      return InFirst::template at<I>(chain.first);
    } else {
      return InSecond::template at<I - InFirst::count>(chain.second);
    }
  }
};
template <class Epilogue>
struct Reductions<TransposedEpilogue<Epilogue>> {
  static constexpr int count = Reductions<Epilogue>::count;
  static constexpr bool areAll = Reductions<Epilogue>::areAll;
  template <int I>
  static TWEED_HOST_DEVICE auto at(TransposedEpilogue<Epilogue> const& turned) {
    return turn(Reductions<Epilogue>::template at<I>(turned.epilogue));
  }

 private:
  template <bool IsPerRow, class Op, class Out>
  static TWEED_HOST_DEVICE AxisReduction<!IsPerRow, Op, Out> turn(
      AxisReduction<IsPerRow, Op, Out> const& reduction) {
    return {reduction.out, reduction.op};
  }
};

template <class Epilogue>
inline constexpr bool hasReductions = Reductions<Epilogue>::count > 0;

template <class Epilogue, int I>
using ReductionOf = decltype(Reductions<Epilogue>::template at<I>(declare<Epilogue const&>()));

// Partials: of reduction 0, then of reduction 1 and so on; of each the first part of all rows (or
// columns) of the batch, then the second part: partials[part * lines + matrix * m + row].
template <class Reduction, class Task>
TWEED_HOST_DEVICE long long reductionLines(Task const& task) {
  return (Reduction::isPerRow ? task.c.rows : task.c.columns) * task.c.batch;
}
template <class Part, class Reduction, class Task>
TWEED_HOST_DEVICE long long reductionParts(Task const& task) {
  return Reduction::isPerRow ? ceilDiv(task.c.columns, 0ll + Part::n)
                             : ceilDiv(task.c.rows, 0ll + Part::m);
}
// Where those of reduction I begin; where those of the last end, for I of their count.
template <class Part, int I, class Task>
TWEED_HOST_DEVICE long long partialsBefore(Task const& task) {
  if constexpr (I == 0) {
    return 0;
  } else {
    using Before = ReductionOf<typename Task::Epilogue, I - 1>;
    return partialsBefore<Part, I - 1>(task) +
           reductionLines<Before>(task) * reductionParts<Part, Before>(task);
  }
}

template <class Reduction, class Acc>
TWEED_HOST_DEVICE constexpr void checkReduction() {
  using Op = typename Reduction::Op;
  static_assert(isReduction<Op, Acc>,
                "tweed::matmul: a reduction of the epilogue needs Acc op(Acc, Acc)");
  static_assert(isCommutative<Op>, "tweed::matmul: a reduction of the epilogue is commutative");
  static_assert(hasIdentity<Op, Acc>, "tweed::matmul: a reduction of the epilogue has an identity");
}

}  // namespace detail
}  // namespace tweed
