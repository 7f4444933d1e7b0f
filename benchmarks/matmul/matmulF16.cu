// SPDX-License-Identifier: Apache-2.0
// benchmarks/matmul/matmulF16.cu - products of half in all layouts, against cuBLAS.
#include "support/matmulCase.cuh"

namespace {

void addCases() {
  bench::addVersion("cublas", int(cublasLtGetVersion()));
  bench::addMatmulLayouts<__half>("f16");
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "matmulF16", 12, addCases); }
