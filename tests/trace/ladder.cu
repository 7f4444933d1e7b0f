// SPDX-License-Identifier: Apache-2.0
// tests/trace/ladder.cu - what the rungs of the reduction ladder say of themselves: how many
// barriers, atomics, shuffles and sectors each has, counted on the loom.
#include <doctest/doctest.h>

#include <ladder/reduction/rungs.cuh>
#include <tweed/loom/recording.hpp>

#include "support/device.cuh"

namespace {

using tweed::loom::Event;
using tweed::loom::Recording;

constexpr long long n = 16 * 2048;  // whole blocks of every rung

Recording recordingOf(ladder::Sum sum) {
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
  CHECK(perBlock(recordingOf(r9::sum)) == PerBlock{8, 1, 0, 0});
  CHECK(perBlock(recordingOf(r10::sum)) == PerBlock{8, 1, 0, 0});
  CHECK(perBlock(recordingOf(r11::sum)) == PerBlock{8, 1, 0, 0});
  CHECK(perBlock(recordingOf(r12::sum<8>)) == PerBlock{8, 1, 0, 0});
  CHECK(perBlock(recordingOf(r13a::sum)) == PerBlock{3, 1, 0, 12});
  CHECK(perBlock(recordingOf(r13b::sum<256>)) == PerBlock{3, 1, 0, 12});
  CHECK(perBlock(recordingOf(r13c::sum<256>)) == PerBlock{3, 1, 0, 12});
}

TEST_CASE("ladder: blocks") {
  CHECK(blocksOf(r2::sum) == n / 256);
  CHECK(blocksOf(r3::sum) == n / 256);
  CHECK(blocksOf(r4::sum) == n / 512);
  CHECK(blocksOf(r5::sum) == 32);  // 4 multiprocessors of 8 blocks
  CHECK(blocksOf(r12::sum<2>) == n / 512);
  CHECK(blocksOf(r12::sum<4>) == n / 1024);
  CHECK(blocksOf(r12::sum<8>) == n / 2048);
  CHECK(recordingOf(r8::sum).kernels[0].launches == 2);
  CHECK(recordingOf(r15::sum).kernels.size() == 1);
}

TEST_CASE("ladder: divergence and sectors of the three orders of partners") {
  Recording const r9 = recordingOf(r9::sum);
  Recording const r10 = recordingOf(r10::sum);
  Recording const r11 = recordingOf(r11::sum);
  auto const loads = [](Recording const& r) { return r.total(Event::globalLoad); };
  std::uint64_t const blocks = n / 256;
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
