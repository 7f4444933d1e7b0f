// SPDX-License-Identifier: Apache-2.0
// benchmarks/matmul/matmul.cu - products of floats, as they are and as TF32, against cuBLAS.
#include "support/matmulCase.cuh"

namespace {

void addCases() {
  using tweed::ColumnMajor, tweed::RowMajor;
  bench::addVersion("cublas", int(cublasLtGetVersion()));
  // 4097: odd leading dimensions.
  for (int const n : {256, 512, 1024, 2048, 4096, 4097, 8192, 16384})
    bench::addMatmul<float, float, RowMajor, RowMajor>(
        "f32", "rowRow", n, bench::Precision::Pedantic, tweed::AnyPath{});
  for (int const n : {1024, 2048, 4096, 8192})
    bench::addMatmul<float, float, RowMajor, ColumnMajor>("tf32", "rowColumn", n,
                                                          bench::Precision::Tf32, tweed::tf32);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "matmul", 12, addCases); }
