// SPDX-License-Identifier: Apache-2.0
// tests/codegen/wgmma.cu - the kernels of products by wgmma, for what ptxas says of them.
#include "lists.cuh"

void useKernels(void const** kernels) {
  constexpr auto wgmma = tweed::Path::Wgmma;
  useList<TaskOf<Bf, RowMajor, ColumnMajor>, wgmma>(kernels);
  useList<TaskOf<float, RowMajor, ColumnMajor>, wgmma>(kernels);
  // The largest, with other layouts and more to do at its end; split sums end in another way.
  using Large = tweed::WgmmaConfiguration<tweed::WgmmaConfig<128, 256, 2, 4, 2>>;
  using Split = tweed::WgmmaConfiguration<tweed::WgmmaConfig<64, 64, 1, 8, 1, 4>>;
  useOne<TaskOf<__half, RowMajor, RowMajor>, Large>(kernels);
  useOne<TaskOf<Bf, ColumnMajor, RowMajor, tweed::Identity, float>, Large>(kernels);
  useOne<TaskOf<Bf, ColumnMajor, ColumnMajor, ScaleAndC>, Large>(kernels);
  useOne<TaskOf<Bf, RowMajor, ColumnMajor, BiasAndGelu>, Large>(kernels);
  useOne<TaskOf<Bf, RowMajor, ColumnMajor, RowsAndColumns>, Large>(kernels);
  useOne<TaskOf<Bf, RowMajor, ColumnMajor, BiasAndGelu>, Split>(kernels);

  auto const add = [&](auto* kernel) { *kernels++ = reinterpret_cast<void const*>(kernel); };
  add(&tweed::detail::packRuns<4, unsigned short>);
  add(&tweed::detail::packRuns<2, unsigned short>);
  add(&tweed::detail::packRuns<1, unsigned short>);
  add(&tweed::detail::packRuns<2, unsigned>);
  add(&tweed::detail::packRuns<1, unsigned>);
}
