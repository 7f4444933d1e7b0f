// SPDX-License-Identifier: Apache-2.0
// benchmarks/warp/warpScan.cu - an inclusive scan across a warp, against CUB's. Latency: one warp;
// full: blocks of 256.
#include "support/collective.cuh"

#include <tweed/warp/warpScan.cuh>

#include <cub/warp/warp_scan.cuh>

namespace {

template <class T, int Threads>
struct Form {
  using Value = T;
  using Op = tweed::Sum;
  static constexpr int threads = Threads;
  static constexpr int group = 32;
  static constexpr bench::Answer answer = bench::Answer::Prefix;
};

template <class T, int Threads>
struct Tweed : Form<T, Threads> {
  static __device__ T call(T value) { return tweed::warpInclusiveScan(value, tweed::Sum{}).prefix; }
};

template <class T, int Threads>
struct Cub : Form<T, Threads> {
  static __device__ T call(T value) {
    using Scan = cub::WarpScan<T>;
    __shared__ typename Scan::TempStorage storage[Threads / 32];
    T prefix;
    Scan(storage[threadIdx.x / 32]).InclusiveSum(value, prefix);
    return prefix;
  }
};

template <class T, int Threads>
void addThreads(std::string const& type, bench::Load load) {
  bench::Case& to =
      bench::addCase(type + "/" + bench::nameOf(load) + "/threads:" + std::to_string(Threads));
  bench::addForm<Tweed<T, Threads>>(to, load, "tweed");
  bench::addForm<Cub<T, Threads>>(to, load, "cub");
}

template <class T>
void addType(std::string const& type) {
  addThreads<T, 32>(type, bench::Load::Latency);
  addThreads<T, 256>(type, bench::Load::Full);
}

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
  addType<float>("f32");
  addType<double>("f64");
  addType<int>("i32");
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "warpScan", 12, addCases); }
