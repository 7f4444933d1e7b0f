// SPDX-License-Identifier: Apache-2.0
// tests/codegen/severalTargets.cu - a program for several targets, of which sm_90a is not the last:
// its kernel for wgmma must be known to the host.
#include <tweed/matmul/matmul.cuh>

void multiply(cudaStream_t stream, __half const* a, __half const* b, float* c, int n) {
  constexpr auto one = tweed::among<tweed::WgmmaConfiguration<tweed::WgmmaConfig<64, 64, 1, 8>>>;
  tweed::matmul(stream, tweed::rowMajor(a, n, n), tweed::rowMajor(b, n, n),
                tweed::rowMajor(c, n, n), tweed::Identity{}, one);
}
