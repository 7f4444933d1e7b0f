// SPDX-License-Identifier: Apache-2.0
// expect: tweed::matmul: A and B have items of one type
#include <tweed/matmul/matmul.cuh>
void start(float const* a, double const* b, float* c) {
  tweed::matmul(nullptr, tweed::rowMajor(a, 8, 8), tweed::rowMajor(b, 8, 8),
                tweed::rowMajor(c, 8, 8), tweed::Identity{},
                tweed::among<tweed::PlainConfiguration>);
}
