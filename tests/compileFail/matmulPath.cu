// SPDX-License-Identifier: Apache-2.0
// expect: tweed::matmul: no kernel that the options allow multiplies items of this type
#include <tweed/matmul/matmul.cuh>
void start(double const* a, double* c) {
  auto const square = tweed::rowMajor(a, 8, 8);
  tweed::matmul(nullptr, square, square, tweed::rowMajor(c, 8, 8), tweed::Identity{},
                tweed::require<tweed::Path::Mma>);
}
