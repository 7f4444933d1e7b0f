// SPDX-License-Identifier: Apache-2.0
// benchmarks/matmul/matmulCold.cu - small products whose operands are in L2, and others of which
// each call has its own, against cuBLAS.
#include "support/matmulCase.cuh"

namespace {

template <class T, class LayoutB>
void add(char const* kind, char const* form, bench::Precision precision) {
  for (int const n : {512, 1024})
    for (bench::MatmulMode const mode : {bench::MatmulMode::Graph, bench::MatmulMode::GraphCold})
      bench::addProduct<T, T, tweed::RowMajor, LayoutB>(kind, mode, form, {n, n, n}, precision,
                                                        tweed::AnyPath{});
}

void addCases() {
  bench::addVersion("cublas", int(cublasLtGetVersion()));
  add<float, tweed::RowMajor>("f32", "rowRow", bench::Precision::Pedantic);
  add<__nv_bfloat16, tweed::ColumnMajor>("bf16", "rowColumn", bench::Precision::Default);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "matmulCold", 12, addCases); }
