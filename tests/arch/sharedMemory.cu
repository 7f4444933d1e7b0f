// SPDX-License-Identifier: Apache-2.0
// tests/arch/sharedMemory.cu - tests tweed/arch/sharedMemory.cuh
#include <tweed/arch/sharedMemory.cuh>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

__global__ void askSize(unsigned* bytes, unsigned* offsets) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  bytes[i] = tweed::arch::dynamicSharedBytes();
  auto const address = reinterpret_cast<unsigned long long>(tweed::arch::dynamicShared());
  offsets[i] = unsigned(address % 128);
}

}  // namespace

TEST_SUITE("sharedMemory") {
  TEST_CASE("the bytes are those of the launch, and begin at a multiple of 128") {
    for (std::size_t bytes : {0, 1, 4, 127, 1000, 48 * 1024, 100 * 1024}) {
      DeviceArray<unsigned> const got(66), offsets(66);
      tweed::launch(askSize, {2, 33, bytes}, got.data(), offsets.data());
      tweed::synchronize();
      CHECK(got.host() == std::vector<unsigned>(66, unsigned(bytes)));
      CHECK(offsets.host() == std::vector<unsigned>(66, 0));
    }
  }
}
