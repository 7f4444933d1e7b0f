// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/task.cuh - one product as the kernels take it.
#pragma once

#include <tweed/core/accumulator.cuh>
#include <tweed/matmul/epilogue.cuh>
#include <tweed/matmul/loader.cuh>
#include <tweed/matmul/tileOrder.cuh>
#include <tweed/matmul/tileShape.cuh>

namespace tweed {

/// C = epilogue(A * B), of views with `const` items for A and B. C is row-major: a column-major one
/// is the transposed product, with A and B exchanged and the epilogue's coordinates too.
template <class A_, class B_, class C_, class Epilogue_>
struct MatmulTask {
  using A = A_;
  using B = B_;
  using C = C_;
  using Epilogue = Epilogue_;
  using Acc = AccumulatorOf<RemoveConst<typename A::Item>>;
  static_assert(C::isRowMajor, "tweed::MatmulTask: C is row-major");

  /// What the caller calls the operands: a transposed product has them exchanged.
  static constexpr bool isTransposed = detail::isTransposed<Epilogue>;
  static constexpr char const* nameOfA = isTransposed ? "B" : "A";
  static constexpr char const* nameOfB = isTransposed ? "A" : "B";

  A a;  ///< m x k
  B b;  ///< k x n
  C c;  ///< m x n
  Epilogue epilogue;
  Acc* partials = nullptr;  ///< of the epilogue's reductions, if it has any: see tileReduce.cuh

  TWEED_HOST_DEVICE int m() const { return int(c.rows); }
  TWEED_HOST_DEVICE int n() const { return int(c.columns); }
  TWEED_HOST_DEVICE int k() const { return int(a.columns); }
  TWEED_HOST_DEVICE int batch() const { return int(c.batch); }

  /// The tiles that cover C.
  template <class Shape>
  TWEED_HOST_DEVICE TileOrder order(int groupRows = 16) const {
    return {ceilDiv(m(), Shape::m), ceilDiv(n(), Shape::n), batch(), groupRows};
  }

  /// Finishes an item of C and stores it. Returns it as it was before it became an item of C, for
  /// the reductions.
  template <class Acc>
  TWEED_DEVICE Acc store(Acc value, Coord at) const {
    auto& item = c(at.row, at.column, at.matrix);
    using Item = typename C::Item;
    Acc const finished = detail::finish(epilogue, value, at, [&] { return item; });
    item = Item(finished);
    return finished;
  }
};

}  // namespace tweed
