// SPDX-License-Identifier: Apache-2.0
// benchmarks/block/blockScan.cu - an inclusive scan across a block, against CUB's algorithms.
#include "support/collective.cuh"

#include <tweed/block/blockScan.cuh>

#include <cub/block/block_scan.cuh>

namespace {

template <class T, int Threads>
struct Form {
  using Value = T;
  using Op = tweed::Sum;
  static constexpr int threads = Threads;
  static constexpr int group = Threads;
  static constexpr bench::Answer answer = bench::Answer::Prefix;
};

template <class T, int Threads>
struct Tweed : Form<T, Threads> {
  static __device__ T call(T value) {
    return tweed::blockInclusiveScan<Threads>(value, tweed::Sum{}).prefix;
  }
};

// With the barrier that CUB asks for before its storage is used again.
template <class T, int Threads, cub::BlockScanAlgorithm Algorithm>
struct Cub : Form<T, Threads> {
  static __device__ T call(T value) {
    using Scan = cub::BlockScan<T, Threads, Algorithm>;
    __shared__ typename Scan::TempStorage storage;
    T prefix;
    Scan(storage).InclusiveSum(value, prefix);
    __syncthreads();
    return prefix;
  }
};

template <class T, int... Threads>
void addType(std::string const& type) {
  (bench::addLoads(
       type, Threads,
       [](bench::Case& to, bench::Load load) {
         bench::addForm<Tweed<T, Threads>>(to, load, "tweed");
         bench::addForm<Cub<T, Threads, cub::BLOCK_SCAN_RAKING>>(to, load, "cub.raking");
         bench::addForm<Cub<T, Threads, cub::BLOCK_SCAN_RAKING_MEMOIZE>>(to, load,
                                                                         "cub.rakingMemoize");
         bench::addForm<Cub<T, Threads, cub::BLOCK_SCAN_WARP_SCANS>>(to, load, "cub.warpScans");
       }),
   ...);
}

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
  addType<float, 128, 256, 512, 1024>("f32");
  addType<int, 128, 256, 512, 1024>("i32");
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "blockScan", 12, addCases); }
