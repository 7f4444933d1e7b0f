// SPDX-License-Identifier: Apache-2.0
// tests/codegen/lists.cuh - the kernels that a product is chosen from, as tweed lists them.
#pragma once

#include <tweed/matmul/activations.cuh>
#include <tweed/matmul/epiloguePieces.cuh>
#include <tweed/matmul/reductions.cuh>
#include <tweed/matmul/tuner.cuh>

using tweed::ColumnMajor;
using tweed::RowMajor;
using Bf = __nv_bfloat16;

template <class T, class LayoutA, class LayoutB, class Epilogue = tweed::Identity, class TC = T>
using TaskOf =
    tweed::MatmulTask<tweed::MatrixView<T const, LayoutA>, tweed::MatrixView<T const, LayoutB>,
                      tweed::MatrixView<TC, RowMajor>, Epilogue>;

using BiasAndGelu =
    decltype(tweed::biasPerColumn(static_cast<float const*>(nullptr)) | tweed::gelu());
using ScaleAndC = decltype(tweed::scale(1.f) | tweed::addC(1.f));
using RowsAndColumns = decltype(tweed::rowSum(static_cast<float*>(nullptr)) |
                                tweed::columnMax(static_cast<float*>(nullptr)));

// The kernel of a configuration. Packed: the kernel is the one that runs also by itself.
template <class Task, class Configuration>
struct KernelOf;
template <class Task, class Config, int Split, int Flops>
struct KernelOf<Task, tweed::SimtConfiguration<Config, Split, Flops>> {
  static constexpr auto kernel = &tweed::detail::simtMatmul<Config, Split, Task>;
};
template <class Task, class Config, int Flops>
struct KernelOf<Task, tweed::MmaConfiguration<Config, Flops>> {
  static constexpr auto kernel = &tweed::mmaMatmul<Config, Task>;
};
template <class Task, class Config>
struct KernelOf<Task, tweed::WgmmaConfiguration<Config>> {
  static constexpr auto kernel = &tweed::detail::wgmmaKernel<Config, Task>;
};
template <class Task, class Inner>
struct KernelOf<Task, tweed::PackedConfiguration<Inner>> : KernelOf<Task, Inner> {};

// Takes the address of the kernel of each of a list.
template <class Task, class... Configuration>
void useAll(tweed::Configurations<Configuration...>, void const** kernels) {
  ((*kernels++ = reinterpret_cast<void const*>(KernelOf<Task, Configuration>::kernel)), ...);
}
// Of all that a product is chosen from on a path.
template <class Task, tweed::Path P>
void useList(void const** kernels) {
  using List =
      tweed::detail::CandidatesOf<Task, tweed::MatmulOptions<1u << int(P), P != tweed::Path::Simt>>;
  static_assert(List::count > 0);
  useAll<Task>(List{}, kernels);
}
// Of one of them alone.
template <class Task, class Config>
void useOne(void const** kernels) {
  useAll<Task>(tweed::Configurations<Config>{}, kernels);
}
