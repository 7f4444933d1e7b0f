// SPDX-License-Identifier: Apache-2.0
// tests/linkTwice/second.cu - the other source; see first.cu.
#include <tweed/tweed.cuh>

#include "support/device.cuh"

TWEED_KERNEL void kernel(int* out) {
  double* const shared = tweed::dynamicShared<double>(1);
  *shared = *out;
  *out = -int(*shared);
}

// Minus the sum of n items in device memory.
int sumInSecond(int const* in, int n) {
  tweedTest::DeviceArray<int> const out(std::vector<int>{0});
  tweed::deviceReduce(in, std::size_t(n), out.data(), tweed::Sum{});
  tweed::launch(kernel, {1, 1, sizeof(double)}, out.data());
  tweed::synchronize();
  return out.host()[0];
}
