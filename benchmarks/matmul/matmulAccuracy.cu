// SPDX-License-Identifier: Apache-2.0
// benchmarks/matmul/matmulAccuracy.cu - errors of products against double, beside cuBLAS's. C is
// float, whose rounding hides little of them.
#include "support/matmulCase.cuh"

namespace {

template <class T, class LayoutB, class Options>
void add(char const* kind, bench::Precision precision, Options options) {
  for (bench::MatmulSize const size : {bench::MatmulSize{512, 512, 512}, {1024, 768, 2048}}) {
    std::string const shape =
        std::to_string(size.m) + "x" + std::to_string(size.n) + "x" + std::to_string(size.k);
    bench::addProduct<T, float, tweed::RowMajor, LayoutB>(kind, bench::MatmulMode::Stream, shape,
                                                          size, precision, options);
  }
}

void addCases() {
  using tweed::ColumnMajor;
  bench::addVersion("cublas", int(cublasLtGetVersion()));
  add<float, tweed::RowMajor>("f32", bench::Precision::Pedantic, tweed::AnyPath{});
  add<float, ColumnMajor>("tf32", bench::Precision::Tf32, tweed::tf32);
  add<__nv_bfloat16, ColumnMajor>("bf16", bench::Precision::Default, tweed::AnyPath{});
  add<__half, ColumnMajor>("f16", bench::Precision::Default, tweed::AnyPath{});
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "matmulAccuracy", 12, addCases); }
