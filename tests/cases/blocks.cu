// SPDX-License-Identifier: Apache-2.0
// tests/cases/blocks.cu - cases of README.md that concern blocks and warps
#include <tweed/block/blockReduce.cuh>
#include <tweed/block/blockScan.cuh>

#include <cmath>
#include <limits>
#include <numeric>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

template <class Shape, class T, class Op>
__global__ void __launch_bounds__(Shape::maxThreads)
    reduceCount(T const* in, T* out, Op op, int count) {
  int const t = Shape::rank();
  out[t] = tweed::blockReduce<Shape>(in[t], op, count);
}
template <class Shape, class T, class Op>
__global__ void __launch_bounds__(Shape::maxThreads) reduceWhole(T const* in, T* out, Op op) {
  out[Shape::rank()] = tweed::blockReduce<Shape>(in[Shape::rank()], op);
}

// The result, which all threads have; with a count, poison stands beyond it.
template <int Threads, class T, class Op>
T reduced(std::vector<T> in, Op op, int count = -1) {
  T poison;
  std::memset(static_cast<void*>(&poison), 0xFF, sizeof poison);
  in.resize(Threads, poison);
  DeviceArray<T> const dIn(in), out(Threads);
  using Shape = tweed::Block<Threads>;
  if (count < 0) {
    tweed::launch(reduceWhole<Shape, T, Op>, {1, Threads}, dIn.data(), out.data(), op);
  } else {
    tweed::launch(reduceCount<Shape, T, Op>, {1, Threads}, dIn.data(), out.data(), op, count);
  }
  tweed::synchronize();
  std::vector<T> const got = out.host();
  for (T const& each : got) CHECK(sameBits(each, got[0]));
  return got[0];
}
template <class T>
std::vector<T> ascending(int n, T first, T step) {
  std::vector<T> x;
  for (int i = 0; i < n; ++i) x.push_back(T(first + step * T(i)));
  return x;
}
template <int Threads>
int sumOfRanks() {  // of 1 to Threads
  return reduced<Threads>(ascending<int>(Threads, 1, 1), tweed::Sum{});
}
template <int Threads>
int sumOfOnes() {
  return reduced<Threads>(std::vector<int>(Threads, 1), tweed::Sum{});
}

// A row of at most as many logits as threads: exp(x - max) / sum.
template <int Threads>
__global__ void softmax(float const* in, float* out, int count) {
  int const t = int(threadIdx.x);
  float const x = in[t];
  float const top = tweed::blockReduce<Threads>(x, tweed::Max{}, count);
  float const e = t < count ? expf(x - top) : x;
  float const sum = tweed::blockReduce<Threads>(e, tweed::Sum{}, count);
  if (t < count) out[t] = e / sum;
}

__global__ void sevenLanes(int* out) {
  int const ones = threadIdx.x % 8 < 7 ? 1 : 1000;
  out[threadIdx.x] = tweed::warpReduce<8>(ones, tweed::Sum{}, 7);
}

struct Alone {
  float reduced, inclusive, exclusive, total;
};
__global__ void alone(float const* in, Alone* ofBlock, Alone* ofWarp) {
  float const x = *in;
  tweed::Sum const sum;
  *ofBlock = {tweed::blockReduce<1>(x), tweed::blockInclusiveScan<1>(x, sum).prefix,
              tweed::blockExclusiveScan<1>(x, sum, 7.f).prefix,
              tweed::blockExclusiveScan<1>(x, sum, 7.f).total};
  *ofWarp = {tweed::warpReduce<1>(x), tweed::warpInclusiveScan<1>(x, sum).prefix,
             tweed::warpExclusiveScan<1>(x, sum, 7.f).prefix,
             tweed::warpExclusiveScan<1>(x, sum, 7.f).total};
}

struct Matrix {
  unsigned a, b, c, d;
  friend bool operator==(Matrix const& x, Matrix const& y) {
    return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
  }
};
struct Multiply {
  TWEED_HOST_DEVICE Matrix operator()(Matrix const& x, Matrix const& y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
            x.c * y.b + x.d * y.d};
  }
};
template <int Threads, class T, class Op>
__global__ void __launch_bounds__(Threads)
    scanBoth(T const* in, T* inclusive, T* exclusive, Op op, T init) {
  unsigned const t = threadIdx.x;
  inclusive[t] = tweed::blockInclusiveScan<Threads>(in[t], op).prefix;
  exclusive[t] = tweed::blockExclusiveScan<Threads>(in[t], op, init).prefix;
}
template <int Threads, class T, class Op>
void checkOrder(std::vector<T> const& in, Op op) {
  CAPTURE(Threads);
  DeviceArray<T> const dIn(in), inclusive(in.size()), exclusive(in.size());
  tweed::launch(scanBoth<Threads, T, Op>, {1, Threads}, dIn.data(), inclusive.data(),
                exclusive.data(), op, in[1]);
  tweed::synchronize();
  std::vector<T> const upTo = inclusive.host(), before = exclusive.host();
  T want = in[0], wantBefore = in[1];
  for (int i = 0; i < Threads; ++i) {
    std::size_t const at = std::size_t(i);
    if (i > 0) want = op(want, in[at]);
    REQUIRE((upTo[at] == want));
    REQUIRE((before[at] == wantBefore));
    wantBefore = op(wantBefore, in[at]);
  }
  CHECK((reduced<Threads>(in, op) == want));
  T most = in[0];
  for (int i = 1; i < (Threads + 1) / 2; ++i) most = op(most, in[std::size_t(i)]);
  CHECK((reduced<Threads>(in, op, (Threads + 1) / 2) == most));
}

}  // namespace

TEST_SUITE("cases of blocks") {
  TEST_CASE("C08: maxima of negative values, with idle lanes and warps, and a row of softmax") {
    using tweed::Max;
    CHECK(reduced<96>(ascending<float>(50, -1, -1), Max{}, 50) == -1.f);
    CHECK(reduced<96>(ascending<float>(50, -1, -1), tweed::Min{}, 50) == -50.f);
    CHECK(reduced<32>(ascending<int>(11, -1, -1), Max{}, 11) == -1);
    CHECK(reduced<32>(std::vector<float>{-1e30f, -2e30f}, Max{}, 2) == -1e30f);
    CHECK(reduced<64>(std::vector<int>{-3, -1, -2}, Max{}, 3) == -1);
    float const inf = std::numeric_limits<float>::infinity();
    CHECK(reduced<96>(std::vector<float>(96, -inf), Max{}) == -inf);
    std::vector<float> row(64, std::numeric_limits<float>::quiet_NaN());
    std::fill_n(row.begin(), 17, -100.f);
    DeviceArray<float> const in(row), out(17);
    tweed::launch(softmax<64>, {1, 64}, in.data(), out.data(), 17);
    tweed::synchronize();
    for (float const share : out.host()) CHECK(share == doctest::Approx(1.0 / 17));
  }
  TEST_CASE("C12: seven lanes of a group of eight") {
    DeviceArray<int> const out(32);
    tweed::launch(sevenLanes, {1, 32}, out.data());
    tweed::synchronize();
    CHECK(out.host() == std::vector<int>(32, 7));
  }
  TEST_CASE("C13, S2, S3, S4: blocks that are no multiple of 32, nor a power of two") {
    CHECK(sumOfRanks<48>() == 1176);
    CHECK(sumOfRanks<45>() == 1035);
    CHECK(sumOfRanks<33>() == 561);
    CHECK(sumOfRanks<17>() == 153);
    CHECK(sumOfRanks<16>() == 136);
    CHECK(sumOfRanks<1>() == 1);
    CHECK(sumOfRanks<96>() == 4656);
    CHECK(sumOfRanks<100>() == 5050);
    CHECK(sumOfRanks<160>() == 12880);
    CHECK(sumOfRanks<192>() == 18528);
    CHECK(sumOfRanks<320>() == 51360);
    CHECK(sumOfRanks<1000>() == 500500);
    CHECK(sumOfOnes<48>() == 48);
    CHECK(sumOfOnes<100>() == 100);
    CHECK(sumOfOnes<1000>() == 1000);
  }
  TEST_CASE("C16: everybody calls, and the count says who has data") {
    CHECK(reduced<64>(ascending<int>(50, 1, 1), tweed::Sum{}, 50) == 1275);
  }
  TEST_CASE("C18: without storage to copy, no value is ignored") {
    std::vector<int> x(64, 0);
    for (std::size_t i = 0; i < 33; ++i) x[(i * 7) % 64] = 1;
    CHECK(reduced<64>(x, tweed::Sum{}) == 33);
  }
  TEST_CASE("C20: a block of one thread and a group of one lane give what they got") {
    DeviceArray<float> const in(std::vector<float>{2.5f});
    DeviceArray<Alone> const out(2);
    tweed::launch(alone, {1, 1}, in.data(), out.data(), out.data() + 1);
    tweed::synchronize();
    for (Alone const& got : out.host()) {
      CHECK(got.reduced == 2.5f);
      CHECK(got.inclusive == 2.5f);
      CHECK(got.exclusive == 7.f);
      CHECK(got.total == 2.5f);
    }
  }
  TEST_CASE("C24: every thread has the sum, in the same bits") {  // reduced() compares the threads
    CHECK(reduced<192>(ascending<int>(192, 0, 1), tweed::Sum{}) == 18336);
    std::vector<float> x;
    for (unsigned i = 0; i < 1024; ++i) x.push_back(float(noise(i) >> 40) * 0x1p-23f - 1.f);
    auto const first = [&](int n) { return std::vector<float>(x.begin(), x.begin() + n); };
    double const sum = std::accumulate(x.begin(), x.end(), 0.0);
    reduced<32>(first(32), tweed::Sum{}), reduced<100>(first(100), tweed::Sum{});
    reduced<192>(first(192), tweed::Sum{}), reduced<257>(first(257), tweed::Sum{});
    CHECK(reduced<1024>(x, tweed::Sum{}) == doctest::Approx(sum).epsilon(1e-4));
  }
  TEST_CASE("C25: products of matrices and affine maps, in order, across warps") {
    std::vector<Affine> maps = {{2, 1}, {2, 2}, {2, 3}, {2, 4}};
    CHECK((reduced<64>(maps, Compose{}, 4) == Affine{16, 26}));
    std::vector<Matrix> matrices;
    maps.clear();
    for (unsigned i = 0; i < 192; ++i) {
      maps.push_back({2 * i + 3, unsigned(noise(i))});
      matrices.push_back({i + 1, unsigned(noise(i)), unsigned(noise(i) >> 32), 2 * i + 1});
    }
    checkOrder<192>(matrices, Multiply{});
    checkOrder<192>(maps, Compose{});
    matrices.resize(45);
    checkOrder<45>(matrices, Multiply{});
  }
  TEST_CASE("C27: the operator is called on data alone") {
    DeviceArray<int> const bad(std::vector<int>(1, 0));
    std::vector<Stretch> x;
    for (unsigned i = 0; i < 70; ++i) x.push_back(Stretch::at(i));
    CHECK((reduced<128>(x, WatchedJoin{bad.data()}, 70) == Stretch{0, 70, 0x600D600D}));
    x.resize(5);
    CHECK((reduced<32>(x, WatchedJoin{bad.data()}, 5) == Stretch{0, 5, 0x600D600D}));
    CHECK(bad.host()[0] == 0);
  }
  TEST_CASE("C39: the count and the operator hold, whatever is done across warps") {
    CHECK(reduced<64>(ascending<int>(64, 0, 1), tweed::Max{}) == 63);
    CHECK(reduced<64>(ascending<int>(10, 0, 1), tweed::Max{}, 10) == 9);
  }
}
