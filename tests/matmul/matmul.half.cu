// SPDX-License-Identifier: Apache-2.0
// tests/matmul/matmul.half.cu - tests tweed/matmul/matmul.cuh: each kernel for 16-bit floats.
#include <tweed/matmul/matmul.cuh>

#include "support/everyKernel.cuh"

using tweed::ColumnMajor;
using tweed::RowMajor;

namespace {

template <class T, class TC, class LayoutA, class LayoutB, class LayoutC>
void checkCudaCores() {
  using tweedTest::Matrix, tweedTest::contains;
  Matrix<T, LayoutA> const a(70, 33, 1, {1, 1});
  Matrix<T, LayoutB> const b(33, 67, 2, {1, 0});
  auto const c = Matrix<TC, LayoutC>::poison(70, 67);
  tweed::MatmulPlan const plan(a.constView(), b.constView(), c.view(), tweed::Identity{},
                               tweed::require<tweed::Path::Simt>);
  CHECK(plan.path() == tweed::Path::Simt);
  CHECK(contains(plan.explain(), "\nruns: simt 64x64x16, 3 stages, with 0 bytes"));
  plan();
  CHECK(c.holds(
      [&](long long i, long long j, long long) { return tweedTest::productOf(a, b, i, j, 0); }));
}

}  // namespace

TEST_SUITE("matmul") {
  TEST_CASE("every kernel for bfloat16") {
    tweedTest::checkEdges<__nv_bfloat16, float, RowMajor, ColumnMajor, RowMajor>(tweed::AnyPath{});
  }
  TEST_CASE("every kernel for half") {
    tweedTest::checkEdges<__half, __half, ColumnMajor, RowMajor, ColumnMajor>(tweed::AnyPath{});
  }
  // Of the layouts above, whose kernels are there already.
  TEST_CASE("CUDA cores take them where they are required, and plans name them") {
    checkCudaCores<__nv_bfloat16, float, RowMajor, ColumnMajor, RowMajor>();
    checkCudaCores<__half, __half, ColumnMajor, RowMajor, ColumnMajor>();
  }
  TEST_CASE("wgmma takes operands of any alignment where it is required, or says why it cannot") {
    using tweedTest::Matrix;
    Matrix<__half, ColumnMajor> const a(32, 40, 1, {3, 1});
    Matrix<__half, RowMajor> const b(40, 48, 2);
    auto const c = Matrix<__half, ColumnMajor>::poison(32, 48);
    std::string const text = tweedTest::refusal([&] {
      tweed::matmul(nullptr, a.constView(), b.constView(), c.view(), tweed::Identity{},
                    tweed::require<tweed::Path::Wgmma>);
    });
    CAPTURE(text);
    if (tweed::imageHasWgmma()) {
      CHECK(text == "");
      CHECK(c.holds([&](long long i, long long j, long long) {
        return tweedTest::productOf(a, b, i, j, 0);
      }));
    } else {
      CHECK(tweedTest::contains(text,
                                "tweed::matmul: none of the kernels can do this product; wgmma "));
      CHECK(tweedTest::contains(text, "it needs a device of compute capability 9.0"));
      CHECK(tweedTest::contains(text, ", of packed copies: it needs a device of compute"));
      CHECK(c.isUnchanged());
    }
  }
}
