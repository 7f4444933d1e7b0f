// SPDX-License-Identifier: Apache-2.0
// expect: tweed::matmul: C is written, so its items are not const
#include <tweed/matmul/matmul.cuh>
void start(float const* a) {
  auto const square = tweed::rowMajor(a, 8, 8);
  tweed::matmul(nullptr, square, square, square, tweed::Identity{},
                tweed::among<tweed::PlainConfiguration>);
}
