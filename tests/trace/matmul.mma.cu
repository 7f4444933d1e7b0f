// SPDX-License-Identifier: Apache-2.0
// tests/trace/matmul.mma.cu - what BlockMatmul promises about memory with MmaConfig: no bank
// conflicts, each byte of the operands read once a tile, one barrier for each step along k.

#include <tweed/loom/recording.hpp>
#include <tweed/matmul/mmaKernel.cuh>

#include "support/mma.cuh"

namespace {

using tweed::ColumnMajor;
using tweed::RowMajor;
using tweed::loom::Event;
using tweedTest::DeviceArray;
using tweedTest::Operand;

struct Nothing {
  TWEED_DEVICE float operator()(float value, tweed::Coord) const { return value; }
};

// One tile of 64 x 64, `steps` steps deep.
template <class T, class LayoutA, class LayoutB>
void check(bool isConflictFree) {
  constexpr int k = 128 / int(sizeof(T)), steps = 3;
  using Config = tweed::MmaConfig<tweed::TileShape<64, 64, k>, 32, 32, 3>;
  using Task =
      tweed::MatmulTask<tweed::MatrixView<T const, LayoutA>, tweed::MatrixView<T const, LayoutB>,
                        tweed::MatrixView<float, RowMajor>, Nothing>;
  Operand<T, LayoutA> a(64, steps * k, 1, {});
  Operand<T, LayoutB> b(steps * k, 64, 2, {});
  DeviceArray<float> const c(64 * 64);
  Task const task{a.upload(), b.upload(), tweed::rowMajor(c.data(), 64, 64), {}};
  auto const recording = tweed::loom::record([&] {
    tweed::launch(tweed::mmaMatmul<Config, Task>,
                  {1, Config::threads, std::size_t(tweed::mmaSharedBytes<Config, Task>)}, task);
  });
  auto const stores = recording.total(Event::sharedStore);
  CHECK(stores.passes == stores.idealPasses);
  auto const loads = recording.total(Event::sharedLoad);
  CHECK(loads.requests > 0);
  if (isConflictFree) CHECK(loads.passes == loads.idealPasses);
  if (!isConflictFree) CHECK(loads.passes <= 2 * loads.idealPasses);
  auto const copies = recording.total(Event::globalLoad);
  CHECK(copies.sectors == 2 * 64 * steps * 128 / 32);
  CHECK(copies.sectors == copies.idealSectors);
  CHECK(recording.total(Event::barrier).requests == steps + 2);  // one before, one behind
}

TEST_CASE("mma.sync of 16 bits: no conflicts in any layout, no byte twice") {
  check<__nv_bfloat16, RowMajor, ColumnMajor>(true);
  check<__nv_bfloat16, ColumnMajor, RowMajor>(true);
}
TEST_CASE("mma.sync of floats: no conflicts along k, two ways across") {
  check<float, RowMajor, ColumnMajor>(true);
  check<float, ColumnMajor, RowMajor>(false);
}

}  // namespace
