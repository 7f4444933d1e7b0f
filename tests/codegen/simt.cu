// SPDX-License-Identifier: Apache-2.0
// tests/codegen/simt.cu - the kernels of products by CUDA cores, for what ptxas says of them.
#include "lists.cuh"

namespace {

using Large =
    tweed::SimtConfig<tweed::TileShape<128, 256, 32>, 16, 8, 3, tweed::Loading::ByWarpgroup>;
using OneEach = tweed::SimtConfiguration<Large, 1, 1>;
using Balanced = tweed::SimtConfiguration<Large, tweed::balanced, 1>;

}  // namespace

void useKernels(void const** kernels) {
  constexpr auto simt = tweed::Path::Simt;
  useList<TaskOf<float, RowMajor, RowMajor>, simt>(kernels);
  useList<TaskOf<double, RowMajor, RowMajor>, simt>(kernels);
  useList<TaskOf<Bf, RowMajor, ColumnMajor>, simt>(kernels);
  useOne<TaskOf<float, ColumnMajor, ColumnMajor>, Balanced>(kernels);
  useOne<TaskOf<float, RowMajor, ColumnMajor, BiasAndGelu>, OneEach>(kernels);
  useOne<TaskOf<float, RowMajor, ColumnMajor, ScaleAndC>, Balanced>(kernels);
}
