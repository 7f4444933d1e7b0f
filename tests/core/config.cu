// SPDX-License-Identifier: Apache-2.0
// tests/core/config.cu - tests tweed/core/config.cuh
#include <tweed/core/config.cuh>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

TWEED_DEVICE int onDevice(int x) { return 2 * x; }
TWEED_HOST_DEVICE constexpr int onBoth(int x) { return x + 1; }

TWEED_KERNEL void runBoth(int* out) { *out = onDevice(onBoth(20)); }

__global__ void promise(int number, int* out) {
  TWEED_ASSERT(number < 10, "number is %d, allowed are %d to %d", number, 0, 9);
  TWEED_ASSERT(number != 7, "seven");
  *out = number;
}

}  // namespace

TEST_SUITE("config") {
  TEST_CASE("functions of the device and of both sides, and a kernel that calls them") {
    static_assert(onBoth(1) == 2, "a constant expression");
    DeviceArray<int> const out(1);
    tweed::launch(runBoth, {1, 1}, out.data());
    tweed::synchronize();
    CHECK(out.host()[0] == 42);
  }
  TEST_CASE("a promise that is kept costs nothing") {
    DeviceArray<int> const out(1);
    tweed::launch(promise, {1, 1}, 9, out.data());
    tweed::synchronize();
    CHECK(out.host()[0] == 9);
  }
#if defined(TWEED_LOOM)
  TEST_CASE("a broken promise stops the kernel with its text and numbers") {
    DeviceArray<int> const out(std::vector<int>(1, 5));
    CHECK(contains(fault([&] {
                     tweed::launch(promise, {1, 1}, 12, out.data());
                   }),
                   "number is 12, allowed are 0 to 9"));
    CHECK(contains(fault([&] { tweed::launch(promise, {1, 1}, 7, out.data()); }), "seven"));
    CHECK(out.host()[0] == 5);
  }
#endif
}
