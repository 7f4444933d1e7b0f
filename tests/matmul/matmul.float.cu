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
}
