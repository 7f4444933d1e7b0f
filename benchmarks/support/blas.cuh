// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/blas.cuh - cuBLAS and cuBLASLt as peers: their defaults, and the best of what
// their heuristics name.
#pragma once

#include "timing.cuh"

#include <tweed/core/half.cuh>
#include <tweed/core/view.cuh>

#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

inline void checkBlas(cublasStatus_t status, char const* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(status));
}
#define TWEED_BENCH_BLAS(call) ::bench::checkBlas(call, #call)

template <class T>
inline constexpr cudaDataType_t blasType = tweed::isSame<T, float>    ? CUDA_R_32F
                                           : tweed::isSame<T, double> ? CUDA_R_64F
                                           : tweed::isSame<T, __half> ? CUDA_R_16F
                                                                      : CUDA_R_16BF;

/// What floats are multiplied as.
enum class Precision {
  Pedantic,  ///< of floats: as they are
  Default,   ///< as cuBLAS likes, with float accumulators
  Tf32
};

/// What alpha and beta are.
template <class T>
using BlasScalar = std::conditional_t<tweed::isSame<T, double>, double, float>;

template <class T>
cublasComputeType_t blasCompute(Precision precision) {
  if (tweed::isSame<T, double>) return CUBLAS_COMPUTE_64F;
  return precision == Precision::Pedantic ? CUBLAS_COMPUTE_32F_PEDANTIC
         : precision == Precision::Tf32   ? CUBLAS_COMPUTE_32F_FAST_TF32
                                          : CUBLAS_COMPUTE_32F;
}

/// cuBLAS counts by columns: a row-major C is the transposed product, with the operands exchanged;
/// and an operand that is row-major is then not transposed.
template <class View>
inline constexpr cublasOperation_t blasOperation = View::isRowMajor ? CUBLAS_OP_N : CUBLAS_OP_T;

constexpr std::size_t blasWorkspaceBytes = std::size_t(32)
                                           << 20;  // as NVIDIA recommends for Hopper

/// cuBLAS in the stream that is measured.
struct BlasHandle {
  cublasHandle_t handle = nullptr;
  DeviceArray<char> workspace{blasWorkspaceBytes};

  BlasHandle() {
    TWEED_BENCH_BLAS(cublasCreate(&handle));
    TWEED_BENCH_BLAS(cublasSetStream(handle, stream()));
    TWEED_BENCH_BLAS(cublasSetWorkspace(handle, workspace.data(), workspace.bytes()));
  }
  ~BlasHandle() { (void)cublasDestroy(handle); }
};

/// C = A * B by cublasGemmEx, or of a batch by cublasGemmStridedBatchedEx, C row-major. The call
/// may name the matrix to begin with, so many strides behind the first.
template <class A, class B, class C>
auto blasCall(A const& a, B const& b, C const& c, Precision precision) {
  using T = tweed::RemoveConst<typename A::Item>;
  constexpr auto of = blasType<T>, ofC = blasType<typename C::Item>;
  return [=, blas = std::make_shared<BlasHandle>()](long long matrix = 0) {
    BlasScalar<T> const one = 1, zero = 0;
    auto const* const atA = a.data + matrix * a.batchStride;
    auto const* const atB = b.data + matrix * b.batchStride;
    auto* const atC = c.data + matrix * c.batchStride;
    int const lda = int(a.leadingDimension), ldb = int(b.leadingDimension);
    int const m = int(c.rows), n = int(c.columns), k = int(a.columns),
              ldc = int(c.leadingDimension);
    if (c.batch == 1) {
      TWEED_BENCH_BLAS(cublasGemmEx(blas->handle, blasOperation<B>, blasOperation<A>, n, m, k, &one,
                                    atB, of, ldb, atA, of, lda, &zero, atC, ofC, ldc,
                                    blasCompute<T>(precision), CUBLAS_GEMM_DEFAULT));
    } else {
      TWEED_BENCH_BLAS(cublasGemmStridedBatchedEx(
          blas->handle, blasOperation<B>, blasOperation<A>, n, m, k, &one, atB, of, ldb,
          b.batchStride, atA, of, lda, a.batchStride, &zero, atC, ofC, ldc, c.batchStride,
          int(c.batch), blasCompute<T>(precision), CUBLAS_GEMM_DEFAULT));
    }
  };
}

/// |found - wanted| / |wanted| in the Frobenius norm. Leaves the difference in `found`.
inline double relativeFrobenius(DeviceArray<double> const& found,
                                DeviceArray<double> const& wanted) {
  BlasHandle const blas;
  int const count = int(found.size());
  double const minus = -1;
  double off = 0, all = 0;
  TWEED_BENCH_BLAS(cublasDnrm2(blas.handle, count, wanted.data(), 1, &all));
  TWEED_BENCH_BLAS(cublasDaxpy(blas.handle, count, &minus, wanted.data(), 1, found.data(), 1));
  TWEED_BENCH_BLAS(cublasDnrm2(blas.handle, count, found.data(), 1, &off));
  return off / all;
}

/// The same by cublasLtMatmul, with the fastest of the algorithms that its heuristics name: each is
/// timed here, before anything is measured. A bias for each column of C and a GELU (its own, by the
/// hyperbolic tangent) if `bias` is given.
template <class A, class B, class C>
auto blasLtCall(A const& a, B const& b, C const& c, Precision precision,
                void const* bias = nullptr) {
  using T = tweed::RemoveConst<typename A::Item>;
  struct State {
    cublasLtHandle_t handle = nullptr;
    cublasLtMatmulDesc_t matmul = nullptr;
    cublasLtMatrixLayout_t first = nullptr, second = nullptr, out = nullptr;
    cublasLtMatmulAlgo_t algorithm{};
    DeviceArray<char> workspace{blasWorkspaceBytes};
    ~State() {
      (void)cublasLtMatrixLayoutDestroy(first);
      (void)cublasLtMatrixLayoutDestroy(second);
      (void)cublasLtMatrixLayoutDestroy(out);
      (void)cublasLtMatmulDescDestroy(matmul);
      (void)cublasLtDestroy(handle);
    }
  };
  auto const state = std::make_shared<State>();
  TWEED_BENCH_BLAS(cublasLtCreate(&state->handle));
  TWEED_BENCH_BLAS(
      cublasLtMatmulDescCreate(&state->matmul, blasCompute<T>(precision), blasType<BlasScalar<T>>));
  auto const set = [&](cublasLtMatmulDescAttributes_t what, auto value) {
    TWEED_BENCH_BLAS(cublasLtMatmulDescSetAttribute(state->matmul, what, &value, sizeof value));
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, blasOperation<B>);
  set(CUBLASLT_MATMUL_DESC_TRANSB, blasOperation<A>);
  if (bias != nullptr) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU_BIAS);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  }
  auto const layout = [](cublasLtMatrixLayout_t& to, auto const& view) {
    using View = std::decay_t<decltype(view)>;
    using Item = tweed::RemoveConst<typename View::Item>;
    long long const rows = View::isRowMajor ? view.columns : view.rows;
    long long const columns = View::isRowMajor ? view.rows : view.columns;
    TWEED_BENCH_BLAS(cublasLtMatrixLayoutCreate(&to, blasType<Item>, std::uint64_t(rows),
                                                std::uint64_t(columns), view.leadingDimension));
    if (view.batch == 1) return;
    auto const setLayout = [&](cublasLtMatrixLayoutAttribute_t what, auto value) {
      TWEED_BENCH_BLAS(cublasLtMatrixLayoutSetAttribute(to, what, &value, sizeof value));
    };
    setLayout(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, std::int32_t(view.batch));
    setLayout(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t(view.batchStride));
  };
  layout(state->first, b);
  layout(state->second, a);
  layout(state->out, c);
  auto const call = [state, a, b, c](long long matrix = 0) {
    BlasScalar<T> const one = 1, zero = 0;
    auto* const atC = c.data + matrix * c.batchStride;
    TWEED_BENCH_BLAS(cublasLtMatmul(
        state->handle, state->matmul, &one, b.data + matrix * b.batchStride, state->first,
        a.data + matrix * a.batchStride, state->second, &zero, atC, state->out, atC, state->out,
        &state->algorithm, state->workspace.data(), state->workspace.bytes(), stream()));
  };

  cublasLtMatmulPreference_t preference = nullptr;
  TWEED_BENCH_BLAS(cublasLtMatmulPreferenceCreate(&preference));
  TWEED_BENCH_BLAS(
      cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                           &blasWorkspaceBytes, sizeof blasWorkspaceBytes));
  std::vector<cublasLtMatmulHeuristicResult_t> found(16);
  int count = 0;
  cublasStatus_t const status = cublasLtMatmulAlgoGetHeuristic(
      state->handle, state->matmul, state->first, state->second, state->out, state->out, preference,
      int(found.size()), found.data(), &count);
  (void)cublasLtMatmulPreferenceDestroy(preference);
  checkBlas(status, "cublasLtMatmulAlgoGetHeuristic");
  EventTimer timer;
  double least = 0;
  cublasLtMatmulAlgo_t best{};
  for (int i = 0; i < count; ++i) {
    if (found[std::size_t(i)].state != CUBLAS_STATUS_SUCCESS) continue;
    state->algorithm = found[std::size_t(i)].algo;
    call();
    double const one = timer.seconds(call);
    int const times = int(std::min(50.0, std::max(2.0, 2e-3 / one)));
    double const seconds = medianOf(3, [&] {
      return timer.seconds([&] {
        for (int t = 0; t < times; ++t) call();
      }) / times;
    });
    if (least > 0 && seconds >= least) continue;
    least = seconds;
    best = found[std::size_t(i)].algo;
  }
  if (least == 0) throw std::runtime_error("cuBLASLt names no algorithm");
  state->algorithm = best;
  return call;
}

}  // namespace bench
