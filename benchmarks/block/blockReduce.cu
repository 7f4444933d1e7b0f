// SPDX-License-Identifier: Apache-2.0
// benchmarks/block/blockReduce.cu - a reduction across a block, against CUB's algorithms.
#include "support/cubBlock.cuh"

#include <tweed/block/blockReduce.cuh>

namespace {

using bench::Affine;
using bench::Answer;
using bench::Compose;

template <class T, class Op, int Threads>
struct Tweed : bench::FormOf<T, Op, Threads, Answer::Every> {
  static __device__ T call(T value) { return tweed::blockReduce<Threads>(value, Op{}); }
};

// The form with a scratch of the caller's, and the barrier that it asks for before the next use.
template <class T, class Op, int Threads>
struct Scratch : Tweed<T, Op, Threads> {
  static __device__ T call(T value) {
    __shared__ tweed::BlockScratch<tweed::Block<Threads>, T> scratch;
    T const result = tweed::blockReduce(value, Op{}, scratch);
    __syncthreads();
    return result;
  }
};

template <class T, int Items, int Threads>
struct TweedItems : bench::FormOf<T, tweed::Sum, Threads, Answer::Every> {
  static __device__ T call(T value) {
    T items[Items];
    bench::spread(value, items);
    return tweed::blockReduce<Threads>(items);
  }
};

// How CUB's result reaches the threads.
//   None      it is thread 0's; one barrier, which CUB asks for before its storage is used again
//   Contract  through shared memory, with the barrier before the next write that makes it safe
//             whatever CUB does inside
//   Inside    the same without that barrier: right, as CUB's algorithms happen to hold one between
//             the last read and the next write
enum class Broadcast { None, Contract, Inside };

template <class T, class Op, int Threads, cub::BlockReduceAlgorithm Algorithm, Broadcast How>
struct Cub : bench::FormOf<T, Op, Threads, How == Broadcast::None ? Answer::First : Answer::Every> {
  static __device__ T call(T value) {
    using Reduce = cub::BlockReduce<T, Threads, Algorithm>;
    __shared__ typename Reduce::TempStorage storage;
    T result = bench::cubReduced<Reduce, Op>(storage, value);
    if constexpr (How == Broadcast::None) {
      __syncthreads();
      return result;
    } else {
      __shared__ T shared;
      if (threadIdx.x == 0) shared = result;
      __syncthreads();
      result = shared;
      if constexpr (How == Broadcast::Contract) __syncthreads();
      return result;
    }
  }
};

template <class T, int Items, int Threads, cub::BlockReduceAlgorithm Algorithm>
struct CubItems : bench::FormOf<T, tweed::Sum, Threads, Answer::First> {
  static __device__ T call(T value) {
    using Reduce = cub::BlockReduce<T, Threads, Algorithm>;
    __shared__ typename Reduce::TempStorage storage;
    T items[Items];
    bench::spread(value, items);
    T const result = Reduce(storage).Sum(items);
    __syncthreads();
    return result;
  }
};

template <class T, class Op, int Threads, Broadcast How>
void addCub(bench::Case& to, bench::Load load, std::string const& suffix) {
  bench::addForm<Cub<T, Op, Threads, cub::BLOCK_REDUCE_WARP_REDUCTIONS, How>>(
      to, load, "cub.warpReductions" + suffix);
  bench::addForm<Cub<T, Op, Threads, cub::BLOCK_REDUCE_RAKING, How>>(to, load,
                                                                     "cub.raking" + suffix);
  if constexpr (tweed::isCommutative<Op>)
    bench::addForm<Cub<T, Op, Threads, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, How>>(
        to, load, "cub.rakingCommutative" + suffix);
}

template <class T, class Op, int... Threads>
void addType(std::string const& type) {
  (bench::addLoads(type, Threads,
                   [](bench::Case& to, bench::Load load) {
                     bench::addForm<Tweed<T, Op, Threads>>(to, load, "tweed");
                     bench::addForm<Scratch<T, Op, Threads>>(to, load, "tweed.scratch");
                     addCub<T, Op, Threads, Broadcast::None>(to, load, "");
                     addCub<T, Op, Threads, Broadcast::Contract>(to, load, ".broadcast");
                     if constexpr (std::is_same_v<T, float>)
                       addCub<T, Op, Threads, Broadcast::Inside>(to, load, ".broadcastInside");
                   }),
   ...);
}

template <class T, int Items, int... Threads>
void addItems(std::string const& type) {
  (bench::addLoads(
       type + "x" + std::to_string(Items), Threads,
       [](bench::Case& to, bench::Load load) {
         bench::addForm<TweedItems<T, Items, Threads>>(to, load, "tweed");
         bench::addForm<CubItems<T, Items, Threads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>>(
             to, load, "cub.warpReductions");
         bench::addForm<CubItems<T, Items, Threads, cub::BLOCK_REDUCE_RAKING>>(to, load,
                                                                               "cub.raking");
         bench::addForm<CubItems<T, Items, Threads, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>>(
             to, load, "cub.rakingCommutative");
       }),
   ...);
}

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
  addType<float, tweed::Sum, 64, 128, 256, 512, 1024>("f32");
  addType<double, tweed::Sum, 64, 128, 256, 512, 1024>("f64");
  addType<int, tweed::Sum, 64, 128, 256, 512, 1024>("i32");
  addType<Affine, Compose, 64, 128, 256, 512, 1024>("affine");
  addType<bench::Pair, bench::AddPairs, 128, 256, 512, 1024>("pair64");
  addType<bench::Affine64, bench::Compose64, 128, 256, 512, 1024>("affine64");
  addItems<float, 4, 64, 128, 256, 512, 1024>("f32");
  addItems<int, 4, 64, 128, 256, 512, 1024>("i32");
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "blockReduce", 12, addCases); }
