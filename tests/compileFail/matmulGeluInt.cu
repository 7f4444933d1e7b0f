// SPDX-License-Identifier: Apache-2.0
// expect: tweed::matmul: gelu and silu are for floating accumulators, not for integers
#include <tweed/matmul/matmul.cuh>
void start(int const* a, int* c) {
  auto const square = tweed::rowMajor(a, 8, 8);
  tweed::matmul(nullptr, square, square, tweed::rowMajor(c, 8, 8), tweed::gelu(),
                tweed::among<tweed::PlainConfiguration>);
}
