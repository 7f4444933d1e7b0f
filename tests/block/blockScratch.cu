// SPDX-License-Identifier: Apache-2.0
// tests/block/blockScratch.cu - tests tweed/block/blockScratch.cuh, and the reductions that take it
#include <tweed/block/blockScratch.cuh>

#include <tweed/block/blockReduce.cuh>

#include "support/device.cuh"
#include "support/folds.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

// Values beyond the count are poison. A count of -1 means the call without one.
template <class Shape, class T, class Op>
__global__ void reduce(T const* in, T* out, Op op, int count) {
  __shared__ tweed::BlockScratch<Shape, T> scratch;
  int const rank = Shape::rank();
  T value = in[rank];
  if (count < 0) {
    out[rank] = tweed::blockReduce(value, op, scratch);
  } else {
    if (rank >= count) memset(&value, 0xFF, sizeof value);
    out[rank] = tweed::blockReduce(value, op, scratch, count);
  }
}

// Not for each shape: what checks a shape would take longer to compile than its kernel.
template <class T, class Op>
void checkKernel(void (*kernel)(T const*, T*, Op, int), std::vector<T> const& in, dim3 block, Op op,
                 std::vector<int> const& counts) {
  int const threads = int(block.x * block.y * block.z);
  CAPTURE(threads);
  DeviceArray<T> const dIn(std::vector<T>(in.begin(), in.begin() + threads));
  DeviceArray<T> const out(std::size_t(threads), 0);
  for (int const count : counts) {
    if (count > threads || (count == 0 && !tweed::hasIdentity<Op, T>)) continue;
    CAPTURE(count);
    tweed::launch(kernel, {1, block}, dIn.data(), out.data(), op, count);
    tweed::synchronize();
    requireAll(out.host(), foldOnHost(in.data(), count < 0 ? threads : count, op));
  }
}

template <class Shape, class T, class Op>
void check(std::vector<T> const& in, dim3 block, Op op, std::vector<int> const& counts) {
  checkKernel<T, Op>(reduce<Shape, T, Op>, in, block, op, counts);
}

template <class T, class Op>
void checkSizes(std::vector<T> const& in, Op op) {
  forBlockSizes(isShort(), [&](auto threads) {
    constexpr int all = threads.value;
    check<tweed::Block<all>>(in, all, op, {-1, 0, 1, 2, all / 2, all - 1, all});
  });
}
template <class T, class Op>
void checkFewSizes(std::vector<T> const& in, Op op) {
  std::vector<int> const counts = {-1, 0, 1, 33, 300};
  check<tweed::Block<7>>(in, 7, op, counts), check<tweed::Block<96>>(in, 96, op, counts);
  check<tweed::Block<100>>(in, 100, op, counts), check<tweed::Block<512>>(in, 512, op, counts);
  check<tweed::Block<513>>(in, 513, op, counts);
}

std::vector<Stretch> stretches(int n) {
  std::vector<Stretch> s;
  for (int i = 0; i < n; ++i) s.push_back(Stretch::at(std::uint32_t(i)));
  return s;
}

template <int Threads>
__global__ void bitsOfSum(float const* in, float* out, int count) {
  __shared__ tweed::BlockScratch<tweed::Block<Threads>, float> scratch;
  out[threadIdx.x] = tweed::blockReduce(in[threadIdx.x], tweed::Sum{}, scratch, count);
}
template <int Threads>
void checkBits(int count) {
  std::vector<float> in;
  for (int i = 0; i < Threads; ++i) in.push_back(float(noise(i) % 1000003) * 1e-3f - 400.f);
  DeviceArray<float> const dIn(in);
  DeviceArray<float> const out(Threads);
  tweed::launch(bitsOfSum<Threads>, {1, Threads}, dIn.data(), out.data(), count);
  tweed::synchronize();
  std::vector<float> const got = out.host();
  for (float const x : got) REQUIRE(sameBits(x, got[0]));
}

// With the barrier that the contract asks for, which a block of one warp does not need. (That one
// is missing, ThreadSanitizer shows: tests/loom/planted.cu.)
template <int Threads>
__global__ void reduceTwice(int turns, unsigned* wrong) {
  __shared__ tweed::BlockScratch<tweed::Block<Threads>, float> scratch;
  int const t = int(threadIdx.x);
  int all = 0;
  for (int i = 0; i < Threads; ++i) all += i % 7;
  for (int turn = 0; turn < turns; ++turn) {
    delayWarps(turn);
    float const sum = tweed::blockReduce(float(t % 7 + turn), tweed::Sum{}, scratch);
    if (sum != float(all + turn * Threads)) atomicAdd(wrong, 1u);
    if (Threads > 32) __syncthreads();
  }
}
// Two scratches in turn: a call of one is the barrier of the other.
template <int Threads>
__global__ void reduceInTurn(int turns, unsigned* wrong) {
  __shared__ tweed::BlockScratch<tweed::Block<Threads>, int> one;
  __shared__ tweed::BlockScratch<tweed::Block<Threads>, double> other;
  int const t = int(threadIdx.x);
  int all = 0;
  for (int i = 0; i < Threads; ++i) all += i % 7;
  for (int turn = 0; turn < turns; ++turn) {
    delayWarps(turn);
    int const sum = all + turn * Threads;
    bool good = tweed::blockReduce(t % 7 + turn, tweed::Sum{}, one) == sum;
    good = good && tweed::blockReduce(t % 7 + turn, tweed::Sum{}, other) == double(sum);
    if (!good) atomicAdd(wrong, 1u);
  }
}

}  // namespace

TEST_SUITE("blockScratch") {
  TEST_CASE("order is kept in every tested block size, whole and in part (C25)") {
    checkSizes(stretches(1024), Join{});
  }
  TEST_CASE("the operator is called on nothing but data (C27)") {
    DeviceArray<int> const bad(std::vector<int>(1, 0));
    checkFewSizes(stretches(1024), WatchedJoin{bad.data()});
    CHECK(bad.host()[0] == 0);
  }
  TEST_CASE("numbers, maps and structures") {
    checkFewSizes(smallIntegers<int>(1024, 1), tweed::Sum{});
    checkFewSizes(smallIntegers<double>(1024, 2), tweed::Max{});
    checkFewSizes(smallIntegers<unsigned char>(1024, 3), tweed::BitXor{});
    std::vector<Affine> maps;
    std::vector<Wide> wide;
    for (int i = 0; i < 1024; ++i) {
      maps.push_back({unsigned(2 * noise(i) + 1), unsigned(noise(i + 5000))});
      wide.push_back({{i, -i, i * 7, 1, (long long)(noise(i) % 99)}});
    }
    checkFewSizes(maps, Compose{}), checkFewSizes(wide, AddWide{});
  }
  TEST_CASE("blocks of two and three dimensions count x first") {
    std::vector<int> const counts = {-1, 1, 40, 256};
    check<tweed::Block<16, 16>>(stretches(256), dim3(16, 16), Join{}, counts);
    check<tweed::Block<8, 4, 3>>(stretches(96), dim3(8, 4, 3), Join{}, counts);
    check<tweed::Dynamic<512>>(stretches(105), dim3(7, 5, 3), Join{}, counts);
  }
  TEST_CASE("every block size from 1 to 1024, known only at run time") {
    std::vector<Stretch> const in = stretches(1024);
    int const step = isShort() ? 61 : 3;  // every rest modulo 32
    for (int threads = 1; threads <= 1024; threads += step) {
      int const some = 1 + int(noise(std::uint64_t(threads)) % std::uint64_t(threads));
      check<tweed::Dynamic<1024>>(in, unsigned(threads), Join{}, {threads % 3 == 0 ? some : -1});
    }
  }
  TEST_CASE("float sums have the same bits in every thread (C24)") {
    checkBits<96>(96), checkBits<256>(256), checkBits<250>(250), checkBits<1000>(1000);
    checkBits<1000>(777), checkBits<1023>(1023), checkBits<1024>(1024), checkBits<1024>(100);
  }
  TEST_CASE("it takes a T a warp, and cannot be copied (C18)") {
    using Scratch = tweed::BlockScratch<tweed::Block<256>, float>;
    CHECK(sizeof(Scratch) == 8 * sizeof(float));
    CHECK(!std::is_copy_constructible_v<Scratch>);
    CHECK(!std::is_copy_assignable_v<Scratch>);
    CHECK(std::is_trivially_default_constructible_v<Scratch>);
  }
  TEST_CASE("a barrier between two uses is enough, as is a call with another scratch (C17)") {
    DeviceArray<unsigned> const wrong(std::vector<unsigned>(1, 0));
    int const turns = isShort() ? 3 : 10;
    tweed::launch(reduceTwice<1024>, {2, 1024}, turns, wrong.data());
    tweed::launch(reduceTwice<96>, {2, 96}, turns, wrong.data());
    tweed::launch(reduceTwice<32>, {2, 32}, turns, wrong.data());
    tweed::launch(reduceInTurn<1024>, {2, 1024}, turns, wrong.data());
    tweed::launch(reduceInTurn<65>, {2, 65}, turns, wrong.data());
    tweed::synchronize();
    CHECK(wrong.host()[0] == 0);
  }
#if defined(TWEED_LOOM)
  TEST_CASE("a block of another shape and a count out of range stop the kernel") {
    DeviceArray<int> const in(std::vector<int>(128, 1));
    DeviceArray<int> const out(128);
    auto const run = [&](unsigned threads, int count) {
      return fault([&] {
        tweed::launch(reduce<tweed::Block<64>, int, tweed::Sum>, {1, threads}, in.data(),
                      out.data(), tweed::Sum{}, count);
      });
    };
    CHECK(contains(run(96, -1), "tweed::blockReduce: written for a block of (64, 1, 1)"));
    CHECK(contains(run(64, 65), "tweed::blockReduce: count is 65, allowed are 0 to 64"));
  }
#endif
}
