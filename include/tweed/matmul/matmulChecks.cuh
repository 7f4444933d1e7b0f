// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/matmulChecks.cuh - what matmul() refuses, and the sentences that say why.
#pragma once

#include <tweed/core/error.cuh>
#include <tweed/core/view.cuh>
#include <tweed/matmul/epiloguePieces.cuh>
#include <tweed/matmul/reductions.cuh>

#if !defined(__CUDACC_RTC__)

namespace tweed {
namespace detail {

inline constexpr char const* matmulName = "tweed::matmul: ";

[[noreturn]] inline void refuseMatmul(std::string const& text) {
  fail(cudaErrorInvalidValue, matmulName + text);
}

inline std::string number(long long value) { return std::to_string(value); }

template <class View>
std::string shapeText(View const& view) {
  return number(view.rows) + " x " + number(view.columns);
}

/// A batch of matrices as runs of neighbours in memory: those of a row or of a column.
struct Runs {
  long long first;        // address of the first one's first byte
  long long bytes;        // of a run
  long long count;        // of a matrix
  long long pitch;        // bytes from one to the next; 0 if there is one
  long long matrices;     // that are apart from each other
  long long matrixPitch;  // bytes; may be negative

  bool isEmpty() const { return bytes == 0 || count == 0 || matrices == 0; }
  long long matrixBytes() const { return (count - 1) * pitch + bytes; }
  long long begin() const { return first + smaller(0ll, (matrices - 1) * matrixPitch); }
  long long end() const {
    return first + larger(0ll, (matrices - 1) * matrixPitch) + matrixBytes();
  }
};

template <class View>
Runs runsOf(View const& v) {
  constexpr long long itemBytes = sizeof(typename View::Item);
  long long const items = View::isRowMajor ? v.columns : v.rows;
  long long const count = View::isRowMajor ? v.rows : v.columns;
  bool const isOne = v.batch <= 1 || v.batchStride == 0;
  return {static_cast<long long>(reinterpret_cast<std::size_t>(v.data)),
          items * itemBytes,
          count,
          count > 1 ? v.leadingDimension * itemBytes : 0,
          isOne ? smaller(v.batch, 1ll) : v.batch,
          isOne ? 0 : v.batchStride * itemBytes};
}

// Whether the bytes from `begin` to `end` meet a run of a matrix that starts at `first`.
inline bool meetsRun(Runs const& runs, long long first, long long begin, long long end) {
  long long const from = begin - first, to = end - first;  // counted from the first run
  if (to <= 0 || from >= runs.matrixBytes()) return false;
  if (from <= 0) return true;
  long long const run = runs.pitch > 0 ? from / runs.pitch : 0;  // that begins at or before `from`
  if (from - run * runs.pitch < runs.bytes) return true;
  return run + 1 < runs.count && (run + 1) * runs.pitch < to;
}

// Whether two are different columns of one larger matrix: what part of its rows they take says so,
// however many rows there are.
inline bool areBeside(Runs const& a, Runs const& b) {
  long long const pitch = a.pitch;
  if (pitch <= 0 || b.pitch != pitch) return false;
  if (a.matrixPitch % pitch != 0 || b.matrixPitch % pitch != 0) return false;
  long long const difference = (b.first - a.first) % pitch;
  long long const behind = difference < 0 ? difference + pitch : difference;
  return behind >= a.bytes && behind + b.bytes <= pitch;
}

// Whether two matrices share a byte. Those that are interleaved do not: then each run of the first
// is held against the second.
inline bool overlap(Runs const& a, Runs const& b) {
  if (a.isEmpty() || b.isEmpty()) return false;
  if (a.end() <= b.begin() || b.end() <= a.begin() || areBeside(a, b)) return false;
  for (long long i = 0; i < a.matrices; ++i) {
    long long const matrix = a.first + i * a.matrixPitch;
    if (matrix + a.matrixBytes() <= b.begin() || b.end() <= matrix) continue;
    for (long long run = 0; run < a.count; ++run) {
      long long const begin = matrix + run * a.pitch;
      for (long long j = 0; j < b.matrices; ++j)
        if (meetsRun(b, b.first + j * b.matrixPitch, begin, begin + a.bytes)) return true;
    }
  }
  return false;
}

// Whether the matrices of a batch are apart: one behind another, or side by side in each row.
inline bool areApart(Runs const& runs) {
  if (runs.isEmpty() || runs.matrices == 1) return true;
  long long const step = runs.matrixPitch < 0 ? -runs.matrixPitch : runs.matrixPitch;
  bool const isBehind = step >= runs.matrixBytes();
  bool const isBeside = step >= runs.bytes && (runs.matrices - 1) * step + runs.bytes <= runs.pitch;
  return isBehind || isBeside;
}

// What is asked of each operand by itself. `name`: A, B or C.
template <class View>
void checkOperand(char const* name, View const& view) {
  constexpr long long most = 0x7fffffff;
  std::string const of = name;
  struct {
    char const* what;
    long long value;
  } const sizes[] = {{" rows", view.rows}, {" columns", view.columns}, {" matrices", view.batch}};
  for (auto const& size : sizes)
    if (size.value < 0 || size.value > most)
      refuseMatmul(of + " has " + number(size.value) + size.what + "; 0 to " + number(most) +
                   " are allowed");
  long long const run = View::isRowMajor ? view.columns : view.rows;
  if (view.leadingDimension < run)
    refuseMatmul(of + "'s leading dimension is " + number(view.leadingDimension) + "; at least " +
                 number(run) + ", the number of its " + (View::isRowMajor ? "columns" : "rows") +
                 ", is needed");
}

template <class View>
void checkPointer(char const* name, View const& view) {
  std::string const of = name;
  bool const isEmpty = view.rows == 0 || view.columns == 0 || view.batch == 0;
  if (isEmpty) return;
  if (view.data == nullptr)
    refuseMatmul(of + " is a null pointer, with " + shapeText(view) + " items");
  constexpr std::size_t alignment = alignof(typename View::Item);
  if (reinterpret_cast<std::size_t>(view.data) % alignment != 0)
    refuseMatmul(of + " is " + number(reinterpret_cast<std::size_t>(view.data) % alignment) +
                 " bytes behind a multiple of " + number(alignment) + ", its items' alignment");
}

template <class T>
auto refusalOf(T const& piece, long long rows, long long columns, long long batch, int)
    -> decltype(piece.refusal(rows, columns, batch)) {
  return piece.refusal(rows, columns, batch);
}
template <class T>
std::string refusalOf(T const&, long long, long long, long long, long) {
  return "";
}
template <class First, class Second>
std::string refusalOf(Chain<First, Second> const& chain, long long rows, long long columns,
                      long long batch, int) {
  std::string const first = refusalOf(chain.first, rows, columns, batch, 0);
  return first.empty() ? refusalOf(chain.second, rows, columns, batch, 0) : first;
}

// Whether each item of one view stands where that of the other does. Both have the same shape.
template <class View, class Other>
bool areSameItems(View const& a, Other const& b) {
  auto const rowStep = [](auto const& v) { return v.isRowMajor ? v.leadingDimension : 1ll; };
  auto const columnStep = [](auto const& v) { return v.isRowMajor ? 1ll : v.leadingDimension; };
  return static_cast<void const*>(a.data) == static_cast<void const*>(b.data) &&
         sizeof(*a.data) == sizeof(*b.data) && (a.rows == 1 || rowStep(a) == rowStep(b)) &&
         (a.columns == 1 || columnStep(a) == columnStep(b)) &&
         (a.batch == 1 || a.batchStride == b.batchStride);
}

// What an epilogue reads of C but where it writes: then some items would be read behind their
// write.
template <class C, class T>
std::string overlapOf(C const&, T const&) {
  return "";
}
template <class C, class View>
std::string overlapOf(C const& c, Residual<View> const& piece) {
  if (areSameItems(c, piece.view) || !overlap(runsOf(c), runsOf(piece.view))) return "";
  return "residual: it overlaps C, which is written while it is read; it may only be C itself";
}
template <class C, class First, class Second>
std::string overlapOf(C const& c, Chain<First, Second> const& chain) {
  std::string const first = overlapOf(c, chain.first);
  return first.empty() ? overlapOf(c, chain.second) : first;
}

// What the reductions of an epilogue write, in their order.
struct ReductionOutput {
  char const* name;
  Runs items;
};
template <int I, class C, class Epilogue>
void listOutputs([[maybe_unused]] C const& c, [[maybe_unused]] Epilogue const& epilogue,
                 [[maybe_unused]] ReductionOutput* list) {
  if constexpr (I < Reductions<Epilogue>::count) {
    auto const reduction = Reductions<Epilogue>::template at<I>(epilogue);
    constexpr long long itemBytes = sizeof(*reduction.out);
    long long const lines = (reduction.isPerRow ? c.rows : c.columns) * c.batch;
    list[I] = {reduction.isPerRow ? "row" : "column",
               {static_cast<long long>(reinterpret_cast<std::size_t>(reduction.out)),
                lines * itemBytes, 1, 0, 1, 0}};
    listOutputs<I + 1>(c, epilogue, list);
  }
}

// A reduction shares no byte with what else is written, nor with A and B, which stay as they are.
template <class A, class B, class C, class Epilogue>
std::string reductionOverlap(A const& a, B const& b, C const& c, Epilogue const& epilogue) {
  constexpr int count = Reductions<Epilogue>::count;
  ReductionOutput outs[count];
  listOutputs<0>(c, epilogue, outs);
  for (int i = 0; i < count; ++i) {
    auto const meets = [&](auto const& view) {
      return view.data != nullptr && overlap(outs[i].items, runsOf(view));
    };
    char const* const met = meets(c) ? "C" : meets(a) ? "A" : meets(b) ? "B" : nullptr;
    std::string const text = std::string(outs[i].name) + " reduction: what it writes overlaps ";
    if (met != nullptr) return text + met;
    for (int j = 0; j < i; ++j)
      if (overlap(outs[i].items, outs[j].items))
        return text + "what the " + outs[j].name + " reduction before it writes";
  }
  return "";
}

// Pieces that are never called are not asked, but reductions write also of no items.
template <class A, class B, class C, class Epilogue>
void checkEpilogue([[maybe_unused]] A const& a, [[maybe_unused]] B const& b, C const& c,
                   Epilogue const& epilogue) {
  bool const isEmpty = c.rows == 0 || c.columns == 0 || c.batch == 0;
  if (isEmpty && !hasReductions<Epilogue>) return;
  std::string refusal = refusalOf(epilogue, c.rows, c.columns, c.batch, 0);
  if (refusal.empty() && !isEmpty) refusal = overlapOf(c, epilogue);
  if constexpr (hasReductions<Epilogue>)
    if (refusal.empty()) refusal = reductionOverlap(a, b, c, epilogue);
  if (!refusal.empty()) refuseMatmul("the epilogue's " + refusal);
}

// Refuses operands that make no product. Empty ones are none's business but the shapes'.
template <class A, class B, class C, class Epilogue>
void checkMatmul(A const& a, B const& b, C const& c, Epilogue const& epilogue) {
  checkOperand("A", a);
  checkOperand("B", b);
  checkOperand("C", c);
  if (a.columns != b.rows)
    refuseMatmul("A is " + shapeText(a) + " and B " + shapeText(b) +
                 "; A must have as many columns as B has rows");
  if (a.rows != c.rows || b.columns != c.columns)
    refuseMatmul("A is " + shapeText(a) + " and B " + shapeText(b) + ", so C must be " +
                 number(a.rows) + " x " + number(b.columns) + "; it is " + shapeText(c));
  if ((a.batch != c.batch && a.batch != 1) || (b.batch != c.batch && b.batch != 1))
    refuseMatmul("A is a batch of " + number(a.batch) + ", B of " + number(b.batch) + " and C of " +
                 number(c.batch) + "; A and B have as many matrices as C, or 1 for all");
  if (c.rows == 0 || c.columns == 0 || c.batch == 0) return checkEpilogue(a, b, c, epilogue);
  checkPointer("A", a);
  checkPointer("B", b);
  checkPointer("C", c);
  Runs const out = runsOf(c);
  if (c.batch > 1 && (c.batchStride == 0 || !areApart(out)))
    refuseMatmul("the matrices of C overlap: they are " + number(c.batchStride) +
                 " items apart, with " + shapeText(c) + " items and a leading dimension of " +
                 number(c.leadingDimension));
  if (overlap(out, runsOf(a))) refuseMatmul("C overlaps A, which is read while C is written");
  if (overlap(out, runsOf(b))) refuseMatmul("C overlaps B, which is read while C is written");
  checkEpilogue(a, b, c, epilogue);
}

}  // namespace detail
}  // namespace tweed

#endif  // !defined(__CUDACC_RTC__)
