// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/wgmmaProduct.cuh - whole products by wgmma, from the host.
#pragma once

#include <tweed/launch/launch.cuh>
#include <tweed/matmul/wgmmaImage.cuh>
#include <tweed/matmul/wgmmaKernel.cuh>
#include <tweed/memory/tensorMap.cuh>

// Hidden, as in launch.cuh.
#pragma GCC visibility push(hidden)
namespace tweed {

namespace detail {

template <class T>
inline constexpr TensorShape::Element tensorElement =
    isSame<T, __half>          ? TensorShape::Element::Half
    : isSame<T, __nv_bfloat16> ? TensorShape::Element::Bfloat16
                               : TensorShape::Element::Tf32;

// A view as the copy engine sees it: x is the dimension in which items are neighbours.
template <class T, class Layout>
TensorShape shapeOf(MatrixView<T, Layout> const& view, unsigned boxX, unsigned boxY,
                    TensorShape::Element element) {
  bool const isRowMajor = isSame<Layout, RowMajor>;
  bool const hasBatch = view.batchStride != 0;
  return {element,
          {std::uint64_t(isRowMajor ? view.columns : view.rows),
           std::uint64_t(isRowMajor ? view.rows : view.columns),
           std::uint64_t(hasBatch ? view.batch : 1)},
          {std::uint64_t(view.leadingDimension) * sizeof(T),
           std::uint64_t(view.batchStride) * sizeof(T)},
          {boxX, boxY}};
}

// Whether the copy engine can load from a view where it stands: what tensorMapComplaint() finds in
// its address and strides, without a sentence.
template <class View>
bool isLoadable(View const& v) {
  constexpr long long mostItems = (1ll << 40) / static_cast<long long>(sizeof(typename View::Item));
  auto const isNear = [](long long stride) { return stride >= 0 && stride < mostItems; };
  bool const hasRuns = (View::isRowMajor ? v.rows : v.columns) > 1;
  return runAlignment(v) == 16 && (!hasRuns || isNear(v.leadingDimension)) &&
         (v.batch <= 1 || isNear(v.batchStride));
}

}  // namespace detail

/// One product by wgmma, prepared: launch it as often as its matrices stay where they are.
///
///     tweed::WgmmaProduct<tweed::WgmmaConfig<128, 256, 2, 4, 2>, Task> const product(task);
///     product.launch(stream);
///
/// Shape    any m, n and k from 0 on; A and B of __half, __nv_bfloat16 or float (as TF32), in any
///          layout (TF32: A row-major, B column-major), C of any of the three types.
/// Result   C = epilogue(A * B), summed in float; the same bits every time.
/// Sync     launch() is asynchronous, ordered by the stream, and can be captured.
/// Cost     of preparing: two or three tensor maps and some queries, a few microseconds on the
///          host.
/// Errors   compile time: types, layouts, shared memory. Throws tweed::Error, before anything is
///          written: A or B not aligned to 16 bytes, or with a leading dimension or a batch stride
///          that is no multiple of 16 bytes; more than 2^30 rows, columns or tiles; a device or an
///          image without wgmma.
template <class Config, class Task>
class WgmmaProduct {
  using Body = detail::WgmmaBody<Config, Task>;
  using Matmul = typename Body::Matmul;
  using Store = WgmmaStore<Matmul, Task>;
  using Item = typename Task::C::Item;
  using T = typename Body::T;
  static_assert(isSame<T, RemoveConst<typename Task::B::Item>>,
                "tweed::WgmmaProduct: A and B hold items of one type");

 public:
  /// Why this task cannot be computed so, as a sentence; empty if it can.
  static std::string complaint(Task const& task) {
    auto const number = [](long long n) { return std::to_string(n); };
    if (larger(task.m(), task.n()) > most)
      return "C is " + number(task.m()) + " x " + number(task.n()) + "; at most " + number(most) +
             " rows and columns are allowed";
    long long const tiles = orderOf(task).count() * Config::clusterBlocks;
    if (tiles > most)
      return "C has " + number(tiles) + " tiles; at most " + number(most) + " are allowed";
    if (tiles == 0 || task.k() == 0) return "";
    std::string const a = detail::tensorMapComplaint(task.a.data, shapeOfA(task));
    std::string const b = detail::tensorMapComplaint(task.b.data, shapeOfB(task));
    return !a.empty()   ? std::string(Task::nameOfA) + " " + a
           : !b.empty() ? std::string(Task::nameOfB) + " " + b
                        : "";
  }

  explicit WgmmaProduct(Task const& task) : task_(task), work_{}, blocks_(0) {
    if (!imageHasWgmma())
      detail::fail(
          cudaErrorNotSupported,
          "tweed::WgmmaProduct: wgmma needs a device of compute capability 9.0 and code for "
          "sm_90a: pass -gencode=arch=compute_90a,code=sm_90a to nvcc, or "
          "CMAKE_CUDA_ARCHITECTURES=90a-real");
    std::string const text = complaint(task);
    if (!text.empty()) detail::fail(cudaErrorInvalidValue, "tweed::WgmmaProduct: " + text);
    work_.order = orderOf(task);
    work_.tiles = int(work_.order.count());
    if (work_.tiles == 0) return;
    work_.steps = ceilDiv(task.k(), Matmul::k);
    work_.hasBatchA = task.k() > 0 && task.a.batchStride != 0;
    work_.hasBatchB = task.k() > 0 && task.b.batchStride != 0;
    if (task.k() > 0) {
      a_ = makeTensorMap(Task::nameOfA, task.a.data, shapeOfA(task));
      b_ = makeTensorMap(Task::nameOfB, task.b.data, shapeOfB(task));
    } else {
      // One step is loaded beyond a matrix of one item: zeros, and no memory is read.
      void const* const nowhere =
          reinterpret_cast<void const*>(reinterpret_cast<std::uintptr_t>(task.c.data) / 16 * 16);
      TensorShape nothing = shapeOfA(task);
      nothing.extent[0] = nothing.extent[1] = nothing.extent[2] = 1;
      a_ = makeTensorMap(Task::nameOfA, nowhere, nothing);
      nothing.box[1] = Matmul::boxB(1);
      b_ = makeTensorMap(Task::nameOfB, nowhere, nothing);
    }
    work_.storesBoxes = storesBoxes(task);
    if (work_.storesBoxes) c_ = makeTensorMap("C", task.c.data, shapeOfC(task));
    int const clusters = Config::splitK > 1
                             ? work_.tiles
                             : deviceAttribute(cudaDevAttrMultiProcessorCount, currentDevice()) /
                                   Config::clusterBlocks;
    blocks_ = smaller(work_.tiles, clusters) * Config::clusterBlocks;
  }

  /// `overlapPrevious`: LaunchConfig's, for which the kernel waits as it says. `partials`: the
  /// task's, which may be others at each launch.
  void launch(cudaStream_t stream, bool overlapPrevious = false,
              typename Task::Acc* partials = nullptr) const {
    if (blocks_ == 0) return;
    LaunchConfig config{blocks_, Config::threads, std::size_t(Matmul::sharedBytes), stream};
    config.cluster = Config::clusterBlocks;
    config.overlapPrevious = overlapPrevious;
    Task task = task_;
    task.partials = partials;
    // Named for whatever target: of several, nvcc has the host know the kernels of the last.
    tweed::launch(detail::wgmmaKernel<Config, Task>, config, a_, b_, c_, task, work_);
  }

 private:
  static constexpr int most = 1 << 30;  // so that no place beyond the last tile overflows

  static TileOrder orderOf(Task const& task) {
    return {ceilDiv(ceilDiv(task.m(), Config::m), Config::clusterRows),
            ceilDiv(task.n(), Config::n), task.batch(),
            larger(1, Config::groupRows / Config::clusterRows)};
  }
  static TensorShape shapeOfA(Task const& task) {
    return detail::shapeOf(task.a, Matmul::boxA(0), Matmul::boxA(1), detail::tensorElement<T>);
  }
  static TensorShape shapeOfB(Task const& task) {
    return detail::shapeOf(task.b, Matmul::boxB(0), Matmul::boxB(1), detail::tensorElement<T>);
  }
  static TensorShape shapeOfC(Task const& task) {
    return detail::shapeOf(
        task.c, Store::boxItems, Store::boxRows,
        isSame<Item, float> ? TensorShape::Element::Float : detail::tensorElement<Item>);
  }
  // The copy engine writes whole pieces of 16 bytes, also at the end of a row.
  static bool storesBoxes(Task const& task) {
    return Config::splitK == 1 && task.n() * sizeof(Item) % 16 == 0 &&
           detail::tensorMapComplaint(task.c.data, shapeOfC(task)).empty();
  }

  Task task_;
  detail::WgmmaWork work_;
  int blocks_;
  arch::TensorMap a_{}, b_{}, c_{};
};

}  // namespace tweed
#pragma GCC visibility pop
