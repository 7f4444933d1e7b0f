// SPDX-License-Identifier: Apache-2.0
// tests/arch/atomic.cu - tests tweed/arch/atomic.cuh
#include <tweed/arch/atomic.cuh>
#include <tweed/arch/barrier.cuh>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

// Blocks that wait for each other are all resident at once: few of them on a GPU, and as many as
// the loom is told to hold.
struct Resident {
#if defined(TWEED_LOOM)
  explicit Resident(unsigned blocks) : scope(with(blocks)) {}
  static tweed::loom::Options with(unsigned blocks) {
    tweed::loom::Options options = tweed::loom::defaults();
    if (options.residentBlocks < blocks) options.residentBlocks = blocks;
    return options;
  }
  tweed::loom::ScopedOptions scope;
#else
  explicit Resident(unsigned) {}
#endif
};

__global__ void drawTickets(unsigned* counter, unsigned last, int* drawn) {
  atomicAdd(&drawn[tweed::arch::takeTicket(counter, last)], 1);
}

// Two blocks hand a message to and fro: the data is plain, the flag says whose turn it is.
__global__ void passMessage(unsigned* flag, unsigned* data, unsigned turns) {
  if (threadIdx.x != 0) return;
  for (unsigned turn = 0; turn < turns; ++turn) {
    if (turn % 2 != blockIdx.x) continue;
    while (tweed::arch::loadAcquire(flag) != turn) tweed::arch::spinPause();
    for (unsigned i = 0; i < 8; ++i) {
      if (data[i] != turn * (i + 1)) data[8] += 1;
      data[i] = (turn + 1) * (i + 1);
    }
    tweed::arch::storeRelease(flag, turn + 1);
  }
}

// The first block to come publishes; the others wait for it.
__global__ void broadcast(unsigned* ticket, unsigned* flag, unsigned* data, unsigned* out) {
  if (threadIdx.x != 0) return;
  unsigned const place = tweed::arch::takeTicket(ticket, gridDim.x - 1);
  if (place == 0) {
    for (unsigned i = 0; i < 32; ++i) data[i] = 1000 + i;
    tweed::arch::storeRelease(flag, 1);
  }
  while (tweed::arch::loadAcquire(flag) == 0) tweed::arch::spinPause();
  unsigned sum = 0;
  for (unsigned i = 0; i < 32; ++i) sum += data[i];
  out[place] = sum;
}

// A word is seen whole: one of the writer's values, in none of which the halves differ.
__global__ void wholeWords(unsigned long long* word, unsigned* wrong, unsigned turns) {
  if (threadIdx.x != 0) return;
  for (unsigned turn = 1; turn <= turns; ++turn) {
    if (blockIdx.x == 0) {
      tweed::arch::storeRelaxed(word, (unsigned long long)(turn) << 32 | turn);
    } else {
      unsigned long long const seen = tweed::arch::loadRelaxed(word);
      if (seen >> 32 != (seen & 0xffffffffu)) atomicAdd(wrong, 1u);
    }
  }
}

// Partial sums by all blocks, the total by the last, which the ticket itself lets see them.
__global__ void lastBlockSums(unsigned* partials, unsigned* ticket, unsigned* total) {
  if (threadIdx.x != 0) return;
  partials[blockIdx.x] = blockIdx.x + 1;
  if (tweed::arch::takeTicket(ticket, gridDim.x - 1) != gridDim.x - 1) return;
  unsigned sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += partials[i];
  *total = sum;
}

}  // namespace

TEST_SUITE("atomic") {
  TEST_CASE("tickets count to the last one and start again") {
    for (unsigned last : {0u, 1u, 6u, 95u}) {
      CAPTURE(last);
      unsigned const calls = 3 * 32;
      DeviceArray<unsigned> const counter(std::vector<unsigned>(1, 0));
      DeviceArray<int> const drawn(std::vector<int>(last + 1, 0));
      tweed::launch(drawTickets, {3, 32}, counter.data(), last, drawn.data());
      tweed::synchronize();
      CHECK(counter.host()[0] == calls % (last + 1));
      std::vector<int> const times = drawn.host();
      for (unsigned i = 0; i <= last; ++i)
        CHECK(times[i] == int(calls / (last + 1) + (i < calls % (last + 1) ? 1 : 0)));
    }
  }
  TEST_CASE("a counter beyond the last ticket starts again at 0") {
    DeviceArray<unsigned> const counter(std::vector<unsigned>(1, 5));
    DeviceArray<int> const drawn(std::vector<int>(6, 0));
    tweed::launch(drawTickets, {1, 1}, counter.data(), 3u, drawn.data());
    tweed::synchronize();
    CHECK(counter.host()[0] == 0);
    CHECK(drawn.host()[5] == 1);
  }
  TEST_CASE("what is stored before a release is seen after the acquire") {
    Resident const both(2);
    unsigned const turns = isShort() ? 20 : 200;
    DeviceArray<unsigned> const flag(std::vector<unsigned>(1, 0));
    DeviceArray<unsigned> const data(std::vector<unsigned>(9, 0));
    tweed::launch(passMessage, {2, 32}, flag.data(), data.data(), turns);
    tweed::synchronize();
    CHECK(flag.host()[0] == turns);
    std::vector<unsigned> const got = data.host();
    for (unsigned i = 0; i < 8; ++i) CHECK(got[i] == turns * (i + 1));
    CHECK(got[8] == 0);
  }
  TEST_CASE("a message reaches every block, whichever comes first") {
    for (int run = 0; run < 5; ++run) {
      DeviceArray<unsigned> const state(std::vector<unsigned>(2, 0));
      DeviceArray<unsigned> const data(32);
      DeviceArray<unsigned> const out(4);
      tweed::launch(broadcast, {4, 32}, state.data(), state.data() + 1, data.data(), out.data());
      tweed::synchronize();
      for (unsigned const sum : out.host()) CHECK(sum == 32 * 1000 + 31 * 16);
    }
  }
  TEST_CASE("words of 64 bits are read and written whole") {
    Resident const all(3);
    DeviceArray<unsigned long long> const word(std::vector<unsigned long long>(1, 0));
    DeviceArray<unsigned> const wrong(std::vector<unsigned>(1, 0));
    unsigned const turns = isShort() ? 50 : 1000;
    tweed::launch(wholeWords, {3, 32}, word.data(), wrong.data(), turns);
    tweed::synchronize();
    CHECK(wrong.host()[0] == 0);
    CHECK(word.host()[0] == ((unsigned long long)(turns) << 32 | turns));
  }
  TEST_CASE("the last block to draw a ticket sees what the others wrote before") {
    for (unsigned blocks : {1u, 2u, 7u, 30u}) {
      DeviceArray<unsigned> const partials(blocks);
      DeviceArray<unsigned> const ticket(std::vector<unsigned>(1, 0));
      DeviceArray<unsigned> const total(std::vector<unsigned>(1, 0));
      tweed::launch(lastBlockSums, {blocks, 32}, partials.data(), ticket.data(), total.data());
      tweed::synchronize();
      CHECK(total.host()[0] == blocks * (blocks + 1) / 2);
      CHECK(ticket.host()[0] == 0);
    }
  }
}
