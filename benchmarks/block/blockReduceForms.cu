// SPDX-License-Identifier: Apache-2.0
// benchmarks/block/blockReduceForms.cu - blockReduce with its result in thread 0 alone, with a
// count, in a block whose size is known at run time, and of several values in one pass.
#include "support/cubBlock.cuh"
#include "support/valueTypes.cuh"

#include <tweed/block/blockReduce.cuh>

#include <utility>

namespace {

using bench::Answer;

template <class T, class Op, int Threads>
struct Tweed : bench::FormOf<T, Op, Threads, Answer::Every> {
  static __device__ T call(T value) { return tweed::blockReduce<Threads>(value, Op{}); }
};
template <class T, class Op, int Threads>
struct ToFirst : bench::FormOf<T, Op, Threads, Answer::First> {
  static __device__ T call(T value) {
    return tweed::blockReduce<Threads, tweed::ToFirst>(value, Op{});
  }
};
// The launch alone says how many threads there are.
template <class T, class Op, int Threads>
struct AnySize : bench::FormOf<T, Op, Threads, Answer::Every> {
  static __device__ T call(T value) {
    return tweed::blockReduce<tweed::Dynamic<1024>>(value, Op{});
  }
};

// All but the last three threads hold data, which the compiler does not know.
template <int Threads>
inline constexpr int someOf = Threads - 3;
template <int Threads>
__device__ int hiddenCount() {
  int count = someOf<Threads>;
  asm("" : "+r"(count));
  return count;
}
template <class T, class Op, int Threads>
struct Counted : bench::FormOf<T, Op, Threads, Answer::Every, Threads, someOf<Threads>> {
  static __device__ T call(T value) {
    return tweed::blockReduce<Threads>(value, Op{}, hiddenCount<Threads>());
  }
};
template <class T, class Op, int Threads>
struct AnySizeCounted : bench::FormOf<T, Op, Threads, Answer::Every, Threads, someOf<Threads>> {
  static __device__ T call(T value) {
    return tweed::blockReduce<tweed::Dynamic<1024>>(value, Op{}, hiddenCount<Threads>());
  }
};
template <class T, class Op, int Threads, cub::BlockReduceAlgorithm Algorithm>
struct CubCounted : bench::FormOf<T, Op, Threads, Answer::First, Threads, someOf<Threads>> {
  static __device__ T call(T value) {
    using Reduce = cub::BlockReduce<T, Threads, Algorithm>;
    __shared__ typename Reduce::TempStorage storage;
    T const result = Reduce(storage).Sum(value, hiddenCount<Threads>());
    __syncthreads();
    return result;
  }
};

// Each member of a tweed::Values by a call of its own.
template <class T, class Op, int Threads>
struct Separate;
template <class... T, class... Op, int Threads>
struct Separate<tweed::Values<T...>, tweed::Ops<Op...>, Threads>
    : bench::FormOf<tweed::Values<T...>, tweed::Ops<Op...>, Threads, Answer::Every> {
  using All = tweed::Values<T...>;
  template <int... I>
  static __device__ All each(All const& all, std::integer_sequence<int, I...>) {
    return {tweed::blockReduce<Threads>(tweed::get<I>(all), Op{})...};
  }
  static __device__ All call(All all) {
    return each(all, std::make_integer_sequence<int, int(sizeof...(T))>{});
  }
};
// The same by CUB: one storage a call, so that one barrier frees them all.
template <class T, class Op, int Threads, cub::BlockReduceAlgorithm Algorithm>
struct CubSeparate;
template <class... T, class... Op, int Threads, cub::BlockReduceAlgorithm Algorithm>
struct CubSeparate<tweed::Values<T...>, tweed::Ops<Op...>, Threads, Algorithm>
    : bench::FormOf<tweed::Values<T...>, tweed::Ops<Op...>, Threads, Answer::First> {
  using All = tweed::Values<T...>;
  template <int I, class One, class By>
  static __device__ One fold(One value) {
    using Reduce = cub::BlockReduce<One, Threads, Algorithm>;
    __shared__ typename Reduce::TempStorage storage;
    if constexpr (std::is_same_v<By, tweed::Sum>) {
      return Reduce(storage).Sum(value);
    } else {
      return Reduce(storage).Reduce(value, By{});
    }
  }
  template <int... I>
  static __device__ All each(All const& all, std::integer_sequence<int, I...>) {
    return {fold<I, T, Op>(tweed::get<I>(all))...};
  }
  static __device__ All call(All all) {
    All const result = each(all, std::make_integer_sequence<int, int(sizeof...(T))>{});
    __syncthreads();
    return result;
  }
};

template <class T, int... Threads>
void addType(std::string const& type) {
  using Op = tweed::Sum;
  (bench::addLoads(type, Threads,
                   [](bench::Case& to, bench::Load load) {
                     bench::addForm<Tweed<T, Op, Threads>>(to, load, "tweed");
                     bench::addForm<ToFirst<T, Op, Threads>>(to, load, "tweed.toFirst");
                     bench::addForm<AnySize<T, Op, Threads>>(to, load, "tweed.dynamic");
                     bench::addCubReduce<bench::CubReduce, T, Op, Threads>(to, load, "cub.");
                   }),
   ...);
  (bench::addLoads(type, "count", Threads,
                   [](bench::Case& to, bench::Load load) {
                     bench::addForm<Counted<T, Op, Threads>>(to, load, "tweed");
                     bench::addForm<AnySizeCounted<T, Op, Threads>>(to, load, "tweed.dynamic");
                     bench::addCubReduce<CubCounted, T, Op, Threads>(to, load, "cub.");
                   }),
   ...);
}

template <class All, class Ops, int... Threads>
void addValues(std::string const& name) {
  (bench::addLoads(name, Threads,
                   [](bench::Case& to, bench::Load load) {
                     bench::addForm<Tweed<All, Ops, Threads>>(to, load, "tweed");
                     bench::addForm<Separate<All, Ops, Threads>>(to, load, "tweed.separate");
                     bench::addCubReduce<bench::CubReduce, All, Ops, Threads>(to, load, "cub.");
                     bench::addCubReduce<CubSeparate, All, Ops, Threads>(to, load, "separateCub.");
                   }),
   ...);
}

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
  addType<float, 128, 256, 512, 1024>("f32");
  addType<int, 128, 256, 512, 1024>("i32");
  using tweed::Max;
  using tweed::Min;
  using tweed::Ops;
  using tweed::Sum;
  addValues<tweed::Values<float, float>, Ops<Sum, Max>, 256, 1024>("sum+max");
  addValues<tweed::Values<float, float, float, float>, Ops<Sum, Min, Max, Sum>, 256, 1024>(
      "sum+min+max+sum");
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "blockReduceForms", 12, addCases); }
