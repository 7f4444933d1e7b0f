// SPDX-License-Identifier: Apache-2.0
// tests/matmul/matmul.tf32.cu - tests tweed/matmul/matmul.cuh: each kernel that rounds floats to
// TF32, and that none does unless it is asked to.
#include <tweed/matmul/matmul.cuh>

#include "support/everyKernel.cuh"

using tweed::ColumnMajor;
using tweed::RowMajor;

namespace {

// Of each tensor core's path its least kernel.
constexpr auto least =
    tweed::tf32 |
    tweed::among<
        tweed::WgmmaConfiguration<tweed::WgmmaConfig<64, 64, 1, 8>>,
        tweed::MmaConfiguration<tweed::MmaConfig<tweed::TileShape<64, 64, 32>, 32, 32, 3>, 400>>;

template <class LayoutA, class LayoutB, class LayoutC>
void checkLayout() {
  using tweedTest::Matrix, tweedTest::contains;
  int const m = 68, n = 76, k = 44;  // leading dimensions that wgmma takes
  Matrix<float, LayoutA> const a(m, k, 1);
  Matrix<float, LayoutB> const b(k, n, 2);
  auto const c = Matrix<float, LayoutC>::poison(m, n);
  auto const isRight = [&] {
    CHECK(c.holds(
        [&](long long i, long long j, long long) { return tweedTest::productOf(a, b, i, j, 0); }));
  };
  tweed::MatmulPlan const plan(a.view(), b.view(), c.view(), tweed::Identity{}, least);
  constexpr bool isByK =
      tweed::majorOfA<LayoutA> == tweed::Major::K && tweed::majorOfB<LayoutB> == tweed::Major::K;
  bool const isWgmma = isByK && tweed::imageHasWgmma();
  std::string const text = plan.explain();
  CAPTURE(text);
  CHECK(plan.path() == (isWgmma ? tweed::Path::Wgmma : tweed::Path::Mma));
  CHECK(
      contains(text, isWgmma ? "\nruns: wgmma 64x64, 8 stages" : "\nruns: mma 64x64x32, 3 stages"));
  CHECK(isByK != contains(text,
                          "\ncannot: wgmma 64x64, 8 stages, as it takes TF32 of a row-major A "
                          "and a column-major B alone"));
  plan();
  isRight();
  c.restore();
  tweed::matmul(nullptr, a.view(), b.view(), c.view(), tweed::Identity{}, least);
  isRight();
}
}  // namespace

TEST_SUITE("matmul") {
  TEST_CASE("every kernel for TF32") {
    tweedTest::checkEdges<float, float, ColumnMajor, RowMajor, RowMajor>(tweed::tf32);
    if (!tweed::imageHasWgmma()) return;
    constexpr auto wgmma = tweed::tf32 | tweed::require<tweed::Path::Wgmma>;
    auto const check = [&](int m, int n, int k, int batch) {
      CHECK(tweedTest::checkEveryKernel<float, float, RowMajor, ColumnMajor, RowMajor>(
                m, n, k, wgmma, {0, 0, batch}, {16, 0, batch}, {3, 1, batch}) > 0);
    };
    check(127, 65, 68, 1);
    if (tweedTest::isShort()) return;
    for (int m : {1, 64, 127, 257})
      for (int n : {1, 65, 128, 264})
        for (int k : {4, 67, 200}) check(m, n, k, 1);  // A is copied where k is 67
    check(300, 520, 96, 3);
    check(128, 264, 4096, 1);
  }
  TEST_CASE("TF32 in all layouts, and plans name the path") {
    checkLayout<RowMajor, ColumnMajor, RowMajor>();
    checkLayout<RowMajor, RowMajor, RowMajor>();
    checkLayout<ColumnMajor, ColumnMajor, RowMajor>();
    checkLayout<ColumnMajor, RowMajor, RowMajor>();
    checkLayout<RowMajor, ColumnMajor, ColumnMajor>();
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
