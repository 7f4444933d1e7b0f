// SPDX-License-Identifier: Apache-2.0
// tests/arch/wgmma.cu - tests tweed/arch/wgmma.cuh and wgmmaShapes.cuh
#include <tweed/arch/bulkCopy.cuh>
#include <tweed/arch/sharedMemory.cuh>
#include <tweed/arch/wgmma.cuh>
#include <tweed/matmul/wgmmaConfig.cuh>

#include "support/hopper.cuh"

namespace {

using namespace tweedTest;

#if !defined(TWEED_LOOM)
// Where byte `byte` of row `row` stands, rows of 128 bytes, swizzled.
[[maybe_unused]] __device__ int swizzled(int row, int byte) {
  return row * 128 + (byte ^ row % 8 * 16);
}

// Item (i, k), i along M or N, of an operand in shared memory with all of 128 bytes of k.
template <bool IsMn, class T>
__device__ T* itemAt(unsigned char* operand, int i, int k) {
  constexpr int wide = 128 / int(sizeof(T));
  int const at = IsMn ? i / wide * (wide * 128) + swizzled(k, i % wide * int(sizeof(T)))
                      : swizzled(i, k * int(sizeof(T)));
  return reinterpret_cast<T*>(operand + at);
}

// C = A * B + A * B for A of 64 x 128 bytes and B of as much x N: the second product adds to the
// first, and the first to nothing, whatever is in the registers.
template <class T, int N, bool IsMnA, bool IsMnB>
__global__ void __launch_bounds__(128, 1) multiply(T const* a, T const* b, float* c) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  using namespace tweed::arch;
  constexpr int depth = 128 / int(sizeof(T));
  extern __shared__ unsigned char memory[];
  unsigned char* const shared = memory + (0u - sharedAddress(memory)) % 1024;
  unsigned char* const operandB = shared + 64 * 128;
  int const t = int(threadIdx.x);
  for (int i = t; i < 64 * depth; i += 128) *itemAt<IsMnA, T>(shared, i / depth, i % depth) = a[i];
  for (int i = t; i < N * depth; i += 128) *itemAt<IsMnB, T>(operandB, i % N, i / N) = b[i];
  fenceAsyncProxy();
  __syncthreads();
  float d[N / 2];
  for (int i = 0; i < N / 2; ++i) d[i] = 1e30f;
  auto const descriptorA = wgmmaDescriptor<IsMnA>(sharedAddress(shared), depth * 128);
  auto const descriptorB = wgmmaDescriptor<IsMnB>(sharedAddress(operandB), depth * 128);
  using Input = typename tweed::detail::WgmmaTypeOf<T>::Type;
  wgmmaFence();
#pragma unroll
  for (int part = 0; part < 8; ++part)
    wgmma<Input, IsMnA, IsMnB>(d, descriptorA + part % 4 * wgmmaStep<IsMnA>,
                               descriptorB + part % 4 * wgmmaStep<IsMnB>, part > 0);
  wgmmaCommit();
  wgmmaWait<0>();
#pragma unroll
  for (int i = 0; i < N / 2; ++i) {
    int const row = t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8;
    int const column = i / 4 * 8 + t % 4 * 2 + i % 2;
    c[row * N + column] = d[i];
  }
#endif
}

// Small integers: every sum is exact.
template <class T, int N, bool IsMnA = false, bool IsMnB = false>
void checkWgmma() {
  CAPTURE(N);
  CAPTURE(IsMnA);
  CAPTURE(IsMnB);
  constexpr int depth = 128 / int(sizeof(T));
  std::vector<T> a(64 * depth), b(N * depth);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = T(float(int(noise(i) % 17) - 8));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = T(float(int(noise(i + 99999) % 13) - 6));
  DeviceArray<T> const inA(a), inB(b);
  DeviceArray<float> const out(64 * N);
  tweed::launch(multiply<T, N, IsMnA, IsMnB>, {1, 128, (64 + N) * 128 + 1024}, inA.data(),
                inB.data(), out.data());
  tweed::synchronize();
  auto const c = out.host();
  int wrong = 0;
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < N; ++column) {
      float sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += float(a[std::size_t(row * depth + k)]) * float(b[std::size_t(k * N + column)]);
      wrong += c[std::size_t(row * N + column)] != 2 * sum;
    }
  CHECK(wrong == 0);
}
template <class T, int... N>
void checkWidths() {
  (checkWgmma<T, N>(), ...);
}
template <class T, int N>
void checkLayouts() {
  checkWgmma<T, N, false, true>();
  checkWgmma<T, N, true, false>();
  checkWgmma<T, N, true, true>();
}
#endif

}  // namespace

TEST_SUITE("wgmma") {
  TEST_CASE("the loom has none") { CHECK((!isLoom || !tweed::arch::hasWgmma)); }
#if !defined(TWEED_LOOM)
  TEST_CASE("every width of B") {
    if (!hasWgmmaHere()) return;
    checkWidths<__nv_bfloat16, 8, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224,
                240, 256>();
  }
  TEST_CASE("half and TF32") {
    if (!hasWgmmaHere()) return;
    checkWidths<__half, 8, 96, 256>();
    checkWidths<float, 8, 96, 256>();
  }
  TEST_CASE("operands along k, and along m or n") {
    if (!hasWgmmaHere()) return;
    checkLayouts<__nv_bfloat16, 64>();
    checkLayouts<__nv_bfloat16, 256>();
    checkLayouts<__half, 128>();
  }
#endif
}
