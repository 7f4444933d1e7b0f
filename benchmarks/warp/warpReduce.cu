// SPDX-License-Identifier: Apache-2.0
// benchmarks/warp/warpReduce.cu - a reduction across a warp, against CUB's. Latency: one warp;
// full: blocks of 256.
#include "support/collective.cuh"

#include <tweed/warp/warpReduce.cuh>

#include <cub/warp/warp_reduce.cuh>

namespace {

using bench::Answer;

template <class T, class Op, int Threads, int Width = 32>
struct Tweed : bench::FormOf<T, Op, Threads, Answer::Every, Width> {
  static __device__ T call(T value) { return tweed::warpReduce<Width>(value, Op{}); }
};

template <class T, class Op, int Threads>
struct ToFirst : bench::FormOf<T, Op, Threads, Answer::First, 32> {
  static __device__ T call(T value) { return tweed::warpReduce<32, tweed::ToFirst>(value, Op{}); }
};

// Any set of lanes: here all, known only at run time, or all but one.
template <class T, class Op, int Threads, bool IsAll>
struct TweedMask : bench::FormOf<T, Op, Threads, IsAll ? Answer::Every : Answer::First, 32> {
  static __device__ T call(T value) {
    if constexpr (IsAll) return tweed::warpReduce(tweed::activeLanes(), value, Op{});
    // The last lane's value goes to its neighbour, so that the result is that of the whole warp.
    int const lane = int(threadIdx.x % 32);
    T const next = tweed::arch::shuffleDown(tweed::fullMask, value, 1u);
    if (lane == 30) value = Op{}(value, next);
    if (lane == 31) return value;
    return tweed::warpReduce(tweed::LaneMask{0x7fffffffu}, value, Op{});
  }
};

template <class T, class Op, int Threads, Answer Where, int Width = 32>
struct Cub : bench::FormOf<T, Op, Threads, Where, Width> {
  static __device__ T call(T value) {
    using Reduce = cub::WarpReduce<T, Width>;
    __shared__ typename Reduce::TempStorage storage[Threads / Width];
    T result;
    if constexpr (std::is_same_v<Op, tweed::Sum>) {
      result = Reduce(storage[threadIdx.x / Width]).Sum(value);
    } else {
      result = Reduce(storage[threadIdx.x / Width]).Reduce(value, Op{});
    }
    if constexpr (Where == Answer::Every) result = cub::ShuffleIndex<Width>(result, 0, ~0u);
    return result;
  }
};

template <class T, class Op, int Threads>
void addThreads(std::string const& type, bench::Load load) {
  bench::Case& to =
      bench::addCase(type + "/" + bench::nameOf(load) + "/threads:" + std::to_string(Threads));
  bench::addForm<Tweed<T, Op, Threads>>(to, load, "tweed");
  bench::addForm<ToFirst<T, Op, Threads>>(to, load, "tweed.toFirst");
  bench::addForm<TweedMask<T, Op, Threads, true>>(to, load, "tweed.activeLanes");
  bench::addForm<TweedMask<T, Op, Threads, false>>(to, load, "tweed.31lanes");
  bench::addForm<Cub<T, Op, Threads, Answer::First>>(to, load, "cub");
  bench::addForm<Cub<T, Op, Threads, Answer::Every>>(to, load, "cub.broadcast");
}

// A warp as groups of Width lanes.
template <class T, class Op, int Width>
void addWidth(std::string const& type) {
  auto const add = [](auto threads, bench::Case& to, bench::Load load) {
    bench::addForm<Tweed<T, Op, threads(), Width>>(to, load, "tweed");
    bench::addForm<Cub<T, Op, threads(), Answer::First, Width>>(to, load, "cub");
    bench::addForm<Cub<T, Op, threads(), Answer::Every, Width>>(to, load, "cub.broadcast");
  };
  std::string const width = "/width:" + std::to_string(Width);
  add(std::integral_constant<int, 32>{}, bench::addCase(type + "/latency" + width + "/threads:32"),
      bench::Load::Latency);
  add(std::integral_constant<int, 256>{}, bench::addCase(type + "/full" + width + "/threads:256"),
      bench::Load::Full);
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
  addType<bench::Pair, bench::AddPairs>("pair64");
  addType<bench::Affine64, bench::Compose64>("affine64");
  addWidth<float, tweed::Sum, 8>("f32");
  addWidth<float, tweed::Sum, 16>("f32");
  addWidth<int, tweed::Sum, 8>("i32");
  addWidth<int, tweed::Sum, 16>("i32");
  addWidth<bench::Affine, bench::Compose, 8>("affine");
  addWidth<bench::Affine, bench::Compose, 16>("affine");
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "warpReduce", 12, addCases); }
