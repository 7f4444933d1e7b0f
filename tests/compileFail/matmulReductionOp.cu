// SPDX-License-Identifier: Apache-2.0
// expect: tweed::matmul: a reduction of the epilogue is commutative
#include <tweed/matmul/matmul.cuh>
struct First {
  static TWEED_HOST_DEVICE float identity() { return 0; }
  TWEED_HOST_DEVICE float operator()(float x, float) const { return x; }
};
void start(float const* a, float* c, float* out) {
  auto const square = tweed::rowMajor(a, 8, 8);
  tweed::matmul(nullptr, square, square, tweed::rowMajor(c, 8, 8), tweed::rowReduce(out, First{}),
                tweed::among<tweed::PlainConfiguration>);
}
