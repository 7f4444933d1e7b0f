// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/packKernel.cuh - copy an operand to where the copy engine can load it.
#pragma once

#include <tweed/core/view.cuh>
#include <tweed/memory/loadStore.cuh>

#if !defined(__CUDACC_RTC__)

#include <tweed/launch/launch.cuh>

#include <cstddef>

// Hidden, as in launch/launch.cuh.
#pragma GCC visibility push(hidden)
namespace tweed {

namespace detail {

// Runs of neighbours, those of rows or of columns, counted in items.
struct PackShape {
  long long items;        // of a run
  long long runs;         // of a matrix
  long long matrices;     // that are apart
  long long pitch;        // from one run to the next
  long long stride;       // from one matrix to the next
  long long packedPitch;  // of the copies, which lie one behind another
};

inline constexpr int packThreads = 256;

// A thread makes 16 bytes at a time of words of WordItems, all loaded before the first is used.
template <int WordItems, class Item>
TWEED_KERNEL void __launch_bounds__(packThreads)
    packRuns(Item* to, Item const* from, PackShape const shape) {
  constexpr int pieceItems = 16 / int(sizeof(Item));
  long long const first =
      (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * pieceItems;
  long long const firstRun = static_cast<long long>(blockIdx.y) * blockDim.y + threadIdx.y;
  long long const runStep = static_cast<long long>(gridDim.y) * blockDim.y;
  if (first >= shape.items) return;
  for (long long matrix = blockIdx.z; matrix < shape.matrices; matrix += gridDim.z)
    for (long long run = firstRun; run < shape.runs; run += runStep) {
      Item const* const source = from + matrix * shape.stride + run * shape.pitch + first;
      Vector<Item, pieceItems> piece{};
      if (shape.items - first >= pieceItems) {
#pragma unroll
        for (int word = 0; word < pieceItems; word += WordItems) {
          auto const loaded = loadVector<WordItems>(source + word);
#pragma unroll
          for (int j = 0; j < WordItems; ++j) piece.item[word + j] = loaded.item[j];
        }
      } else {
#pragma unroll
        for (int j = 0; j < pieceItems; ++j)
          if (first + j < shape.items) piece.item[j] = loadVector<1>(source + j).item[0];
      }
      storeVector(to + (matrix * shape.runs + run) * shape.packedPitch + first, piece);
    }
}

// Of a copy: each run begins a line of the caches, so that a box of the copy engine, which is 128
// bytes wide, touches one of them and not two.
inline constexpr long long packedRunBytes = 128;

template <class T, class Layout>
PackShape packShape(MatrixView<T const, Layout> const& view) {
  constexpr bool isRowMajor = isSame<Layout, RowMajor>;
  static_assert(sizeof(T) == 2 || sizeof(T) == 4,
                "tweed::packMatrix: items have 2 bytes or 4, as those of tensor cores");
  long long const items = isRowMajor ? view.columns : view.rows;
  long long const runs = isRowMajor ? view.rows : view.columns;
  long long const matrices = view.batchStride == 0 ? smaller(view.batch, 1ll) : view.batch;
  long long const pitch = roundUp(items * static_cast<long long>(sizeof(T)), packedRunBytes);
  return {items,
          runs,
          matrices,
          view.leadingDimension,
          view.batchStride,
          pitch / static_cast<long long>(sizeof(T))};
}

}  // namespace detail

/// How many bytes the copy takes that packMatrix() makes of a view: whole lines of 128 bytes for
/// each run of neighbours. Of a batch that is one matrix for all it is that one's. As a double, so
/// that it does not overflow.
template <class T, class Layout>
double packedBytes(MatrixView<T const, Layout> const& view) {
  auto const shape = detail::packShape(view);
  return double(sizeof(T)) * double(shape.packedPitch) * double(shape.runs) *
         double(shape.matrices);
}

/// The copy of a view that packMatrix() makes in `memory`.
template <class T, class Layout>
MatrixView<T const, Layout> packedView(MatrixView<T const, Layout> const& view,
                                       void const* memory) {
  auto const shape = detail::packShape(view);
  MatrixView<T const, Layout> packed = view;
  packed.data = static_cast<T const*>(memory);
  packed.leadingDimension = shape.packedPitch;
  packed.batchStride = view.batchStride == 0 ? 0 : shape.runs * shape.packedPitch;
  return packed;
}

/// Copies a batch of matrices, of any alignment to its items, to runs that begin at multiples of
/// 128 bytes.
///
///     tweed::packMatrix(stream, a, memory);
///     auto const aligned = tweed::packedView(a, memory);
///
/// Shape    any size, layout, leading dimension and batch stride, also a negative one; of a batch
///          stride of 0 one matrix. Items of 2 or 4 bytes.
/// Result   the items, bit for bit. The last 16 bytes of a run that hold an item are filled up with
///          zeros, what else lies between two runs stays as it was.
/// Needs    `memory` of packedBytes(view) bytes, aligned to 128, apart from the view.
/// Sync     asynchronous, in order of the stream; can be captured. No items: nothing is launched.
/// Cost     one launch; each item is read once and written once. Loads are as wide as the view's
///          alignment lets them be, 2 to 8 bytes, stores 16.
/// Errors   compile time: the size of the items. Throws tweed::Error as launch() does.
template <class T, class Layout>
void packMatrix(cudaStream_t stream, MatrixView<T const, Layout> const& view, void* memory) {
  using Item = typename Conditional<sizeof(T) == 2, unsigned short, unsigned>::Type;
  auto const shape = detail::packShape(view);
  if (shape.items <= 0 || shape.runs <= 0 || shape.matrices <= 0) return;
  constexpr long long mostY = 1024, mostZ = 65535;  // blocks: more than there is room for at once
  long long const pieces = ceilDiv(shape.items, static_cast<long long>(16 / sizeof(T)));
  unsigned x = 1, y = 1;  // threads: of a run up to a warp, and so many runs
  while (x < 32 && x < pieces) x *= 2;
  while (x * y < detail::packThreads && y < shape.runs) y *= 2;
  LaunchConfig const config{Extent(ceilDiv(pieces, static_cast<long long>(x)),
                                   smaller(ceilDiv(shape.runs, static_cast<long long>(y)), mostY),
                                   smaller(shape.matrices, mostZ)),
                            dim3(x, y), 0, stream};
  auto* const to = static_cast<Item*>(memory);
  auto const* const from = reinterpret_cast<Item const*>(view.data);
  int const alignment = runAlignment(view);
  if (alignment >= 8)
    launch(detail::packRuns<8 / sizeof(T), Item>, config, to, from, shape);
  else if (alignment == 4)
    launch(detail::packRuns<4 / sizeof(T), Item>, config, to, from, shape);
  else
    launch(detail::packRuns<1, Item>, config, to, from, shape);
}

}  // namespace tweed
#pragma GCC visibility pop

#endif  // !defined(__CUDACC_RTC__)
