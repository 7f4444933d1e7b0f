// SPDX-License-Identifier: Apache-2.0
// tests/matmul/matmul.float.cu - tests tweed/matmul/matmul.cuh: each kernel for products of floats.
#include <tweed/matmul/matmul.cuh>

#include "support/everyKernel.cuh"

TEST_SUITE("matmul") {
  TEST_CASE("every kernel for floats") {
    using tweed::ColumnMajor, tweed::RowMajor;
    tweedTest::checkEdges<float, float, RowMajor, RowMajor, RowMajor>(tweed::AnyPath{});
    tweedTest::checkEdges<float, float, ColumnMajor, ColumnMajor, ColumnMajor>(tweed::AnyPath{});
  }
  // Few tiles of long sums, for which parts of the sum would be fastest, and other extremes.
  TEST_CASE("reductions of products of any shape") {
    using tweed::RowMajor;
    int const shapes[][3] = {{1, 1, 900}, {5, 70, 300}, {70, 5, 1}, {1, 200, 7}, {200, 1, 7}};
    for (auto const& [m, n, k] : shapes) {
      if (tweedTest::isShort() && k > 7) continue;
      tweedTest::checkEveryKernel<float, float, RowMajor, RowMajor, RowMajor>(m, n, k,
                                                                              tweed::AnyPath{});
    }
  }
}
