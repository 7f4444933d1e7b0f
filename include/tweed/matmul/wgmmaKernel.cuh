// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/wgmmaKernel.cuh - whole products by wgmma: the kernel, and what the host prepares.
#pragma once

#include <tweed/arch/overlap.cuh>
#include <tweed/launch/launch.cuh>
#include <tweed/matmul/task.cuh>
#include <tweed/matmul/wgmmaImage.cuh>
#include <tweed/matmul/wgmmaStore.cuh>
#include <tweed/memory/tensorMap.cuh>

// Hidden, as in launch.cuh.
#pragma GCC visibility push(hidden)
namespace tweed {

namespace detail {

// What the kernel knows besides the task. The tiles are counted in clusters.
struct WgmmaWork {
  TileOrder order;
  int tiles;
  int steps;  // of k, for a whole tile
  bool hasBatchA, hasBatchB;
  bool storesBoxes;  // C by the copy engine
};

// The tiles of a block: cluster by cluster through the order.
template <class Config>
struct WgmmaTiles {
  WgmmaWork const& work;
  int first, stride;  // clusters
  int rank;           // in the cluster

  TWEED_DEVICE explicit WgmmaTiles(WgmmaWork const& w)
      : work(w),
        first(int(blockIdx.x) / Config::clusterBlocks),
        stride(int(gridDim.x) / Config::clusterBlocks),
        rank(int(blockIdx.x) % Config::clusterBlocks) {}

  TWEED_DEVICE bool operator()(int i, WgmmaTile& tile) const {
    int const t = first + i * stride;
    if (t >= work.tiles) return false;
    TileIndex const at = work.order.at(t);
    tile.row = (at.row * Config::clusterRows + (Config::clusterRows > 1 ? rank : 0)) * Config::m;
    tile.column = at.column * Config::n;
    tile.kBegin = Config::splitK > 1 ? share(rank) : 0;
    tile.kEnd = Config::splitK > 1 ? share(rank + 1) : work.steps;
    // An empty share becomes a step beyond k, which counts as 0.
    if (tile.kEnd <= tile.kBegin) tile.kBegin = work.steps + 1, tile.kEnd = work.steps + 2;
    tile.matrix = at.matrix;
    tile.matrixA = work.hasBatchA ? at.matrix : 0;
    tile.matrixB = work.hasBatchB ? at.matrix : 0;
    return true;
  }
  TWEED_DEVICE int share(int part) const { return int(1ll * work.steps * part / Config::splitK); }
};

template <class Config, class Task>
struct WgmmaBody {
  using T = RemoveConst<typename Task::A::Item>;
  using Matmul = WgmmaMatmul<Config, T, majorOfA<typename Task::A::Layout>,
                             majorOfB<typename Task::B::Layout>, typename Task::C::Item>;
  using Accumulator = typename Matmul::Accumulator;

  static TWEED_DEVICE void run(Task const& task, WgmmaWork const& work, arch::TensorMap const* a,
                               arch::TensorMap const* b, arch::TensorMap const* c) {
    arch::letNextStart();
    Matmul matmul(static_cast<unsigned char*>(arch::dynamicShared()), a, b);
    arch::waitForPrevious();
    WgmmaTiles<Config> const tiles(work);
    if constexpr (Config::splitK == 1) {
      WgmmaStore<Matmul, Task> store(matmul, task, work.storesBoxes ? c : nullptr);
      matmul.run(tiles, store);
      store.finish();
    } else {
      matmul.run(tiles, [&](Accumulator const& sums, WgmmaTile const&) { keep(matmul, sums); });
      arch::syncCluster();
      addUp(matmul, tiles, task);
    }
    matmul.finish();
  }

  // Splitting k. Four sums of a thread are a piece of 16 bytes; a piece stands where a warp's are
  // side by side, over the stages, which nobody uses any more.
  static constexpr int pieces = Config::fragments * Config::registers / 4;  // a thread
  static constexpr int consumerThreads = Config::consumers * 128;

  static TWEED_DEVICE void keep(Matmul const& matmul, Accumulator const& sums) {
    static_assert(pieces * consumerThreads * 16 <= Matmul::Memory::ring,
                  "tweed: the stages are smaller than the tile's sums; take more stages");
    Matmul::syncConsumers();  // the others' products still read the stages
    int const t = int(threadIdx.x) - 128;
#pragma unroll
    for (int piece = 0; piece < pieces; ++piece) {
      float const* const value =
          &sums.value[piece * 4 / Config::registers][piece * 4 % Config::registers];
      float4 const four = {value[0], value[1], value[2], value[3]};
      *reinterpret_cast<float4*>(matmul.shared() + (piece * consumerThreads + t) * 16) = four;
    }
  }

  // Each block of the cluster finishes its share of the pieces.
  static TWEED_DEVICE void addUp(Matmul const& matmul, WgmmaTiles<Config> const& tiles,
                                 Task const& task) {
    constexpr int all = pieces * consumerThreads;
    WgmmaTile tile;
    if (!tiles(0, tile)) return;
    int const end = all * (tiles.rank + 1) / Config::splitK;
    for (int p = all * tiles.rank / Config::splitK + int(threadIdx.x); p < end;
         p += Config::threads) {
      float sum[4] = {};
#pragma unroll
      for (int block = 0; block < Config::splitK; ++block) {
        auto const part =
            __builtin_bit_cast(float4, arch::loadCluster(arch::clusterAddress(
                                           matmul.address() + unsigned(p) * 16, unsigned(block))));
        sum[0] += part.x, sum[1] += part.y, sum[2] += part.z, sum[3] += part.w;
      }
      int const t = p % consumerThreads;
      int const fragment = p / consumerThreads * 4 / Config::registers;
      int const i = p / consumerThreads * 4 % Config::registers;
      int const row =
          tile.row + (t / 128 * Config::fragments + fragment) * 64 + t % 128 / 32 * 16 + t % 32 / 4;
      int const column = tile.column + i * 2 + t % 4 * 2;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        Coord const at{row + j / 2 * 8, column + j % 2, tile.matrix};
        if (at.row < task.m() && at.column < task.n()) task.store(sum[j], at);
      }
    }
  }
};

// Of a type that depends on a parameter, so that only what is chosen is instantiated.
template <class>
inline constexpr bool isWgmmaTarget = arch::hasWgmma;

template <class Config, class Task>
TWEED_KERNEL void __launch_bounds__(Config::threads, 1)
    wgmmaKernel(arch::TensorMap const __grid_constant__ a,
                arch::TensorMap const __grid_constant__ b,
                arch::TensorMap const __grid_constant__ c, Task const __grid_constant__ task,
                WgmmaWork const __grid_constant__ work) {
  if constexpr (isWgmmaTarget<Task>) {
    WgmmaBody<Config, Task>::run(task, work, &a, &b, &c);
  } else {
    arch::stopWithoutWgmma();
  }
}

template <class T>
inline constexpr TensorShape::Element tensorElement =
    isSame<T, __half>          ? TensorShape::Element::Half
    : isSame<T, __nv_bfloat16> ? TensorShape::Element::Bfloat16
                               : TensorShape::Element::Tf32;

// A view as the copy engine sees it; its dimension x is the one in which items are neighbours.
template <class T, class Layout>
TensorShape tensorShapeOf(MatrixView<T, Layout> const& view, unsigned boxX, unsigned boxY,
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
///          that is no multiple of 16 bytes; more than 2^31 - 1 tiles; a device or an image without
///          wgmma.
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
  explicit WgmmaProduct(Task const& task) : task_(task), work_{}, blocks_(0) {
    if (!imageHasWgmma())
      detail::fail(
          cudaErrorNotSupported,
          "tweed::WgmmaProduct: wgmma needs a device of compute capability 9.0 and code for "
          "sm_90a: pass -gencode=arch=compute_90a,code=sm_90a to nvcc, or "
          "CMAKE_CUDA_ARCHITECTURES=90a-real");
    int const rows = ceilDiv(ceilDiv(task.m(), Config::m), Config::clusterRows);
    work_.order = {rows, ceilDiv(task.n(), Config::n), task.batch(),
                   Config::groupRows / Config::clusterRows};
    long long const tiles = work_.order.count();
    if (tiles * Config::clusterBlocks > 0x7fffffff)
      detail::fail(cudaErrorInvalidValue, "tweed::WgmmaProduct: C has " +
                                              std::to_string(tiles * Config::clusterBlocks) +
                                              " tiles; at most 2147483647 are allowed");
    work_.tiles = int(tiles);
    if (tiles == 0) return;
    // An empty k is a step beyond matrices of one: zeros are loaded, and no memory is read.
    Task loaded = task;
    if (task.k() == 0) {
      auto const nowhere = reinterpret_cast<std::uintptr_t>(task.c.data) / 16 * 16;
      loaded.a.data = reinterpret_cast<T const*>(nowhere);
      loaded.b.data = reinterpret_cast<T const*>(nowhere);
      loaded.a.columns = loaded.b.rows = 1;
      loaded.a.leadingDimension = roundUp(larger(task.m(), 1), 16);
      loaded.b.leadingDimension = roundUp(larger(task.n(), 1), 16);
      loaded.a.batchStride = loaded.b.batchStride = 0;
    }
    work_.steps = ceilDiv(task.k(), Matmul::k);
    work_.hasBatchA = loaded.a.batchStride != 0;
    work_.hasBatchB = loaded.b.batchStride != 0;
    a_ = makeTensorMap(Task::nameOfA, loaded.a.data, shapeA(loaded));
    b_ = makeTensorMap(Task::nameOfB, loaded.b.data, shapeB(loaded));
    constexpr auto elementOfC =
        isSame<Item, float> ? TensorShape::Element::Float : detail::tensorElement<Item>;
    TensorShape const shapeC =
        detail::tensorShapeOf(task.c, Store::boxItems, Store::boxRows, elementOfC);
    // The copy engine writes whole pieces of 16 bytes, also at the end of a row.
    work_.storesBoxes = Config::splitK == 1 && task.n() * sizeof(Item) % 16 == 0 &&
                        detail::tensorMapComplaint(task.c.data, shapeC).empty();
    if (work_.storesBoxes) c_ = makeTensorMap("C", task.c.data, shapeC);
    long long const resident =
        Config::splitK > 1 ? tiles
                           : deviceAttribute(cudaDevAttrMultiProcessorCount, currentDevice()) /
                                 Config::clusterBlocks;
    blocks_ = int(smaller(tiles, resident)) * Config::clusterBlocks;
  }

  /// Why the copy engine cannot load A or B of this task; empty if it can.
  static std::string refusal(Task const& task) {
    std::string const a = detail::tensorMapComplaint(task.a.data, shapeA(task));
    if (!a.empty()) return std::string(Task::nameOfA) + " " + a;
    std::string const b = detail::tensorMapComplaint(task.b.data, shapeB(task));
    return b.empty() ? "" : std::string(Task::nameOfB) + " " + b;
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
    if constexpr (detail::isWgmmaTarget<Task>)  // else the constructor has thrown
      tweed::launch(detail::wgmmaKernel<Config, Task>, config, a_, b_, c_, task, work_);
  }

 private:
  static constexpr auto element = detail::tensorElement<T>;
  static TensorShape shapeA(Task const& task) {
    return detail::tensorShapeOf(task.a, Matmul::boxA(0), Matmul::boxA(1), element);
  }
  static TensorShape shapeB(Task const& task) {
    return detail::tensorShapeOf(task.b, Matmul::boxB(0), Matmul::boxB(1), element);
  }

  Task task_;
  detail::WgmmaWork work_;
  int blocks_;
  arch::TensorMap a_{}, b_{}, c_{};
};

}  // namespace tweed
#pragma GCC visibility pop
