// SPDX-License-Identifier: Apache-2.0
// tests/arch/ldmatrix.cu - tests tweed/arch/ldmatrix.cuh
#include <tweed/arch/ldmatrix.cuh>
#include <tweed/memory/sharedArray.cuh>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

// Where row r of matrix i begins, in items of 16 bits: each row somewhere else.
TWEED_HOST_DEVICE int rowStart(int i, int r) { return ((i * 8 + r) * 13 + 5) % 32 * 8; }

template <int Count, bool Transposed>
__global__ void loadMatrices(unsigned short const* in, unsigned* out, int leaves) {
  __shared__ tweed::SharedArray<unsigned short, 256> array;
  unsigned short* const tile = array.data();
  int const lane = int(threadIdx.x);
  for (int i = lane; i < 256; i += 32) tile[i] = in[i];
  __syncthreads();
  if (lane == leaves) return;
  unsigned word[Count];
  // Lanes whose rows are not looked at name another one.
  bool const names = lane < 8 * Count;
  tweed::arch::ldmatrix<Count, Transposed>(word,
                                           tile + (names ? rowStart(lane / 8, lane % 8) : 40));
  for (int i = 0; i < Count; ++i) out[i * 32 + lane] = word[i];
}

template <int Count, bool Transposed>
void checkMatrices() {
  std::vector<unsigned short> items(256);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = (unsigned short)(i * 257 + 1);
  DeviceArray<unsigned short> const in(items);
  DeviceArray<unsigned> const out(Count * 32);
  tweed::launch(loadMatrices<Count, Transposed>, {1, 32}, in.data(), out.data(), -1);
  tweed::synchronize();
  auto const got = out.host();
  for (int i = 0; i < Count; ++i)
    for (int lane = 0; lane < 32; ++lane) {
      CAPTURE(i);
      CAPTURE(lane);
      int const row = lane / 4, column = lane % 4 * 2;
      auto const item = [&](int r, int c) {
        return unsigned(items[std::size_t(Transposed ? rowStart(i, c) + r : rowStart(i, r) + c)]);
      };
      CHECK(got[std::size_t(i * 32 + lane)] == (item(row, column) | item(row, column + 1) << 16));
    }
}

}  // namespace

TEST_SUITE("ldmatrix") {
  TEST_CASE("1, 2 and 4 matrices, as they are and transposed") {
    checkMatrices<1, false>(), checkMatrices<2, false>(), checkMatrices<4, false>();
    checkMatrices<1, true>(), checkMatrices<2, true>(), checkMatrices<4, true>();
  }
#if defined(TWEED_LOOM)
  TEST_CASE("a lane that never comes is named") {
    DeviceArray<unsigned short> const in(256);
    DeviceArray<unsigned> const out(128);
    auto const text = fault([&] {
      tweed::launch(loadMatrices<4, false>, {1, 32}, in.data(), out.data(), 21);
    });
    CHECK(contains(text, "ldmatrix(0xffffffff)"));
    CHECK(contains(text, "needs lane 21, which has exited"));
    auto const few = fault([&] {
      tweed::launch(loadMatrices<4, false>, {1, 31}, in.data(), out.data(), -1);
    });
    CHECK(contains(few, "the mask names lanes that warp 0 does not have"));
  }
#endif
}
