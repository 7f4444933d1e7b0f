// SPDX-License-Identifier: Apache-2.0
// tests/matmul/matmul.cu - tests tweed/matmul/matmul.cuh: layouts, sizes and batches. Epilogues are
// in matmul.epilogues.cu, types in matmul.types.cu.
#include <tweed/matmul/matmul.cuh>

#include "support/product.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::RowMajor;

// The product of these sizes by each kernel, with poison beside all items.
template <class T, class TC, class LayoutA, class LayoutB, class LayoutC, class Options = Few>
int check(int m, int n, int k, Placing ofA = {}, Placing ofB = {}, Placing ofC = {},
          Options options = {}) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  Matrix<T, LayoutA> const a(m, k, 1, ofA);
  Matrix<T, LayoutB> const b(k, n, 2, ofB);
  auto const c = Matrix<TC, LayoutC>::poison(m, n, ofC);
  auto const isRight = [&] {
    CHECK(c.holds(
        [&](long long i, long long j, long long matrix) { return productOf(a, b, i, j, matrix); }));
  };
  tweed::matmul(nullptr, a.constView(), b.view(), c.view(), tweed::Identity{}, options);
  isRight();
  int const kernels = runEach(a.constView(), b.constView(), c, tweed::Identity{}, options, isRight);
  CHECK(a.isUnchanged());
  CHECK(b.isUnchanged());
  return kernels;
}

template <class T, class LayoutA, class LayoutB, class LayoutC>
void checkSizes() {
  Placing const odd{3, 1}, dense{};
  CHECK(check<T, T, LayoutA, LayoutB, LayoutC>(33, 31, 17) > 0);
  check<T, T, LayoutA, LayoutB, LayoutC>(1, 1, 1, odd, odd, odd);
  check<T, T, LayoutA, LayoutB, LayoutC>(2, 67, 5, odd, dense, odd);
  check<T, T, LayoutA, LayoutB, LayoutC>(65, 3, 40, dense, odd, dense);
  if (!isShort()) check<T, T, LayoutA, LayoutB, LayoutC>(64, 128, 32, dense, dense, odd);
}

}  // namespace

TEST_SUITE("matmul") {
  TEST_CASE("all layouts of A, B and C") {
    checkSizes<float, RowMajor, RowMajor, RowMajor>();
    checkSizes<float, RowMajor, ColumnMajor, RowMajor>();
    checkSizes<float, ColumnMajor, RowMajor, RowMajor>();
    checkSizes<float, ColumnMajor, ColumnMajor, RowMajor>();
    checkSizes<float, RowMajor, RowMajor, ColumnMajor>();
    checkSizes<float, RowMajor, ColumnMajor, ColumnMajor>();
    checkSizes<float, ColumnMajor, RowMajor, ColumnMajor>();
    checkSizes<float, ColumnMajor, ColumnMajor, ColumnMajor>();
  }
  TEST_CASE("tall, wide and deep (C36)") {
    check<float, float, RowMajor, RowMajor, RowMajor>(1, 300, 40);
    check<float, float, RowMajor, RowMajor, RowMajor>(300, 1, 40);
    check<float, float, RowMajor, RowMajor, RowMajor>(1, 1, 1000);
    check<float, float, RowMajor, RowMajor, RowMajor>(300, 200, 1);
  }
  TEST_CASE("sizes that others get wrong: no multiples of a tile, or less than one (C36)") {
    check<float, float, RowMajor, RowMajor, RowMajor>(5, 2, 1);
    check<float, float, RowMajor, ColumnMajor, RowMajor>(100, 100, 100);
    check<float, float, ColumnMajor, RowMajor, RowMajor>(128, 128, 8);
    if (isShort()) return;
    check<float, float, RowMajor, RowMajor, RowMajor>(256, 128, 256);
#if !defined(TWEED_LOOM)
    check<float, float, RowMajor, ColumnMajor, RowMajor>(1000, 1000, 40);
#endif
  }
  TEST_CASE("no sum, and no items (C35)") {
    check<float, float, RowMajor, RowMajor, RowMajor>(33, 7, 0);
    check<float, float, ColumnMajor, RowMajor, ColumnMajor>(33, 7, 0, {3, 0}, {3, 0}, {3, 1});
    for (int m : {0, 5})
      for (int n : {0, 5})
        for (int k : {0, 5}) {
          if (m * n > 0) continue;
          float* const none = nullptr;
          CHECK_NOTHROW(tweed::matmul(nullptr, tweed::rowMajor(none, m, k),
                                      tweed::rowMajor(none, k, n), tweed::rowMajor(none, m, n),
                                      tweed::Identity{}, few));
        }
    float* const none = nullptr;
    auto const c = Matrix<float, RowMajor>::poison(3, 4);
    CHECK_NOTHROW(tweed::matmul(nullptr, tweed::rowMajor(none, 3, 2).batched(0, 6),
                                tweed::rowMajor(none, 2, 4).batched(0, 8), c.view().batched(0, 12),
                                tweed::Identity{}, few));
    CHECK(c.isUnchanged());
    tweed::matmul(nullptr, tweed::rowMajor(none, 3, 0), tweed::rowMajor(none, 0, 4), c.view(),
                  tweed::Identity{}, few);
    CHECK(c.holds([](long long, long long, long long) { return 0; }));
  }
  TEST_CASE("batches: of each its own, or one for all") {
    for (int batch : isShort() ? std::vector<int>{7} : std::vector<int>{1, 2, 7}) {
      Placing const own{2, 1, batch}, all{2, 1, batch, true}, one{2, 1, 1};
      check<float, float, RowMajor, ColumnMajor, RowMajor>(5, 35, 9, own, own, own);
      check<float, float, RowMajor, ColumnMajor, RowMajor>(5, 35, 9, all, own, own);
      check<float, float, RowMajor, ColumnMajor, ColumnMajor>(5, 35, 9, own, all, own);
      check<float, float, RowMajor, ColumnMajor, RowMajor>(5, 35, 9, one, own, own);
      check<float, float, RowMajor, ColumnMajor, ColumnMajor>(5, 35, 9, own, one, own);
    }
    int const count = isShort() ? 100 : 1000;
    Placing const many{0, 0, count};
    check<float, float, RowMajor, ColumnMajor, RowMajor>(2, 3, 4, many, many, many);
    Placing const manyOfOne{0, 0, count, true};
    check<float, float, RowMajor, ColumnMajor, RowMajor>(2, 3, 4, manyOfOne, many, many);
  }
  TEST_CASE("one matrix for all, whatever its batch stride says") {
    Matrix<float, RowMajor> const a(4, 6, 1), b(6, 5, 2, {0, 0, 3});
    auto const c = Matrix<float, RowMajor>::poison(4, 5, {0, 0, 3});
    tweed::matmul(nullptr, a.view().batched(1, 1000000), b.view(), c.view(), tweed::Identity{},
                  few);
    CHECK(c.holds(
        [&](long long i, long long j, long long matrix) { return productOf(a, b, i, j, matrix); }));
  }
  TEST_CASE("matrices side by side in C, and in the order of the last one first") {
    Matrix<float, RowMajor> const a(4, 6, 1, {0, 0, 3}), b(6, 5, 2, {0, 0, 3});
    DeviceArray<float> beside(4 * 15), backwards(3 * 20);
    tweed::matmul(nullptr, a.view(), b.view(),
                  tweed::rowMajor(beside.data(), 4, 5, 15).batched(3, 5), tweed::Identity{}, few);
    tweed::matmul(nullptr, a.view(), b.view(),
                  tweed::rowMajor(backwards.data() + 40, 4, 5).batched(3, -20), tweed::Identity{},
                  few);
    auto const itemsBeside = beside.host(), itemsBackwards = backwards.host();
    for (int matrix = 0; matrix < 3; ++matrix)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 5; ++j) {
          double const want = productOf(a, b, i, j, matrix);
          CHECK(itemsBeside[std::size_t(i * 15 + matrix * 5 + j)] == want);
          CHECK(itemsBackwards[std::size_t(40 - 20 * matrix + i * 5 + j)] == want);
        }
  }
  TEST_CASE("a stream, and a workspace") {
    Matrix<float, RowMajor> const a(20, 30, 1), b(30, 40, 2);
    auto const c = Matrix<float, RowMajor>::poison(20, 40);
    cudaStream_t stream;
    TWEED_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    {
      tweed::Workspace workspace(stream);
      auto const expected = [&](long long i, long long j, long long) {
        return productOf(a, b, i, j, 0);
      };
      tweed::matmul(stream, a.view(), b.view(), c.view(), tweed::Identity{}, few);
      tweed::synchronize(stream);
      CHECK(c.holds(expected));
      c.restore();
      TWEED_CHECK(cudaDeviceSynchronize());
      tweed::matmul(workspace, a.view(), b.view(), c.view(), tweed::Identity{}, few);
      tweed::synchronize(stream);
      CHECK(c.holds(expected));
    }
    TWEED_CHECK(cudaStreamDestroy(stream));
  }
  TEST_CASE("the required path") {
    CHECK(check<float, float, RowMajor, RowMajor, RowMajor>(9, 40, 12, {}, {}, {},
                                                            tweed::require<tweed::Path::Simt>) > 0);
  }
}
