// SPDX-License-Identifier: Apache-2.0
// benchmarks/matmul/matmulBf16.cu - products of bfloat16 in all layouts, against cuBLAS.
#include "support/matmulCase.cuh"

namespace {

using T = __nv_bfloat16;

template <class LayoutA, class LayoutB>
void addForm(std::string const& form, std::vector<int> const& sizes) {
  for (int const n : sizes)
    bench::addMatmul<T, T, LayoutA, LayoutB>("bf16", form, n, bench::Precision::Default,
                                             tweed::AnyPath{});
}

void addCases() {
  using tweed::ColumnMajor, tweed::RowMajor;
  bench::addVersion("cublas", int(cublasLtGetVersion()));
  std::vector<int> const sizes{256, 512, 1024, 2048, 4096, 8192};
  std::vector<int> sizesAndOdd = sizes;
  sizesAndOdd.push_back(4097);  // odd leading dimensions
  addForm<RowMajor, ColumnMajor>("rowColumn", sizesAndOdd);
  addForm<RowMajor, RowMajor>("rowRow", sizes);
  addForm<ColumnMajor, ColumnMajor>("columnColumn", sizes);
  addForm<ColumnMajor, RowMajor>("columnRow", sizes);
  for (int const n : {1024, 4096, 8192})  // without Hopper's instructions
    bench::addMatmul<T, T, RowMajor, ColumnMajor>(
        "bf16mma", "rowColumn", n, bench::Precision::Default, tweed::require<tweed::Path::Mma>);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "matmulBf16", 12, addCases); }
