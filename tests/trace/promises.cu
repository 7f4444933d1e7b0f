// SPDX-License-Identifier: Apache-2.0
// tests/trace/promises.cu - what the headers promise about memory, shuffles and barriers, counted
// on the loom: no bank conflicts, no sector too many, no more calls than the Cost lines say.

#include <doctest/doctest.h>
#include <tweed/block/blockReduce.cuh>
#include <tweed/block/blockScan.cuh>
#include <tweed/device/deviceReduce.cuh>
#include <tweed/grid/gridReduce.cuh>
#include <tweed/grid/gridStride.cuh>
#include <tweed/grid/gridStride2D.cuh>
#include <tweed/grid/gridStrideVectors.cuh>
#include <tweed/launch/launch.cuh>
#include <tweed/loom/recording.hpp>
#include <tweed/warp/warpReduce.cuh>
#include <tweed/warp/warpScan.cuh>

#include "support/device.cuh"

// The example's kernel itself.
#define main softmaxRowsMain
#include "../../examples/softmaxRows.cu"
#undef main

namespace {

using tweed::loom::Counts;
using tweed::loom::Event;
using tweed::loom::record;
using tweed::loom::Recording;
using tweedTest::DeviceArray;

constexpr Event sharedEvents[] = {Event::sharedLoad, Event::sharedStore};
constexpr Event globalEvents[] = {Event::globalLoad, Event::globalStore};

void checkConflictFree(Recording const& recording) {
  for (Event const event : sharedEvents) {
    CAPTURE(std::string(nameOf(event)));
    CHECK(recording.total(event).requests > 0);
    CHECK(recording.total(event).passes == recording.total(event).idealPasses);
  }
}
void checkCoalesced(Recording const& recording) {
  for (Event const event : globalEvents) {
    CAPTURE(std::string(nameOf(event)));
    CHECK(recording.total(event).requests > 0);
    CHECK(recording.total(event).sectors == recording.total(event).idealSectors);
  }
}

// One block, on small integers.
template <class T, class Use>
Recording recordBlock(unsigned blockThreads, Use kernel) {
  DeviceArray<T> in(tweedTest::smallIntegers<T>(1024, 1)), out(1024);
  return record([&] {
    tweed::launch(kernel, {1, blockThreads}, static_cast<T const*>(in.data()), out.data());
  });
}

template <class T>
__global__ void reduceWarp(T const* in, T* out) {
  out[threadIdx.x] = tweed::warpReduce(in[threadIdx.x]);
}
template <class T>
__global__ void scanWarp(T const* in, T* out) {
  auto const scan = tweed::warpInclusiveScan(in[threadIdx.x], tweed::Sum{});
  out[threadIdx.x] = scan.prefix + scan.total;
}
template <class T, int Threads>
__global__ void reduceBlock(T const* in, T* out) {
  out[threadIdx.x] = tweed::blockReduce<Threads>(in[threadIdx.x]);
}
template <class T, int Threads>
__global__ void scanBlock(T const* in, T* out) {
  auto const scan = tweed::blockInclusiveScan<Threads>(in[threadIdx.x], tweed::Sum{});
  out[threadIdx.x] = scan.prefix + scan.total;
}

TEST_CASE("warp functions touch no memory and take the shuffles that they say") {
  Recording const reduced = recordBlock<float>(64, reduceWarp<float>);
  Recording const scanned = recordBlock<float>(64, scanWarp<float>);
  CHECK(reduced.total(Event::shuffle).requests == 2 * 5);
  CHECK(scanned.total(Event::shuffle).requests == 2 * 6);
  CHECK(recordBlock<double>(64, reduceWarp<double>).total(Event::shuffle).requests == 2 * 10);
  for (Recording const& recording : {reduced, scanned}) {
    CHECK(recording.total(Event::sharedLoad).requests == 0);
    CHECK(recording.total(Event::sharedStore).requests == 0);
    CHECK(recording.total(Event::warpBarrier).requests == 0);
    CHECK(recording.total(Event::barrier).requests == 0);
    CHECK(recording.total(Event::shuffle).divergent == 0);
  }
}

template <class T, int Threads>
void checkReduce() {
  CAPTURE(Threads);
  Recording const recording = recordBlock<T>(Threads, reduceBlock<T, Threads>);
  Counts const loads = recording.total(Event::sharedLoad);
  Counts const stores = recording.total(Event::sharedStore);
  CHECK(loads.passes == loads.idealPasses);
  // Padding that a row of 128 bytes does not end with shifts the end of a warp onto its start: the
  // loads that it frees, all of one warp, are worth it.
  bool const isWholeRows = Threads % 128 == 0 && (Threads & (Threads - 1)) == 0;
  CHECK(stores.passes <= (isWholeRows ? 1 : 2) * stores.idealPasses);
  checkCoalesced(recording);
  CHECK(recording.total(Event::barrier).requests == 2);
}

TEST_CASE_TEMPLATE("blockReduce loads without bank conflicts, and holds two barriers", T, float,
                   int, double) {
  checkReduce<T, 64>();
  checkReduce<T, 96>();
  checkReduce<T, 128>();
  checkReduce<T, 256>();
  checkReduce<T, 512>();
  checkReduce<T, 768>();
  checkReduce<T, 1024>();
}

TEST_CASE("blockReduce of 256 floats costs what it says") {
  Recording const recording = recordBlock<float>(256, reduceBlock<float, 256>);
  checkConflictFree(recording);
  CHECK(recording.total(Event::sharedStore).requests == 8 + 1 + 1);
  // A GPU loads both partials at once: 8, not 2 * 8.
  CHECK(recording.total(Event::sharedLoad).requests == 2 + 2 + 2 * 8);
  CHECK(recording.total(Event::shuffle).requests == 1);
  CHECK(recording.total(Event::sharedStore).divergent == 1);  // the partials
  CHECK(recording.total(Event::sharedLoad).divergent == 0);
  CHECK(recording.total(Event::reduce).requests == 0);
}

TEST_CASE("blockReduce of one warp takes shuffles alone") {
  Recording const recording = recordBlock<float>(32, reduceBlock<float, 32>);
  CHECK(recording.total(Event::barrier).requests == 0);
  CHECK(recording.total(Event::sharedStore).requests == 0);
  CHECK(recording.total(Event::shuffle).requests == 5);
}

template <class T, int Threads>
__global__ void reduceInScratch(T const* in, T* out) {
  __shared__ tweed::BlockScratch<tweed::Block<Threads>, T> scratch;
  out[threadIdx.x] = tweed::blockReduce(in[threadIdx.x], tweed::Sum{}, scratch);
}
template <class T, int Threads>
void checkScratch(unsigned shuffles, unsigned loads) {
  CAPTURE(Threads);
  unsigned const warps = Threads / 32;
  Recording const recording = recordBlock<T>(Threads, reduceInScratch<T, Threads>);
  CHECK(recording.total(Event::barrier).requests == (warps > 1 ? 1 : 0));
  CHECK(recording.total(Event::shuffle).requests == shuffles);
  CHECK(recording.total(Event::shuffle).divergent == 0);
  CHECK(recording.total(Event::sharedStore).lanes == (warps > 1 ? warps : 0));
  CHECK(recording.total(Event::sharedLoad).requests == loads);
  for (Event const event : sharedEvents)
    CHECK(recording.total(event).passes == recording.total(event).idealPasses);
}

TEST_CASE("blockReduce with a scratch holds one barrier, and stores a value a warp") {
  checkScratch<float, 32>(5, 0);
  checkScratch<float, 96>(3 * 5, 3 * 3);
  checkScratch<float, 256>(8 * 5, 8 * 8);
  checkScratch<double, 256>(8 * 2 * 5, 8 * 8);
  checkScratch<float, 1024>(32 * (5 + 5), 32);
}

TEST_CASE("blockInclusiveScan costs what it says") {
  auto const check = [](unsigned shuffles, Recording const& recording) {
    CAPTURE(shuffles);
    checkCoalesced(recording);
    CHECK(recording.total(Event::barrier).requests == 2);
    CHECK(recording.total(Event::shuffle).requests == shuffles);
    CHECK(recording.total(Event::shuffle).divergent == 0);
  };
  check(2 * 5, recordBlock<float>(64, scanBlock<float, 64>));
  check(8, recordBlock<float>(256, scanBlock<float, 256>));
  check(32 * 2 + 8, recordBlock<float>(1024, scanBlock<float, 1024>));
}

template <class T, int... Threads>
void checkScansConflictFree() {
  (checkConflictFree(recordBlock<T>(Threads, scanBlock<T, Threads>)), ...);
}
TEST_CASE("blockInclusiveScan has no bank conflicts where threads are a power of two") {
  checkScansConflictFree<float, 64, 128, 256, 512, 1024>();
  checkScansConflictFree<double, 64, 256, 1024>();
}

__global__ void addOne(float* values, std::size_t n) {
  for (auto const i : tweed::gridStride(n)) values[i] += 1;
}

TEST_CASE("gridStride is coalesced, and diverges in one warp at most") {
  for (std::size_t const n : {std::size_t(1), std::size_t(32), std::size_t(1000), std::size_t(4096),
                              std::size_t(10007)}) {
    CAPTURE(n);
    DeviceArray<float> values(n);
    Recording const recording = record([&] { tweed::launch(addOne, {3, 128}, values.data(), n); });
    checkCoalesced(recording);
    for (Event const event : globalEvents) {
      Counts const counts = recording.total(event);
      CHECK(counts.requests == (n + 31) / 32);
      CHECK(counts.sectors == (n + 7) / 8);
      CHECK(counts.lanes == n);
      CHECK(counts.divergent == (n % 32 != 0));
    }
  }
}

__global__ void copyRows(float const* in, float* out, int rows, int columns, int pitch) {
  for (auto const [row, column] : tweed::gridStride2D(rows, columns))
    out[row * pitch + column] = in[row * pitch + column];
}

TEST_CASE("gridStride2D is coalesced along rows") {
  auto const check = [](dim3 grid, dim3 block, int rows, int columns, int pitch) {
    CAPTURE(block.x);
    CAPTURE(columns);
    std::size_t const items = std::size_t(rows * pitch);
    DeviceArray<float> const in(tweedTest::smallIntegers<float>(items, 1)), out(items);
    Recording const recording = record([&] {
      tweed::launch(copyRows, {grid, block}, static_cast<float const*>(in.data()), out.data(), rows,
                    columns, pitch);
    });
    checkCoalesced(recording);
    for (Event const event : globalEvents) {
      Counts const counts = recording.total(event);
      CHECK(counts.lanes == unsigned(rows * columns));
      CHECK(counts.sectors == unsigned(rows * ((columns + 7) / 8)));
      // A warp is along a row, or a 1-D launch has the rows one behind the other.
      bool const isFlat = block.y == 1;
      int const perRow = isFlat ? 0 : (columns + 31) / 32;
      CHECK(counts.requests == unsigned(isFlat ? (rows * columns + 31) / 32 : rows * perRow));
    }
  };
  check(dim3(2, 3), dim3(32, 4), 50, 160, 160);
  check(dim3(2, 3), dim3(64, 2), 50, 100, 128);
  check(dim3(1, 2, 2), dim3(32, 2, 2), 33, 96, 96);
  check(3, 128, 50, 24, 24);  // rows shorter than a warp
  check(2, 96, 7, 1000, 1000);
}

template <int N, class T, bool HasTwo>
__global__ void addVectors(T const* a, T const* b, T* out, int n) {
  if constexpr (HasTwo) {
    tweed::gridStrideVectors<N>(out, a, b, n, [](T x, T y) { return T(x + y); });
  } else {
    tweed::gridStrideVectors<N>(out, a, n, [](T x) { return T(x + 1); });
  }
}
// Requests of so many bytes a lane.
Counts ofWidth(Recording const& recording, Event event, unsigned bytes) {
  Counts counts;
  for (auto const& kernel : recording.kernels)
    for (auto const& line : kernel.lines)
      if (line.event == event && line.bytes == bytes) counts += line.counts;
  return counts;
}

// The arrays begin so many items off 16 bytes.
template <class T, bool HasTwo>
void checkVectors(int n, std::size_t shiftIn, std::size_t shiftOut) {
  constexpr int items = 16 / int(sizeof(T));
  CAPTURE(n);
  CAPTURE(shiftIn);
  CAPTURE(shiftOut);
  auto const values = tweedTest::smallIntegers<T>(std::size_t(n), 1);
  DeviceArray<T> const a(values, shiftIn), b(values, shiftIn), out(std::size_t(n), shiftOut);
  Recording const recording = record([&] {
    tweed::launch(addVectors<items, T, HasTwo>, {3, 128}, static_cast<T const*>(a.data()),
                  static_cast<T const*>(b.data()), out.data(), n);
  });
  int const head = tweed::smaller(n, (items - int(shiftOut)) % items), vectors = (n - head) / items;
  unsigned const edges = unsigned(n - vectors * items), inputs = HasTwo ? 2 : 1;
  Counts const stored = ofWidth(recording, Event::globalStore, 16);
  CHECK(stored.lanes == unsigned(vectors));
  // One warp may end its batches while some of its lanes have another chunk.
  CHECK(stored.requests <= unsigned(vectors + 31) / 32 + 1);
  CHECK(stored.sectors <= stored.idealSectors + stored.requests);  // the first may start amid one
  CHECK(recording.total(Event::globalStore).lanes == unsigned(vectors) + edges);
  Counts const loaded = ofWidth(recording, Event::globalLoad, 16);
  if (shiftIn == shiftOut) {
    CHECK(loaded.lanes == inputs * unsigned(vectors));
    CHECK(loaded.requests <= inputs * (unsigned(vectors + 31) / 32 + 1));
    CHECK(recording.total(Event::globalLoad).lanes == inputs * (unsigned(vectors) + edges));
    CHECK(loaded.sectors <= loaded.idealSectors + loaded.requests);
  } else {
    CHECK(loaded.lanes == 0);
  }
  if (shiftIn == 0 && shiftOut == 0) checkCoalesced(recording);
}

TEST_CASE("gridStrideVectors takes 16 bytes an instruction, but for 15 items an end") {
  checkVectors<float, false>(4096, 0, 0);
  checkVectors<float, true>(10007, 0, 0);
  checkVectors<float, true>(10007, 1, 1);
  checkVectors<float, false>(10007, 2, 0);
  checkVectors<float, false>(10007, 0, 1);
  checkVectors<signed char, false>(10007, 1, 1);
  checkVectors<signed char, false>(10007, 0, 15);
  checkVectors<double, true>(4097, 1, 1);
}

__global__ void sumGrid(float const* in, float* out, void* state) {
  float const x = in[blockIdx.x * 256 + threadIdx.x];
  auto const total = tweed::gridReduce<256>(x, tweed::Sum{}, state);
  if (total.isLast && threadIdx.x == 0) *out = total.value;
}

TEST_CASE("gridReduce reads a value a block again, and holds the barriers that it says") {
  for (unsigned const blocks : {2u, 300u}) {
    CAPTURE(blocks);
    DeviceArray<float> const in(tweedTest::smallIntegers<float>(blocks * 256, 1)), out(1);
    DeviceArray<unsigned char> const state(
        std::vector<unsigned char>(tweed::gridReduceBytes<float>(blocks), 0));
    Recording const recording = record([&] {
      tweed::launch(sumGrid, {blocks, 256}, static_cast<float const*>(in.data()), out.data(),
                    static_cast<void*>(state.data()));
    });
    Counts const loads = recording.total(Event::globalLoad);
    CHECK(loads.lanes == blocks * 256 + blocks);
    CHECK(loads.requests == blocks * 8 + (blocks + 31) / 32);
    // The partials of a warp may start amid a sector.
    CHECK(loads.sectors <= loads.idealSectors + (blocks + 31) / 32);
    CHECK(recording.total(Event::globalStore).lanes == blocks + 1);
    CHECK(recording.total(Event::barrier).requests == 4 * blocks + 2);
  }
}

// Loads of 16 bytes, 512 a warp, each in 16 sectors; what lies before and behind them in few more.
template <class T, class Op>
void checkDeviceReduce(std::size_t n, std::size_t shift) {
  CAPTURE(n);
  CAPTURE(shift);
  DeviceArray<T> in(tweedTest::smallIntegers<T>(n, 1), shift), out(1);
  Recording const recording = record([&] {
    tweed::Workspace workspace;
    tweed::deviceReduce(static_cast<T const*>(in.data()), n, out.data(), Op{}, workspace);
  });
  std::size_t const bytes = n * sizeof(T), vectors = bytes / 16;
  Counts wide;
  for (auto const& kernel : recording.kernels)
    for (auto const& line : kernel.lines)
      if (line.event == Event::globalLoad && line.bytes == 16) wide += line.counts;
  CHECK(wide.lanes >= vectors - 1);
  CHECK(wide.sectors == wide.idealSectors);
  CHECK(wide.sectors >= (wide.lanes + 1) / 2);
  CHECK(wide.sectors <= (wide.lanes + 1) / 2 + wide.requests);  // a warp may start amid a sector
  CHECK(wide.requests <= vectors / 32 + 1 + (shift != 0));
  CHECK(recording.total(Event::globalLoad).lanes - wide.lanes <= 32 + 8);  // edges, partials
  for (Event const event : sharedEvents)
    CHECK(recording.total(event).passes == recording.total(event).idealPasses);
}

TEST_CASE_TEMPLATE("deviceReduce reads each sector once, by whole vectors", T, float, double, int) {
  for (std::size_t const n : {std::size_t(1000), std::size_t(30000), std::size_t(100003)}) {
    checkDeviceReduce<T, tweed::Sum>(n, 0);
    checkDeviceReduce<T, tweed::Max>(n, 0);
  }
}

TEST_CASE("softmaxRows: coalesced and free of conflicts") {
  std::size_t const rows = 7, columns = 1000;
  DeviceArray<float> in(tweedTest::smallIntegers<float>(rows * columns, 1)), out(rows * columns);
  Recording const recording = record([&] {
    tweed::launch(softmaxRows, {4, threads}, static_cast<float const*>(in.data()), out.data(), rows,
                  columns);
  });
  checkConflictFree(recording);
  checkCoalesced(recording);
  CHECK(recording.total(Event::globalLoad).sectors == 3 * rows * columns / 8);
  CHECK(recording.total(Event::globalStore).sectors == rows * columns / 8);
  CHECK(recording.total(Event::barrier).requests == 2 * 2 * rows);
  CHECK(recording.total(Event::globalLoad).divergent == 3 * rows);
}

}  // namespace
