// SPDX-License-Identifier: Apache-2.0
// tests/block/blockScan.items.cu - tests tweed/block/blockScan.cuh with several items a thread
#include <tweed/block/blockScan.cuh>

#include "support/device.cuh"
#include "support/folds.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

// Items beyond the count are poison. A count of -1 means the call without one.
template <class Shape, int N, class T, class Op>
__global__ void scanItems(T const* in, Prefixes<T>* out, Op op, T init, int count) {
  int const first = Shape::rank() * N;
  T inclusive[N], exclusive[N];
  for (int i = 0; i < N; ++i) {
    inclusive[i] = in[first + i];
    if (count >= 0 && first + i >= count) memset(inclusive + i, 0xFF, sizeof(T));
    exclusive[i] = inclusive[i];
  }
  T totals[2];
  if (count < 0) {
    totals[0] = tweed::blockInclusiveScan<Shape>(inclusive, op);
    totals[1] = tweed::blockExclusiveScan<Shape>(exclusive, op, init);
  } else {
    totals[0] = tweed::blockInclusiveScan<Shape>(inclusive, op, count);
    totals[1] = tweed::blockExclusiveScan<Shape>(exclusive, op, init, count);
  }
  for (int i = 0; i < N; ++i) out[first + i] = {inclusive[i], exclusive[i], {totals[0], totals[1]}};
}

// Not for each shape: what checks a shape would take longer to compile than its kernel.
template <class T, class Op>
void checkKernel(void (*kernel)(T const*, Prefixes<T>*, Op, T, int), int perThread,
                 std::vector<T> const& in, dim3 block, Op op, T init,
                 std::vector<int> const& counts) {
  int const size = int(block.x * block.y * block.z) * perThread;
  CAPTURE(perThread);
  DeviceArray<T> const dIn(std::vector<T>(in.begin(), in.begin() + size));
  DeviceArray<Prefixes<T>> const out(std::size_t(size), 0);
  for (int const count : counts) {
    if (count > size || (count == 0 && !tweed::hasIdentity<Op, T>)) continue;
    tweed::launch(kernel, {1, block}, dIn.data(), out.data(), op, init, count);
    tweed::synchronize();
    checkPrefixes(out.host().data(), size, in.data(), count < 0 ? size : count, op, init);
  }
}

template <class Shape, int N, class T, class Op>
void check(std::vector<T> const& in, dim3 block, Op op, T init, std::vector<int> const& counts) {
  checkKernel<T, Op>(scanItems<Shape, N, T, Op>, N, in, block, op, init, counts);
}

template <int N, class T, class Op>
void checkSizes(std::vector<T> const& in, Op op, T init) {
  forBlockSizes(isShort(), [&](auto threads) {
    constexpr int all = threads.value * N;
    check<tweed::Block<threads.value>, N>(in, threads.value, op, init,
                                          {-1, 0, 1, N, N + 1, all / 2, all - 1, all});
  });
}

// Positions from 1 on: position 0 is the init of the exclusive scan.
std::vector<Stretch> stretches(int n) {
  std::vector<Stretch> s;
  for (int i = 0; i < n; ++i) s.push_back(Stretch::at(std::uint32_t(1 + i)));
  return s;
}

// Counts the calls of the operator, and of those on what is not data.
struct CountingAdd {
  unsigned* calls;
  TWEED_HOST_DEVICE int operator()(int a, int b) const {
#if defined(__CUDA_ARCH__) || defined(TWEED_LOOM)
    atomicAdd(calls, 1u);
    if (a < 0 || b < 0) atomicAdd(calls + 1, 1u);
#endif
    return a + b;
  }
};
template <int Threads, int N>
__global__ void countCalls(unsigned* calls) {
  int items[N];
  for (int i = 0; i < N; ++i) items[i] = int(threadIdx.x) * N + i;
  tweed::blockInclusiveScan<Threads>(items, CountingAdd{calls});
}

template <class Shape>
__global__ void scanHeld(Stretch const* in, Prefixes<Stretch>* out, int count) {
  int const first = Shape::rank() * 2;
  HeldOp<Join> const join{};
  Held<Stretch> const init(Stretch::at(0));
  Held<Stretch> inclusive[2] = {Held<Stretch>(in[first]), Held<Stretch>(in[first + 1])};
  Held<Stretch> exclusive[2] = {inclusive[0], inclusive[1]};
  Held<Stretch> const total = tweed::blockInclusiveScan<Shape>(inclusive, join, count);
  Held<Stretch> const again = tweed::blockExclusiveScan<Shape>(exclusive, join, init, count);
  for (int i = 0; i < 2; ++i)
    out[first + i] = {inclusive[i].get(), exclusive[i].get(), {total.get(), again.get()}};
}

// No barrier of the user's between calls of several types and numbers of items.
template <int Threads>
__global__ void scanAgainAndAgain(int turns, unsigned* wrong) {
  int const t = int(threadIdx.x);
  int before = 0, all = 0;
  for (int i = 0; i < Threads * 3; ++i) {
    if (i == t * 3) before = all;
    all += i % 31;
  }
  for (int turn = 0; turn < turns; ++turn) {
    delayWarps(turn);
    int items[3], own = 0;
    double numbers[3];
    for (int i = 0; i < 3; ++i) numbers[i] = items[i] = (t * 3 + i) % 31;
    for (int i = 0; i < 3; ++i) own += items[i];
    bool good = tweed::blockInclusiveScan<Threads>(items, tweed::Sum{}) == all;
    good = good && items[2] == before + own;
    good = good && tweed::blockExclusiveScan<Threads>(numbers, tweed::Sum{}, turn) == double(all);
    good = good && numbers[0] == double(before + turn);
    good = good && tweed::blockReduce<Threads>(items, tweed::Max{}) == all;
    good = good && tweed::blockInclusiveScan<Threads>(t, tweed::Max{}).prefix == t;
    if (!good) atomicAdd(wrong, 1u);
  }
}

#if defined(TWEED_LOOM)
// Every form by itself, written for 64 threads: a count of -1 means the form without one.
template <bool IsExclusive>
__global__ void scan64(int count, int* out) {
  using Shape = tweed::Block<64>;
  tweed::Sum const op;
  int items[2] = {1, 2};
  int total;
  if constexpr (IsExclusive) {
    total = count < 0 ? tweed::blockExclusiveScan<Shape>(items, op, 0)
                      : tweed::blockExclusiveScan<Shape>(items, op, 0, count);
  } else {
    total = count < 0 ? tweed::blockInclusiveScan<Shape>(items, op)
                      : tweed::blockInclusiveScan<Shape>(items, op, count);
  }
  if (threadIdx.x == 0) *out = total;
}
#endif

}  // namespace

TEST_SUITE("blockScan") {
  TEST_CASE("several items a thread, of every tested block size, whole and in part (C25, C27)") {
    checkSizes<3>(stretches(3 * 1024), Join{}, Stretch::at(0));
  }
  TEST_CASE("one, four and many items a thread") {
    std::vector<Affine> maps;
    for (unsigned i = 0; i < 17 * 257; ++i)
      maps.push_back({unsigned(2 * noise(i) + 1), unsigned(noise(i + 5000))});
    std::vector<int> const counts = {-1, 0, 1, 5, 31, 128, 257, 1000};
    check<tweed::Block<64>, 1>(maps, 64, Compose{}, Affine{3, 5}, counts);
    check<tweed::Block<257>, 4>(maps, 257, Compose{}, Affine{3, 5}, counts);
    check<tweed::Block<96>, 17>(maps, 96, Compose{}, Affine{3, 5}, counts);
    check<tweed::Block<512>, 8>(smallIntegers<int>(4096, 1), 512, tweed::Sum{}, 7, counts);
    check<tweed::Block<1024>, 2>(smallIntegers<float>(2048, 2), 1024, tweed::Sum{}, 7.f, counts);
    check<tweed::Block<64>, 4>(smallIntegers<double>(256, 3), 64, tweed::Max{}, 2., counts);
  }
  TEST_CASE("the operator is called on nothing but data (C27)") {
    DeviceArray<int> const bad(std::vector<int>(1, 0));
    WatchedJoin const join{bad.data()};
    std::vector<int> const counts = {-1, 1, 2, 3, 4, 95, 96, 97, 100, 383, 384};
    check<tweed::Block<128>, 3>(stretches(3 * 128), 128, join, Stretch::at(0), counts);
    check<tweed::Dynamic<256>, 4>(stretches(4 * 77), 77, join, Stretch::at(0), counts);
    CHECK(bad.host()[0] == 0);
  }
  TEST_CASE("each item is combined about twice, and never what is not data (C27)") {
    DeviceArray<unsigned> const calls(std::vector<unsigned>(2, 0));
    tweed::launch(countCalls<256, 8>, {1, 256}, calls.data());
    tweed::synchronize();
    CHECK(calls.host()[0] > 255 * 8 + 256 * 7);
    CHECK(calls.host()[0] < 256 * 8 + 256 * 7 + 256 * 6);
    CHECK(calls.host()[1] == 0);
  }
  TEST_CASE("blocks of two and three dimensions count x first") {
    std::vector<int> const counts = {-1, 1, 100, 200, 288};
    Stretch const init = Stretch::at(0);
    check<tweed::Block<16, 16>, 3>(stretches(768), dim3(16, 16), Join{}, init, counts);
    check<tweed::Block<8, 4, 3>, 3>(stretches(288), dim3(8, 4, 3), Join{}, init, counts);
    check<tweed::Dynamic<256>, 3>(stretches(315), dim3(7, 5, 3), Join{}, init, counts);
  }
  TEST_CASE("every block size from 1 to 1024, known only at run time") {
    std::vector<Stretch> const in = stretches(2 * 1024);
    int const step = isShort() ? 61 : 1;
    for (int threads = 1; threads <= 1024; threads += step) {
      int const some = 1 + int(noise(std::uint64_t(threads)) % std::uint64_t(threads * 2));
      check<tweed::Dynamic<1024>, 2>(in, unsigned(threads), Join{}, Stretch::at(0),
                                     {threads % 3 == 0 ? some : -1});
    }
  }
  TEST_CASE("a type that is not trivially copyable and has no default constructor") {
    std::vector<Stretch> const in = stretches(200);
    DeviceArray<Stretch> const dIn(in);
    DeviceArray<Prefixes<Stretch>> const out(200);
    for (int const count : {1, 99, 100, 200}) {
      tweed::launch(scanHeld<tweed::Block<100>>, {1, 100}, dIn.data(), out.data(), count);
      tweed::synchronize();
      checkPrefixes(out.host().data(), 200, in.data(), count, Join{}, Stretch::at(0));
    }
  }
  TEST_CASE("calls may follow each other at once (C17)") {
    DeviceArray<unsigned> const wrong(std::vector<unsigned>(1, 0));
    int const turns = isShort() ? 2 : 10;
    tweed::launch(scanAgainAndAgain<512>, {2, 512}, turns, wrong.data());
    tweed::launch(scanAgainAndAgain<65>, {2, 65}, turns, wrong.data());
    tweed::synchronize();
    CHECK(wrong.host()[0] == 0);
  }
#if defined(TWEED_LOOM)
  TEST_CASE("each form checks the block's shape and the count itself") {
    DeviceArray<int> const out(1);
    auto const says = [&](auto kernel, unsigned threads, int count, std::string const& text) {
      CHECK(contains(fault([&] { tweed::launch(kernel, {1, threads}, count, out.data()); }), text));
    };
    std::string const shape = "Scan: written for a block of (64, 1, 1)";
    for (int const count : {-1, 128}) {
      says(scan64<false>, 96, count, "tweed::blockInclusive" + shape);
      says(scan64<true>, 96, count, "tweed::blockExclusive" + shape);
    }
    std::string const range = "Scan: count is 129, allowed are 0 to 128";
    says(scan64<false>, 64, 129, "tweed::blockInclusive" + range);
    says(scan64<true>, 64, 129, "tweed::blockExclusive" + range);
  }
  TEST_CASE("a count out of range stops the kernel, with the range") {
    DeviceArray<int> const in(std::vector<int>(192, 1));
    DeviceArray<Prefixes<int>> const out(192);
    std::string const text = fault([&] {
      tweed::launch(scanItems<tweed::Block<64>, 3, int, tweed::Sum>, {1, 64}, in.data(), out.data(),
                    tweed::Sum{}, 0, 193);
    });
    CHECK(contains(text, "tweed::blockInclusiveScan: count is 193, allowed are 0 to 192"));
  }
#endif
}
