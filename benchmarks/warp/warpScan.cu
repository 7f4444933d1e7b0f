// SPDX-License-Identifier: Apache-2.0
// benchmarks/warp/warpScan.cu - scans across a warp, against CUB's. Latency: one warp; full: blocks
// of 256.
#include "support/collective.cuh"

#include <tweed/warp/warpScan.cuh>

#include <cub/warp/warp_scan.cuh>

namespace {

using bench::Answer;

template <class T, class Op, int Threads, Answer What>
struct Tweed : bench::FormOf<T, Op, Threads, What, 32> {
  static __device__ T call(T value) {
    if constexpr (What == Answer::Prefix) {
      return tweed::warpInclusiveScan(value, Op{}).prefix;
    } else {
      return tweed::warpExclusiveScan(value, Op{}, bench::neutral<T>()).prefix;
    }
  }
};

template <class T, class Op, int Threads, Answer What>
struct Cub : bench::FormOf<T, Op, Threads, What, 32> {
  static __device__ T call(T value) {
    using Scan = cub::WarpScan<T>;
    __shared__ typename Scan::TempStorage storage[Threads / 32];
    constexpr bool isSum = std::is_same_v<Op, tweed::Sum>;
    Scan scan(storage[threadIdx.x / 32]);
    T prefix;
    if constexpr (isSum && What == Answer::Prefix) {
      scan.InclusiveSum(value, prefix);
    } else if constexpr (isSum) {
      scan.ExclusiveSum(value, prefix);
    } else if constexpr (What == Answer::Prefix) {
      scan.InclusiveScan(value, prefix, Op{});
    } else {
      scan.ExclusiveScan(value, prefix, bench::neutral<T>(), Op{});
    }
    return prefix;
  }
};

template <class T, class Op, int Threads, Answer What>
void addThreads(std::string const& type, bench::Load load) {
  bench::Case& to = bench::addCase(type + "/" + bench::nameOf(load) +
                                   (What == Answer::Before ? "/exclusive" : "") +
                                   "/threads:" + std::to_string(Threads));
  bench::addForm<Tweed<T, Op, Threads, What>>(to, load, "tweed");
  bench::addForm<Cub<T, Op, Threads, What>>(to, load, "cub");
}

template <class T, class Op>
void addType(std::string const& type) {
  addThreads<T, Op, 32, Answer::Prefix>(type, bench::Load::Latency);
  addThreads<T, Op, 256, Answer::Prefix>(type, bench::Load::Full);
  addThreads<T, Op, 32, Answer::Before>(type, bench::Load::Latency);
  addThreads<T, Op, 256, Answer::Before>(type, bench::Load::Full);
}

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
  addType<float, tweed::Sum>("f32");
  addType<double, tweed::Sum>("f64");
  addType<int, tweed::Sum>("i32");
  addType<bench::Affine, bench::Compose>("affine");
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "warpScan", 12, addCases); }
