// SPDX-License-Identifier: Apache-2.0
// tests/support/everyKernel.cuh - products by each of the kernels that tweed chooses from.
#pragma once

#include "product.cuh"

namespace tweedTest {

/// Each kernel of the list, with and without reductions; returns how many could.
template <class T, class TC, class LayoutA, class LayoutB, class LayoutC, class Options>
int checkEveryKernel(int m, int n, int k, Options options, Placing ofA = {}, Placing ofB = {},
                     Placing ofC = {}) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  Matrix<T, LayoutA> const a(m, k, 1, ofA);
  Matrix<T, LayoutB> const b(k, n, 2, ofB);
  auto const c = Matrix<TC, LayoutC>::poison(m, n, ofC);
  std::vector<float> product(std::size_t(m) * n * ofC.batch);
  std::vector<float> rowSums(std::size_t(m) * ofC.batch, 0);
  std::vector<float> columnTops(std::size_t(n) * ofC.batch, -INFINITY);
  for (long long matrix = 0; matrix < ofC.batch; ++matrix)
    for (long long i = 0; i < m; ++i)
      for (long long j = 0; j < n; ++j) {
        float const item = float(productOf(a, b, i, j, matrix));
        product[std::size_t((matrix * m + i) * n + j)] = item;
        rowSums[std::size_t(matrix * m + i)] += item;
        float& top = columnTops[std::size_t(matrix * n + j)];
        top = std::max(top, item);
      }
  auto const isRight = [&] {
    CHECK(c.holds([&](long long i, long long j, long long matrix) {
      return product[std::size_t((matrix * m + i) * n + j)];
    }));
  };
  tweed::matmul(nullptr, a.constView(), b.constView(), c.view(), tweed::Identity{}, options);
  isRight();
  int const kernels = runEach(a.constView(), b.constView(), c, tweed::Identity{}, options, isRight);

  DeviceArray<float> sums(rowSums.size()), tops(columnTops.size());
  auto const reductions = tweed::rowSum(sums.data()) | tweed::columnMax(tops.data());
  auto const isReduced = [&] {
    isRight();
    CHECK(sums.host() == rowSums);
    CHECK(tops.host() == columnTops);
  };
  tweed::matmul(nullptr, a.constView(), b.constView(), c.view(), reductions, options);
  isReduced();
  int const reducing = runEach(a.constView(), b.constView(), c, reductions, options, isReduced);
  CHECK(reducing > 0);
  CHECK(a.isUnchanged());
  CHECK(b.isUnchanged());
  return kernels;
}

/// Sizes around the edges of the kernels' tiles; the loom takes few.
template <class T, class TC, class LayoutA, class LayoutB, class LayoutC, class Options>
void checkEdges(Options options) {
  Placing const dense{}, odd{3, 1}, whole{16, 0}, batch{16, 0, 3};
  auto const check = [&](int m, int n, int k, Placing ab, Placing c) {
    return checkEveryKernel<T, TC, LayoutA, LayoutB, LayoutC>(m, n, k, options, ab, ab, c);
  };
  CHECK(check(130, 72, 80, whole, odd) > 0);
  check(1, 264, 40, odd, dense);
  if (isLoom || isShort()) return;
  for (int m : {64, 127, 129, 257})
    for (int n : {65, 128, 255})
      for (int k : {1, 65, 200}) {
        check(m, n, k, dense, dense);
        check(m, n, k, odd, odd);
      }
  check(300, 520, 96, batch, batch);
  check(128, 264, 4096, dense, whole);
  check(1024, 1024, 64, whole, dense);
}

}  // namespace tweedTest
