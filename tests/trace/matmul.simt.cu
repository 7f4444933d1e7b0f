// SPDX-License-Identifier: Apache-2.0
// tests/trace/matmul.simt.cu - what BlockMatmul promises about memory with SimtConfig: no bank
// conflicts, each byte of the operands read once a tile, one barrier for each step along k.

#include <tweed/loom/recording.hpp>
#include <tweed/matmul/simtKernel.cuh>

#include "support/matmul.cuh"

namespace {

using tweed::ColumnMajor;
using tweed::RowMajor;
using tweed::loom::Event;
using tweedTest::DeviceMatrix;

// One tile of 64 x 64, three steps deep; `gap` items between the runs of an operand.
template <class Config, class T, class LayoutA, class LayoutB>
void check(int barriers, int gap = 0) {
  constexpr int k = Config::Tile::k, steps = 3;
  tweedTest::Product<T> const p(64, 64, steps * k, 1);
  DeviceMatrix<T, LayoutA> const a(p.m, p.k, p.a, gap);
  DeviceMatrix<T, LayoutB> const b(p.k, p.n, p.b, gap);
  DeviceMatrix<T, RowMajor> const c(p.m, p.n);
  using Task =
      tweed::MatmulTask<decltype(a.in()), decltype(b.in()), decltype(c.view()), tweed::Identity>;
  using Body = tweed::detail::SimtBody<Config, 1, Task>;
  Task const task{a.in(), b.in(), c.view(), {}};
  auto const recording = tweed::loom::record([&] {
    tweed::launch(tweed::detail::simtMatmul<Config, 1, Task>,
                  {1, Config::threads, sizeof(typename Body::Shared)}, task,
                  typename Body::Sharing{});
  });
  p.check(c.host(), tweedTest::roundoff<T>, p.k);
  for (Event const event : {Event::sharedLoad, Event::sharedStore}) {
    CHECK(recording.total(event).requests > 0);
    CHECK(recording.total(event).passes == recording.total(event).idealPasses);
  }
  auto const loads = recording.total(Event::globalLoad);
  CHECK(loads.sectors == loads.idealSectors);
  if (gap == 0) CHECK(loads.sectors == 2 * 64 * steps * k * sizeof(T) / 32);
  auto const stores = recording.total(Event::globalStore);
  CHECK(stores.sectors == 64 * 64 * sizeof(T) / 32);
  CHECK(recording.total(Event::barrier).requests == barriers);
}
template <class Config, class T>
void checkLayouts(int barriers) {
  check<Config, T, RowMajor, RowMajor>(barriers);
  check<Config, T, RowMajor, ColumnMajor>(barriers);
  check<Config, T, ColumnMajor, RowMajor>(barriers);
  check<Config, T, ColumnMajor, ColumnMajor>(barriers);
}

TEST_CASE("products by CUDA cores: no conflicts in any layout, no byte twice") {
  using tweed::SimtConfig;
  using tweed::TileShape;
  checkLayouts<SimtConfig<TileShape<64, 64, 8>, 4, 4, 3>, float>(3 + 1);
  checkLayouts<SimtConfig<TileShape<64, 64, 8>, 8, 4, 2>, float>(3 + 1);
  checkLayouts<SimtConfig<TileShape<64, 64, 16>, 8, 8, 1>, float>(2 * 3);
  checkLayouts<SimtConfig<TileShape<64, 64, 8>, 4, 2, 2>, double>(3 + 1);
}

}  // namespace
