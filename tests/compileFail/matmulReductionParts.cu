// SPDX-License-Identifier: Apache-2.0
// expect: tweed::matmul: the options allow only kernels that add up a sum in parts
#include <tweed/matmul/matmul.cuh>
using Config = tweed::SimtConfig<tweed::TileShape<16, 32, 8>, 2, 4, 3>;
void start(float const* a, float* c) {
  auto const square = tweed::rowMajor(a, 8, 8);
  tweed::matmul(nullptr, square, square, tweed::rowMajor(c, 8, 8), tweed::rowSum(c + 64),
                tweed::among<tweed::SimtConfiguration<Config, tweed::balanced, 1>>);
}
