// SPDX-License-Identifier: Apache-2.0
// benchmarks/block/blockScan.cu - an inclusive scan across a block, against CUB's algorithms.
#include "support/collective.cuh"

#include <tweed/block/blockScan.cuh>

#include <cub/block/block_scan.cuh>

namespace {

template <class T, class Op_, int Threads>
struct Form {
  using Value = T;
  using Op = Op_;
  static constexpr int threads = Threads;
  static constexpr int group = Threads;
  static constexpr bench::Answer answer = bench::Answer::Prefix;
};

template <class T, class Op, int Threads>
struct Tweed : Form<T, Op, Threads> {
  static __device__ T call(T value) {
    return tweed::blockInclusiveScan<Threads>(value, Op{}).prefix;
  }
};

template <class T, int Items, int Threads>
struct TweedItems : Form<T, tweed::Sum, Threads> {
  static __device__ T call(T value) {
    T items[Items];
    bench::spread(value, items);
    tweed::blockInclusiveScan<Threads>(items, tweed::Sum{});
    return items[Items - 1];
  }
};

// With the barrier that CUB asks for before its storage is used again.
template <class T, class Op, int Threads, cub::BlockScanAlgorithm Algorithm>
struct Cub : Form<T, Op, Threads> {
  static __device__ T call(T value) {
    using Scan = cub::BlockScan<T, Threads, Algorithm>;
    __shared__ typename Scan::TempStorage storage;
    T prefix;
    if constexpr (std::is_same_v<Op, tweed::Sum>) {
      Scan(storage).InclusiveSum(value, prefix);
    } else {
      Scan(storage).InclusiveScan(value, prefix, Op{});
    }
    __syncthreads();
    return prefix;
  }
};

template <class T, int Items, int Threads, cub::BlockScanAlgorithm Algorithm>
struct CubItems : Form<T, tweed::Sum, Threads> {
  static __device__ T call(T value) {
    using Scan = cub::BlockScan<T, Threads, Algorithm>;
    __shared__ typename Scan::TempStorage storage;
    T items[Items];
    bench::spread(value, items);
    Scan(storage).InclusiveSum(items, items);
    __syncthreads();
    return items[Items - 1];
  }
};

template <class T, class Op, int... Threads>
void addType(std::string const& type) {
  (bench::addLoads(
       type, Threads,
       [](bench::Case& to, bench::Load load) {
         bench::addForm<Tweed<T, Op, Threads>>(to, load, "tweed");
         bench::addForm<Cub<T, Op, Threads, cub::BLOCK_SCAN_RAKING>>(to, load, "cub.raking");
         bench::addForm<Cub<T, Op, Threads, cub::BLOCK_SCAN_RAKING_MEMOIZE>>(to, load,
                                                                             "cub.rakingMemoize");
         bench::addForm<Cub<T, Op, Threads, cub::BLOCK_SCAN_WARP_SCANS>>(to, load, "cub.warpScans");
       }),
   ...);
}

template <class T, int Items, int... Threads>
void addItems(std::string const& type) {
  (bench::addLoads(type + "x" + std::to_string(Items), Threads,
                   [](bench::Case& to, bench::Load load) {
                     bench::addForm<TweedItems<T, Items, Threads>>(to, load, "tweed");
                     bench::addForm<CubItems<T, Items, Threads, cub::BLOCK_SCAN_RAKING>>(
                         to, load, "cub.raking");
                     bench::addForm<CubItems<T, Items, Threads, cub::BLOCK_SCAN_RAKING_MEMOIZE>>(
                         to, load, "cub.rakingMemoize");
                     bench::addForm<CubItems<T, Items, Threads, cub::BLOCK_SCAN_WARP_SCANS>>(
                         to, load, "cub.warpScans");
                   }),
   ...);
}

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
  addType<float, tweed::Sum, 64, 128, 256, 512, 1024>("f32");
  addType<int, tweed::Sum, 64, 128, 256, 512, 1024>("i32");
  addType<double, tweed::Sum, 64, 128, 256, 512, 1024>("f64");
  addType<bench::Affine, bench::Compose, 64, 128, 256, 512, 1024>("affine");
  addItems<float, 4, 64, 128, 256, 512, 1024>("f32");
  addItems<int, 4, 64, 128, 256, 512, 1024>("i32");
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "blockScan", 12, addCases); }
