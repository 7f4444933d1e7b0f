// SPDX-License-Identifier: Apache-2.0
// benchmarks/block/blockArg.cu - where a block's minimum stands, against cub::BlockReduce of
// KeyValuePair.
#include "support/cubBlock.cuh"
#include "support/valueTypes.cuh"

#include <tweed/block/blockArg.cuh>

namespace {

template <class Element, class Op, int Threads>
struct Tweed : bench::FormOf<Element, Op, Threads, bench::Answer::Every> {
  static __device__ Element call(Element x) {
    return tweed::blockArgMin<Threads>(x.value, x.index);
  }
};

template <class Element, class Op, int Threads, cub::BlockReduceAlgorithm Algorithm>
struct Cub : bench::FormOf<Element, Op, Threads, bench::Answer::First> {
  static __device__ Element call(Element x) {
    using Pair = cub::KeyValuePair<decltype(x.index), decltype(x.value)>;
    using Reduce = cub::BlockReduce<Pair, Threads, Algorithm>;
    __shared__ typename Reduce::TempStorage storage;
    Pair const least = Reduce(storage).Reduce(Pair(x.index, x.value), cub::ArgMin{});
    __syncthreads();
    return {least.value, least.key};
  }
};

template <class T, class Index, int... Threads>
void addType(std::string const& type) {
  using Element = tweed::Indexed<T, Index>;
  (bench::addLoads(type, Threads,
                   [](bench::Case& to, bench::Load load) {
                     bench::addForm<Tweed<Element, tweed::ArgMin, Threads>>(to, load, "tweed");
                     bench::addCubReduce<Cub, Element, tweed::ArgMin, Threads>(to, load, "cub.");
                   }),
   ...);
}

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
  addType<float, int, 64, 128, 256, 512, 1024>("f32+i32");
  addType<float, long long, 256, 1024>("f32+i64");
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "blockArg", 12, addCases); }
