// SPDX-License-Identifier: Apache-2.0
// tests/codegen/mma.cu - the kernels of products by mma.sync, for what ptxas says of them.
#include "lists.cuh"

void useKernels(void const** kernels) {
  constexpr auto mma = tweed::Path::Mma;
  useList<TaskOf<Bf, RowMajor, ColumnMajor>, mma>(kernels);
  useList<TaskOf<float, RowMajor, ColumnMajor>, mma>(kernels);
  // The largest: a thread's 128 accumulators and 64 words of fragments.
  using Large =
      tweed::MmaConfiguration<tweed::MmaConfig<tweed::TileShape<128, 256, 64>, 64, 64, 3>, 1>;
  useOne<TaskOf<Bf, ColumnMajor, RowMajor>, Large>(kernels);
  useOne<TaskOf<Bf, RowMajor, ColumnMajor, BiasAndGelu>, Large>(kernels);
}
