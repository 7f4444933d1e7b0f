// SPDX-License-Identifier: Apache-2.0
// tests/matmul/tileOrder.cu - tests tweed/matmul/tileOrder.cuh
#include <tweed/matmul/tileOrder.cuh>

#include "support/device.cuh"

#include <set>

TEST_SUITE("TileOrder") {
  TEST_CASE("each tile once") {
    for (int rows : {1, 2, 15, 16, 17, 33})
      for (int columns : {1, 3, 8})
        for (int batch : {1, 3})
          for (int groupRows : {1, 4, 16}) {
            tweed::TileOrder const order{rows, columns, batch, groupRows};
            CHECK(order.count() == rows * columns * batch);
            std::set<std::vector<int>> seen;
            for (long long t = 0; t < order.count(); ++t) {
              tweed::TileIndex const tile = order.at(t);
              bool const isInside = tile.row >= 0 && tile.row < rows && tile.column >= 0 &&
                                    tile.column < columns && tile.matrix >= 0 &&
                                    tile.matrix < batch;
              REQUIRE(isInside);
              CHECK(tweedTest::sameBits(tile, order.at(int(t))));
              seen.insert({tile.row, tile.column, tile.matrix});
            }
            CHECK(seen.size() == std::size_t(order.count()));
          }
  }
  TEST_CASE("down a group's rows, then its next column, then the next group") {
    tweed::TileOrder const order{3, 2, 1, 2};
    int const rows[] = {0, 1, 0, 1, 2, 2};
    int const columns[] = {0, 0, 1, 1, 0, 1};
    for (int t = 0; t < 6; ++t) {
      CHECK(order.at(t).row == rows[t]);
      CHECK(order.at(t).column == columns[t]);
    }
  }
  TEST_CASE("more than 2^32 tiles") {
    tweed::TileOrder const order{1 << 20, 1 << 13, 1};
    CHECK(order.count() == 1ll << 33);
    tweed::TileIndex const last = order.at(order.count() - 1);
    CHECK(last.row == (1 << 20) - 1);
    CHECK(last.column == (1 << 13) - 1);
    tweed::TileOrder const batched{1 << 10, 1 << 10, 1 << 13};
    CHECK(batched.at(batched.count() - 1).matrix == (1 << 13) - 1);
  }
  TEST_CASE("more than 2^31 tiles in a group") {
    tweed::TileOrder const order{20, 1 << 30, 1};
    auto const at = [&](long long group, long long column, long long row) {
      tweed::TileIndex const tile =
          order.at(group * (16ll << 30) + column * (group ? 4 : 16) + row);
      CHECK(tile.row == group * 16 + row);
      CHECK(tile.column == column);
      CHECK(tile.matrix == 0);
    };
    at(0, (1 << 27) - 1, 15);  // number 2^31 - 1
    at(0, 1 << 27, 0);
    at(0, (1 << 28) + 3, 5);
    at(0, (1 << 30) - 1, 15);
    at(1, 0, 0);
    at(1, (1 << 30) - 1, 3);
  }
  TEST_CASE("none") {
    CHECK(tweed::TileOrder{0, 7, 1}.count() == 0);
    CHECK(tweed::TileOrder{7, 7, 0}.count() == 0);
  }
}
