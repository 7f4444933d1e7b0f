// SPDX-License-Identifier: Apache-2.0
// tests/property/blockOrdered.cu - properties of block reductions and scans of structures, whose
// order matters or that must not meet anything but data
#include "blocks.cuh"

using namespace tweedTest;

TEST_SUITE("properties of blocks") {
  TEST_CASE("order is kept, and the operator is called on data alone") {
    DeviceArray<int> const bad(std::vector<int>(1, 0));
    checkBlocks<Stretch>("stretches", Ascending, 300, WatchedJoin{bad.data()});
    checkBlocks<Affine>("affine maps", Ties, 300, Compose{});
  }
  TEST_CASE("several values, and where the least stands") {
    checkBlocks<tweed::Indexed<float, int>>("least of float", Nans, 300, tweed::ArgMin{});
    checkBlocks<tweed::Values<float, unsigned>>("minimum and sum", Nans, 300,
                                                tweed::Ops{tweed::Min{}, tweed::Sum{}});
  }
  TEST_CASE("blocks of one shape, of two and of three dimensions") {
    DeviceArray<int> const bad(std::vector<int>(1, 0));
    WatchedJoin const watched{bad.data()};
    checkShape<tweed::Block<1>, Stretch>("stretches, 1", 1, Ascending, 300, watched);
    checkShape<tweed::Block<16, 7>, Stretch>("stretches, 16 x 7", dim3(16, 7), Ascending, 400,
                                             watched);
    checkShape<tweed::Block<8, 8, 4>, Stretch>("stretches, 8 x 8 x 4", dim3(8, 8, 4), Ascending,
                                               200, watched);
    checkShape<tweed::Block<100>, Wide>("40 bytes, 100", 100, Ties, 300, AddWide{});
  }
}
