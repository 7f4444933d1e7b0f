// SPDX-License-Identifier: Apache-2.0
// benchmarks/block/blockScan.cu - scans across a block, against CUB's algorithms.
#include "support/collective.cuh"

#include <tweed/block/blockScan.cuh>

#include <cub/block/block_scan.cuh>

namespace {

using bench::Answer;

template <class T, class Op, int Threads, Answer What>
struct Tweed : bench::FormOf<T, Op, Threads, What> {
  static __device__ T call(T value) {
    if constexpr (What == Answer::Prefix) {
      return tweed::blockInclusiveScan<Threads>(value, Op{}).prefix;
    } else {
      return tweed::blockExclusiveScan<Threads>(value, Op{}, bench::neutral<T>()).prefix;
    }
  }
};

template <class T, int Items, int Threads>
struct TweedItems : bench::FormOf<T, tweed::Sum, Threads, Answer::Prefix> {
  static __device__ T call(T value) {
    T items[Items];
    bench::spread(value, items);
    tweed::blockInclusiveScan<Threads>(items, tweed::Sum{});
    return items[Items - 1];
  }
};

// With the barrier that CUB asks for before its storage is used again.
template <class T, class Op, int Threads, Answer What, cub::BlockScanAlgorithm Algorithm>
struct Cub : bench::FormOf<T, Op, Threads, What> {
  static __device__ T call(T value) {
    using Scan = cub::BlockScan<T, Threads, Algorithm>;
    __shared__ typename Scan::TempStorage storage;
    constexpr bool isSum = std::is_same_v<Op, tweed::Sum>;
    T prefix;
    if constexpr (isSum && What == Answer::Prefix) {
      Scan(storage).InclusiveSum(value, prefix);
    } else if constexpr (isSum) {
      Scan(storage).ExclusiveSum(value, prefix);
    } else if constexpr (What == Answer::Prefix) {
      Scan(storage).InclusiveScan(value, prefix, Op{});
    } else {
      Scan(storage).ExclusiveScan(value, prefix, bench::neutral<T>(), Op{});
    }
    __syncthreads();
    return prefix;
  }
};

template <class T, int Items, int Threads, cub::BlockScanAlgorithm Algorithm>
struct CubItems : bench::FormOf<T, tweed::Sum, Threads, Answer::Prefix> {
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

template <class T, class Op, Answer What, int Threads>
void addScan(bench::Case& to, bench::Load load) {
  bench::addForm<Tweed<T, Op, Threads, What>>(to, load, "tweed");
  bench::addForm<Cub<T, Op, Threads, What, cub::BLOCK_SCAN_RAKING>>(to, load, "cub.raking");
  bench::addForm<Cub<T, Op, Threads, What, cub::BLOCK_SCAN_RAKING_MEMOIZE>>(to, load,
                                                                            "cub.rakingMemoize");
  bench::addForm<Cub<T, Op, Threads, What, cub::BLOCK_SCAN_WARP_SCANS>>(to, load, "cub.warpScans");
}

template <class T, class Op, int... Threads>
void addType(std::string const& type) {
  (bench::addLoads(type, Threads, addScan<T, Op, Answer::Prefix, Threads>), ...);
  (bench::addLoads(type, "exclusive", Threads, addScan<T, Op, Answer::Before, Threads>), ...);
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
