// SPDX-License-Identifier: Apache-2.0
// tests/matmul/matmul.tf32.cu - tests tweed/matmul/matmul.cuh: each kernel that rounds floats to
// TF32, and that none does unless it is asked to.
#include <tweed/matmul/matmul.cuh>

#include "support/everyKernel.cuh"

using tweed::ColumnMajor;
using tweed::RowMajor;

TEST_SUITE("matmul") {
  TEST_CASE("every kernel for TF32") {
    constexpr auto mma = tweed::tf32 | tweed::require<tweed::Path::Mma>;
    tweedTest::checkEdges<float, float, ColumnMajor, RowMajor, RowMajor>(mma);
    if (tweed::imageHasWgmma()) {
      constexpr auto wgmma = tweed::tf32 | tweed::require<tweed::Path::Wgmma>;
      tweedTest::checkEdges<float, float, RowMajor, ColumnMajor, RowMajor>(wgmma);
    }
  }
  TEST_CASE("floats keep their bits unless tf32 is said") {
    float const fine = 1 + 1.0f / (1 << 20);  // 20 bits of fraction
    tweedTest::DeviceArray<float> const a(std::vector<float>(64, fine)),
        one(std::vector<float>(64, 1));
    tweedTest::DeviceArray<float> c(1);
    auto const product = [&](auto options) {
      tweed::matmul(nullptr, tweed::rowMajor(a.data(), 1, 1), tweed::columnMajor(one.data(), 1, 1),
                    tweed::rowMajor(c.data(), 1, 1), tweed::Identity{}, options);
      return c.host()[0];
    };
    CHECK(product(tweed::AnyPath{}) == fine);
    CHECK(product(tweed::tf32 | tweed::require<tweed::Path::Mma>) == 1);
  }
}
