// SPDX-License-Identifier: Apache-2.0
// tests/matmul/plainKernel.cu - tests tweed/matmul/plainKernel.cuh
#include <tweed/matmul/plainKernel.cuh>

#include "support/device.cuh"

namespace {

// Integers from -4 to 4, whose products add up exactly.
std::vector<float> items(std::size_t n, int seed) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = float(int(tweedTest::noise(i + 1000003 * seed) % 9) - 4);
  return values;
}

template <class LayoutA, class LayoutB>
void check(int m, int n, int k) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  auto const hostA = items(std::size_t(m) * k, 1), hostB = items(std::size_t(k) * n, 2);
  tweedTest::DeviceArray<float> a(hostA), b(hostB), c(std::size_t(m) * n);
  using A = tweed::MatrixView<float const, LayoutA>;
  using B = tweed::MatrixView<float const, LayoutB>;
  A const viewA{a.data(), m, k, A::isRowMajor ? k : m};
  B const viewB{b.data(), k, n, B::isRowMajor ? n : k};
  auto const viewC = tweed::rowMajor(c.data(), m, n);
  using Task = tweed::MatmulTask<A, B, std::decay_t<decltype(viewC)>, tweed::Identity>;
  Task const task{viewA, viewB, viewC, {}};
  tweed::PlainConfiguration::launch(task, {}, tweed::matmulDevice(), nullptr, nullptr);
  auto const out = c.host();
  bool isRight = true;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += hostA[std::size_t(viewA.offset(i, l))] * hostB[std::size_t(viewB.offset(l, j))];
      isRight = isRight && out[std::size_t(i) * n + j] == sum;
    }
  CHECK(isRight);
}

}  // namespace

TEST_SUITE("plainKernel") {
  TEST_CASE("edges of the tile, and no sum at all") {
    for (int m : {1, 31, 33})
      for (int n : {1, 32, 65})
        for (int k : {0, 1, 16, 17}) {
          check<tweed::RowMajor, tweed::RowMajor>(m, n, k);
          check<tweed::ColumnMajor, tweed::ColumnMajor>(m, n, k);
        }
  }
}
