// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples solveProduct.cu && ./a.out
//
// The product as practice sites ask for it: C (M x K) = A (M x N) * B (N x K), all row-major in
// device memory, and C is there when the call returns. Any M, N and K from 0 on.

#include <ladder/runProduct.cuh>
#include <tweed/matmul/matmul.cuh>

extern "C" void solve(float const* A, float const* B, float* C, int M, int N, int K) {
  tweed::matmul(cudaStream_t{}, tweed::rowMajor(A, M, N), tweed::rowMajor(B, N, K),
                tweed::rowMajor(C, M, K));
  tweed::synchronize();
}

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) {
  auto const product = [](float const* a, float const* b, float* c, ladder::ProductShape s,
                          tweed::Workspace&) { solve(a, b, c, int(s.m), int(s.n), int(s.k)); };
  return ladder::runProduct({{"solve", "extern \"C\" solve(A, B, C, M, N, K)", product}}, argc,
                            argv);
}
#endif
