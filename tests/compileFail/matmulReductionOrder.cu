// SPDX-License-Identifier: Apache-2.0
// expect: tweed::matmul: reductions are the last pieces of an epilogue
#include <tweed/matmul/matmul.cuh>
void start(float const* a, float* c, float* sums) {
  auto const square = tweed::rowMajor(a, 8, 8);
  tweed::matmul(nullptr, square, square, tweed::rowMajor(c, 8, 8),
                tweed::rowSum(sums) | tweed::relu(), tweed::among<tweed::PlainConfiguration>);
}
