// SPDX-License-Identifier: Apache-2.0
// r14 against the host, in a program of its own: of compute-sanitizer's tools memcheck alone takes
// one whose kernels launch kernels.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#define LADDER_WITHOUT_MAIN
#include <ladder/reduction/r14_nested.cu>

#include "support/device.cuh"

using tweedTest::DeviceArray;

TEST_CASE("ladder: r14 launches as many levels as it takes, for any size") {
  for (long long const n : {0ll, 1ll, 31ll, 257ll, (1ll << 11) - 1, 1ll << 11, (1ll << 11) + 1,
                            100003ll, 1ll << 22, (1ll << 22) + 1}) {
    CAPTURE(n);
    // Whole numbers of both signs, so that the sum is exact; behind them NaN, for whoever reads on.
    std::vector<float> values = tweedTest::smallIntegers<float>(std::size_t(n), 7);
    for (std::size_t i = 1; i < values.size(); i += 2) values[i] = -values[i];
    float expected = 0;
    for (float const value : values) expected += value;
    std::vector<float> behind = values;
    behind.insert(behind.end(), 9000, NAN);
    DeviceArray<float> const in(behind, 1);
    tweed::Workspace workspace(nullptr, ladder::workspaceBytes(n));
    TWEED_CHECK(cudaMemset(workspace.takeScratch("test", workspace.bytes(), nullptr), 0xFF,
                           workspace.bytes()));
    for (int run = 0; run < 2; ++run) {
      DeviceArray<float> const out(1);
      r14::sum(in.data(), n, out.data(), workspace);
      tweed::synchronize();
      CHECK(out.host()[0] == expected);
    }
    std::vector<float> const after = in.host();
    CHECK(std::equal(values.begin(), values.end(), after.begin()));
  }
}
