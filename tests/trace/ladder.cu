// SPDX-License-Identifier: Apache-2.0
// tests/trace/ladder.cu - what the rungs of the ladders say of themselves: how many barriers,
// atomics, shuffles, sectors and bank conflicts each has, counted on the loom.
#include <doctest/doctest.h>

#define LADDER_WITHOUT_TWEED  // tests/trace/matmul.*.cu have those
#include <ladder/matmul/rungs.cuh>
#include <ladder/reduction/rungs.cuh>
#include <tweed/loom/recording.hpp>

#include "support/device.cuh"

namespace {

using tweed::loom::Event;
using tweed::loom::Recording;

constexpr long long n = 16 * 2048;  // whole blocks of every rung

Recording recordingOf(ladder::Sum sum, long long n = ::n) {
  tweedTest::DeviceArray<float> const in(ladder::sumData(n));
  tweedTest::DeviceArray<float> const out(1);
  tweed::Workspace workspace(nullptr, ladder::workspaceBytes(n));
  return tweed::loom::record([&] {
    sum(in.data(), n, out.data(), workspace);
    tweed::synchronize();
  });
}

struct PerBlock {
  double barriers, atomics, shuffles, warpBarriers;
  bool operator==(PerBlock const& b) const {
    return barriers == b.barriers && atomics == b.atomics && shuffles == b.shuffles &&
           warpBarriers == b.warpBarriers;
  }
};
doctest::String toString(PerBlock const& p) {
  return doctest::toString(p.barriers) + " barriers, " + doctest::toString(p.atomics) +
         " atomics, " + doctest::toString(p.shuffles) + " shuffles, " +
         doctest::toString(p.warpBarriers) + " barriers of a warp";
}

PerBlock perBlock(Recording const& recording) {
  double blocks = 0;
  for (auto const& kernel : recording.kernels) blocks += double(kernel.blocks);
  return {double(recording.total(Event::barrier).requests) / blocks,
          double(recording.total(Event::globalAtomic).lanes) / blocks,
          double(recording.total(Event::shuffle).requests) / blocks,
          double(recording.total(Event::warpBarrier).requests) / blocks};
}

unsigned long long blocksOf(ladder::Sum sum) { return recordingOf(sum).kernels[0].blocks; }

}  // namespace

TEST_CASE("ladder: barriers, atomics and shuffles of a block") {
  CHECK(perBlock(recordingOf(r1::sum)) == PerBlock{0, 0, 0, 0});
  CHECK(perBlock(recordingOf(r2::sum)) == PerBlock{0, 256, 0, 0});
  CHECK(perBlock(recordingOf(r3::sum)) == PerBlock{8, 1, 0, 0});
  CHECK(perBlock(recordingOf(r4::sum)) == PerBlock{8, 1, 0, 0});
  CHECK(perBlock(recordingOf(r5::sum)) == PerBlock{8, 1, 0, 0});
  CHECK(perBlock(recordingOf(r6::sum)) == PerBlock{3, 1, 5, 0});
  CHECK(perBlock(recordingOf(r7::sum)) == PerBlock{1, 1, 45, 0});
  CHECK(perBlock(recordingOf(r8::sum)).atomics == 0);
  CHECK(perBlock(recordingOf(r9::sum)) == PerBlock{8, 0, 0, 0});
  CHECK(perBlock(recordingOf(r10::sum)) == PerBlock{8, 0, 0, 0});
  CHECK(perBlock(recordingOf(r11::sum)) == PerBlock{8, 0, 0, 0});
  CHECK(perBlock(recordingOf(r12::sum<8>)) == PerBlock{8, 0, 0, 0});
  CHECK(perBlock(recordingOf(r13a::sum)) == PerBlock{3, 0, 0, 12});
  CHECK(perBlock(recordingOf(r13b::sum<256>)) == PerBlock{3, 0, 0, 12});
  CHECK(perBlock(recordingOf(r13c::sum<256>)) == PerBlock{3, 0, 0, 12});
}

TEST_CASE("ladder: blocks") {
  CHECK(blocksOf(r2::sum) == n / 256);
  CHECK(blocksOf(r3::sum) == n / 256);
  CHECK(blocksOf(r4::sum) == n / 512);
  CHECK(blocksOf(r5::sum) == 32);           // 4 multiprocessors of 8 blocks
  CHECK(blocksOf(r9::sum) == n / 256 + 1);  // one block adds up the sums
  CHECK(blocksOf(r12::sum<2>) == n / 512 + 1);
  CHECK(blocksOf(r12::sum<4>) == n / 1024 + 1);
  CHECK(blocksOf(r12::sum<8>) == n / 2048 + 1);
  CHECK(recordingOf(r9::sum).kernels[0].launches == 2);
  CHECK(recordingOf(r8::sum).kernels[0].launches == 2);
  CHECK(recordingOf(r15::sum).kernels.size() == 1);
}

TEST_CASE("ladder: divergence and sectors of the three orders of partners") {
  long long const whole = 256 * 256;  // the blocks' sums are a whole block too
  Recording const r9 = recordingOf(r9::sum, whole);
  Recording const r10 = recordingOf(r10::sum, whole);
  Recording const r11 = recordingOf(r11::sum, whole);
  auto const loads = [](Recording const& r) { return r.total(Event::globalLoad); };
  std::uint64_t const blocks = 256 + 1;
  CHECK(loads(r9).divergent == 95 * blocks);
  CHECK(loads(r10).divergent == 11 * blocks);
  CHECK(loads(r11).divergent == 11 * blocks);
  CHECK(loads(r9).sectors == 287 * blocks);
  CHECK(loads(r10).sectors == 287 * blocks);
  CHECK(loads(r11).sectors == 101 * blocks);
  CHECK(loads(r11).isCoalesced());
  CHECK_FALSE(loads(r10).isCoalesced());
}

TEST_CASE("ladder: shared memory has no conflicts, and warps first hardly use it") {
  for (ladder::SumRung const& rung : ladder::sumRungs()) {
    CAPTURE(rung.name);
    Recording const recording = recordingOf(rung.sum);
    CHECK(recording.total(Event::sharedLoad).isConflictFree());
    CHECK(recording.total(Event::sharedStore).isConflictFree());
  }
  CHECK(recordingOf(r5::sum).total(Event::sharedLoad).lanes == 32 * (2 * 255 + 1));
  CHECK(recordingOf(r7::sum).total(Event::sharedLoad).lanes == 32 * 8);
}

// ---------------------------------------------------------------------------------- products
namespace {

Recording recordingOf(ladder::ProductRung const& rung, ladder::ProductShape shape) {
  ladder::ProductData data(shape);
  Recording recording = tweed::loom::record([&] {
    data.call(rung);
    tweed::synchronize();
  });
  CHECK(data.complaint().empty());
  return recording;
}

constexpr ladder::ProductShape shape{32, 64, 32};
constexpr std::uint64_t pairs = 32 * 32 * 64 / 32;  // multiplications of a warp
constexpr std::uint64_t steps = 64 / 32;            // of tiles of 32 x 32

}  // namespace

TEST_CASE("product ladder: what comes from global memory, and shared memory's bank conflicts") {
  Recording const m1 = recordingOf(m1::rung, shape), m2 = recordingOf(m2::rung, shape);
  Recording const unpadded = recordingOf(m3::rungs[0], shape);
  Recording const padded = recordingOf(m3::rungs[1], shape);
  Recording const m2Padded = recordingOf(m3::rungs[2], shape);
  Recording const m4 = recordingOf(m4::rung, shape);

  auto const global = [](Recording const& r) { return r.total(Event::globalLoad); };
  CHECK(global(m1).requests == 2 * pairs);
  CHECK(global(m1).sectors == 4 * pairs);  // two items of A in two, 16 neighbours of B in two
  CHECK(global(m2).requests == global(m1).requests / 16);
  CHECK(global(m2).sectors == global(m1).sectors / 8);
  CHECK(global(padded).requests == global(m2).requests / 2);
  CHECK(global(padded).sectors == global(m2).sectors / 2);
  CHECK(global(unpadded).sectors == global(padded).sectors);
  CHECK(global(m2Padded).sectors == global(m2).sectors);
  CHECK(global(m4).requests == global(padded).requests / 4);
  CHECK(global(m4).sectors == global(padded).sectors);
  for (Recording const* r : {&m2, &padded, &m4}) CHECK(global(*r).isCoalesced());

  auto const loads = [](Recording const& r) { return r.total(Event::sharedLoad); };
  auto const stores = [](Recording const& r) { return r.total(Event::sharedStore); };
  for (Recording const* r : {&m2, &unpadded, &padded, &m2Padded})
    CHECK(loads(*r).requests == 2 * pairs);
  CHECK(loads(m4).requests == steps * 8 * (32 + 8));
  for (Recording const* r : {&m2, &unpadded, &padded, &m2Padded, &m4})
    CHECK(loads(*r).isConflictFree());
  for (Recording const* r : {&m2, &padded, &m4}) CHECK(stores(*r).isConflictFree());
  CHECK(stores(padded).passes == steps * 32 * (1 + 1));
  CHECK(stores(unpadded).passes == steps * 32 * (32 + 1));
  CHECK(stores(m2Padded).passes == 2 * stores(m2).passes);
}

TEST_CASE("product ladder: rows that are no whole pieces are loaded item by item") {
  auto const wide = recordingOf(m4::rung, {32, 32, 32}).total(Event::globalLoad);
  auto const odd = recordingOf(m4::rung, {32, 31, 31}).total(Event::globalLoad);
  CHECK(wide.requests == 2 * 8);
  CHECK(odd.requests == 4 * wide.requests);
}

TEST_CASE("product ladder: register tiles and tensor cores") {
  Recording const m5 = recordingOf(m5::rungs[1], {128, 128, 128});
  Recording const m6b = recordingOf(m6b::rung, {128, 128, 128});
  CHECK(m5.total(Event::barrier).requests == 128 / 8);
  CHECK(m5.total(Event::sharedLoad).requests == 128 * 8 * 4);  // 4 for 64 multiplications
  CHECK(m6b.total(Event::barrier).requests == 128 / 64);
  for (Recording const* recording : {&m5, &m6b}) {
    CHECK(recording->total(Event::sharedLoad).isConflictFree());
    CHECK(recording->total(Event::sharedStore).isConflictFree());
    CHECK(recording->total(Event::globalLoad).isCoalesced());
    CHECK(recording->total(Event::globalStore).isCoalesced());
  }
  CHECK(m5.total(Event::globalLoad).sectors == 2 * 128 * 128 * 4 / 32);
  CHECK(m6b.total(Event::globalLoad).sectors == 2 * 128 * 128 * 2 / 32);
}
