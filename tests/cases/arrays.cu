// SPDX-License-Identifier: Apache-2.0
// tests/cases/arrays.cu - cases of README.md that concern grids and whole arrays
#include <tweed/device/deviceReduce.cuh>
#include <tweed/grid/gridReduce.cuh>
#include <tweed/grid/gridStride.cuh>

#include <cmath>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

template <class T, class Out, class Op>
Out reduced(DeviceArray<T> const& in, std::size_t n, Out poison, Op op, std::size_t from = 0) {
  tweed::Workspace workspace;
  DeviceArray<Out> const out(std::vector<Out>(1, poison));
  tweed::deviceReduce(in.data() + from, n, out.data(), op, workspace);
  tweed::synchronize();
  return out.host()[0];
}

template <int Threads>
__global__ void sumRows(unsigned char const* in, long long* out, int columns) {
  long long sum = 0;
  for (int i = int(threadIdx.x); i < columns; i += Threads)
    sum += in[int(blockIdx.x) * columns + i];
  sum = tweed::blockReduce<Threads>(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

template <class Shape>
__global__ void __launch_bounds__(Shape::maxThreads)
    sumStrided(int const* in, unsigned long long n, unsigned long long* out, void* state) {
  unsigned long long mine = 0;
  for (auto const i : tweed::gridStride(n)) mine += unsigned(in[i]);
  auto const total = tweed::gridReduce<Shape>(mine, tweed::Sum{}, state);
  if (total.isLast && threadIdx.x == 0) *out = total.value;
}
// The sum of 0 to n - 1 as data, by any block and grid.
unsigned long long strided(unsigned n, unsigned blocks, unsigned threads) {
  std::vector<int> x;
  for (unsigned i = 0; i < n; ++i) x.push_back(int(i));
  DeviceArray<int> const in(x);
  DeviceArray<unsigned long long> const out(1);
  DeviceArray<unsigned char> const state(
      std::vector<unsigned char>(tweed::gridReduceBytes<unsigned long long>(blocks), 0));
  tweed::launch(sumStrided<tweed::Dynamic<1024>>, {blocks, threads}, in.data(), n, out.data(),
                state.data());
  tweed::synchronize();
  return out.host()[0];
}

// A partial sum a block, as the tree kernels of tutorials give, of items that end inside a block.
template <int Threads>
__global__ void sumBlocks(int const* in, int n, int* out) {
  int const first = int(blockIdx.x) * Threads;
  int const count = n - first < Threads ? n - first : Threads;
  int const t = int(threadIdx.x);
  int const x = t < count ? in[first + t] : 777;
  int const sum = tweed::blockReduce<Threads>(x, tweed::Sum{}, count);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
template <int Threads>
void checkPartials(int n, int blocks, std::vector<int> const& want) {
  std::vector<int> x(std::size_t(blocks * Threads), 7);
  std::fill_n(x.begin(), n, 1);
  DeviceArray<int> const in(x), out{std::size_t(blocks)};
  tweed::launch(sumBlocks<Threads>, {blocks, Threads}, in.data(), n, out.data());
  tweed::synchronize();
  CHECK(out.host() == want);
  CHECK(in.host() == x);
}

__global__ void writeOnes(int* out, int n) {
  for (int const i : tweed::gridStride(n)) out[i] = 1;
}

}  // namespace

TEST_SUITE("cases of whole arrays") {
  TEST_CASE("C01: rows of bytes in an accumulator of 64 bits") {
    std::vector<unsigned char> x;
    for (int i = 0; i < 4 * 256; ++i) x.push_back((unsigned char)(i));
    DeviceArray<unsigned char> const in(x);
    DeviceArray<long long> const out(8);
    tweed::launch(sumRows<64>, {4, 64}, in.data(), out.data(), 256);
    tweed::launch(sumRows<256>, {4, 256}, in.data(), out.data() + 4, 256);
    tweed::synchronize();
    CHECK(out.host() == std::vector<long long>(8, 32640));
    CHECK(reduced(in, x.size(), 0ll, tweed::Sum{}) == 4 * 32640);
    DeviceArray<int> const large(std::vector<int>(4, 1 << 30));
    CHECK(reduced(large, 4, 0ll, tweed::Sum{}) == 4294967296ll);
  }
  TEST_CASE("C22, S1: one item, with NaN behind it, and none") {
    DeviceArray<float> const in(std::vector<float>{3.5f, NAN, NAN, NAN});
    CHECK(reduced(in, 1, -1.f, tweed::Sum{}) == 3.5f);
    CHECK(reduced(in, 1, -1.f, tweed::Min{}) == 3.5f);
    CHECK(reduced(in, 0, -1.f, tweed::Sum{}) == 0.f);
    CHECK(reduced(in, 0, -1.f, tweed::Max{}) == -INFINITY);
    checkPartials<256>(1, 1, {1});
  }
  TEST_CASE("S5: every item once, whatever the block") {
    CHECK(strided(512, 2, 128) == 130816);
    CHECK(strided(2048, 2, 512) == 2096128);
    CHECK(strided(1024, 1, 256) == 523776);
    CHECK(strided(1024, 3, 100) == 523776);
  }
  TEST_CASE("S10, S11: blocks that are not full, with sevens behind the data") {
    checkPartials<128>(100, 1, {100});
    checkPartials<96>(192, 2, {96, 96});
    checkPartials<96>(100, 2, {96, 4});
  }
  TEST_CASE("S13: nothing behind the array is written") {
    DeviceArray<int> const out(100);  // canaries around it
    tweed::launch(writeOnes, {1, 128}, out.data(), 100);
    tweed::launch(writeOnes, {2, 128}, out.data(), 100);
    tweed::synchronize();
    CHECK(out.host() == std::vector<int>(100, 1));
  }
  TEST_CASE("C28: 250,000 times 0.1 has one bit pattern, also as a part of a larger array") {
    std::size_t const n = isShort() ? 20000 : 250000;
    int const runs = isShort() ? 3 : isLoom ? 20 : 1000;
    DeviceArray<double> const in(std::vector<double>(n + 4096, 0.1)),
        copy(std::vector<double>(n, 0.1));
    tweed::Workspace workspace;
    DeviceArray<double> const out{std::size_t(runs)};
    for (int i = 0; i < runs; ++i)
      tweed::deviceReduce(in.data(), n, out.data() + i, tweed::Sum{}, workspace);
    tweed::synchronize();
    std::vector<double> const got = out.host();
    for (double const each : got) REQUIRE(sameBits(each, got[0]));
    CHECK(got[0] == doctest::Approx(0.1 * double(n)).epsilon(1e-13));
    // The same alignment to 16 bytes, and so the same order.
    for (std::size_t const from : {2, 64, 4094})
      CHECK(sameBits(reduced(in, n, 0.0, tweed::Sum{}, from), got[0]));
    CHECK(sameBits(reduced(copy, n, 0.0, tweed::Sum{}), got[0]));
  }
  TEST_CASE("S9, C28: random floats have the same bits on every run") {
    std::size_t const n = std::size_t(1) << (isShort() ? 15 : isLoom ? 20 : 23);
    std::vector<float> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = float(noise(i) >> 40) * 0x1p-23f - 1.f;
    DeviceArray<float> const in(x);
    float const first = reduced(in, n, 0.f, tweed::Sum{});
    for (int i = 0; i < (isLoom ? 4 : 100); ++i)
      REQUIRE(sameBits(reduced(in, n, 0.f, tweed::Sum{}), first));
  }
  // A plain sum of floats promises a tree, not an error bound of its own: ones are exact because
  // each partial is a multiple of a power of two. What must be exact takes an operator that
  // keeps what additions lose.
  TEST_CASE("C30: large sums of floats, plain and compensated") {
    std::size_t const ones = std::size_t(1) << (isShort() ? 15 : 25);
    {
      DeviceArray<float> const in(std::vector<float>(ones, 1.f));
      CHECK(reduced(in, ones, 0.f, tweed::Sum{}) == float(ones));
    }
    std::vector<float> x;
    for (int i = 0; i < 1000; ++i) x.insert(x.end(), {1e8f, 1.f, -1e8f});
    DeviceArray<float> const in(x);
    CHECK(total(reduced(in, x.size(), Compensated{}, SumExactly{})) == 1000.0);
    std::size_t const n = isShort() ? 10000 : 1000000;
    std::vector<float> uniform(n);
    double exact = 0;  // of multiples of 2^-24 below 1: exact in 53 bits
    for (std::size_t i = 0; i < n; ++i) {
      uniform[i] = float(noise(i) >> 40) * 0x1p-24f;
      exact += double(uniform[i]);
    }
    DeviceArray<float> const dUniform(uniform);
    double const got = total(reduced(dUniform, n, Compensated{}, SumExactly{}));
    double const ulp = std::nextafter(float(exact), INFINITY) - float(exact);
    CHECK(std::fabs(double(float(got)) - exact) <= 2 * ulp);
  }
}
