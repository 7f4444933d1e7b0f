// SPDX-License-Identifier: Apache-2.0
// benchmarks/warp/warpScan.cu - an inclusive scan across a warp, against CUB's. Latency: one warp;
// full: blocks of 256.
#include "support/collective.cuh"

#include <tweed/warp/warpScan.cuh>

#include <cub/warp/warp_scan.cuh>

namespace {

template <class T, class Op_, int Threads>
struct Form {
  using Value = T;
  using Op = Op_;
  static constexpr int threads = Threads;
  static constexpr int group = 32;
  static constexpr bench::Answer answer = bench::Answer::Prefix;
};

template <class T, class Op, int Threads>
struct Tweed : Form<T, Op, Threads> {
  static __device__ T call(T value) { return tweed::warpInclusiveScan(value, Op{}).prefix; }
};

template <class T, class Op, int Threads>
struct Cub : Form<T, Op, Threads> {
  static __device__ T call(T value) {
    using Scan = cub::WarpScan<T>;
    __shared__ typename Scan::TempStorage storage[Threads / 32];
    T prefix;
    if constexpr (std::is_same_v<Op, tweed::Sum>) {
      Scan(storage[threadIdx.x / 32]).InclusiveSum(value, prefix);
    } else {
      Scan(storage[threadIdx.x / 32]).InclusiveScan(value, prefix, Op{});
    }
    return prefix;
  }
};

template <class T, class Op, int Threads>
void addThreads(std::string const& type, bench::Load load) {
  bench::Case& to =
      bench::addCase(type + "/" + bench::nameOf(load) + "/threads:" + std::to_string(Threads));
  bench::addForm<Tweed<T, Op, Threads>>(to, load, "tweed");
  bench::addForm<Cub<T, Op, Threads>>(to, load, "cub");
}

template <class T, class Op>
void addType(std::string const& type) {
  addThreads<T, Op, 32>(type, bench::Load::Latency);
  addThreads<T, Op, 256>(type, bench::Load::Full);
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
