// SPDX-License-Identifier: Apache-2.0
// tests/grid/gridReduce.cu - tests tweed/grid/gridReduce.cuh
#include <tweed/grid/gridReduce.cuh>

#include <cmath>
#include <numeric>

#include "support/device.cuh"
#include "support/graph.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

// Thread t of block b counts as item b * threads + t; blocks and threads count x fastest.
TWEED_DEVICE unsigned itemRank() {
  unsigned const threads = blockDim.x * blockDim.y * blockDim.z;
  unsigned const t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  return ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * threads + t;
}

// Result `turn` of each of `turns` calls, with a state each; every thread of the last block must
// have it, in the same bits, and no other block may.
template <class Shape, class Make, class T, class Op>
__global__ void reduceAll(Make make, Op op, void* state, unsigned long long stateBytes, T* results,
                          int* lasts, int turns) {
  __shared__ tweed::SharedArray<T, 1> ofFirst;
  unsigned const t = itemRank() % (blockDim.x * blockDim.y * blockDim.z);
  for (int turn = 0; turn < turns; ++turn) {
    void* const mine = static_cast<unsigned char*>(state) + unsigned(turn) * stateBytes;
    auto const total = tweed::gridReduce<Shape>(make(itemRank()), op, mine);
    if (!total.isLast) continue;
    if (t == 0) ofFirst.construct(0, total.value);
    tweed::arch::syncBlock();
    using Words = tweed::arch::Words<T>;
    bool isSame = true;
    for (int i = 0; i < Words::count; ++i)
      isSame = isSame && Words::of(total.value).word[i] == Words::of(ofFirst[0]).word[i];
    atomicAdd(&lasts[turn], isSame ? 1 : 1000000);
    if (t == 0) results[turn] = total.value;
    tweed::arch::syncBlock();
  }
}

template <class Shape, class T, class Make, class Op>
std::vector<T> reduce(Make make, Op op, dim3 grid, dim3 block, int turns = 1, int launches = 2) {
  unsigned const blocks = grid.x * grid.y * grid.z;
  int const threads = int(block.x * block.y * block.z);
  CAPTURE(blocks);
  CAPTURE(threads);
  // Exactly as many bytes as it says, with canaries behind them.
  auto const bytes = (tweed::gridReduceBytes<T>(blocks) + 15) / 16 * 16;
  auto const exact = turns == 1 ? tweed::gridReduceBytes<T>(blocks) : bytes * unsigned(turns);
  DeviceArray<unsigned char> const state(exact);
  DeviceArray<T> const results{std::size_t(turns)};
  DeviceArray<int> const lasts(std::vector<int>(std::size_t(turns), 0));
  for (int turn = 0; turn < turns; ++turn)  // the rest is poison
    TWEED_CHECK(cudaMemset(state.data() + unsigned(turn) * bytes, 0, sizeof(unsigned)));
  for (int i = 0; i < launches; ++i) {
    TWEED_CHECK(cudaMemset(results.data(), 0xA5, results.size() * sizeof(T)));
    tweed::launch(reduceAll<Shape, Make, T, Op>, {grid, block}, make, op, state.data(), bytes,
                  results.data(), lasts.data(), turns);
  }
  tweed::synchronize();
  CHECK(lasts.host() == std::vector<int>(std::size_t(turns), threads * launches));
  std::vector<unsigned char> const left = state.host();
  for (int turn = 0; turn < turns; ++turn)
    for (unsigned i = 0; i < 4; ++i) CHECK(left[unsigned(turn) * bytes + i] == 0);
  return results.host();
}

// Beside the reduction: the last block reads what all threads wrote before it.
template <int Threads>
__global__ void readAll(unsigned* words, void* state, unsigned* sums) {
  words[itemRank()] = itemRank() * 3 + 1;
  auto const total = tweed::gridReduce<Threads>(itemRank(), tweed::Sum{}, state);
  if (!total.isLast) return;
  unsigned sum = total.value;
  for (unsigned i = 0; i < gridDim.x * Threads; ++i)
    sum += words[(i + threadIdx.x) % (gridDim.x * Threads)];
  sums[threadIdx.x] = sum;
}
template <int Threads>
void checkReadAll(unsigned blocks) {
  unsigned const items = blocks * Threads;
  DeviceArray<unsigned> const words(items), sums(Threads);
  DeviceArray<unsigned char> const state(
      std::vector<unsigned char>(tweed::gridReduceBytes<unsigned>(blocks), 0));
  tweed::launch(readAll<Threads>, {blocks, Threads}, words.data(), state.data(), sums.data());
  tweed::synchronize();
  unsigned const want = items * (items - 1) / 2 * 4 + items;
  CHECK(sums.host() == std::vector<unsigned>(Threads, want));
}

[[maybe_unused]] __global__ void addTotal(unsigned const* in, void* state, unsigned* out) {
  auto const total = tweed::gridReduce<64>(in[itemRank()], tweed::Sum{}, state);
  if (total.isLast && threadIdx.x == 0) *out += total.value;
}

struct AtRank {
  TWEED_HOST_DEVICE Stretch operator()(unsigned i) const { return Stretch::at(i); }
};
struct Maps {
  TWEED_HOST_DEVICE Affine operator()(unsigned i) const { return {i * 2 + 3, i * 5 + 1}; }
};
template <class T>
struct Numbers {
  TWEED_HOST_DEVICE T operator()(unsigned i) const { return T(i * 7 % 11 + 1); }
};
struct Fractions {
  TWEED_HOST_DEVICE float operator()(unsigned i) const {
    return 1.f / float(i * 2654435761u % 1000 + 1) * ((i & 1) ? 1.f : -1.f) * float(1 + i % 97);
  }
};
struct OneOf {
  float special;
  unsigned at;
  TWEED_HOST_DEVICE float operator()(unsigned i) const { return i == at ? special : -float(i + 1); }
};
struct Wides {
  TWEED_HOST_DEVICE Wide operator()(unsigned i) const {
    return {{1, i, -(long long)(i), 1ll << (i % 40), i % 3}};
  }
};

// Order, and that nothing else is ever combined, without an identity.
template <class Shape>
void checkOrder(dim3 grid, dim3 block) {
  DeviceArray<int> const bad(std::vector<int>(1, 0));
  unsigned const items = grid.x * grid.y * grid.z * block.x * block.y * block.z;
  auto const got = reduce<Shape, Stretch>(AtRank{}, WatchedJoin{bad.data()}, grid, block);
  CHECK(got[0] == Stretch{0, items, 0x600D600D});
  CHECK(bad.host()[0] == 0);
}

}  // namespace

TEST_SUITE("gridReduce") {
  TEST_CASE("threads and blocks in order, without an identity, for any number of blocks") {
    for (unsigned blocks : {1u, 2u, 3u, 31u, 32u, 33u, 63u, 64u, 65u, 130u}) {
      if (isShort() && blocks % 31 != 2) continue;
      checkOrder<tweed::Block<32>>(blocks, 32);
      checkOrder<tweed::Block<33>>(blocks, 33);
      if (!isShort()) checkOrder<tweed::Block<64>>(blocks, 64);
    }
    for (unsigned blocks : {1u, 2u, 7u, 100u}) {
      checkOrder<tweed::Block<1>>(blocks, 1);
      checkOrder<tweed::Block<5>>(blocks, 5);
      if (!isShort()) checkOrder<tweed::Block<256>>(blocks, 256);
    }
    if (!isShort()) checkOrder<tweed::Block<96>>(1000, 96);
    if (!isShort()) checkOrder<tweed::Block<1>>(3000, 1);
  }
  TEST_CASE("grids and blocks of more dimensions, and sizes known only to the launch") {
    checkOrder<tweed::Block<8, 4, 2>>(dim3(3, 5), dim3(8, 4, 2));
    checkOrder<tweed::Block<16, 16>>(dim3(2, 2, 3), dim3(16, 16));
    checkOrder<tweed::Block<3, 3>>(dim3(1, 7, 4), dim3(3, 3));
    for (unsigned threads : {1u, 2u, 31u, 32u, 33u, 100u, 1024u})
      if (!isShort() || threads <= 100) checkOrder<tweed::Dynamic<1024>>(dim3(3, 2), threads);
    checkOrder<tweed::Dynamic<64>>(dim3(50, 3), dim3(4, 3, 2));
    checkOrder<tweed::Dynamic<64>>(200, dim3(2, 1, 5));
  }
  TEST_CASE_TEMPLATE("commutative operators on numbers of any size", T, unsigned char, short, int,
                     double, unsigned long long) {
    for (unsigned blocks : {1u, 2u, 64u, 65u, 200u}) {
      if (isShort() && blocks > 2) continue;
      unsigned const items = blocks * 64;
      T sum = T(0);
      for (unsigned i = 0; i < items; ++i) sum = T(sum + Numbers<T>{}(i));
      CHECK(reduce<tweed::Block<64>, T>(Numbers<T>{}, tweed::Sum{}, blocks, 64)[0] == sum);
      CHECK(reduce<tweed::Block<64>, T>(Numbers<T>{}, tweed::Max{}, blocks, 64)[0] == T(11));
    }
  }
  TEST_CASE("maps composed in order, and values of 40 bytes") {
    for (unsigned blocks : {3u, 40u, isShort() ? 41u : 77u}) {
      Affine want = Compose::identity();
      for (unsigned i = 0; i < blocks * 40; ++i) want = Compose{}(want, Maps{}(i));
      CHECK(reduce<tweed::Block<40>, Affine>(Maps{}, Compose{}, blocks, 40)[0] == want);
      Wide wide = Wides{}(0);
      for (unsigned i = 1; i < blocks * 40; ++i) wide = AddWide{}(wide, Wides{}(i));
      CHECK(reduce<tweed::Block<40>, Wide>(Wides{}, AddWide{}, blocks, 40)[0] == wide);
    }
  }
  TEST_CASE("the same bits on every run, and NaN and infinities as of the operator") {
    unsigned const blocks = isShort() ? 5 : 67;
    float const first =
        reduce<tweed::Block<64>, float>(Fractions{}, tweed::Sum{}, blocks, 64, 1, 1)[0];
    double exact = 0;
    for (unsigned i = 0; i < blocks * 64; ++i) exact += Fractions{}(i);
    CHECK(std::fabs(first - exact) < 1e-2);
    for (int i = 0; i < (isShort() ? 2 : 5); ++i) {
#if defined(TWEED_LOOM)
      tweed::loom::Options options = tweed::loom::defaults();
      options.schedule = tweed::loom::Order::random;
      options.seed = unsigned(i + 2);
      options.preempt = 2;
      options.residentBlocks = 3;
      tweed::loom::ScopedOptions const scope(options);
#endif
      float const again =
          reduce<tweed::Block<64>, float>(Fractions{}, tweed::Sum{}, blocks, 64, 1, 1)[0];
      CHECK(sameBits(first, again));
    }
    auto const extreme = [](float special, unsigned at, auto op) {
      return reduce<tweed::Block<64>, float>(OneOf{special, at}, op, 9, 64)[0];
    };
    CHECK(std::isnan(extreme(NAN, 64 * 8, tweed::Max{})));
    CHECK(extreme(NAN, 64 * 8, tweed::MaxNumber{}) == -1.f);
    CHECK(extreme(INFINITY, 70, tweed::Max{}) == INFINITY);
    CHECK(extreme(-INFINITY, 575, tweed::Min{}) == -INFINITY);
  }
  TEST_CASE("several calls in one launch, with a state each") {
    auto const got = reduce<tweed::Block<48>, Affine>(Maps{}, Compose{}, dim3(5, 4), 48, 3);
    Affine want = Compose::identity();
    for (unsigned i = 0; i < 20 * 48; ++i) want = Compose{}(want, Maps{}(i));
    for (Affine const& each : got) CHECK(each == want);
  }
  TEST_CASE("the last block sees what all threads wrote, also where it is the only one") {
    for (unsigned blocks : {1u, 2u, 9u}) {
      checkReadAll<1>(blocks);
      checkReadAll<20>(blocks);
      checkReadAll<32>(blocks);
      checkReadAll<64>(blocks);
    }
  }
  TEST_CASE("the state has a place for each block, also for very many") {
    static_assert(tweed::gridReduceBytes<char>(3) == 19);
    static_assert(tweed::gridReduceBytes<double>(1) == 24);
    static_assert(tweed::gridReduceBytes<Wide>(2147483647) == 16 + 40 * 2147483647ull);
  }
#if defined(TWEED_LOOM)
  TEST_CASE("a block of another shape is stopped") {
    CHECK(
        contains(fault([] { reduce<tweed::Block<64>, int>(Numbers<int>{}, tweed::Sum{}, 3, 32); }),
                 "gridReduce: written for a block of (64, 1, 1) threads, launched with (32"));
  }
#else
  TEST_CASE("a graph of launches that share a state is replayed without a reset") {
    unsigned const blocks = 700;
    std::vector<unsigned> in = smallIntegers<unsigned>(blocks * 64, 14);
    DeviceArray<unsigned> const x(in);
    DeviceArray<unsigned> const out(std::vector<unsigned>(1, 0));
    DeviceArray<unsigned char> const state(
        std::vector<unsigned char>(tweed::gridReduceBytes<unsigned>(blocks), 0));
    Stream const stream;
    Graph const graph(stream, [&] {
      for (int i = 0; i < 3; ++i)
        tweed::launch(addTotal, {blocks, 64, 0, stream}, x.data(), state.data(), out.data());
    });
    unsigned sum = std::accumulate(in.begin(), in.end(), 0u), want = 0;
    for (unsigned round = 0; round < 20; ++round) {
      unsigned const value = unsigned(noise(round)) % 1000;
      unsigned const at = unsigned(noise(round + 100)) % (blocks * 64);
      sum += value - in[at];
      in[at] = value;
      want += 3 * sum;
      TWEED_CHECK(
          cudaMemcpyAsync(x.data() + at, &value, sizeof value, cudaMemcpyHostToDevice, stream));
      graph.launch();
      tweed::synchronize(stream);
      REQUIRE(out.host()[0] == want);
    }
  }
  TEST_CASE("a large grid") {
    auto const got = reduce<tweed::Block<64>, Affine>(Maps{}, Compose{}, 100003, 64);
    Affine want = Compose::identity();
    for (unsigned i = 0; i < 100003u * 64; ++i) want = Compose{}(want, Maps{}(i));
    CHECK(got[0] == want);
  }
#endif
}
