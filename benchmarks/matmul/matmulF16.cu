// SPDX-License-Identifier: Apache-2.0
// benchmarks/matmul/matmulF16.cu - products of half in all layouts, against cuBLAS.
#include "support/matmulCase.cuh"

namespace {

using T = __half;

template <class LayoutA, class LayoutB>
void addForm(std::string const& form, std::vector<int> const& sizes) {
  for (int const n : sizes)
    bench::addMatmul<T, T, LayoutA, LayoutB>("f16", form, n, bench::Precision::Default,
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
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "matmulF16", 12, addCases); }
