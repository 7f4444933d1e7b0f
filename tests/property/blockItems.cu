// SPDX-License-Identifier: Apache-2.0
// tests/property/blockItems.cu - properties of block reductions and scans of several items a thread
#include "blocks.cuh"

using namespace tweedTest;

TEST_SUITE("properties of blocks of several items a thread") {
  TEST_CASE("numbers") {
    checkBlocks<unsigned, 3, 512>("unsigned, 3 items", Extremes, 400, tweed::Sum{});
    checkBlocks<float, 4, 256>("float, 4 items", Random, 400, tweed::Sum{});
    checkShape<tweed::Block<64>, double, 2>("double, 64, 2 items", 64, Nans, 400, tweed::Max{});
  }
  TEST_CASE("order is kept, and the operator is called on data alone") {
    DeviceArray<int> const bad(std::vector<int>(1, 0));
    WatchedJoin const watched{bad.data()};
    checkBlocks<Stretch, 2, 512>("stretches, 2 items", Ascending, 400, watched);
    checkShape<tweed::Block<96>, Stretch, 5>("stretches, 96, 5 items", 96, Ascending, 400, watched);
    checkBlocks<Affine, 7, 256>("affine maps, 7 items", Ties, 300, Compose{});
  }
}
