// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples m8_cublas.cu -lcublas && ./a.out
//
// The peer: cuBLAS, the library that comes with CUDA. For the GPU alone.
//
// Since m7: the same kinds of kernels by other hands, of which cuBLAS chooses one by rules of its
// own, without a clock. Faster or not depends on the size: README.md has one.
//
// It counts by columns: a row-major C is the transposed product, with the operands exchanged, and
// nothing is moved. Floats are multiplied as floats, halves are added up in float, as in all rungs
// here. The profiler shows one kernel for most sizes.

#include <ladder/runProduct.cuh>

#include <cublas_v2.h>

#include <stdexcept>

namespace m8 {

inline void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cuBLAS: ") + cublasGetStatusString(status));
}

template <class T>
void product(T const* a, T const* b, float* c, ladder::ProductShape s,
             tweed::Workspace& workspace) {
  static cublasHandle_t const handle = [] {
    cublasHandle_t made = nullptr;
    check(cublasCreate(&made));
    return made;
  }();
  if (s.n == 0) {  // its leading dimensions are at least 1
    TWEED_CHECK(cudaMemsetAsync(c, 0, std::size_t(s.m * s.k) * sizeof(float), workspace.stream()));
    return;
  }
  if (s.m == 0 || s.k == 0) return;
  cudaDataType_t const type = sizeof(T) == 2 ? CUDA_R_16F : CUDA_R_32F;
  float const one = 1, zero = 0;
  check(cublasSetStream(handle, workspace.stream()));
  check(cublasGemmEx_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, s.k, s.m, s.n, &one, b, type, s.k, a,
                        type, s.n, &zero, c, CUDA_R_32F, s.k, CUBLAS_COMPUTE_32F,
                        CUBLAS_GEMM_DEFAULT));
}

constexpr ladder::ProductRung rungs[] = {{"m8 cuBLAS", "cublasGemmEx", product<float>},
                                         {"m8 cuBLAS", "cublasGemmEx", nullptr, product<__half>}};

}  // namespace m8

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) {
  return ladder::runProduct({std::begin(m8::rungs), std::end(m8::rungs)}, argc, argv);
}
#endif
