// SPDX-License-Identifier: Apache-2.0
// benchmarks/matmul/matmulBf16.cu - products of bfloat16 in all layouts, against cuBLAS.
#include "support/matmulCase.cuh"

namespace {

void addCases() {
  using T = __nv_bfloat16;
  bench::addVersion("cublas", int(cublasLtGetVersion()));
  bench::addMatmulLayouts<T>("bf16");
  for (int const n : {1024, 4096, 8192})  // without Hopper's instructions
    bench::addMatmul<T, T, tweed::RowMajor, tweed::ColumnMajor>(
        "bf16mma", "rowColumn", n, bench::Precision::Default, tweed::require<tweed::Path::Mma>);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "matmulBf16", 12, addCases); }
