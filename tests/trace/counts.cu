// SPDX-License-Identifier: Apache-2.0
// tests/trace/counts.cu - the recorder counts what can be counted by hand: kernels with known bank
// conflicts, sectors and divergence. Same counts in every order of threads.

#include <doctest/doctest.h>
#include <tweed/arch/copyAsync.cuh>
#include <tweed/arch/ldmatrix.cuh>
#include <tweed/launch/launch.cuh>
#include <tweed/loom/recording.hpp>
#include <tweed/memory/dynamicShared.cuh>

#include <stdexcept>
#include <string>

#include "support/device.cuh"

namespace {

using tweed::loom::Counts;
using tweed::loom::Event;
using tweed::loom::record;
using tweed::loom::Recording;
using tweedTest::contains;
using tweedTest::DeviceArray;

template <class... Parameters, class... Arguments>
Recording recordKernel(void (*kernel)(Parameters...), tweed::LaunchConfig config,
                       Arguments... arguments) {
  return record([&] { tweed::launch(kernel, config, arguments...); });
}

// requests, passes, ideal passes, divergent
void checkShared(Counts const& c, unsigned requests, unsigned passes, unsigned ideal,
                 unsigned divergent = 0) {
  CHECK(c.requests == requests);
  CHECK(c.passes == passes);
  CHECK(c.idealPasses == ideal);
  CHECK(c.divergent == divergent);
  CHECK(c.sectors == 0);
  CHECK(c.isConflictFree() == (passes == ideal));
}
void checkGlobal(Counts const& c, unsigned requests, unsigned sectors, unsigned ideal,
                 unsigned divergent = 0) {
  CHECK(c.requests == requests);
  CHECK(c.sectors == sectors);
  CHECK(c.idealSectors == ideal);
  CHECK(c.divergent == divergent);
  CHECK(c.passes == 0);
  CHECK(c.isCoalesced() == (sectors == ideal));
}

// -------------------------------------------------------------------------------- shared memory
// Lane i of each warp reads item i * stride of an array of Length.
template <class T, int Length>
__global__ void readStrided(T* out, int stride) {
  __shared__ T s[Length];
  for (int i = threadIdx.x; i < Length; i += blockDim.x) s[i] = T(i);
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x % 32 * stride];
}

template <class T, int Length>
Counts stridedLoads(int stride) {
  DeviceArray<T> out(32);
  return recordKernel(readStrided<T, Length>, {1, 32}, out.data(), stride).total(Event::sharedLoad);
}

template <int Pad>
__global__ void transpose(float const* in, float* out) {
  __shared__ float s[32][32 + Pad];
  int const x = threadIdx.x, y = threadIdx.y;
  s[y][x] = in[y * 32 + x];
  __syncthreads();
  out[y * 32 + x] = s[x][y];
}

template <int Pad>
Recording recordTranspose() {
  DeviceArray<float> in(tweedTest::smallIntegers<float>(1024, 1)), out(1024);
  return recordKernel(transpose<Pad>, {1, {32, 32}}, static_cast<float const*>(in.data()),
                      out.data());
}

// The product of tiles as a block of 16 x 16 reads it.
template <int Pad>
__global__ void tileProduct(float* out) {
  __shared__ float a[16][16 + Pad], b[16][16 + Pad];
  int const x = threadIdx.x, y = threadIdx.y;
  a[y][x] = float(x);
  b[y][x] = float(y);
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += a[y][k] * b[k][x];
  out[y * 16 + x] = sum;
}

struct alignas(16) Quad {
  float x, y, z, w;
  Quad() = default;
  explicit TWEED_DEVICE Quad(int i) : x(float(i)), y(0), z(0), w(0) {}
};
struct Triple {
  float x, y, z;
  Triple() = default;
  explicit TWEED_DEVICE Triple(int i) : x(float(i)), y(0), z(0) {}
};

struct alignas(16) TwoQuads {
  Quad first, second;
  TwoQuads() = default;
  explicit TWEED_DEVICE TwoQuads(int i) : first(i), second(i) {}
};
struct ThreeDoubles {
  double x, y, z;
  ThreeDoubles() = default;
  explicit TWEED_DEVICE ThreeDoubles(int i) : x(i), y(0), z(0) {}
};
struct Pair {
  int x, y;
  Pair() = default;
  explicit TWEED_DEVICE Pair(int i) : x(i), y(0) {}
};

TEST_CASE("a strided read of words conflicts in as many ways as stride and 32 share (S12)") {
  checkShared(stridedLoads<float, 64>(0), 1, 1, 1);  // a broadcast
  checkShared(stridedLoads<float, 64>(1), 1, 1, 1);
  checkShared(stridedLoads<float, 64>(2), 1, 2, 1);
  checkShared(stridedLoads<float, 66>(2), 1, 2, 1);  // a longer array changes no bank
  checkShared(stridedLoads<float, 100>(3), 1, 1, 1);
  checkShared(stridedLoads<float, 1024>(32), 1, 32, 1);
  checkShared(stridedLoads<float, 1056>(33), 1, 1, 1);
}

TEST_CASE("bytes and halves of one word are one word") {
  checkShared(stridedLoads<unsigned char, 128>(1), 1, 1, 1);
  checkShared(stridedLoads<unsigned char, 128>(4), 1, 1, 1);
  checkShared(stridedLoads<unsigned char, 4096>(128), 1, 32, 1);
  checkShared(stridedLoads<short, 64>(1), 1, 1, 1);
  checkShared(stridedLoads<short, 4096>(64), 1, 32, 1);
}

TEST_CASE("8 bytes a lane go by half warps, 16 by quarters") {
  checkShared(stridedLoads<double, 64>(1), 1, 2, 2);
  checkShared(stridedLoads<double, 64>(2), 1, 4, 2);
  checkShared(stridedLoads<double, 512>(16), 1, 32, 2);
  checkShared(stridedLoads<Quad, 64>(1), 1, 4, 4);
  checkShared(stridedLoads<Quad, 64>(2), 1, 8, 4);
  checkShared(stridedLoads<Quad, 256>(8), 1, 32, 4);
}

TEST_CASE("what no single instruction moves is moved by as few as its alignment allows") {
  checkShared(stridedLoads<Pair, 32>(1), 2, 2 * 2, 2);
  checkShared(stridedLoads<ThreeDoubles, 32>(1), 3, 3 * 2, 3 * 2);
  checkShared(stridedLoads<TwoQuads, 32>(1), 2, 2 * 8, 2 * 4);
}

TEST_CASE("12 bytes a lane are three loads, free of conflicts") {
  checkShared(stridedLoads<Triple, 32>(1), 3, 3, 3);
  checkShared(stridedLoads<Triple, 1024>(32), 3, 96, 3);
}

TEST_CASE("columns of a tile: 32 ways, none if padded by one (S12)") {
  checkShared(recordTranspose<0>().total(Event::sharedLoad), 32, 32 * 32, 32);
  checkShared(recordTranspose<1>().total(Event::sharedLoad), 32, 32, 32);
  checkShared(recordTranspose<2>().total(Event::sharedLoad), 32, 2 * 32, 32);
  for (auto const& recording : {recordTranspose<0>(), recordTranspose<1>()}) {
    checkShared(recording.total(Event::sharedStore), 32, 32, 32);
    checkGlobal(recording.total(Event::globalLoad), 32, 128, 128);
    checkGlobal(recording.total(Event::globalStore), 32, 128, 128);
    CHECK(recording.total(Event::barrier).requests == 1);
  }
  CHECK(recordTranspose<0>().total(Event::sharedLoad).worstPasses == 32);
  CHECK(recordTranspose<1>().total(Event::sharedLoad).worstPasses == 1);
}

TEST_CASE("two rows of a 16 x 16 tile in one warp do not conflict, padded or not (S14)") {
  DeviceArray<float> out(256);
  for (Recording const& recording : {recordKernel(tileProduct<0>, {1, {16, 16}}, out.data()),
                                     recordKernel(tileProduct<8>, {1, {16, 16}}, out.data())})
    checkShared(recording.total(Event::sharedLoad), 8 * 16 * 2, 8 * 16 * 2, 8 * 16 * 2);
}

__global__ void readDynamic(float* out) {
  float* const s = tweed::dynamicShared<float>();
  for (int i = threadIdx.x; i < 2048; i += 32) s[i] = float(i);
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x * 64];
}

TEST_CASE("dynamic shared memory counts as shared") {
  DeviceArray<float> out(32);
  Recording const recording = recordKernel(readDynamic, {1, 32, 2048 * 4}, out.data());
  checkShared(recording.total(Event::sharedLoad), 1, 32, 1);
  checkShared(recording.total(Event::sharedStore), 64, 64, 64);
}

__global__ void countShared(unsigned* out, unsigned bins) {
  __shared__ unsigned counts[32];
  counts[threadIdx.x] = 0;
  __syncwarp();
  atomicAdd(&counts[threadIdx.x % bins], 1u);
  __syncwarp();
  atomicAdd(&out[threadIdx.x % bins], counts[threadIdx.x]);
}

TEST_CASE("atomics: each lane of a bank is a pass") {
  for (unsigned const bins : {1u, 2u, 32u}) {
    CAPTURE(bins);
    DeviceArray<unsigned> out(std::vector<unsigned>(32, 0));
    Recording const recording = recordKernel(countShared, {1, 32}, out.data(), bins);
    checkShared(recording.total(Event::sharedAtomic), 1, 32 / bins, 1);
    checkGlobal(recording.total(Event::globalAtomic), 1, bins == 32 ? 4 : 1, bins == 32 ? 4 : 1);
    CHECK(recording.total(Event::globalLoad).requests == 0);
    CHECK(recording.total(Event::globalStore).requests == 0);
    CHECK(recording.total(Event::warpBarrier).requests == 2);
    CHECK(out.host()[0] == 32 / bins);
  }
}

// Each lane copies 16 bytes, `stride` of them apart; then they are loaded as four matrices.
__global__ void copyAndLoad(uint4 const* in, unsigned* out, int stride) {
  __shared__ uint4 s[256];
  tweed::arch::copyAsync<16>(&s[threadIdx.x * stride], &in[threadIdx.x]);
  tweed::arch::waitForAllCopies();
  __syncwarp();
  unsigned word[4];
  tweed::arch::ldmatrix(word, &s[threadIdx.x * stride]);
  out[threadIdx.x] = word[0] + word[1] + word[2] + word[3];
}

TEST_CASE("an asynchronous copy is a load and a store where it starts; ldmatrix a load of rows") {
  DeviceArray<uint4> in(32);
  DeviceArray<unsigned> out(32);
  for (unsigned const stride : {1u, 2u, 8u}) {
    CAPTURE(stride);
    auto const recording = recordKernel(copyAndLoad, {1, 32}, static_cast<uint4 const*>(in.data()),
                                        out.data(), int(stride));
    checkGlobal(recording.total(Event::globalLoad), 1, 16, 16);
    checkShared(recording.total(Event::sharedStore), 1, 4 * stride, 4);
    checkShared(recording.total(Event::sharedLoad), 1, 4 * stride, 4);
    CHECK(recording.total(Event::exchange).requests == 1);
  }
}

// -------------------------------------------------------------------------------- global memory
template <class T>
__global__ void readGlobal(T const* in, T* out, int stride) {
  T const value = in[threadIdx.x * stride];
  out[threadIdx.x] = value;
}

template <class T>
Counts globalLoads(int stride, std::size_t shift = 0) {
  DeviceArray<T> in(31 * stride + 1, shift), out(32);
  return recordKernel(readGlobal<T>, {1, 32}, static_cast<T const*>(in.data()), out.data(), stride)
      .total(Event::globalLoad);
}

TEST_CASE("sectors of strided, shifted and wide loads") {
  checkGlobal(globalLoads<float>(0), 1, 1, 1);
  checkGlobal(globalLoads<float>(1), 1, 4, 4);
  checkGlobal(globalLoads<float>(1, 1), 1, 5, 4);
  checkGlobal(globalLoads<float>(2), 1, 8, 4);
  checkGlobal(globalLoads<float>(3), 1, 12, 4);
  checkGlobal(globalLoads<float>(8), 1, 32, 4);
  checkGlobal(globalLoads<float>(1000), 1, 32, 4);
  checkGlobal(globalLoads<unsigned char>(1), 1, 1, 1);
  checkGlobal(globalLoads<unsigned char>(32), 1, 32, 1);
  checkGlobal(globalLoads<double>(1), 1, 8, 8);
  checkGlobal(globalLoads<double>(2), 1, 16, 8);
  checkGlobal(globalLoads<Quad>(1), 1, 16, 16);
  checkGlobal(globalLoads<Quad>(2), 1, 32, 16);
  // Three loads of 4 bytes, 12 apart: each touches all 12 sectors.
  checkGlobal(globalLoads<Triple>(1), 3, 36, 12);
}

__global__ void readMember(Quad const* in, float* out) { out[threadIdx.x] = in[threadIdx.x].x; }

TEST_CASE("one member of an array of structures") {
  DeviceArray<Quad> in(32);
  DeviceArray<float> out(32);
  Recording const recording =
      recordKernel(readMember, {1, 32}, static_cast<Quad const*>(in.data()), out.data());
  checkGlobal(recording.total(Event::globalLoad), 1, 16, 4);
  CHECK(recording.kernels.at(0).lines.at(0).bytes == 4);
}

// -------------------------------------------------------------------------------- divergence
__global__ void storeOdd(float* out) {
  if (threadIdx.x % 2 == 1) out[threadIdx.x] = 1;
}
__global__ void storeFirst(float* out, unsigned count) {
  if (threadIdx.x < count) out[threadIdx.x] = 1;
}
__global__ void leaveEarly(float* out, unsigned count) {
  if (threadIdx.x >= count) return;
  out[threadIdx.x] = 1;
}
__global__ void loopByLane(float* out) {
  for (unsigned i = 0; i <= threadIdx.x; ++i) out[32 * i + threadIdx.x] = 1;
}
__global__ void inTurn(float* out) {
  for (unsigned turn = 0; turn < 32; ++turn) {
    if (threadIdx.x == turn) out[turn] = 1;
    __syncwarp();
  }
}
__global__ void inTurnOfBlock(float* out) {
  for (unsigned turn = 0; turn < 32; ++turn) {
    if (threadIdx.x == turn) out[turn] = 1;
    __syncthreads();
  }
}
__global__ void meetThenLeave(float* out) {
  __syncthreads();
  if (threadIdx.x < 16) return;
  out[threadIdx.x] = 1;
}
__global__ void leaveThenMeet(float* out) {
  if (threadIdx.x >= 16) return;
  out[threadIdx.x] = 1;
  __syncwarp();
  out[32 + threadIdx.x] = 1;
}

TEST_CASE("a request without some lane of the warp is divergent") {
  DeviceArray<float> out(1024);
  auto const stores = [&](Recording const& recording) {
    return recording.total(Event::globalStore);
  };
  checkGlobal(stores(recordKernel(storeOdd, {1, 64}, out.data())), 2, 8, 4, 2);
  checkGlobal(stores(recordKernel(storeFirst, {1, 128}, out.data(), 100u)), 4, 13, 13, 1);
  checkGlobal(stores(recordKernel(leaveEarly, {1, 128}, out.data(), 100u)), 4, 13, 13, 1);
  checkGlobal(stores(recordKernel(storeFirst, {1, 128}, out.data(), 96u)), 3, 12, 12, 0);
  checkGlobal(stores(recordKernel(storeFirst, {1, 128}, out.data(), 0u)), 0, 0, 0, 0);
  // The second warp has 16 lanes, and all of them come.
  checkGlobal(stores(recordKernel(storeFirst, {1, 48}, out.data(), 48u)), 2, 6, 6, 0);
  Counts const loop = stores(recordKernel(loopByLane, {1, 32}, out.data()));
  CHECK(loop.requests == 32);
  CHECK(loop.divergent == 31);
  CHECK(loop.lanes == 32 * 33 / 2);
  // Each lane comes once, but never two together.
  checkGlobal(stores(recordKernel(inTurn, {1, 32}, out.data())), 32, 32, 32, 32);
  checkGlobal(stores(recordKernel(inTurnOfBlock, {1, 64}, out.data())), 32, 32, 32, 32);
  // Lanes that have left before the others meet are not missed any more.
  checkGlobal(stores(recordKernel(leaveThenMeet, {1, 32}, out.data())), 2, 4, 4, 1);
  checkGlobal(stores(recordKernel(meetThenLeave, {1, 32}, out.data())), 1, 2, 2, 1);
}

// -------------------------------------------------------------------------------- no access
struct Big {
  float x[64];
};
__global__ void onStack(float* out, Big const big, int n) {
  float local[64];
  for (int i = 0; i < 64; ++i) local[i] = big.x[(i * n) % 64];
  int at = threadIdx.x;
  for (int i = 0; i < n; ++i) at = int(local[at % 64]) + i;
  out[threadIdx.x] = local[at % 64];
}

TEST_CASE("locals, parameters and built-in variables are no memory") {
  DeviceArray<float> out(32);
  Big big{};
  for (int i = 0; i < 64; ++i) big.x[i] = float(i);
  Recording const recording = recordKernel(onStack, {1, 32}, out.data(), big, 7);
  REQUIRE(recording.kernels.size() == 1);
  CHECK(recording.kernels[0].lines.size() == 1);
  checkGlobal(recording.total(Event::globalStore), 1, 4, 4);
}

// -------------------------------------------------------------------------------- calls
__global__ void callAll(unsigned* out) {
  unsigned const all = 0xffffffffu;
  unsigned sum = __shfl_xor_sync(all, threadIdx.x, 1);
  sum += __shfl_down_sync(all, sum, 2);
  sum += __ballot_sync(all, sum > 3);
  sum += __match_any_sync(all, sum);
  sum += __reduce_add_sync(all, sum);
  __syncthreads();
  __syncwarp();
  __threadfence();
  sum += unsigned(__syncthreads_count(sum > 9));
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
constexpr unsigned barrierLine = __LINE__ - 6;  // of the first

TEST_CASE("calls count by warp, barriers by block") {
  DeviceArray<unsigned> out(3 * 128);
  for (bool const isParallel : {false, true}) {
    auto options = tweed::loom::defaults();
    if (isParallel) options.residentBlocks = 3, options.parallel = true;
    tweed::loom::ScopedOptions const scope(options);
    Recording const r = recordKernel(callAll, {3, 128}, out.data());
    CHECK(r.total(Event::shuffle).requests == 12 * 2);
    CHECK(r.total(Event::vote).requests == 12 * 2);
    CHECK(r.total(Event::reduce).requests == 12);
    CHECK(r.total(Event::warpBarrier).requests == 12);
    CHECK(r.total(Event::fence).requests == 12);
    CHECK(r.total(Event::barrier).requests == 3 * 2);
    CHECK(r.total(Event::exchange).requests == 0);
    CHECK(r.at(Event::barrier, "counts.cu", barrierLine).requests == 3);
    CHECK(r.at(Event::warpBarrier, "counts.cu", barrierLine + 1).requests == 12);
    checkGlobal(r.total(Event::globalStore), 12, 48, 48);
    REQUIRE(r.kernels.size() == 1);
    CHECK(contains(r.kernels[0].name, "callAll(unsigned int*)"));
    CHECK(r.kernels[0].launches == 1);
    CHECK(r.kernels[0].blocks == 3);
    CHECK(r.kernels[0].warps == 12);
    CHECK(r.kernels[0].threads == 3 * 128);
  }
}

// -------------------------------------------------------------------------------- lines
TWEED_DEVICE void helper(float* out) { out[threadIdx.x * 2] = 1; }
constexpr unsigned helperLine = __LINE__ - 1;

__global__ void twoLines(float* out) {
  helper(out);
  helper(out + 64);
  out[threadIdx.x] = 2;
}
constexpr unsigned kernelLine = __LINE__ - 4;

TEST_CASE("counts stand at their lines, with what called them") {
  DeviceArray<float> out(192);
  Recording const recording = record([&] {
    tweed::launch(twoLines, {1, 32}, out.data());
    tweed::launch(storeOdd, {1, 32}, out.data());
    tweed::launch(twoLines, {2, 32}, out.data());
  });
  REQUIRE(recording.kernels.size() == 2);
  CHECK(recording.kernels[0].launches == 2);
  CHECK(recording.kernels[0].blocks == 3);
  char const* const file = "tests/trace/counts.cu";
  checkGlobal(recording.at(Event::globalStore, file, helperLine), 6, 48, 24);
  checkGlobal(recording.at(Event::globalStore, file, kernelLine), 3, 24, 12);
  checkGlobal(recording.at(Event::globalStore, file, kernelLine + 1), 3, 24, 12);
  checkGlobal(recording.at(Event::globalStore, file, kernelLine + 2), 3, 12, 12);
  checkGlobal(recording.at(Event::globalStore, "counts.cu", kernelLine + 2), 3, 12, 12);
  CHECK(recording.at(Event::globalStore, "unts.cu", kernelLine + 2).requests == 0);
  CHECK(recording.at(Event::globalLoad, file, kernelLine + 2).requests == 0);

  std::string const table = recording.table();
  CAPTURE(table);
  CHECK(contains(table, "twoLines(float*)\n  launches 2, blocks 3, warps 3, threads 96\n"));
  CHECK(contains(table, "counts.cu:" + std::to_string(helperLine)));
  CHECK(contains(table, "8 sectors      4      8\n"));
}

// -------------------------------------------------------------------------------- rules
__global__ void stopInBlock1(float* out) {
  out[threadIdx.x] = 1;
  if (blockIdx.x == 1) __trap();
}

TEST_CASE("a fault leaves the recording; so does a second one inside the first") {
  DeviceArray<float> out(32);
  CHECK(contains(tweedTest::fault([&] {
                   recordKernel(stopInBlock1, {2, 32}, out.data());
                 }),
                 "__trap"));
  Recording const recording = record([&] {
    CHECK_THROWS_AS(record([] {}), std::logic_error);
    std::string const text = tweedTest::fault([&] {
      tweed::launch(stopInBlock1, {2, 32}, out.data());
    });
    CHECK(contains(text, "__trap"));
    tweed::launch(storeOdd, {1, 32}, out.data());
  });
  REQUIRE(recording.kernels.size() == 2);
  CHECK(recording.kernels[0].blocks <= 1);
  CHECK(recording.kernels[1].blocks == 1);
  CHECK(record([] {}).kernels.empty());
  tweed::launch(storeOdd, {1, 32}, out.data());  // nobody records
  CHECK(record([] {}).kernels.empty());
  CHECK(record([] {}).table() == "");
}

}  // namespace
