// SPDX-License-Identifier: Apache-2.0
// tests/matmul/tune.cu - tests tweed/matmul/tune.cuh
#include <tweed/matmul/tune.cuh>

#include "support/product.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::RowMajor;

}  // namespace

TEST_SUITE("tune") {
  TEST_CASE("leaves C alone, tells times, and the plan runs what was fastest") {
    Matrix<float, RowMajor> const a(20, 30, 1), b(30, 35, 2);
    Matrix<float, ColumnMajor> const c(20, 35, 3, {2, 1, 2});
    tweed::MatmulPlan plan(a.view(), b.view(), c.view(), tweed::addC(1), few);
    auto const timings = tweed::tune(plan);
    CHECK(c.isUnchanged());
    REQUIRE(timings.size() >= 1);
    CHECK(timings.size() <= 3);
    for (std::size_t i = 0; i < timings.size(); ++i) {
      CHECK(timings[i].microseconds > 0);
      if (i > 0) CHECK(timings[i - 1].microseconds <= timings[i].microseconds);
    }
    CHECK(contains(plan.explain(), "runs: " + timings[0].name + ","));
    plan();
    CHECK(c.holds([&](long long row, long long column, long long matrix) {
      return productOf(a, b, row, column, 0) + c.at(row, column, matrix);
    }));
  }
  TEST_CASE("with reductions, whose workspace is tune's own") {
    Matrix<float, RowMajor> const a(20, 30, 1), b(30, 35, 2), c(20, 35, 3);
    DeviceArray<float> sums(20);
    tweed::MatmulPlan plan(a.view(), b.view(), c.view(), tweed::rowSum(sums.data()), few);
    CHECK(tweed::tune(plan).size() >= 1);
    CHECK(c.isUnchanged());
  }
  TEST_CASE("nothing to time") {
    float* const none = nullptr;
    Matrix<float, RowMajor> const c(4, 5, 3);
    tweed::MatmulPlan noSum(tweed::rowMajor(none, 4, 0), tweed::rowMajor(none, 0, 5), c.view(),
                            tweed::Identity{}, few);
    CHECK(tweed::tune(noSum).empty());
    CHECK(c.isUnchanged());
  }
}
