// SPDX-License-Identifier: Apache-2.0
// tests/block/blockReduce.items.cu - tests tweed/block/blockReduce.cuh with several items a thread
#include <tweed/block/blockReduce.cuh>

#include "support/device.cuh"
#include "support/folds.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

// Items beyond the count are poison. A count of -1 means the call without one.
template <class Shape, int N, class T, class Op>
__global__ void reduceItems(T const* in, T* out, Op op, int count) {
  int const rank = Shape::rank();
  T items[N];
  for (int i = 0; i < N; ++i) {
    items[i] = in[rank * N + i];
    if (count >= 0 && rank * N + i >= count) memset(items + i, 0xFF, sizeof(T));
  }
  if (count < 0) {
    out[rank] = tweed::blockReduce<Shape>(items, op);
  } else {
    out[rank] = tweed::blockReduce<Shape>(items, op, count);
  }
}

// Not for each shape: what checks a shape would take longer to compile than its kernel.
template <class T, class Op>
void checkKernel(void (*kernel)(T const*, T*, Op, int), int perThread, std::vector<T> const& in,
                 dim3 block, Op op, std::vector<int> const& counts) {
  int const threads = int(block.x * block.y * block.z);
  int const size = threads * perThread;
  CAPTURE(threads);
  CAPTURE(perThread);
  DeviceArray<T> const dIn(std::vector<T>(in.begin(), in.begin() + size));
  DeviceArray<T> const out(std::size_t(threads), 0);
  for (int const count : counts) {
    if (count > size || (count == 0 && !tweed::hasIdentity<Op, T>)) continue;
    CAPTURE(count);
    tweed::launch(kernel, {1, block}, dIn.data(), out.data(), op, count);
    tweed::synchronize();
    requireAll(out.host(), foldOnHost(in.data(), count < 0 ? size : count, op));
  }
}

template <class Shape, int N, class T, class Op>
void check(std::vector<T> const& in, dim3 block, Op op, std::vector<int> const& counts) {
  checkKernel<T, Op>(reduceItems<Shape, N, T, Op>, N, in, block, op, counts);
}

template <int N, class T, class Op>
void checkSizes(std::vector<T> const& in, Op op) {
  forBlockSizes(isShort(), [&](auto threads) {
    constexpr int all = threads.value * N;
    check<tweed::Block<threads.value>, N>(in, threads.value, op,
                                          {-1, 0, 1, N, N + 1, all / 2, all - 1, all});
  });
}

std::vector<Stretch> stretches(int n) {
  std::vector<Stretch> s;
  for (int i = 0; i < n; ++i) s.push_back(Stretch::at(std::uint32_t(i)));
  return s;
}

template <class Shape, int N>
__global__ void reduceHeld(int const* in, int* out, int count) {
  int const rank = Shape::rank();
  Counted const items[N] = {Counted(in[rank * N]), Counted(in[rank * N + 1]),
                            Counted(in[rank * N + 2])};
  Counted const all = tweed::blockReduce<Shape>(items, AddCounted{});
  out[rank] = all.value() + tweed::blockReduce<Shape>(items, AddCounted{}, count).value() * 1000;
}

// No barrier of the user's between calls of several types and numbers of items.
template <int Threads>
__global__ void reduceAgainAndAgain(int turns, unsigned* wrong) {
  int const t = int(threadIdx.x);
  for (int turn = 0; turn < turns; ++turn) {
    delayWarps(turn);
    int items[3];
    double numbers[2];
    for (int i = 0; i < 3; ++i) items[i] = (t * 3 + i) % 31 + turn;
    for (int i = 0; i < 2; ++i) numbers[i] = (t * 2 + i) % 29 + turn;
    int sum = 0, first = 0;
    double both = 0;
    for (int i = 0; i < Threads * 3; ++i) sum += i % 31 + turn;
    for (int i = 0; i < Threads + 1; ++i) first += i % 31 + turn;
    for (int i = 0; i < Threads * 2; ++i) both += i % 29 + turn;
    bool good = tweed::blockReduce<Threads>(items) == sum;
    good = good && tweed::blockReduce<Threads>(numbers) == both;
    good = good && tweed::blockReduce<Threads>(items, tweed::Sum{}, Threads + 1) == first;
    good = good && tweed::blockReduce<Threads>(items, tweed::Max{}, 1) == turn;
    if (!good) atomicAdd(wrong, 1u);
  }
}

#if defined(TWEED_LOOM)
// Every form by itself, written for 64 threads: a count of -1 means the form without one.
enum class Form { Value, First, Items, Scratch };
template <Form form>
__global__ void reduce64(int count, int* out) {
  using Shape = tweed::Block<64>;
  tweed::Sum const op;
  __shared__ tweed::BlockScratch<Shape, int> scratch;
  int const items[2] = {1, 1};
  int sum;
  if constexpr (form == Form::Value) {
    sum = count < 0 ? tweed::blockReduce<Shape>(1, op) : tweed::blockReduce<Shape>(1, op, count);
  } else if constexpr (form == Form::First) {
    sum = tweed::blockReduce<Shape, tweed::ToFirst>(1, op);
  } else if constexpr (form == Form::Items) {
    sum = count < 0 ? tweed::blockReduce<Shape>(items, op)
                    : tweed::blockReduce<Shape>(items, op, count);
  } else {
    sum =
        count < 0 ? tweed::blockReduce(1, op, scratch) : tweed::blockReduce(1, op, scratch, count);
  }
  if (threadIdx.x == 0) *out = sum;
}
#endif

}  // namespace

TEST_SUITE("blockReduce") {
  TEST_CASE("several items a thread, of every tested block size, whole and in part (C25, C27)") {
    checkSizes<3>(stretches(3 * 1024), Join{});
  }
  TEST_CASE("one, four and many items a thread") {
    std::vector<Affine> maps;
    for (unsigned i = 0; i < 17 * 257; ++i)
      maps.push_back({unsigned(2 * noise(i) + 1), unsigned(noise(i + 5000))});
    std::vector<int> const counts = {-1, 0, 1, 5, 31, 128, 257, 1000};
    check<tweed::Block<64>, 1>(maps, 64, Compose{}, counts);
    check<tweed::Block<257>, 4>(maps, 257, Compose{}, counts);
    check<tweed::Block<96>, 17>(maps, 96, Compose{}, counts);
    check<tweed::Block<128>, 8>(smallIntegers<int>(1024, 1), 128, tweed::Sum{}, counts);
    check<tweed::Block<256>, 8>(smallIntegers<float>(2048, 2), 256, tweed::Sum{}, counts);
    check<tweed::Block<64>, 4>(smallIntegers<double>(256, 3), 64, tweed::Max{}, counts);
    check<tweed::Block<64>, 3>(smallIntegers<short>(192, 3), 64, tweed::Min{}, counts);
  }
  TEST_CASE("the operator is called on nothing but data (C27)") {
    DeviceArray<int> const bad(std::vector<int>(1, 0));
    WatchedJoin const join{bad.data()};
    std::vector<int> const counts = {-1, 1, 2, 3, 4, 95, 96, 97, 100, 383, 384};
    check<tweed::Block<128>, 3>(stretches(3 * 128), 128, join, counts);
    check<tweed::Dynamic<256>, 4>(stretches(4 * 77), 77, join, counts);
    CHECK(bad.host()[0] == 0);
  }
  TEST_CASE("blocks of two and three dimensions count x first") {
    std::vector<int> const counts = {-1, 1, 100, 200, 288};
    check<tweed::Block<16, 16>, 3>(stretches(768), dim3(16, 16), Join{}, counts);
    check<tweed::Block<8, 4, 3>, 3>(stretches(288), dim3(8, 4, 3), Join{}, counts);
    check<tweed::Dynamic<128>, 3>(stretches(315), dim3(7, 5, 3), Join{}, counts);
  }
  TEST_CASE("every block size from 1 to 1024, known only at run time") {
    std::vector<Stretch> const in = stretches(3 * 1024);
    int const step = isShort() ? 61 : 1;
    for (int threads = 1; threads <= 1024; threads += step) {
      int const some = 1 + int(noise(std::uint64_t(threads)) % std::uint64_t(threads * 3));
      check<tweed::Dynamic<1024>, 3>(in, unsigned(threads), Join{}, {threads % 3 == 0 ? some : -1});
    }
  }
  TEST_CASE("a type that is not trivially copyable and has no default constructor") {
    std::vector<int> const in = smallIntegers<int>(300, 5);
    DeviceArray<int> const dIn(in);
    DeviceArray<int> const out(100);
    for (int const count : {1, 99, 100, 101, 300}) {
      tweed::launch(reduceHeld<tweed::Block<100>, 3>, {1, 100}, dIn.data(), out.data(), count);
      tweed::synchronize();
      int const all = foldOnHost(in.data(), 300, tweed::Sum{});
      int const some = foldOnHost(in.data(), count, tweed::Sum{});
      for (int const got : out.host()) REQUIRE(got == all + some * 1000);
      CHECK(Counted::areGone());
    }
  }
  TEST_CASE("calls may follow each other at once (C17)") {
    DeviceArray<unsigned> const wrong(std::vector<unsigned>(1, 0));
    int const turns = isShort() ? 3 : 20;
    tweed::launch(reduceAgainAndAgain<512>, {2, 512}, turns, wrong.data());
    tweed::launch(reduceAgainAndAgain<65>, {2, 65}, turns, wrong.data());
    tweed::synchronize();
    CHECK(wrong.host()[0] == 0);
  }
#if defined(TWEED_LOOM)
  TEST_CASE("each form checks the block's shape and the count itself") {
    DeviceArray<int> const out(1);
    auto const says = [&](auto kernel, unsigned threads, int count, std::string const& text) {
      CHECK(contains(fault([&] {
                       tweed::launch(kernel, {1, threads}, count, out.data());
                     }),
                     "tweed::blockReduce: " + text));
    };
    std::string const shape = "written for a block of (64, 1, 1)";
    says(reduce64<Form::First>, 32, -1, shape);
    for (int const count : {-1, 64}) {
      says(reduce64<Form::Value>, 96, count, shape);
      says(reduce64<Form::Items>, 96, count, shape);
      says(reduce64<Form::Scratch>, 96, count, shape);
    }
    says(reduce64<Form::Value>, 64, 65, "count is 65, allowed are 0 to 64");
    says(reduce64<Form::Items>, 64, 129, "count is 129, allowed are 0 to 128");
    says(reduce64<Form::Scratch>, 64, 65, "count is 65, allowed are 0 to 64");
    auto const sum = [&](auto kernel, int count) {
      tweed::launch(kernel, {1, 64}, count, out.data());
      tweed::synchronize();
      return out.host()[0];
    };
    for (int const count : {0, 64}) {
      CHECK(sum(reduce64<Form::Value>, count) == count);
      CHECK(sum(reduce64<Form::Items>, 2 * count) == 2 * count);
      CHECK(sum(reduce64<Form::Scratch>, count) == count);
    }
  }
  TEST_CASE("a count out of range stops the kernel, with the range") {
    DeviceArray<int> const in(std::vector<int>(192, 1));
    DeviceArray<int> const out(64);
    std::string const text = fault([&] {
      tweed::launch(reduceItems<tweed::Block<64>, 3, int, tweed::Sum>, {1, 64}, in.data(),
                    out.data(), tweed::Sum{}, 193);
    });
    CHECK(contains(text, "tweed::blockReduce: count is 193, allowed are 0 to 192"));
  }
#endif
}
