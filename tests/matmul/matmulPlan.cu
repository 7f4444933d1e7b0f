// SPDX-License-Identifier: Apache-2.0
// tests/matmul/matmulPlan.cu - tests tweed/matmul/matmulPlan.cuh
#include <tweed/matmul/matmulPlan.cuh>

#include "support/product.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::RowMajor;
using Little = tweed::SimtConfig<tweed::TileShape<16, 32, 8>, 2, 4, 3>;

}  // namespace

TEST_SUITE("MatmulPlan") {
  TEST_CASE("runs again and again, on the items of the moment") {
    Matrix<float, RowMajor> const a(20, 30, 1), b(30, 70, 2), other(20, 30, 3);
    auto const c = Matrix<float, ColumnMajor>::poison(20, 70);
    tweed::MatmulPlan const plan(a.view(), b.view(), c.view(), tweed::scale(2), few);
    for (int i = 0; i < 2; ++i) {
      c.restore();
      plan();
      CHECK(c.holds([&](long long row, long long column, long long) {
        return 2 * productOf(a, b, row, column, 0);
      }));
    }
    TWEED_CHECK(cudaMemcpy(a.view().data, other.view().data, 20 * 30 * sizeof(float),
                           cudaMemcpyDeviceToDevice));
    plan(nullptr);
    CHECK(c.holds([&](long long row, long long column, long long) {
      return 2 * productOf(other, b, row, column, 0);
    }));
  }
  TEST_CASE("takes a workspace for its reductions, or one of its own") {
    Matrix<float, RowMajor> const a(20, 30, 1), b(30, 70, 2);
    auto const c = Matrix<float, RowMajor>::poison(20, 70);
    DeviceArray<float> sums(20), tops(70);
    tweed::MatmulPlan const plan(a.view(), b.view(), c.view(),
                                 tweed::rowSum(sums.data()) | tweed::columnMax(tops.data()), few);
    std::vector<float> expected(20, 0);
    for (int i = 0; i < 20; ++i)
      for (int j = 0; j < 70; ++j) expected[std::size_t(i)] += float(productOf(a, b, i, j, 0));
    tweed::Workspace workspace(nullptr, plan.workspaceBytes());
    plan(workspace);
    CHECK(sums.host() == expected);
    TWEED_CHECK(cudaMemset(sums.data(), 0, 80));
    plan(nullptr, workspace);
    CHECK(sums.host() == expected);
    TWEED_CHECK(cudaMemset(sums.data(), 0, 80));
    plan();
    CHECK(sums.host() == expected);
  }
  TEST_CASE("what needs no workspace says so") {
    Matrix<float, RowMajor> const a(20, 30, 1), b(30, 70, 2), c(20, 70, 3);
    tweed::MatmulPlan const plan(a.view(), b.view(), c.view(), tweed::scale(2),
                                 few | tweed::require<tweed::Path::Simt>);
    CHECK(plan.workspaceBytes() == 0);
    CHECK(plan.path() == tweed::Path::Simt);
  }
  TEST_CASE("explains what runs and what else could") {
    Matrix<float, RowMajor> const a(20, 30, 1), b(30, 70, 2), c(20, 70, 3);
    tweed::MatmulPlan const plan(a.view(), b.view(), c.view(), tweed::Identity{},
                                 few | tweed::require<tweed::Path::Simt>);
    std::string const text = plan.explain();
    CAPTURE(text);
    CHECK(contains(text, "C 20 x 70 = A 20 x 30 * B 30 x 70\nruns: simt "));
    CHECK(contains(text, ", with 0 bytes of workspace\n"));
    CHECK(contains(text, " us by the model"));
    CHECK(!contains(text, "transposed"));
    tweed::MatmulPlan const turned(a.view(), b.view(), tweed::columnMajor(c.view().data, 20, 70),
                                   tweed::Identity{}, few);
    CHECK(contains(turned.explain(),
                   "C 70 x 20 = A 70 x 30 * B 30 x 20, as the "
                   "transposed product, with A and B exchanged\n"));
  }
  TEST_CASE("explains which kernels the reductions exclude") {
    Matrix<float, RowMajor> const a(20, 3000, 1), b(3000, 31, 2);
    auto const c = Matrix<float, RowMajor>::poison(20, 31);
    DeviceArray<float> sums(20);
    constexpr auto two = tweed::among<tweed::SimtConfiguration<Little, tweed::balanced, 90>,
                                      tweed::SimtConfiguration<Little, 1, 50>>;
    tweed::MatmulPlan const whole(a.view(), b.view(), c.view(), tweed::scale(2), two);
    CHECK(contains(whole.explain(), "runs: simt 16x32x8, 3 stages, balanced, with "));
    CHECK(!contains(whole.explain(), "cannot"));
    tweed::MatmulPlan const reducing(a.view(), b.view(), c.view(), tweed::rowSum(sums.data()), two);
    std::string const text = reducing.explain();
    CAPTURE(text);
    CHECK(contains(text, "runs: simt 16x32x8, 3 stages, with "));
    CHECK(contains(text, "\ncan: simt 16x32x8, 3 stages, "));
    CHECK(contains(text,
                   "\ncannot: simt 16x32x8, 3 stages, balanced, as it adds up a sum in parts, "
                   "which takes no reductions"));
    reducing();
    std::vector<float> expected(20, 0);
    for (int i = 0; i < 20; ++i)
      for (int j = 0; j < 31; ++j) expected[std::size_t(i)] += float(productOf(a, b, i, j, 0));
    CHECK(sums.host() == expected);
  }
  TEST_CASE("explains that there is nothing to do") {
    float* const none = nullptr;
    Matrix<float, RowMajor> const c(20, 70, 3);
    tweed::MatmulPlan const noItems(tweed::rowMajor(none, 0, 3), tweed::rowMajor(none, 3, 4),
                                    tweed::rowMajor(none, 0, 4), tweed::Identity{}, few);
    CHECK(contains(noItems.explain(), "; C has no items"));
    CHECK_NOTHROW(noItems());
    tweed::MatmulPlan const noSum(tweed::rowMajor(none, 20, 0), tweed::rowMajor(none, 0, 70),
                                  c.view(), tweed::Identity{}, few);
    CHECK(contains(noSum.explain(), "; k is 0, so nothing is multiplied"));
    noSum();
    CHECK(c.holds([](long long, long long, long long) { return 0; }));
  }
}
