// SPDX-License-Identifier: Apache-2.0
// tests/arch/stmatrix.cu - tests tweed/arch/stmatrix.cuh
#include <tweed/arch/sharedMemory.cuh>
#include <tweed/arch/stmatrix.cuh>

#include "support/hopper.cuh"

namespace {

using namespace tweedTest;

#if !defined(TWEED_LOOM)
// Item (row, column) of matrix i is i * 64 + row * 8 + column + 1; its rows stand `stride` apart,
// last row first. The rest of shared memory stays 0.
template <int Count>
__global__ void storeSome(int stride, unsigned short* out) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using namespace tweed::arch;
  __shared__ alignas(16) unsigned short buffer[1024];
  unsigned const lane = threadIdx.x;
  for (unsigned i = lane; i < 1024; i += 32) buffer[i] = 0;
  __syncwarp();
  unsigned word[Count];
  for (unsigned i = 0; i < Count; ++i) {
    unsigned const first = i * 64 + lane / 4 * 8 + lane % 4 * 2 + 1;
    word[i] = first | (first + 1) << 16;
  }
  unsigned const row = lane % (8 * Count);
  storeMatrices<Count>(sharedAddress(buffer + (8 * Count - 1 - row) * unsigned(stride)), word);
  __syncwarp();
  for (unsigned i = lane; i < 1024; i += 32) out[i] = buffer[i];
#endif
}

template <int Count>
void checkStore(int stride) {
  CAPTURE(stride);
  DeviceArray<unsigned short> const out(1024);
  tweed::launch(storeSome<Count>, {1, 32}, stride, out.data());
  tweed::synchronize();
  std::vector<unsigned short> expected(1024, 0);
  for (int row = 0; row < 8 * Count; ++row)
    for (int column = 0; column < 8; ++column)
      expected[std::size_t((8 * Count - 1 - row) * stride + column)] =
          (unsigned short)(row * 8 + column + 1);
  CHECK(out.host() == expected);
}
#endif

}  // namespace

TEST_SUITE("stmatrix") {
  TEST_CASE("the loom has none") { CHECK((!isLoom || !tweed::arch::hasHopper)); }
#if !defined(TWEED_LOOM)
  TEST_CASE("1, 2 and 4 matrices, whose rows stand anywhere") {
    if (!hasHopperHere()) return;
    for (int const stride : {8, 16, 24, 32}) {
      checkStore<1>(stride);
      checkStore<2>(stride);
      checkStore<4>(stride);
    }
  }
#endif
}
