// SPDX-License-Identifier: Apache-2.0
// benchmarks/matmul/matmulTypes.cu - products of doubles, ints, floats in the other layouts, and
// batches, against cuBLAS.
#include "support/matmulCase.cuh"

namespace {

using bench::Precision;
using tweed::AnyPath, tweed::ColumnMajor, tweed::RowMajor;

template <class LayoutA, class LayoutB>
void addFloats(char const* form) {
  for (int const n : {2048, 4096})
    bench::addMatmul<float, float, LayoutA, LayoutB>("f32", form, n, Precision::Pedantic,
                                                     AnyPath{});
}

template <class T, class LayoutB>
void addBatches(char const* kind, std::string const& layouts, Precision precision) {
  using bench::MatmulMode;
  for (bench::MatmulSize const size : {bench::MatmulSize{256, 256, 256, 64}, {512, 512, 512, 16}})
    for (MatmulMode const mode : {MatmulMode::Stream, MatmulMode::Graph})
      bench::addProduct<T, T, RowMajor, LayoutB>(
          kind, mode, layouts + "/batch" + std::to_string(size.batch), size, precision, AnyPath{});
}

void addCases() {
  bench::addVersion("cublas", int(cublasLtGetVersion()));
  for (int const n : {1024, 2048, 4096})
    bench::addMatmul<double, double, RowMajor, RowMajor>("f64", "rowRow", n, Precision::Default,
                                                         AnyPath{});
  for (int const n : {1024, 2048})
    bench::addMatmul<int, int, RowMajor, RowMajor>("i32", "rowRow", n, Precision::Default,
                                                   AnyPath{});
  addFloats<RowMajor, ColumnMajor>("rowColumn");
  addFloats<ColumnMajor, RowMajor>("columnRow");
  addFloats<ColumnMajor, ColumnMajor>("columnColumn");
  addBatches<float, RowMajor>("f32", "rowRow", Precision::Pedantic);
  addBatches<__nv_bfloat16, ColumnMajor>("bf16", "rowColumn", Precision::Default);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "matmulTypes", 12, addCases); }
