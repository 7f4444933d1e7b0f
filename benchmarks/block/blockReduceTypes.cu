// SPDX-License-Identifier: Apache-2.0
// benchmarks/block/blockReduceTypes.cu - reductions across a block of narrow, wide and odd types,
// against CUB's algorithms.
#include "support/cubBlock.cuh"
#include "support/valueTypes.cuh"

#include <tweed/block/blockReduce.cuh>

namespace {

template <class T, class Op, int Threads>
struct Tweed : bench::FormOf<T, Op, Threads, bench::Answer::Every> {
  static __device__ T call(T value) { return tweed::blockReduce<Threads>(value, Op{}); }
};

template <class T, class Op, int... Threads>
void addType(std::string const& type) {
  (bench::addLoads(type, Threads,
                   [](bench::Case& to, bench::Load load) {
                     bench::addForm<Tweed<T, Op, Threads>>(to, load, "tweed");
                     bench::addCubReduce<bench::CubReduce, T, Op, Threads>(to, load, "cub.");
                   }),
   ...);
}

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
  addType<__half, tweed::Sum, 256, 1024>("f16");
  addType<__nv_bfloat16, tweed::Sum, 256, 1024>("bf16");
  addType<bench::Bytes3, bench::MaxEach, 256, 1024>("struct3");
  addType<cuda::std::complex<float>, tweed::Sum, 256, 1024>("complex64");
  addType<bench::Floats3, bench::AddEach, 256, 1024>("struct12");
  addType<__int128, tweed::Sum, 256, 1024>("i128");
  addType<bench::Doubles5, bench::AddEach, 256, 1024>("struct40");
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "blockReduceTypes", 12, addCases); }
