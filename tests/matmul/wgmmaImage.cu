// SPDX-License-Identifier: Apache-2.0
// tests/matmul/wgmmaImage.cu - tests tweed/matmul/wgmmaImage.cuh; built with code for sm_90a, and
// as wgmmaImagePlain with code for plain 90 alone
#include <tweed/arch/mma.cuh>
#include <tweed/matmul/wgmmaImage.cuh>

#include "support/hopper.cuh"

namespace {

using namespace tweedTest;

// What the code that runs says of itself.
TWEED_KERNEL void askKernel(int* has) {
  has[0] = tweed::arch::hasWgmma;
  has[1] = tweed::arch::hasMma;
  has[2] = tweed::arch::hasHopper || isLoom;
}

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
    DeviceArray<int> const has(3);
    tweed::launch(askKernel, {1, 1}, has.data());
    tweed::synchronize();
    CHECK(has.host()[0] == int(tweed::imageHasWgmma()));
    CHECK(has.host()[1] == int(tweed::imageTarget().version >= 80));
    CHECK(has.host()[2] == int(tweed::imageTarget().version >= 90));
  }
}
