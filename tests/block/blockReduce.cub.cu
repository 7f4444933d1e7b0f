// SPDX-License-Identifier: Apache-2.0
// tests/block/blockReduce.cub.cu - compares tweed/block/blockReduce.cuh with all algorithms of
// cub::BlockReduce, whose result is defined in thread 0 only
#include <tweed/block/blockReduce.cuh>

#include <cub/block/block_reduce.cuh>

#include <cmath>
#include <limits>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

constexpr int algorithms = 3;  // the last for commutative operators alone

template <class T>
struct All {
  T tweed, cub[algorithms];
};

template <int Threads, class T, class Op>
__global__ void __launch_bounds__(Threads) reduceAll(T const* in, All<T>* out, Op op, int count) {
  using Raking = cub::BlockReduce<T, Threads, cub::BLOCK_REDUCE_RAKING>;
  using Warps = cub::BlockReduce<T, Threads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  using Commutative = cub::BlockReduce<T, Threads, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>;
  __shared__ typename Raking::TempStorage raking;
  __shared__ typename Warps::TempStorage warps;
  __shared__ typename Commutative::TempStorage commutative;
  T const x = in[threadIdx.x];
  All<T> all{};
  if (count == Threads) {
    all.tweed = tweed::blockReduce<Threads>(x, op);
    all.cub[0] = Raking(raking).Reduce(x, op);
    all.cub[1] = Warps(warps).Reduce(x, op);
  } else {
    all.tweed = tweed::blockReduce<Threads>(x, op, count);
    all.cub[0] = Raking(raking).Reduce(x, op, count);
    all.cub[1] = Warps(warps).Reduce(x, op, count);
  }
  all.cub[2] = all.cub[0];
  if constexpr (tweed::isCommutative<Op>) {
    all.cub[2] = count == Threads ? Commutative(commutative).Reduce(x, op)
                                  : Commutative(commutative).Reduce(x, op, count);
  }
  if (threadIdx.x == 0) *out = all;
}

template <int Threads, class T, class Op, class Check>
void compareSize(std::vector<T> const& in, Op op, Check check) {
  CAPTURE(Threads);
  DeviceArray<T> const dIn(in);
  DeviceArray<All<T>> const out(1);
  for (int count : {1, 2, Threads / 2, Threads - 1, Threads}) {  // 0 is undefined in CUB
    CAPTURE(count);
    tweed::launch(reduceAll<Threads, T, Op>, {1, Threads}, dIn.data(), out.data(), op, count);
    tweed::synchronize();
    check(out.host()[0], in.data(), count);
  }
}

template <class T, class Op, class Check>
void compare(std::vector<T> const& in, Op op, Check check) {
  compareSize<32>(in, op, check), compareSize<100>(in, op, check);
  compareSize<256>(in, op, check), compareSize<1000>(in, op, check);
  compareSize<1024>(in, op, check);
}
template <class T, class Op>
void compareExact(std::vector<T> const& in, Op op) {
  compare(in, op, [](All<T> const& all, T const*, int) {
    for (T const& theirs : all.cub) CHECK(all.tweed == theirs);
  });
}

}  // namespace

TEST_SUITE("blockReduce.cub") {
  TEST_CASE_TEMPLATE("integers are equal", T, signed char, int, unsigned long long) {
    compareExact(smallIntegers<T>(1024, 11), tweed::Sum{});
  }
  TEST_CASE("maxima are equal") { compareExact(smallIntegers<float>(1024, 12), tweed::Max{}); }
  TEST_CASE("ordered operators are equal") {
    std::vector<Affine> maps;
    for (unsigned i = 0; i < 1024; ++i)
      maps.push_back({unsigned(2 * noise(i) + 1), unsigned(noise(i + 5000))});
    compareExact(maps, Compose{});
  }
  TEST_CASE_TEMPLATE("sums of floats are within the bound of their length", T, float, double) {
    std::vector<T> in;
    for (std::uint64_t i = 0; i < 1024; ++i) in.push_back(T(noise(i) % 1000003) * T(1e-3) - T(400));
    compare(in, tweed::Sum{}, [](All<T> const& all, T const* first, int count) {
      long double exact = 0, size = 0;
      for (int i = 0; i < count; ++i) exact += first[i], size += std::fabs(first[i]);
      long double const bound = count * std::numeric_limits<T>::epsilon() * size;
      CHECK(std::fabs(all.tweed - exact) <= bound);
      for (T const theirs : all.cub) CHECK(std::fabs(theirs - exact) <= bound);
    });
  }
}
