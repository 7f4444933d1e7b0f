// SPDX-License-Identifier: Apache-2.0
// tests/arch/overlap.cu - tests tweed/arch/overlap.cuh
#include <tweed/arch/overlap.cuh>
#include <tweed/launch/launch.cuh>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

// Lets the next kernel start at once, and writes late.
__global__ void writeLate(int* data, int n, int turn) {
  tweed::arch::letNextStart();
  tweed::arch::waitForPrevious();
#if defined(__CUDA_ARCH__)
  for (int i = 0; i < 20; ++i) __nanosleep(1000);
#endif
  for (int i = int(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += int(gridDim.x * blockDim.x))
    data[i] = turn * 1000 + i;
}

__global__ void countWrong(int const* data, int n, int turn, int* wrong) {
  tweed::arch::letNextStart();
  tweed::arch::waitForPrevious();
  int found = 0;
  for (int i = int(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += int(gridDim.x * blockDim.x))
    found += data[i] != turn * 1000 + i;
  if (found != 0) atomicAdd(wrong, found);
}

}  // namespace

TEST_SUITE("overlap") {
  TEST_CASE("a kernel that waits sees all that the one before wrote, and is done before the next") {
    int const n = isShort() ? 700 : 5000;
    DeviceArray<int> const data{std::vector<int>(std::size_t(n), -1)};
    DeviceArray<int> const wrong{std::vector<int>(1, 0)};
    int device = 0, major = 0, minor = 0;
    TWEED_CHECK(cudaGetDevice(&device));
    TWEED_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    TWEED_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    tweed::LaunchConfig config{4, 128};
    config.overlapPrevious = tweed::arch::canOverlapOn(10 * major + minor);
    for (int turn = 1; turn <= 50; ++turn) {
      tweed::launch(writeLate, config, data.data(), n, turn);
      tweed::launch(countWrong, config, data.data(), n, turn, wrong.data());
    }
    tweed::synchronize();
    CHECK(wrong.host()[0] == 0);
  }
  TEST_CASE("devices for which this build holds no such code do not overlap") {
    CHECK(!tweed::arch::canOverlapOn(70));
    CHECK(!tweed::arch::canOverlapOn(89));
    CHECK(!tweed::arch::canOverlapOn(999));
  }
}
