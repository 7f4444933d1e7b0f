// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/matmul.cuh - the product of two matrices, and whatever becomes of each of its items.
#pragma once

#include <tweed/matmul/activations.cuh>
#include <tweed/matmul/matmulPlan.cuh>

#if !defined(__CUDACC_RTC__)

// Hidden, as in launch/launch.cuh.
#pragma GCC visibility push(hidden)
namespace tweed {

namespace detail {

template <class Configuration, class Task>
void runOnce(Task const& task, MatmulDevice const& device, Workspace* workspace,
             cudaStream_t stream) {
  std::size_t const bytes = workspaceBytes<Configuration>(task, device);
  MatmulRun<Configuration, Task> const run(task, device);
  if (workspace != nullptr)
    return run(task, device, workspace->takeScratch("tweed::matmul", bytes, stream), stream);
  StreamScratch const own(bytes, stream);
  run(task, device, own.data(), stream);
}

template <class A, class B, class C, class Epilogue, class Options>
void runMatmul(A const& a, B const& b, C const& c, Epilogue const& epilogue, Options options,
               Workspace* workspace, cudaStream_t stream) {
  auto const run = [&](auto const& task, MatmulDevice const& device, auto list, int index) {
    withConfiguration(list, index, [&](auto configuration) {
      runOnce<decltype(configuration)>(task, device, workspace, stream);
    });
  };
  chooseMatmul(a, b, c, epilogue, options, run);
}

}  // namespace detail

/// C = epilogue(A * B).
///
///     auto const a = tweed::rowMajor(pointerA, m, k);
///     auto const b = tweed::columnMajor(pointerB, k, n);
///     auto const c = tweed::rowMajor(pointerC, m, n);
///     tweed::matmul(stream, a, b, c);
///     tweed::matmul(stream, a, b, c, tweed::scale(alpha) | tweed::addC(beta));
///     tweed::matmul(stream, a, b, c, tweed::biasPerColumn(bias) | tweed::gelu());
///     tweed::matmul(stream, a, b, c, [=] __device__(float x, tweed::Coord at) { return x * x; });
///     tweed::matmul(stream, a, b, c, tweed::Identity{}, tweed::require<tweed::Path::Simt>);
///
/// Shape    A m x k, B k x n, C m x n, each of either layout and any leading dimension and
///          alignment to its items; m, n, k and the batch from 0 to 2^31 - 1. In a batch, A and B
///          have as many matrices as C or one for all. k = 0 makes each item epilogue(0). No item
///          of C: nothing is done, but that reductions give their identity.
/// Needs    A and B of one type: float, double, int, half or bfloat16 (core/half.cuh); C of any
///          type that the accumulator converts to. C may be what a residual or addC reads, but
///          shares no byte with A or B.
/// Op       the epilogue, as matmul/epilogue.cuh says, once for each item. Pieces of tweed's:
///          matmul/epiloguePieces.cuh, activations.cuh, reductions.cuh.
/// Result   16-bit floats are added up in float, others in their own type; floats are multiplied as
///          they are unless the options say tf32. The same bits on every run of one kernel. TF32
///          has wgmma for a row-major A with a column-major B, mma.sync for all layouts.
/// Sync     asynchronous, in order of the stream; can be captured in a graph. Outside of a capture
///          its kernel may start before the one ahead of it has ended, and waits for that one
///          before it touches memory.
/// Cost     one launch of the fastest kernel by a small model (MatmulPlan::explain tells, tune
///          measures), and one for each reduction. wgmma loads multiples of 16 bytes alone: of A
///          or B whose base, leading dimension or batch stride is none, it multiplies a copy, which
///          is one more launch each and takes the operand's size of workspace. A workspace is taken
///          from the one that is given, as large as MatmulPlan::workspaceBytes() says, else
///          allocated and freed in order of the stream. That costs more than a copy where the
///          device's pool gives freed memory back (cudaMemPoolAttrReleaseThreshold).
/// Errors   throws tweed::Error naming the operand and the numbers, with nothing written: shapes
///          that disagree, a null or misaligned pointer, a leading dimension too small, a negative
///          or too large size, C that overlaps A, B, itself or a residual other than C, a reduction
///          that overlaps A, B, C or another one, a workspace that is too small or belongs to
///          another stream, a required path that cannot do it.
///          Compile time: types that no kernel takes, or that the required path does not. No path
///          replaces a required one.
/// Source   CUTLASS and cuBLAS for the hierarchy of tiles; see the kernels.
template <class TA, class LayoutA, class TB, class LayoutB, class TC, class LayoutC,
          class Epilogue = Identity, class Options = AnyPath>
void matmul(cudaStream_t stream, MatrixView<TA, LayoutA> const& a, MatrixView<TB, LayoutB> const& b,
            MatrixView<TC, LayoutC> const& c, Epilogue const& epilogue = {}, Options options = {}) {
  detail::runMatmul(a, b, c, epilogue, options, nullptr, stream);
}
template <class TA, class LayoutA, class TB, class LayoutB, class TC, class LayoutC,
          class Epilogue = Identity, class Options = AnyPath>
void matmul(Workspace& workspace, MatrixView<TA, LayoutA> const& a,
            MatrixView<TB, LayoutB> const& b, MatrixView<TC, LayoutC> const& c,
            Epilogue const& epilogue = {}, Options options = {}) {
  detail::runMatmul(a, b, c, epilogue, options, &workspace, workspace.stream());
}

}  // namespace tweed
#pragma GCC visibility pop

#endif  // !defined(__CUDACC_RTC__)
