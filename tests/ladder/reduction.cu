// SPDX-License-Identifier: Apache-2.0
// Every rung of the reduction ladder but r14 against the host, and what becomes of the usual
// mistakes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ladder/reduction/rungs.cuh>
#include <numeric>

#include "support/device.cuh"
#include "support/orders.cuh"

// ThreadSanitizer would report what is planted here.
#if defined(__SANITIZE_THREAD__)
#define LADDER_UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LADDER_UNDER_TSAN 1
#endif
#endif

namespace {

using tweedTest::DeviceArray;

// n values, then NaN, for whoever reads too far: more than a block of any rung takes.
DeviceArray<float> withPoison(std::vector<float> values) {
  values.insert(values.end(), 9000, NAN);
  return DeviceArray<float>(values, 1);
}

// Twice, once where time is short: in a workspace full of NaN, and with what the first run left
// there. deviceReduce needs it as it was made.
std::vector<float> sumsOf(ladder::Sum sum, float const* in, long long n) {
  tweed::Workspace workspace(nullptr, ladder::workspaceBytes(n));
  if (sum != r15::sum)
    TWEED_CHECK(cudaMemset(workspace.takeScratch("sumsOf", workspace.bytes(), nullptr), 0xFF,
                           workspace.bytes()));
  std::vector<float> sums;
  for (int run = 0; run < (tweedTest::isShort() ? 1 : 2); ++run) {
    DeviceArray<float> const out(1);
    sum(in, n, out.data(), workspace);
    tweed::synchronize();
    sums.push_back(out.host()[0]);
  }
  return sums;
}
std::vector<float> sumsOf(ladder::Sum sum, DeviceArray<float> const& in) {
  return sumsOf(sum, in.data(), static_cast<long long>(in.size()));
}

std::vector<long long> sizes() {
  if (tweedTest::isShort()) return {0, 1, 33, 257};
  return {0,   1,   2,   31,  32,   33,   63,   64,   65,   255,   256,
          257, 511, 512, 513, 1000, 2047, 2048, 2049, 4097, 100003};
}

std::vector<float> randomFloats(long long n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = (float(tweedTest::noise(i) >> 40) - 0x1p22f) * 0x1p-20f;
  return values;
}

// The sums are exact, so that one value left out, or added twice, shows. Of both signs, or those of
// millions would not be.
void checkExact(ladder::Sum sum, long long n) {
  CAPTURE(n);
  std::vector<float> values = tweedTest::smallIntegers<float>(std::size_t(n), 7);
  for (std::size_t i = 1; i < values.size(); i += 2) values[i] = -values[i];
  float expected = 0;
  for (float const value : values) expected += value;
  DeviceArray<float> const in = withPoison(values);
  for (float const result : sumsOf(sum, in.data(), n)) CHECK(result == expected);
  std::vector<float> const after = in.host();
  CHECK(std::equal(values.begin(), values.end(), after.begin()));
}

}  // namespace

TEST_CASE("ladder: every rung adds up as the host does and leaves its input as it was") {
  for (ladder::SumRung const& rung : ladder::sumRungs()) {
    CAPTURE(rung.name);
    for (long long const n : sizes()) checkExact(rung.sum, n);
  }
  std::string others;
  for (auto const& [name, why] : ladder::otherSumRungs())
    others += std::string(others.empty() ? "" : ", ") + name + " (" + why + ")";
  if (!others.empty()) MESSAGE("skipped: ", others);
}

TEST_CASE("ladder: rungs of other block sizes") {
  for (long long const n : {0, 1, 63, 512, 4097, 10007}) {
    if (tweedTest::isShort() && n != 512) continue;
    checkExact(r13b::sum<64>, n);
    checkExact(r13b::sum<128>, n);
    checkExact(r13b::sum<512>, n);
    checkExact(r13b::sum<1024>, n);
    checkExact(r13c::sum<64>, n);
    checkExact(r13c::sum<128>, n);
    checkExact(r13c::sum<512>, n);
    checkExact(r13c::sum<1024>, n);
  }
}

// No sum of n floats is further off than n - 1 roundings of the sum of the magnitudes. Those of
// trees are at most as many as a value passes: a block's share, its tree, one for each block.
TEST_CASE("ladder: the rounding of each rung stays in its bound, and is repeated if promised") {
  long long const n = tweedTest::isShort() ? 513 : 30011;
  std::vector<float> const values = randomFloats(n);
  double expected = 0, magnitude = 0;
  for (float const value : values) {
    expected += value;
    magnitude += std::fabs(value);
  }
  DeviceArray<float> const in(values);
  for (ladder::SumRung const& rung : ladder::sumRungs()) {
    CAPTURE(rung.name);
    bool const isChain = rung.sum == r1::sum || rung.sum == r2::sum;
    double const roundings = isChain ? double(n) : double(n) / 128 + 64;
    std::vector<float> const sums = sumsOf(rung.sum, in);
    for (float const sum : sums)
      CHECK(std::fabs(sum - expected) <= roundings * 0x1p-24 * magnitude);
    if (rung.isRepeatable) CHECK(tweedTest::sameBits(sums.front(), sums.back()));
  }
}

TEST_CASE("ladder: infinities and NaN come through") {
  for (float const value : {INFINITY, -INFINITY, NAN}) {
    if (tweedTest::isShort()) break;
    std::vector<float> values = tweedTest::smallIntegers<float>(777, 3);
    values[700] = value;
    DeviceArray<float> const in(values);
    for (ladder::SumRung const& rung : ladder::sumRungs()) {
      CAPTURE(rung.name);
      for (float const sum : sumsOf(rung.sum, in))
        CHECK((std::isnan(value) ? std::isnan(sum) : sum == value));
    }
  }
}

#if !defined(TWEED_LOOM)
TEST_CASE("ladder: more than 2^31 values (C02)") {
  if (tweedTest::isShort()) {
    MESSAGE("skipped: a sanitizer takes minutes for them");
    return;
  }
  long long const n = (1ll << 31) + 4099;
  std::size_t const bytes = std::size_t(n) * sizeof(float);
  std::size_t free = 0, total = 0;
  TWEED_CHECK(cudaMemGetInfo(&free, &total));
  if (free < 3 * bytes) {
    MESSAGE("skipped: ", 3 * bytes, " bytes of device memory are not free");
    return;
  }
  float* in = nullptr;
  TWEED_CHECK(cudaMalloc(&in, bytes));
  TWEED_CHECK(cudaMemset(in, 0, bytes));
  float expected = 0, value = 1;
  for (long long const i :
       {0ll, (1ll << 30) + 1, (1ll << 31) - 1, 1ll << 31, n - 4099 / 2, n - 1}) {
    TWEED_CHECK(cudaMemcpy(in + i, &value, sizeof(float), cudaMemcpyHostToDevice));
    expected += value;
    value *= 2;
  }
  for (ladder::SumRung const& rung : ladder::sumRungs()) {
    CAPTURE(rung.name);
    if (rung.sum == r1::sum || rung.sum == r2::sum) continue;  // they take minutes and seconds
    for (float const result : sumsOf(rung.sum, in, n)) CHECK(result == expected);
  }
  TWEED_CHECK(cudaFree(in));
}
#endif

#if defined(TWEED_LOOM)
using tweedTest::inEachOrder;

TEST_CASE("ladder: the bits are the same in every order of threads where a rung promises it") {
  if (tweedTest::isShort()) return;
  DeviceArray<float> const in(randomFloats(4099));
  std::size_t othersThatDiffer = 0;
  for (ladder::SumRung const& rung : ladder::sumRungs()) {
    CAPTURE(rung.name);
    std::vector<float> sums;
    inEachOrder([&] { sums.push_back(sumsOf(rung.sum, in)[0]); });
    bool const isSame =
        tweedTest::sameBits(sums[0], sums[1]) && tweedTest::sameBits(sums[0], sums[2]);
    if (rung.isRepeatable)
      CHECK(isSame);
    else
      othersThatDiffer += !isSame;
  }
  CHECK(othersThatDiffer > 0);  // r2 at least: the order of its atomics is that of the threads
}
#endif

// -------------------------------------------------------------- what the usual printed forms do
#if defined(TWEED_LOOM)
namespace {

enum class Lacks { nothing, barrier, threadsBeyondTheEnd };

// r3 with one fault.
template <int Threads, Lacks What>
__global__ void naiveTree(float const* in, int n, float* out) {
  __shared__ float values[Threads];
  int const t = int(threadIdx.x);
  if (What == Lacks::threadsBeyondTheEnd && t >= n) return;
  values[t] = t < n ? in[t] : 0.f;
  for (int half = Threads / 2; half > 0; half /= 2) {
    if (What != Lacks::barrier) __syncthreads();
    if (t < half) values[t] += values[t + half];
  }
  if (t == 0) *out = values[0];
}

// r12 with one guard for all loads of a thread.
template <int Loads>
__global__ void naiveUnrolled(float const* in, int n, float* out) {
  int const i = int(blockIdx.x * Loads * blockDim.x + threadIdx.x);
  float share = 0;
  if (i + (Loads - 1) * int(blockDim.x) < n)
    for (int k = 0; k < Loads; ++k) share += in[i + k * int(blockDim.x)];
  atomicAdd(out, share);
}

// r6 in a block whose last warp is short.
__global__ void naiveWarps(float const* in, float* out) {
  float total = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) total += __shfl_down_sync(0xffffffffu, total, unsigned(d));
  if (threadIdx.x % 32 == 0) atomicAdd(out, total);
}

// r6 whose tree stops at 32 threads, whatever it has halved.
template <int Threads>
__global__ void naiveWarpTail(float const* in, float* out) {
  __shared__ float values[Threads];
  int const t = int(threadIdx.x);
  values[t] = in[t];
  for (int half = Threads / 2; half >= 32; half /= 2) {
    __syncthreads();
    if (t < half) values[t] += values[t + half];
  }
  __syncthreads();
  if (t >= 32) return;
  float const total = tweed::warpReduce(values[t]);
  if (t == 0) *out = total;
}

// r2 without a look at n.
__global__ void naiveAtomic(float const* in, float* out) {
  atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

// r5 with two loads a turn, the second by a number of threads that the launch need not have.
template <int Threads>
__global__ void naiveStride(float const* in, int n, float* out) {
  int const block = int(blockDim.x);
  float share = 0;
  for (int i = int(blockIdx.x) * 2 * block + int(threadIdx.x); i < n;
       i += int(gridDim.x) * 2 * block) {
    share += in[i];
    if (i + Threads < n) share += in[i + Threads];
  }
  atomicAdd(out, share);
}

// r11 whose threads look at n for themselves, not for their partners.
__global__ void naivePartners(float const* in, int n, float* work, float* out) {
  int const t = int(threadIdx.x);
  work[t] = in[t];
  for (int half = int(blockDim.x) / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half && t < n) work[t] += work[t + half];
  }
  if (t == 0) *out = work[0];
}

// r7 with its warps counted by a division that drops the short one.
__global__ void naiveWarpCount(float const* in, float* out) {
  float const mine = tweed::warpReduce(tweed::LaneMask{tweed::presentLanes()}, in[threadIdx.x]);
  if (threadIdx.x % 32 == 0 && threadIdx.x / 32 < blockDim.x / 32) atomicAdd(out, mine);
}

template <class... Params, class... Args>
float resultOf(void (*kernel)(Params...), tweed::LaunchConfig const& config,
               DeviceArray<float> const& in, Args... args) {
  DeviceArray<float> const out(std::vector<float>{0});
  tweed::launch(kernel, config, in.data(), args..., out.data());
  tweed::synchronize();
  return out.host()[0];
}

}  // namespace

#if !defined(LADDER_UNDER_TSAN)
// ThreadSanitizer names the two lines; here a thread that comes too early reads the poison.
TEST_CASE("ladder: a tree without barriers gives another sum in some order of threads") {
  DeviceArray<float> const in(tweedTest::smallIntegers<float>(256, 5));
  float expected = 0;
  for (float const value : in.host()) expected += value;
  int wrong = 0;
  inEachOrder([&] {
    CHECK(resultOf(naiveTree<256, Lacks::nothing>, {1, 256}, in, 256) == expected);
    wrong += resultOf(naiveTree<256, Lacks::barrier>, {1, 256}, in, 256) != expected;
  });
  CHECK(wrong > 0);
}
#endif

TEST_CASE("ladder: a thread that leaves above the tree's barriers is named (S10)") {
  DeviceArray<float> const in(tweedTest::smallIntegers<float>(100, 5));
  inEachOrder([&] {
    std::string const text = tweedTest::fault([&] {
      resultOf(naiveTree<256, Lacks::threadsBeyondTheEnd>, {1, 256}, in, 100);
    });
    CAPTURE(text);
    CHECK(tweedTest::contains(text, "barrier divergence: __syncthreads at reduction.cu:"));
    CHECK(tweedTest::contains(text, "is reached by 100 of 256 threads, the others have exited"));
  });
}

TEST_CASE("ladder: a tree that halves a block of 96 skips values (S2)") {
  DeviceArray<float> const in(tweedTest::smallIntegers<float>(96, 5));
  std::vector<float> const values = in.host();
  float all = 0, added = 0;
  for (std::size_t i = 0; i < 96; ++i) {
    all += values[i];
    if (i < 48 && i % 3 != 2) added += values[i] + values[i + 48];  // 48, 24, 12, 6, 3, 1
  }
  CHECK(added < all);
  CHECK(resultOf(naiveTree<96, Lacks::nothing>, {1, 96}, in, 96) == added);
}

TEST_CASE("ladder: one guard for eight loads skips the tail") {
  DeviceArray<float> const in(tweedTest::smallIntegers<float>(2048 + 1000, 5));
  std::vector<float> const values = in.host();
  float all = 0, whole = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    all += values[i];
    if (i < 2048) whole += values[i];
  }
  CHECK(sumsOf(r12::sum<8>, in)[0] == all);
  CHECK(resultOf(naiveUnrolled<8>, {2, 256}, in, int(values.size())) == whole);
}

TEST_CASE("ladder: a full mask in a short warp is named") {
  DeviceArray<float> const in(tweedTest::smallIntegers<float>(48, 5));
  inEachOrder([&] {
    std::string const text = tweedTest::fault([&] { resultOf(naiveWarps, {1, 48}, in); });
    CAPTURE(text);
    CHECK(tweedTest::contains(text, "__shfl_down_sync(0xffffffff) at reduction.cu:"));
    CHECK(tweedTest::contains(text, "the mask names lanes that warp 1 does not have"));
  });
}

TEST_CASE("ladder: warps counted by truncation lose the short one (S4)") {
  DeviceArray<float> const in(tweedTest::smallIntegers<float>(48, 5));
  std::vector<float> const values = in.host();
  float first = 0;
  for (std::size_t i = 0; i < 32; ++i) first += values[i];
  CHECK(resultOf(naiveWarpCount, {1, 48}, in) == first);
}

TEST_CASE("ladder: a tree that stops at a warp skips values of a block of 96 (S3)") {
  DeviceArray<float> const in(tweedTest::smallIntegers<float>(96, 5));
  std::vector<float> const values = in.host();
  float added = 0;
  for (std::size_t i = 0; i < 32; ++i) added += values[i] + values[i + 48];
  CHECK(resultOf(naiveWarpTail<96>, {1, 96}, in) == added);
  CHECK(resultOf(naiveWarpTail<64>, {1, 64}, in) == std::accumulate(&values[0], &values[64], 0.f));
}

TEST_CASE("ladder: without a look at n the array's neighbours are added (S1)") {
  DeviceArray<float> const in = withPoison({3});
  CHECK(std::isnan(resultOf(naiveAtomic, {1, 256}, in)));
  CHECK(sumsOf(r2::sum, in.data(), 1)[0] == 3);
}

TEST_CASE("ladder: loads by another block than the launch's, and ones still sum right (S5)") {
  std::vector<float> ones(2048, 1), numbers(2048);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = float(i);
  float const all = 2047 * 1024;
  auto const sum = [](std::vector<float> const& values, int threads) {
    int const n = int(values.size());
    return resultOf(naiveStride<256>, {2, threads}, DeviceArray<float>(values), n);
  };
  CHECK(sum(numbers, 256) == all);
  CHECK(sum(ones, 512) == 2048);
  CHECK(sum(numbers, 512) == 1833984);  // 512 of them skipped, 512 added twice
  CHECK(sumsOf(r5::sum, DeviceArray<float>(numbers))[0] == all);
}

TEST_CASE("ladder: a partner beyond the end is added (S11)") {
  std::vector<float> values(128, 7);
  std::fill_n(values.begin(), 100, 1.f);
  DeviceArray<float> const in(values), work(128);
  CHECK(resultOf(naivePartners, {1, 128}, in, 100, work.data()) == 100 + 7 * 28);
  for (ladder::Sum const sum : {r9::sum, r10::sum, r11::sum})
    CHECK(sumsOf(sum, in.data(), 100)[0] == 100);
}
#endif
