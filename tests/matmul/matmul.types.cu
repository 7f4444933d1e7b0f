// SPDX-License-Identifier: Apache-2.0
// tests/matmul/matmul.types.cu - tests tweed/matmul/matmul.cuh: the types of items.
#include <tweed/matmul/matmul.cuh>

#include "support/product.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::RowMajor;

template <class T, class TC, class LayoutA, class LayoutB, class LayoutC, class Options>
void check(int m, int n, int k, Options options, Placing placing = {}) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  Matrix<T, LayoutA> const a(m, k, 1, placing);
  Matrix<T, LayoutB> const b(k, n, 2, placing);
  auto const c = Matrix<TC, LayoutC>::poison(m, n, placing);
  auto const isRight = [&] {
    CHECK(c.holds(
        [&](long long i, long long j, long long matrix) { return productOf(a, b, i, j, matrix); }));
  };
  tweed::matmul(nullptr, a.constView(), b.constView(), c.view(), tweed::Identity{}, options);
  isRight();
  CHECK(runEach(a.constView(), b.constView(), c, tweed::Identity{}, options, isRight) > 0);
}

template <class T, class Options = tweed::AnyPath>
void checkType(Options options = {}) {
  check<T, T, RowMajor, ColumnMajor, RowMajor>(35, 66, 40, options);
  check<T, T, ColumnMajor, RowMajor, ColumnMajor>(35, 66, 41, options, {3, 1});
  check<T, T, RowMajor, RowMajor, RowMajor>(70, 9, 8, options, {1, 0, 3});
}
// The type of C matters to the store alone, which knows no layouts of A and B.
template <class T, class TC, class Options = tweed::AnyPath>
void checkResult(Options options = {}) {
  check<T, TC, RowMajor, ColumnMajor, RowMajor>(35, 66, 40, options);
}

// The other kernels of 16-bit floats: matmul.half.cu.
constexpr auto leastMma = tweed::among<
    tweed::MmaConfiguration<tweed::MmaConfig<tweed::TileShape<64, 64, 64>, 32, 32, 3>, 1000>>;

}  // namespace

TEST_SUITE("matmul") {
  TEST_CASE("double and int") {
    checkType<double>();
    checkType<int>();
    checkResult<int, float>();
    checkResult<float, double>(few);
  }
  TEST_CASE("half and bfloat16, added up in float") {
    checkType<__half>(leastMma);
    checkType<__half>(tweed::require<tweed::Path::Simt>);
    checkResult<__half, float>(leastMma);
    checkType<__nv_bfloat16>(leastMma);
    checkResult<__nv_bfloat16, float>(leastMma);
  }
  TEST_CASE("what half can hold of a sum that it could not hold on the way") {
    int const k = 4096;
    DeviceArray<__half> const a(std::vector<__half>(k, __half(32.0f)));
    std::vector<__half> signs(k, __half(1.0f));
    for (int i = k / 2; i < k; ++i) signs[std::size_t(i)] = __half(-1.0f);
    DeviceArray<__half> const b(signs);
    DeviceArray<__half> c(1);
    tweed::matmul(nullptr, tweed::rowMajor(a.data(), 1, k), tweed::columnMajor(b.data(), k, 1),
                  tweed::rowMajor(c.data(), 1, 1), tweed::Identity{}, leastMma);
    CHECK(float(c.host()[0]) == 0);
  }
}
