// SPDX-License-Identifier: Apache-2.0
// tests/matmul/task.cu - tests tweed/matmul/task.cuh
#include <tweed/matmul/task.cuh>

#include "support/device.cuh"

namespace {

struct TwiceAndColumn {
  TWEED_HOST_DEVICE float operator()(float value, tweed::Coord at) const {
    return 2 * value + float(at.column);
  }
};

using View = tweed::MatrixView<float const, tweed::RowMajor>;
using Task =
    tweed::MatmulTask<View, View, tweed::MatrixView<float, tweed::RowMajor>, TwiceAndColumn>;

TWEED_KERNEL void storeOne(Task task, float value, tweed::Coord at) { task.store(value, at); }

}  // namespace

TEST_SUITE("MatmulTask") {
  TEST_CASE("the tiles that cover C") {
    View const a{nullptr, 5, 3, 3, 2, 0}, b{nullptr, 3, 7, 7, 2, 0};
    Task const task{a, b, {nullptr, 5, 7, 8, 2, 40}, {}};
    CHECK(task.m() == 5);
    CHECK(task.n() == 7);
    CHECK(task.k() == 3);
    tweed::TileOrder const order = task.order<tweed::TileShape<4, 4, 8>>();
    CHECK(order.count() == 8);
    CHECK(order.groupRows == 16);
  }
  TEST_CASE("an item is finished and stored in its matrix") {
    tweedTest::DeviceArray<float> c(std::vector<float>(80, -1));
    View const a{nullptr, 5, 3, 3, 2, 0}, b{nullptr, 3, 7, 7, 2, 0};
    Task const task{a, b, {c.data(), 5, 7, 8, 2, 40}, {}};
    tweed::launch(storeOne, {1, 1}, task, 10.0f, tweed::Coord{4, 6, 1});
    std::vector<float> expected(80, -1);
    expected[40 + 4 * 8 + 6] = 26;
    CHECK(c.host() == expected);
  }
}
