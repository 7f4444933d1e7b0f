// SPDX-License-Identifier: Apache-2.0
// tests/block/blockScan.cu - tests tweed/block/blockScan.cuh
#include <tweed/block/blockScan.cuh>

#include "support/device.cuh"
#include "support/folds.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

template <class Shape, class T, class Op>
__global__ void __launch_bounds__(Shape::maxThreads)
    scanAll(T const* in, Prefixes<T>* out, Op op, T init) {
  int const rank = Shape::rank();
  auto const [inclusive, total] = tweed::blockInclusiveScan<Shape>(in[rank], op);
  auto const [exclusive, again] = tweed::blockExclusiveScan<Shape>(in[rank], op, init);
  out[rank] = {inclusive, exclusive, {total, again}};
}
// The values of threads beyond the count are poison.
template <class Shape, class T, class Op>
__global__ void __launch_bounds__(Shape::maxThreads)
    scanFirst(T const* in, Prefixes<T>* out, Op op, T init, int count) {
  int const rank = Shape::rank();
  T value = in[rank];
  if (rank >= count) memset(static_cast<void*>(&value), 0xFF, sizeof value);
  auto const [inclusive, total] = tweed::blockInclusiveScan<Shape>(value, op, count);
  auto const [exclusive, again] = tweed::blockExclusiveScan<Shape>(value, op, init, count);
  out[rank] = {inclusive, exclusive, {total, again}};
}

template <class T, class Op>
struct Kernels {
  void (*all)(T const*, Prefixes<T>*, Op, T);
  void (*first)(T const*, Prefixes<T>*, Op, T, int);
};

// Not for each shape: what checks a shape would take longer to compile than its kernels.
template <class T, class Op>
void checkKernels(Kernels<T, Op> const& kernels, std::vector<T> const& items, dim3 block, Op op,
                  T init) {
  int const threads = int(block.x * block.y * block.z);
  CAPTURE(threads);
  std::vector<T> const in(items.begin(), items.begin() + threads);
  DeviceArray<T> const dIn(in);
  DeviceArray<Prefixes<T>> const out(in.size());
  tweed::launch(kernels.all, {1, block}, dIn.data(), out.data(), op, init);
  tweed::synchronize();
  checkPrefixes(out.host().data(), threads, in.data(), threads, op, init);

  int const some = 1 + int(noise(std::uint64_t(threads)) % std::uint64_t(threads));
  for (int count : {0, 1, 2, some, threads / 2, threads - 1, threads, 31, 32, 33, 64}) {
    if (count > threads || (count == 0 && !tweed::hasIdentity<Op, T>)) continue;
    CAPTURE(count);
    tweed::launch(kernels.first, {1, block}, dIn.data(), out.data(), op, init, count);
    tweed::synchronize();
    checkPrefixes(out.host().data(), threads, in.data(), count, op, init);
  }
}

template <class Shape, class T, class Op>
void checkShape(std::vector<T> const& in, dim3 block, Op op, T init) {
  Kernels<T, Op> const kernels{scanAll<Shape, T, Op>, scanFirst<Shape, T, Op>};
  checkKernels(kernels, in, block, op, init);
}

template <int Threads, class T, class Op>
void checkStatic(std::vector<T> const& in, Op op, T init) {
  checkShape<tweed::Block<Threads>>(in, Threads, op, init);
}

template <class T, class Op>
void checkSizes(std::vector<T> const& in, Op op, T init) {
  forBlockSizes(isShort(), [&](auto threads) { checkStatic<threads.value>(in, op, init); });
}
template <class T, class Op>
void checkFewSizes(std::vector<T> const& in, Op op, T init) {
  checkStatic<7>(in, op, init), checkStatic<32>(in, op, init), checkStatic<100>(in, op, init);
  checkStatic<128>(in, op, init), checkStatic<160>(in, op, init), checkStatic<256>(in, op, init);
  checkStatic<1024>(in, op, init);
}

// Positions from 1 on: position 0 is the init of the exclusive scan.
std::vector<Stretch> stretches(int n) {
  std::vector<Stretch> s;
  for (int i = 0; i < n; ++i) s.push_back(Stretch::at(std::uint32_t(1 + i)));
  return s;
}

// Only what the threads do matters here, not what they get.
template <class Shape>
void checkWatched(int threads, int* bad) {
  DeviceArray<Stretch> const in(stretches(threads));
  DeviceArray<Prefixes<Stretch>> const out(in.size());
  for (int count : {1, 5, 32, 33, 70, threads - 1, threads}) {
    tweed::launch(scanFirst<Shape, Stretch, WatchedJoin>, {1, unsigned(threads)}, in.data(),
                  out.data(), WatchedJoin{bad}, Stretch::at(0), count);
    tweed::synchronize();
  }
}

// A Stretch in four bytes, for tests of many threads: empty if anything went wrong.
struct Run {
  std::uint16_t begin, end;
  static TWEED_HOST_DEVICE Run at(int i) { return {std::uint16_t(i), std::uint16_t(i + 1)}; }
  friend TWEED_HOST_DEVICE bool operator==(Run const& x, Run const& y) {
    return x.begin == y.begin && x.end == y.end;
  }
};
struct JoinRuns {
  TWEED_HOST_DEVICE Run operator()(Run const& x, Run const& y) const {
    bool const good = x.begin < x.end && y.begin < y.end && x.end == y.begin;
    return good ? Run{x.begin, y.end} : Run{0, 0};
  }
};

struct Large {
  long long v[3];
  friend bool operator==(Large const& x, Large const& y) { return sameBits(x, y); }
};
struct AddLarge {
  TWEED_HOST_DEVICE Large operator()(Large const& x, Large const& y) const {
    return {{x.v[0] + y.v[0], x.v[1] + y.v[1], x.v[2] + y.v[2]}};
  }
};
// Trivially copyable; no default constructor.
struct Named {
  TWEED_HOST_DEVICE explicit Named(int v) : value(v) {}
  int value;
  friend bool operator==(Named const& x, Named const& y) { return x.value == y.value; }
};
struct AddNamed {
  TWEED_HOST_DEVICE Named operator()(Named const& x, Named const& y) const {
    return Named(x.value + y.value);
  }
};

}  // namespace

TEST_SUITE("blockScan") {
  TEST_CASE("sums of every tested block size match the host") {
    checkSizes(smallIntegers<float>(1024, 1), tweed::Sum{}, 1000.f);
  }
  TEST_CASE("order is kept, and every item is combined once with the run before it (C25, C27)") {
    checkSizes(stretches(1024), Join{}, Stretch::at(0));
  }
  TEST_CASE("the operator is called on nothing but data (C27)") {
    DeviceArray<int> const bad(std::vector<int>(1, 0));
    checkWatched<tweed::Block<128>>(128, bad.data());
    checkWatched<tweed::Block<100>>(100, bad.data());
    checkWatched<tweed::Dynamic<256>>(77, bad.data());
    CHECK(bad.host()[0] == 0);
  }
  TEST_CASE("24 bytes, and a type without a default constructor") {
    std::vector<Large> large;
    std::vector<Named> named;
    for (int i = 0; i < 1024; ++i) {
      large.push_back({{i, i * 3, 1}});
      named.push_back(Named(i % 7));
    }
    checkFewSizes(large, AddLarge{}, Large{{1, 2, 3}});
    checkFewSizes(named, AddNamed{}, Named(5));
  }
  TEST_CASE_TEMPLATE("other types, and sums that overflow", T, unsigned, unsigned short,
                     unsigned long long, double) {
    std::vector<T> in = smallIntegers<T>(1024, 2);
    if (std::is_integral_v<T>)
      for (T& x : in) x = T(x * (T(0) - T(3)));
    checkFewSizes(in, tweed::Sum{}, T(7));
  }
  TEST_CASE("affine maps, and a structure of 40 bytes") {
    std::vector<Affine> maps;
    std::vector<Wide> wide;
    for (int i = 0; i < 1024; ++i) {
      maps.push_back({unsigned(2 * noise(i) + 1), unsigned(noise(i + 5000))});
      wide.push_back({{i, -i, i * 7, 1, (long long)(noise(i) % 99)}});
    }
    checkFewSizes(maps, Compose{}, Affine{3, 5});
    checkFewSizes(wide, AddWide{}, Wide{{5, 4, 3, 2, 1}});
  }
  TEST_CASE("blocks of two and three dimensions count x first") {
    checkShape<tweed::Block<16, 16>>(stretches(256), dim3(16, 16), Join{}, Stretch::at(0));
    checkShape<tweed::Block<8, 4, 3>>(stretches(96), dim3(8, 4, 3), Join{}, Stretch::at(0));
    checkShape<tweed::Block<5, 3>>(stretches(15), dim3(5, 3), Join{}, Stretch::at(0));
    checkShape<tweed::Dynamic<256>>(stretches(105), dim3(7, 5, 3), Join{}, Stretch::at(0));
  }
  TEST_CASE("every block size from 1 to 1024, known only at run time") {
    using Shape = tweed::Dynamic<1024>;
    int const step = isShort() ? 61 : 1;
    for (int threads = 1; threads <= 1024; threads += step) {
      CAPTURE(threads);
      std::vector<Run> in;
      for (int i = 0; i < threads; ++i) in.push_back(Run::at(1 + i));
      DeviceArray<Run> const dIn(in);
      DeviceArray<Prefixes<Run>> const out(in.size());
      int const some = 1 + int(noise(std::uint64_t(threads)) % std::uint64_t(threads));
      int const count = threads % 3 == 0 ? some : threads;
      CAPTURE(count);
      tweed::launch(scanFirst<Shape, Run, JoinRuns>, {1, unsigned(threads)}, dIn.data(), out.data(),
                    JoinRuns{}, Run::at(0), count);
      tweed::synchronize();
      checkPrefixes(out.host().data(), threads, in.data(), count, JoinRuns{}, Run::at(0));
    }
  }
}

namespace {

template <class Shape>
__global__ void scanHeld(Stretch const* in, Prefixes<Stretch>* out, int count) {
  int const rank = Shape::rank();
  HeldOp<Join> const join{};
  Held<Stretch> const value(in[rank]);
  Held<Stretch> const init(Stretch::at(0));
  auto const inclusive = tweed::blockInclusiveScan<Shape>(value, join, count);
  auto const exclusive = tweed::blockExclusiveScan<Shape>(value, join, init, count);
  out[rank] = {inclusive.prefix.get(),
               exclusive.prefix.get(),
               {inclusive.total.get(), exclusive.total.get()}};
}

template <class Shape>
void checkHeld(int threads) {
  CAPTURE(threads);
  std::vector<Stretch> const in = stretches(threads);
  DeviceArray<Stretch> const dIn(in);
  DeviceArray<Prefixes<Stretch>> const out(in.size());
  for (int count : {1, (threads + 1) / 2, threads}) {
    CAPTURE(count);
    tweed::launch(scanHeld<Shape>, {1, unsigned(threads)}, dIn.data(), out.data(), count);
    tweed::synchronize();
    checkPrefixes(out.host().data(), threads, in.data(), count, Join{}, Stretch::at(0));
  }
}

// No barrier of the user's between the calls: scans and reductions of several types share the
// block, and warps are delayed.
template <int Threads>
__global__ void scanAgainAndAgain(int turns, unsigned* wrong) {
  int const t = int(threadIdx.x);
  for (int turn = 0; turn < turns; ++turn) {
    delayWarps(turn);
    int const x = (t * 37 + turn * 11) % 1009;
    int before = 0, sum = 0, top = 0;
    for (int i = 0; i < Threads; ++i) {
      int const y = (i * 37 + turn * 11) % 1009;
      if (i == t) before = sum;
      sum += y;
      top = y > top ? y : top;
    }
    bool good = true;
    tweed::Scan<int> const a = tweed::blockInclusiveScan<Threads>(x, tweed::Sum{});
    good = good && a.prefix == before + x && a.total == sum;
    good = good && tweed::blockReduce<Threads>(x, tweed::Max{}) == top;
    tweed::Scan<int> const b = tweed::blockExclusiveScan<Threads>(x, tweed::Sum{}, turn);
    good = good && b.prefix == turn + before && b.total == sum;
    tweed::Scan<int> const c = tweed::blockExclusiveScan<Threads>(x, tweed::Sum{}, 0, 1);
    good = good && c.prefix == (t == 0 ? 0 : turn * 11 % 1009);
    good = good && tweed::blockReduce<Threads>(x) == sum;
    tweed::Scan<double> const d = tweed::blockInclusiveScan<Threads>(double(x), tweed::Sum{});
    good = good && d.prefix == double(before + x) && d.total == double(sum);
    Counted const e = tweed::blockInclusiveScan<Threads>(Counted(x), AddCounted{}).prefix;
    good = good && e.value() == before + x;
    good = good && tweed::blockReduce<Threads>(Counted(x), AddCounted{}).value() == sum;
    if (!good) atomicAdd(wrong, 1u);
  }
}

__global__ void scanBytes(signed char const* in, int* out) {
  out[threadIdx.x] = tweed::blockInclusiveScan<300>(int(in[threadIdx.x]), tweed::Sum{}).prefix;
}

template <int Threads>
__global__ void bitsOfScan(float const* in, float* prefixes, float* totals) {
  auto const [prefix, total] = tweed::blockInclusiveScan<Threads>(in[threadIdx.x], tweed::Sum{});
  prefixes[threadIdx.x] = prefix;
  totals[threadIdx.x] = total;
}

template <int Threads>
void checkBits() {
  std::vector<float> in;
  for (int i = 0; i < Threads; ++i) in.push_back(float(noise(i) % 1000003) * 1e-3f - 400.f);
  DeviceArray<float> const dIn(in);
  DeviceArray<float> const prefixes(Threads);
  DeviceArray<float> const totals(Threads);
  std::vector<float> first;
  for (int run = 0; run < 3; ++run) {
    tweed::launch(bitsOfScan<Threads>, {1, Threads}, dIn.data(), prefixes.data(), totals.data());
    tweed::synchronize();
    std::vector<float> const got = prefixes.host();
    if (run == 0) first = got;
    CHECK(std::memcmp(got.data(), first.data(), sizeof(float) * Threads) == 0);
    std::vector<float> const all = totals.host();
    for (float const total : all) REQUIRE(sameBits(total, all[0]));
    CHECK(all[0] == doctest::Approx(got[Threads - 1]).epsilon(1e-5).scale(1e5));
  }
  double exact = 0;
  for (std::size_t i = 0; i < Threads; ++i) {
    exact += in[i];
    REQUIRE(first[i] == doctest::Approx(exact).epsilon(1e-5).scale(1e5));
  }
}

#if defined(TWEED_LOOM)
__global__ void oneThreadMissesTheScan(int* out) {
  if (threadIdx.x == 63) return;
  out[threadIdx.x] = tweed::blockInclusiveScan<64>(1, tweed::Sum{}).prefix;
}
// Each form by itself, so that the check of another cannot stand in for its own.
template <bool IsExclusive>
__global__ void scanAllOf64(int* out) {
  if constexpr (IsExclusive) {
    out[threadIdx.x] = tweed::blockExclusiveScan<64>(1, tweed::Sum{}, 0).prefix;
  } else {
    out[threadIdx.x] = tweed::blockInclusiveScan<64>(1, tweed::Sum{}).prefix;
  }
}
template <bool IsExclusive>
__global__ void scanFirstOf64(int count, int* out) {
  if constexpr (IsExclusive) {
    out[threadIdx.x] = tweed::blockExclusiveScan<64>(1, tweed::Sum{}, 0, count).prefix;
  } else {
    out[threadIdx.x] = tweed::blockInclusiveScan<64>(1, tweed::Sum{}, count).prefix;
  }
}
#endif

}  // namespace

TEST_SUITE("blockScan") {
  TEST_CASE("a type that is not trivially copyable and has no default constructor") {
    checkHeld<tweed::Block<1>>(1), checkHeld<tweed::Block<33>>(33);
    checkHeld<tweed::Block<100>>(100), checkHeld<tweed::Dynamic<256>>(64);
  }
  TEST_CASE("calls may follow each other at once, also with reductions between (C17)") {
    DeviceArray<unsigned> const wrong(std::vector<unsigned>(1, 0));
    int const turns = isShort() ? 2 : 30;
    tweed::launch(scanAgainAndAgain<512>, {2, 512}, turns, wrong.data());
    tweed::launch(scanAgainAndAgain<65>, {2, 65}, turns, wrong.data());
    tweed::synchronize();
    CHECK(wrong.host()[0] == 0);
    CHECK(Counted::areGone());
  }
  TEST_CASE("300 ones of 8 bits, counted in 32 (C01)") {
    DeviceArray<signed char> const in(std::vector<signed char>(300, 1));
    DeviceArray<int> const out(300);
    tweed::launch(scanBytes, {1, 300}, in.data(), out.data());
    tweed::synchronize();
    std::vector<int> const got = out.host();
    for (int i = 0; i < 300; ++i) CHECK(got[std::size_t(i)] == i + 1);
  }
  TEST_CASE("prefixes have the same bits on every run, and the total in every thread (C24, C28)") {
    checkBits<32>(), checkBits<192>(), checkBits<1000>(), checkBits<1024>();
  }
#if defined(TWEED_LOOM)
  TEST_CASE("a block of another shape, a count out of range and a missing thread stop the kernel") {
    DeviceArray<int> const in(std::vector<int>(128, 1));
    DeviceArray<Prefixes<int>> const out(128);
    using Sum = tweed::Sum;
    std::string text = fault([&] {
      tweed::launch(scanAll<tweed::Block<64>, int, Sum>, {1, 96}, in.data(), out.data(), Sum{}, 0);
    });
    CHECK(contains(text, "tweed::blockInclusiveScan"));
    CHECK(contains(text, "(64, 1, 1)"));
    CHECK(contains(text, "(96, 1, 1)"));
    for (int const count : {-1, 65}) {
      text = fault([&] {
        tweed::launch(scanFirst<tweed::Block<64>, int, Sum>, {1, 64}, in.data(), out.data(), Sum{},
                      0, count);
      });
      CHECK(contains(text, "count is " + std::to_string(count) + ", allowed are 0 to 64"));
    }
    DeviceArray<Run> const runs(std::vector<Run>(64, Run::at(1)));
    DeviceArray<Prefixes<Run>> const runsOut(64);
    text = fault([&] {
      tweed::launch(scanFirst<tweed::Block<64>, Run, JoinRuns>, {1, 64}, runs.data(),
                    runsOut.data(), JoinRuns{}, Run::at(0), 0);
    });
    CHECK(contains(text, "count is 0, allowed are 1 to 64"));
    DeviceArray<int> const sums(64);
    text = fault([&] { tweed::launch(oneThreadMissesTheScan, {1, 64}, sums.data()); });
    CHECK(!text.empty());
  }
  TEST_CASE("each form of a scan checks the block's shape and the count itself") {
    DeviceArray<int> const out(96);
    auto const first = [&](auto kernel, unsigned threads, int count) {
      return fault([&] { tweed::launch(kernel, {1, threads}, count, out.data()); });
    };
    for (int const count : {-1, 65}) {
      std::string const range = "Scan: count is " + std::to_string(count) + ", allowed are 0 to 64";
      CHECK(contains(first(scanFirstOf64<false>, 64, count), "tweed::blockInclusive" + range));
      CHECK(contains(first(scanFirstOf64<true>, 64, count), "tweed::blockExclusive" + range));
    }
    std::string const shape = "Scan: written for a block of (64, 1, 1)";
    CHECK(contains(first(scanFirstOf64<false>, 96, 64), "tweed::blockInclusive" + shape));
    CHECK(contains(first(scanFirstOf64<true>, 96, 64), "tweed::blockExclusive" + shape));
    auto const all = [&](auto kernel) {
      return fault([&] { tweed::launch(kernel, {1, 96}, out.data()); });
    };
    CHECK(contains(all(scanAllOf64<false>), "tweed::blockInclusive" + shape));
    CHECK(contains(all(scanAllOf64<true>), "tweed::blockExclusive" + shape));
  }
#endif
}
