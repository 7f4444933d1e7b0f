// SPDX-License-Identifier: Apache-2.0
// tests/arch/barrier.cu - tests tweed/arch/barrier.cuh
#include <tweed/arch/barrier.cuh>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

// `threads` threads pass their values round a ring in shared memory, `turns` times.
template <class Sync>
TWEED_DEVICE int passRound(int* ring, int t, int threads, int turns, Sync sync) {
  int value = t;
  for (int turn = 0; turn < turns; ++turn) {
    ring[t] = value;
    sync();
    value = ring[(t + 1) % threads];
    sync();
  }
  return value;
}

struct SyncBlock {
  TWEED_DEVICE void operator()() const { tweed::arch::syncBlock(); }
};
struct SyncMask {
  unsigned mask;
  TWEED_DEVICE void operator()() const { tweed::arch::syncWarp(mask); }
};
template <int Id, int Threads>
struct SyncNamed {
  TWEED_DEVICE void operator()() const { tweed::arch::syncNamed<Id, Threads>(); }
};

__global__ void roundTheBlock(int* out, int turns) {
  __shared__ int ring[1024];
  int const t = int(threadIdx.x);
  out[t] = passRound(ring, t, int(blockDim.x), turns, SyncBlock{});
}

// The first 64 threads and the other 128 go round different numbers of times.
__global__ void roundTwoParts(int* out, int turns) {
  __shared__ int ring[192];
  int const t = int(threadIdx.x);
  if (t < 64) {
    out[t] = passRound(ring, t, 64, turns, SyncNamed<1, 64>{});
  } else {
    out[t] = passRound(ring + 64, t - 64, 128, 2 * turns + 1, SyncNamed<15, 128>{});
  }
}

// Three parts of one warp, with as many turns as each has lanes.
__global__ void roundPartsOfAWarp(int* out) {
  __shared__ int ring[32];
  int const t = int(threadIdx.x);
  if (t < 5) {
    out[t] = passRound(ring, t, 5, 6, SyncMask{0x1fu});
  } else if (t < 16) {
    out[t] = passRound(ring + 5, t - 5, 11, 13, SyncMask{0xffe0u});
  } else {
    out[t] = passRound(ring + 16, t - 16, 16, 19, SyncMask{0xffff0000u});
  }
}

// The first half of the warp goes round while the other waits for the whole block.
__global__ void roundHalfAWarp(int* out, int turns) {
  __shared__ int ring[16];
  int const t = int(threadIdx.x);
  int value = t;
  if (t < 16) value = passRound(ring, t, 16, turns, SyncMask{0xffffu});
  tweed::arch::syncBlock();
  out[t] = value;
}

__global__ void roundTheWarp(int* out, int turns) {
  __shared__ int ring[64];
  int const t = int(threadIdx.x);
  int const first = t / 32 * 32;
  out[t] = passRound(ring + first, t - first, 32, turns + first, SyncMask{0xffffffffu});
}

// The last thread of the block to come adds up what the others have left: fence, ticket, fence. In
// global memory, since compute-sanitizer's racecheck takes no fence for an order in shared memory.
__global__ void lastThreadSums(unsigned* values, unsigned* total) {
  __shared__ unsigned ticket;
  if (threadIdx.x == 0) ticket = 0;
  tweed::arch::syncBlock();
  values[threadIdx.x] = threadIdx.x + 1;
  tweed::arch::fenceBlock();
  if (atomicInc(&ticket, blockDim.x - 1) != blockDim.x - 1) return;
  tweed::arch::fenceBlock();
  unsigned sum = 0;
  for (unsigned i = 0; i < blockDim.x; ++i) sum += values[i];
  *total = sum;
}

// The same with the first threads of blocks.
__global__ void lastBlockSums(unsigned* values, unsigned* ticket, unsigned* total) {
  if (threadIdx.x != 0) return;
  values[blockIdx.x] = blockIdx.x + 1;
  tweed::arch::fenceDevice();
  if (atomicInc(ticket, gridDim.x - 1) != gridDim.x - 1) return;
  tweed::arch::fenceDevice();
  unsigned sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += values[i];
  *total = sum;
}

// Turn i: only thread i says true, and all must hear it; in the turns between nobody does.
__global__ void tellTheBlock(int* heard) {
  for (int i = 0; i < int(blockDim.x); ++i) {
    heard[threadIdx.x] += tweed::arch::syncBlockOr(int(threadIdx.x) == i) ? 1 : 0;
    heard[threadIdx.x] += tweed::arch::syncBlockOr(false) ? 1000 : 0;
  }
}

#if defined(TWEED_LOOM)
__global__ void tooFewForABarrier() {
  if (threadIdx.x < 32) tweed::arch::syncNamed<3, 64>();
}
__global__ void someLeaveBeforeTheBarrier() {
  if (threadIdx.x < 50) tweed::arch::syncBlock();
}
__global__ void aLaneNeverComes() {
  if (threadIdx.x < 16) tweed::arch::syncWarp(0xffffffffu);
  if (threadIdx.x >= 16) tweed::arch::syncNamed<1, 64>();
}
#endif

}  // namespace

TEST_SUITE("barrier") {
  TEST_CASE("syncBlock orders the writes of all threads") {
    for (unsigned threads : {1u, 33u, 100u, 256u}) {
      CAPTURE(threads);
      DeviceArray<int> const out(threads);
      tweed::launch(roundTheBlock, {1, threads}, out.data(), 7);
      tweed::synchronize();
      std::vector<int> const got = out.host();
      for (unsigned t = 0; t < threads; ++t) REQUIRE(got[t] == int((t + 7) % threads));
    }
  }
  TEST_CASE("syncBlockOr tells all threads what one says") {
    for (int threads : {1, 33, 96}) {
      DeviceArray<int> const heard(std::vector<int>(std::size_t(threads), 0));
      tweed::launch(tellTheBlock, {1, threads}, heard.data());
      tweed::synchronize();
      CHECK(heard.host() == std::vector<int>(std::size_t(threads), threads));
    }
  }
  TEST_CASE("named barriers of two parts of a block are independent") {
    int const turns = isShort() ? 5 : 20;
    DeviceArray<int> const out(192);
    tweed::launch(roundTwoParts, {1, 192}, out.data(), turns);
    tweed::synchronize();
    std::vector<int> const got = out.host();
    for (int t = 0; t < 64; ++t) REQUIRE(got[std::size_t(t)] == (t + turns) % 64);
    for (int t = 0; t < 128; ++t) REQUIRE(got[std::size_t(64 + t)] == (t + 2 * turns + 1) % 128);
  }
  TEST_CASE("syncWarp orders the writes of the lanes of its mask, warp by warp") {
    DeviceArray<int> const out(64);
    tweed::launch(roundTheWarp, {1, 64}, out.data(), 9);
    tweed::synchronize();
    std::vector<int> const got = out.host();
    for (int t = 0; t < 32; ++t) REQUIRE(got[std::size_t(t)] == (t + 9) % 32);
    for (int t = 0; t < 32; ++t) REQUIRE(got[std::size_t(32 + t)] == (t + 9 + 32) % 32);
  }
  TEST_CASE("syncWarp of parts of a warp (C14)") {
    DeviceArray<int> const out(32);
    tweed::launch(roundPartsOfAWarp, {1, 32}, out.data());
    tweed::synchronize();
    std::vector<int> got = out.host();
    for (int t = 0; t < 5; ++t) REQUIRE(got[std::size_t(t)] == (t + 6) % 5);
    for (int t = 0; t < 11; ++t) REQUIRE(got[std::size_t(5 + t)] == (t + 13) % 11);
    for (int t = 0; t < 16; ++t) REQUIRE(got[std::size_t(16 + t)] == (t + 19) % 16);
    tweed::launch(roundHalfAWarp, {1, 32}, out.data(), 5);
    tweed::synchronize();
    got = out.host();
    for (int t = 0; t < 32; ++t) REQUIRE(got[std::size_t(t)] == (t < 16 ? (t + 5) % 16 : t));
  }
  TEST_CASE("fenceBlock orders a thread's writes for its block") {
    DeviceArray<unsigned> const total(1);
    for (unsigned threads : {1u, 33u, 96u}) {
      CAPTURE(threads);
      DeviceArray<unsigned> const values(threads);
      tweed::launch(lastThreadSums, {1, threads}, values.data(), total.data());
      tweed::synchronize();
      CHECK(total.host()[0] == threads * (threads + 1) / 2);
    }
  }
  TEST_CASE("fenceDevice orders a thread's writes for all blocks") {
    DeviceArray<unsigned> const total(1);
    DeviceArray<unsigned> const ticket(std::vector<unsigned>(1, 0));
    for (unsigned blocks : {1u, 5u, 8u}) {
      CAPTURE(blocks);
      DeviceArray<unsigned> const values(blocks);
      tweed::launch(lastBlockSums, {blocks, 32}, values.data(), ticket.data(), total.data());
      tweed::synchronize();
      CHECK(total.host()[0] == blocks * (blocks + 1) / 2);
    }
  }
#if defined(TWEED_LOOM)
  TEST_CASE("threads that never come to a barrier are named (C16)") {
    CHECK(contains(fault([] { tweed::launch(tooFewForABarrier, {1, 64}); }), "named barrier 3"));
    std::string const text = fault([] { tweed::launch(someLeaveBeforeTheBarrier, {1, 64}); });
    CAPTURE(text);
    CHECK(contains(text, "50 of 64 threads"));
    CHECK(!fault([] { tweed::launch(aLaneNeverComes, {1, 64}); }).empty());
  }
#endif
}
