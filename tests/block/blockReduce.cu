// SPDX-License-Identifier: Apache-2.0
// tests/block/blockReduce.cu - tests tweed/block/blockReduce.cuh
#include <tweed/block/blockReduce.cuh>

#include <cmath>
#include <limits>
#include <numeric>

#include "support/device.cuh"
#include "support/folds.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

// Every thread writes what it got: the Result line is what is tested.
template <class Shape, class T, class Op>
__global__ void reduceAll(T const* in, T* out, Op op) {
  int const rank = Shape::rank();
  out[rank] = tweed::blockReduce<Shape>(in[rank], op);
}
// The values of threads beyond the count are poison.
template <class Shape, class T, class Op>
__global__ void reduceFirst(T const* in, T* out, Op op, int count) {
  int const rank = Shape::rank();
  T value = in[rank];
  if (rank >= count) memset(&value, 0xFF, sizeof value);
  out[rank] = tweed::blockReduce<Shape>(value, op, count);
}

// Thread 0 alone may look. Twice at once: the first leaves its scratch free.
template <class Shape, class T, class Op>
__global__ void reduceToFirst(T const* in, T* out, Op op, int count) {
  int const rank = Shape::rank();
  T const all = tweed::blockReduce<Shape, tweed::ToFirst>(in[rank], op);
  T const some = tweed::blockReduce<Shape, tweed::ToFirst>(in[rank], op, count);
  T const again = tweed::blockReduce<Shape, tweed::ToFirst>(in[rank], op);
  if (rank == 0) out[0] = all, out[1] = some, out[2] = again;
}

template <class T, class Op>
struct Kernels {
  void (*all)(T const*, T*, Op);
  void (*first)(T const*, T*, Op, int);
  void (*toFirst)(T const*, T*, Op, int);
};

// Not for each shape: what checks a shape would take longer to compile than its kernels.
template <class T, class Op>
void checkKernels(Kernels<T, Op> const& kernels, std::vector<T> const& items, dim3 block, Op op) {
  int const threads = int(block.x * block.y * block.z);
  CAPTURE(threads);
  std::vector<T> const in(items.begin(), items.begin() + threads);
  DeviceArray<T> const dIn(in);
  DeviceArray<T> const out(in.size());
  tweed::launch(kernels.all, {1, block}, dIn.data(), out.data(), op);
  tweed::synchronize();
  T const all = foldOnHost(in.data(), threads, op);
  requireAll(out.host(), all);

  if (kernels.toFirst != nullptr) {
    DeviceArray<T> const first(3);
    int const most = threads / 2 + 1;
    tweed::launch(kernels.toFirst, {1, block}, dIn.data(), first.data(), op, most);
    tweed::synchronize();
    REQUIRE(first.host()[0] == all);
    REQUIRE(first.host()[1] == foldOnHost(in.data(), most, op));
    REQUIRE(first.host()[2] == all);
  }

  for (int count : {0, 1, 2, threads / 2, threads - 1, threads}) {
    if (count > threads || count < (tweed::hasIdentity<Op, T> ? 0 : 1)) continue;
    CAPTURE(count);
    tweed::launch(kernels.first, {1, block}, dIn.data(), out.data(), op, count);
    tweed::synchronize();
    requireAll(out.host(), foldOnHost(in.data(), count, op));
  }
}

template <class Shape, class T, class Op>
void checkShape(std::vector<T> const& in, dim3 block, Op op) {
  Kernels<T, Op> kernels{reduceAll<Shape, T, Op>, reduceFirst<Shape, T, Op>, nullptr};
  // Blocks of a part of a warp take the form for every thread: one of them is enough.
  if constexpr (Shape::maxThreads % 32 == 0 || Shape::maxThreads == 100)
    kernels.toFirst = reduceToFirst<Shape, T, Op>;
  checkKernels(kernels, in, block, op);
}

template <int Threads, class T, class Op>
void checkStatic(std::vector<T> const& in, Op op) {
  checkShape<tweed::Block<Threads>>(in, Threads, op);
}

template <class T, class Op>
void checkSizes(std::vector<T> const& in, Op op) {
  forBlockSizes(isShort(), [&](auto threads) { checkStatic<threads.value>(in, op); });
}
template <class T, class Op>
void checkFewSizes(std::vector<T> const& in, Op op) {
  checkStatic<7>(in, op), checkStatic<32>(in, op), checkStatic<64>(in, op);
  checkStatic<100>(in, op), checkStatic<128>(in, op), checkStatic<512>(in, op);
  checkStatic<768>(in, op);
}

template <int N>
struct Numbers {
  double v[N];
  static Numbers of(int i) {
    Numbers n;
    for (int k = 0; k < N; ++k) n.v[k] = i % (k + 3);
    return n;
  }
  friend bool operator==(Numbers const& x, Numbers const& y) {
    for (int k = 0; k < N; ++k)
      if (x.v[k] != y.v[k]) return false;
    return true;
  }
};
struct AddNumbers {
  template <int N>
  TWEED_HOST_DEVICE Numbers<N> operator()(Numbers<N> const& x, Numbers<N> const& y) const {
    Numbers<N> sum = x;
    for (int k = 0; k < N; ++k) sum.v[k] += y.v[k];
    return sum;
  }
};

struct AddInAnyOrder : AddNumbers {
  static constexpr bool isCommutative = true;
};
// Affine in 16 bytes.
struct Map {
  unsigned long long a, b;
  friend bool operator==(Map const& x, Map const& y) { return x.a == y.a && x.b == y.b; }
};
struct ComposeMaps {
  TWEED_HOST_DEVICE Map operator()(Map const& x, Map const& y) const {
    return {x.a * y.a, x.b * y.a + y.b};
  }
};

std::vector<Stretch> stretches(int n) {
  std::vector<Stretch> s;
  for (int i = 0; i < n; ++i) s.push_back(Stretch::at(std::uint32_t(i)));
  return s;
}
std::vector<Affine> maps(int n) {
  std::vector<Affine> m;
  for (int i = 0; i < n; ++i) m.push_back({unsigned(2 * noise(i) + 1), unsigned(noise(i + 5000))});
  return m;
}

}  // namespace

TEST_SUITE("blockReduce") {
  TEST_CASE("sums of every tested block size match the host") {
    checkSizes(smallIntegers<float>(1024, 1), tweed::Sum{});
  }
  TEST_CASE("order is kept, every item is taken once, and nothing else is") {
    checkSizes(stretches(1024), Join{});
    checkFewSizes(maps(1024), Compose{});
  }
  TEST_CASE_TEMPLATE("other types", T, signed char, unsigned short, int, unsigned long long,
                     double) {
    checkFewSizes(smallIntegers<T>(1024, 2), tweed::Sum{});
    checkFewSizes(smallIntegers<T>(1024, 3), tweed::Max{});
  }
  TEST_CASE("a structure of 40 bytes") {
    std::vector<Wide> in;
    for (int i = 0; i < 1024; ++i) in.push_back({{i, -i, i * 7, 1, (long long)(noise(i) % 99)}});
    checkFewSizes(in, AddWide{});
  }
  TEST_CASE("structures of 16 bytes, with an order and without") {
    std::vector<Numbers<2>> two;
    std::vector<Map> map;
    for (int i = 0; i < 1024; ++i) {
      two.push_back(Numbers<2>::of(i));
      map.push_back({2 * noise(std::uint64_t(i)) + 1, noise(std::uint64_t(i) + 5000)});
    }
    checkFewSizes(two, AddInAnyOrder{}), checkStatic<256>(two, AddInAnyOrder{});
    checkFewSizes(map, ComposeMaps{});
  }
  TEST_CASE("structures of 32 and 64 bytes") {
    std::vector<Numbers<4>> four;
    std::vector<Numbers<8>> eight;
    for (int i = 0; i < 1024; ++i) {
      four.push_back(Numbers<4>::of(i));
      eight.push_back(Numbers<8>::of(i));
    }
    checkFewSizes(four, AddNumbers{});
    // Not 768: 64 bytes for each thread would be all of a block's static shared memory.
    checkStatic<7>(eight, AddNumbers{}), checkStatic<100>(eight, AddNumbers{});
    checkStatic<256>(eight, AddNumbers{}), checkStatic<512>(eight, AddNumbers{});
  }
  TEST_CASE("the operator is called on nothing but data (C27)") {
    DeviceArray<int> const bad(std::vector<int>(1, 0));
    checkFewSizes(stretches(1024), WatchedJoin{bad.data()});
    CHECK(bad.host()[0] == 0);
  }
  TEST_CASE("integers, whose warps fold in one instruction") {
    checkSizes(smallIntegers<int>(1024, 7), tweed::Sum{});
    std::vector<unsigned long long> bits;
    std::vector<short> falling;
    for (int i = 0; i < 1024; ++i) {
      bits.push_back(noise(i) | 1ull << 50);
      falling.push_back(short(-1 - int(noise(i) % 30000)));
    }
    checkFewSizes(bits, tweed::BitAnd{}), checkFewSizes(bits, tweed::BitXor{});
    checkFewSizes(falling, tweed::Max{}), checkFewSizes(falling, tweed::Min{});
  }
  TEST_CASE("blocks of two and three dimensions count x first") {
    checkShape<tweed::Block<16, 16>>(stretches(256), dim3(16, 16), Join{});
    checkShape<tweed::Block<8, 4, 3>>(stretches(96), dim3(8, 4, 3), Join{});
    checkShape<tweed::Block<5, 3>>(stretches(15), dim3(5, 3), Join{});
  }
  TEST_CASE("integers in few warps, whose number is known only at run time") {
    for (int threads : {1, 31, 32, 33, 63, 64, 65, 96, 97, 128}) {
      CAPTURE(threads);
      std::vector<int> const in = smallIntegers<int>(threads, 5);
      DeviceArray<int> const dIn(in);
      DeviceArray<int> const out(in.size());
      tweed::launch(reduceAll<tweed::Dynamic<128>, int, tweed::Sum>, {1, unsigned(threads)},
                    dIn.data(), out.data(), tweed::Sum{});
      tweed::synchronize();
      CHECK(out.host() ==
            std::vector<int>(in.size(), foldOnHost(in.data(), threads, tweed::Sum{})));
    }
  }
  TEST_CASE("every block size from 1 to 1024, known only at run time") {
    int const step = isShort() ? 61 : 1;
    for (int threads = 1; threads <= 1024; threads += step) {
      CAPTURE(threads);
      std::vector<Stretch> const in = stretches(threads);
      DeviceArray<Stretch> const dIn(in);
      DeviceArray<Stretch> const out(in.size());
      tweed::launch(reduceAll<tweed::Dynamic<1024>, Stretch, Join>, {1, unsigned(threads)},
                    dIn.data(), out.data(), Join{});
      tweed::synchronize();
      Stretch const want{0, unsigned(threads), 0x600D600D};
      requireAll(out.host(), want);
    }
  }
}

namespace {

template <int Threads>
__global__ void reduceCounted(int const* in, int* out) {
  Counted const sum = tweed::blockReduce<Threads>(Counted(in[threadIdx.x]), AddCounted{});
  Counted const again = tweed::blockReduce<Threads>(Counted(sum.value() % 7), AddCounted{}, 3);
  out[threadIdx.x] = sum.value() + 100000 * again.value();
}

// No barrier of the user's between the calls: sums and maxima of several types share the block, and
// warps are delayed.
template <int Threads>
__global__ void reduceAgainAndAgain(int turns, unsigned* wrong) {
  int const t = int(threadIdx.x);
  for (int turn = 0; turn < turns; ++turn) {
    delayWarps(turn);
    int const x = (t * 37 + turn * 11) % 1009;
    int sum = 0, top = 0;
    for (int i = 0; i < Threads; ++i) {
      int const y = (i * 37 + turn * 11) % 1009;
      sum += y;
      top = y > top ? y : top;
    }
    if (tweed::blockReduce<Threads>(x, tweed::Max{}) != top) atomicAdd(wrong, 1u);
    if (tweed::blockReduce<Threads>(x) != sum) atomicAdd(wrong, 1u);
    if (tweed::blockReduce<Threads>(float(x)) != float(sum)) atomicAdd(wrong, 1u);
    float const first = tweed::blockReduce<Threads, tweed::ToFirst>(float(x));
    if (t == 0 && first != float(sum)) atomicAdd(wrong, 1u);
    if (tweed::blockReduce<Threads>(double(x), tweed::Sum{}, 2) !=
        double(turn * 11 % 1009 + (37 + turn * 11) % 1009))
      atomicAdd(wrong, 1u);
  }
}

template <class T, class Op>
__global__ void reduce96(T const* in, T* out, Op op, int count) {
  out[threadIdx.x] = tweed::blockReduce<96>(in[threadIdx.x], op, count);
}

template <class T, class Op>
T firstOf96(std::vector<T> in, Op op) {
  int const count = int(in.size());
  in.resize(96, T(77));  // beyond count: larger than all, smaller than none of the maxima asked for
  DeviceArray<T> const dIn(in);
  DeviceArray<T> const out(96);
  tweed::launch(reduce96<T, Op>, {1, 96}, dIn.data(), out.data(), op, count);
  tweed::synchronize();
  std::vector<T> const all = out.host();
  for (T const& x : all) REQUIRE(sameBits(x, all[0]));
  return all[0];
}

// Block b has the NaN in item first + b * step, of 3, 1, 7, 2, 2, ...
struct Extremes {
  float max, min, maxNumber, minNumber;
};
template <int Threads, int N>
__global__ void nanAt(Extremes* out, int first, int step) {
  int const at = first + int(blockIdx.x) * step, t = int(threadIdx.x);
  float x[N];
  for (int i = 0; i < N; ++i) {
    int const place = t * N + i;
    x[i] = place == 0 ? 3.f : place == 1 ? 1.f : place == 2 ? 7.f : 2.f;
    if (place == at) x[i] = tweed::Limits<float>::nan();
  }
  Extremes const got = {tweed::blockReduce<Threads>(x, tweed::Max{}),
                        tweed::blockReduce<Threads>(x, tweed::Min{}),
                        tweed::blockReduce<Threads>(x, tweed::MaxNumber{}),
                        tweed::blockReduce<Threads>(x, tweed::MinNumber{})};
  if (t == (at + Threads / 2) % Threads) out[blockIdx.x] = got;
}
template <int Threads, int N = 1>
void checkNanAt(int first, int step) {
  int const blocks = tweed::ceilDiv(Threads * N - first, step);
  DeviceArray<Extremes> const out{std::size_t(blocks)};
  tweed::launch(nanAt<Threads, N>, {blocks, Threads}, out.data(), first, step);
  tweed::synchronize();
  std::vector<Extremes> const all = out.host();
  for (int b = 0; b < blocks; ++b) {
    int const at = first + b * step;
    Extremes const& got = all[std::size_t(b)];
    bool const isRight = std::isnan(got.max) && std::isnan(got.min) &&
                         got.maxNumber == (at == 2 ? 3.f : 7.f) &&
                         got.minNumber == (at == 1 ? 2.f : 1.f);
    CAPTURE(at);
    REQUIRE(isRight);
  }
}

template <int Threads>
__global__ void bitsOfSum(float const* in, float* out) {
  out[threadIdx.x] = tweed::blockReduce<Threads>(in[threadIdx.x]);
}

template <int Threads>
void checkBits() {
  std::vector<float> in;
  for (int i = 0; i < Threads; ++i) in.push_back(float(noise(i) % 1000003) * 1e-3f - 400.f);
  DeviceArray<float> const dIn(in);
  DeviceArray<float> const out(Threads);
  double const exact = std::accumulate(in.begin(), in.end(), 0.0);
  float first = 0;
  for (int run = 0; run < 3; ++run) {
    tweed::launch(bitsOfSum<Threads>, {1, Threads}, dIn.data(), out.data());
    tweed::synchronize();
    std::vector<float> const got = out.host();
    if (run == 0) first = got[0];
    for (float const x : got) REQUIRE(sameBits(x, first));
  }
  CHECK(first == doctest::Approx(exact).epsilon(1e-5));
}

}  // namespace

TEST_SUITE("blockReduce") {
  TEST_CASE("a type that is not trivially copyable and has no default constructor") {
    std::vector<int> const in = smallIntegers<int>(100, 5);
    DeviceArray<int> const dIn(in);
    DeviceArray<int> const out(100);
    tweed::launch(reduceCounted<100>, {1, 100}, dIn.data(), out.data());
    tweed::synchronize();
    int const sum = std::accumulate(in.begin(), in.end(), 0);
    requireAll(out.host(), sum + 100000 * (3 * (sum % 7)));
    CHECK(Counted::areGone());
  }
  TEST_CASE("calls may follow each other at once (C17)") {
    DeviceArray<unsigned> const wrong(std::vector<unsigned>(1, 0));
    int const turns = isShort() ? 3 : 50;
    tweed::launch(reduceAgainAndAgain<1024>, {2, 1024}, turns, wrong.data());
    tweed::launch(reduceAgainAndAgain<65>, {2, 65}, turns, wrong.data());
    tweed::synchronize();
    CHECK(wrong.host()[0] == 0);
  }
  TEST_CASE("maxima of negative values and of infinities, with idle threads (C07, C08)") {
    float const inf = std::numeric_limits<float>::infinity();
    std::vector<float> falling;
    for (int i = 0; i < 50; ++i) falling.push_back(float(-(i + 1)));
    CHECK(firstOf96(falling, tweed::Max{}) == -1.f);
    CHECK(firstOf96(falling, tweed::Min{}) == -50.f);
    CHECK(firstOf96(std::vector<float>{-1e30f, -2e30f}, tweed::Max{}) == -1e30f);
    CHECK(firstOf96(std::vector<float>(10, inf), tweed::Min{}) == inf);
    CHECK(firstOf96(std::vector<float>(10, -inf), tweed::Max{}) == -inf);
    CHECK(firstOf96(std::vector<float>(), tweed::Max{}) == -inf);
    CHECK(firstOf96(std::vector<float>(), tweed::Min{}) == inf);
    CHECK(firstOf96(std::vector<int>(), tweed::Max{}) == std::numeric_limits<int>::min());
  }
  TEST_CASE("NaN propagates or is ignored, wherever it stands (C10)") {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    for (int at = 0; at < 33; at += isShort() ? 8 : 1) {
      CAPTURE(at);
      std::vector<float> x = {3, 1, 7};
      x.resize(33, 2);
      x[std::size_t(at)] = nan;
      CHECK(std::isnan(firstOf96(x, tweed::Max{})));
      CHECK(std::isnan(firstOf96(x, tweed::Min{})));
      CHECK(firstOf96(x, tweed::MaxNumber{}) == (at == 2 ? 3.f : 7.f));
      CHECK(firstOf96(x, tweed::MinNumber{}) == (at == 1 ? 2.f : 1.f));
    }
    std::vector<float> const all(40, nan);
    CHECK(std::isnan(firstOf96(all, tweed::Max{})));
    CHECK(std::isnan(firstOf96(all, tweed::MaxNumber{})));
    CHECK(std::isnan(firstOf96(all, tweed::MinNumber{})));
  }
  TEST_CASE("NaN at every position of 1000, and in a full rake (C10)") {
    checkNanAt<125, 8>(0, isShort() ? 97 : 1);
    checkNanAt<1000>(0, isShort() ? 97 : isLoom ? 7 : 1);
    for (int const first : {0, 1, 2, 511, 1023}) checkNanAt<1024>(first, 1024);
  }
  TEST_CASE("float sums have the same bits in every thread and on every run (C24, C28)") {
    checkBits<32>(), checkBits<192>(), checkBits<256>(), checkBits<1000>(), checkBits<1024>();
  }
}
