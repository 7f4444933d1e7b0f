// SPDX-License-Identifier: Apache-2.0
// tests/core/opsTypes.cub.cu - tests tweed/core/ops.cuh with number types of CUDA's library
#include <tweed/core/ops.cuh>

#include <cuda/std/complex>

#include "support/everyLevel.cuh"

namespace {

using namespace tweedTest;

// Small whole numbers, of which sums are exact; and the four units, of which products are.
template <class T>
std::vector<cuda::std::complex<T>> wholeNumbers(int count) {
  std::vector<cuda::std::complex<T>> all;
  for (int i = 0; i < count; ++i)
    all.push_back({T(int(noise(std::uint64_t(i)) % 19) - 9), T(i % 13)});
  return all;
}
template <class T>
std::vector<cuda::std::complex<T>> units(int count) {
  std::vector<cuda::std::complex<T>> all;
  cuda::std::complex<T> const unit[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  for (int i = 0; i < count; ++i) all.push_back(unit[noise(std::uint64_t(i)) % 4]);
  return all;
}

}  // namespace

TEST_SUITE("opsTypes.cub") {
  TEST_CASE_TEMPLATE("cuda::std::complex", T, float, double) {
    checkEveryLevel(wholeNumbers<T>(5003), tweed::Sum{});
    checkEveryLevel(units<T>(5003), tweed::Product{});
  }
}
