// SPDX-License-Identifier: Apache-2.0
// tests/codegen/simt.cu - the kernels of products by CUDA cores, for what ptxas says of them.
#include <tweed/matmul/activations.cuh>
#include <tweed/matmul/epiloguePieces.cuh>
#include <tweed/matmul/tuner.cuh>

namespace {

using tweed::ColumnMajor;
using tweed::RowMajor;

template <class T, class LayoutA, class LayoutB, class Epilogue>
using TaskOf =
    tweed::MatmulTask<tweed::MatrixView<T const, LayoutA>, tweed::MatrixView<T const, LayoutB>,
                      tweed::MatrixView<T, RowMajor>, Epilogue>;

using Floats = TaskOf<float, RowMajor, RowMajor, tweed::Identity>;
using TurnedFloats = TaskOf<float, ColumnMajor, ColumnMajor, tweed::Identity>;
using FloatsAndC =
    TaskOf<float, RowMajor, ColumnMajor, decltype(tweed::scale(1.f) | tweed::addC(1.f))>;
using FloatsAndGelu =
    TaskOf<float, RowMajor, ColumnMajor,
           decltype(tweed::biasPerColumn(static_cast<float const*>(nullptr)) | tweed::gelu())>;
using Doubles = TaskOf<double, RowMajor, RowMajor, tweed::Identity>;

// Takes the address of the kernel of each configuration of a list that is one for CUDA cores.
template <class Task, class Configuration>
struct Use {
  static constexpr void const* kernel = nullptr;
};
template <class Task, class Config, int Split, int Flops>
struct Use<Task, tweed::SimtConfiguration<Config, Split, Flops>> {
  static void const* kernel;
};
template <class Task, class Config, int Split, int Flops>
void const* Use<Task, tweed::SimtConfiguration<Config, Split, Flops>>::kernel =
    reinterpret_cast<void const*>(&tweed::detail::simtMatmul<Config, Split, Task>);

template <class Task, class... Configuration>
void useAll(tweed::Configurations<Configuration...>, void const** kernels) {
  ((*kernels++ = Use<Task, Configuration>::kernel), ...);
}

using Large =
    tweed::SimtConfig<tweed::TileShape<128, 256, 32>, 16, 8, 3, tweed::Loading::ByWarpgroup>;

}  // namespace

void useKernels(void const** kernels) {
  useAll<Floats>(tweed::MatmulList<float>::Type{}, kernels);
  useAll<Doubles>(tweed::MatmulList<double>::Type{}, kernels);
  using tweed::balanced;
  useAll<TurnedFloats>(tweed::Configurations<tweed::SimtConfiguration<Large, balanced, 1>>{},
                       kernels);
  useAll<FloatsAndGelu>(tweed::Configurations<tweed::SimtConfiguration<Large, 1, 1>>{}, kernels);
  useAll<FloatsAndC>(tweed::Configurations<tweed::SimtConfiguration<Large, balanced, 1>>{},
                     kernels);
}
