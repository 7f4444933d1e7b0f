// SPDX-License-Identifier: Apache-2.0
// tests/linkTwice/first.cu - all headers in one of two sources of a program; see second.cu.
#include <tweed/tweed.cuh>

#include "support/device.cuh"

int sumInSecond(int const* in, int n);

// The same name as in second.cu, and another kernel.
TWEED_KERNEL void kernel(int* out) {
  int* const shared = tweed::dynamicShared<int>(64);
  shared[threadIdx.x] = int(threadIdx.x);
  int const sum = tweed::blockReduce<64>(shared[threadIdx.x]);
  if (threadIdx.x == 0) *out = sum;
}

TEST_CASE("two sources of one program include everything") {
  tweedTest::DeviceArray<int> const out(std::vector<int>{0});
  tweed::launch(kernel, {1, 64, 64 * sizeof(int)}, out.data());
  tweed::synchronize();
  CHECK(out.host()[0] == 63 * 64 / 2);

  tweedTest::DeviceArray<int> const in(std::vector<int>{5, 7, 30});
  tweed::deviceReduce(in.data(), 3, out.data(), tweed::Sum{});
  tweed::synchronize();
  CHECK(out.host()[0] == 42);
  CHECK(sumInSecond(in.data(), 3) == -42);
}
