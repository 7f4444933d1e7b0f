// SPDX-License-Identifier: Apache-2.0
// tests/matmul/wgmmaImage.cu - tests tweed/matmul/wgmmaImage.cuh; built with code for sm_90a, and
// as wgmmaImagePlain with code for plain 90 alone
#include <tweed/matmul/wgmmaImage.cuh>

#include "support/hopper.cuh"

namespace {

using namespace tweedTest;

// What the code that runs says of itself.
TWEED_KERNEL void askKernel(int* hasWgmma) { *hasWgmma = tweed::arch::hasWgmma; }

}  // namespace

TEST_SUITE("wgmmaImage") {
  TEST_CASE("the host knows whether the code that runs here has wgmma") {
    int const device = tweed::currentDevice();
    bool const isHopper =
        tweed::deviceAttribute(cudaDevAttrComputeCapabilityMajor, device) == 9 && !isLoom;
#if defined(TWEED_TEST_PLAIN)
    CHECK(!tweed::imageHasWgmma());
    if (!isHopper) return;  // there is no code for the device
#else
    CHECK(tweed::imageHasWgmma() == isHopper);
#endif
    DeviceArray<int> const hasWgmma(1);
    tweed::launch(askKernel, {1, 1}, hasWgmma.data());
    tweed::synchronize();
    CHECK(hasWgmma.host()[0] == int(tweed::imageHasWgmma()));
  }
}
