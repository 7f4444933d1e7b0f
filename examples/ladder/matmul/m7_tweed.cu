// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples m7_tweed.cu && ./a.out
//
// Since m5, for floats, and m6c, for halves: the top, tweed::matmul, one call, any layout and size.
// On an H100 or H200 say -arch=sm_90a in place of -arch=native, which leaves out wgmma.
//
// The rungs below it are in it, as kernels for CUDA cores (m5), mma.sync (m6b) and wgmma (m6c), of
// several tile sizes each; and what they left out: loads by warps of their own, sums split among
// blocks where C has few tiles, stores by the copy engine. A small model of the device chooses
// (`m7 tweed`), or a clock: tune() times the best three by the model on these matrices, once, and
// keeps the fastest (`m7 tuned`). For floats that makes it faster than m5. For halves on Hopper it
// is m6c's kernel again, with more shapes to choose from, and gains little at a size that m6c's
// suits. The profiler shows one kernel, limited by its arithmetic.

#include <ladder/runProduct.cuh>
#include <tweed/matmul/matmul.cuh>
#include <tweed/matmul/tune.cuh>

#include <memory>

namespace m7 {

template <class T>
void product(T const* a, T const* b, float* c, ladder::ProductShape s,
             tweed::Workspace& workspace) {
  tweed::matmul(workspace.stream(), tweed::rowMajor(a, s.m, s.n), tweed::rowMajor(b, s.n, s.k),
                tweed::rowMajor(c, s.m, s.k));
}

template <class T>
void tuned(T const* a, T const* b, float* c, ladder::ProductShape s, tweed::Workspace& workspace) {
  using View = tweed::MatrixView<T const, tweed::RowMajor>;
  using Plan = tweed::MatmulPlan<View, View, tweed::MatrixView<float, tweed::RowMajor>>;
  struct Kept {
    View a, b;
    float* c;
    Plan plan;
  };
  static std::unique_ptr<Kept> kept;  // for the matrices of the call before
  auto const isSame = [](View const& v, T const* data, long long rows, long long columns) {
    return v.data == data && v.rows == rows && v.columns == columns;
  };
  if (!kept || !isSame(kept->a, a, s.m, s.n) || !isSame(kept->b, b, s.n, s.k) || kept->c != c) {
    View const viewA = tweed::rowMajor(a, s.m, s.n), viewB = tweed::rowMajor(b, s.n, s.k);
    kept.reset(new Kept{viewA, viewB, c, Plan(viewA, viewB, tweed::rowMajor(c, s.m, s.k))});
    tweed::tune(kept->plan, workspace.stream());
  }
  kept->plan(workspace.stream());
}

constexpr ladder::ProductRung rungs[] = {
    {"m7 tweed", "tweed::matmul", product<float>},
    {"m7 tuned", "the same, tuned once", tuned<float>},
    {"m7 tweed", "tweed::matmul", nullptr, product<__half>},
    {"m7 tuned", "the same, tuned once", nullptr, tuned<__half>}};

}  // namespace m7

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) {
  return ladder::runProduct({std::begin(m7::rungs), std::end(m7::rungs)}, argc, argv);
}
#endif
