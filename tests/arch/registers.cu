// SPDX-License-Identifier: Apache-2.0
// tests/arch/registers.cu - tests tweed/arch/registers.cuh
#include <tweed/arch/registers.cuh>

#include <cmath>

#include "support/hopper.cuh"

namespace {

using namespace tweedTest;

#if !defined(TWEED_LOOM)
// One warpgroup gives registers up for good; two take them for 190 values each that live over a
// loop.
__global__ void __launch_bounds__(384, 1) moveRegisters(float const* in, float* out, int turns) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  using namespace tweed::arch;
  int const t = int(threadIdx.x);
  float sum = 0;
  if (t / 128 == 0) {
    lowerRegisters<40>();
    for (int i = 0; i < turns; ++i) sum += in[i % 190];
  } else {
    raiseRegisters<232>();
    float v[190];
#pragma unroll
    for (int i = 0; i < 190; ++i) v[i] = in[i] + float(t);
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
      for (int i = 0; i < 190; ++i) v[i] = v[i] * 0.5f + v[(i + 1) % 190];
    }
#pragma unroll
    for (int i = 0; i < 190; ++i) sum += v[i];
  }
  out[t] = sum;
#endif
}
#endif

}  // namespace

TEST_SUITE("registers") {
  TEST_CASE("the loom has none") { CHECK((!isLoom || !tweed::arch::hasWgmma)); }
#if !defined(TWEED_LOOM)
  TEST_CASE("registers move between warpgroups, and values stay") {
    if (!hasWgmmaHere()) return;
    std::vector<float> values(190);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(noise(i) % 100);
    DeviceArray<float> const in(values);
    for (int const turns : {0, 1, 3}) {
      DeviceArray<float> const out(384);
      tweed::launch(moveRegisters, {4, 384}, in.data(), out.data(), turns);
      tweed::synchronize();
      auto const found = out.host();
      for (int t = 0; t < 384; ++t) {
        float sum = 0;
        if (t < 128) {
          for (int i = 0; i < turns; ++i) sum += values[std::size_t(i % 190)];
        } else {
          std::vector<float> v = values;
          for (float& x : v) x += float(t);
          for (int turn = 0; turn < turns; ++turn)
            for (std::size_t i = 0; i < 190; ++i) v[i] = v[i] * 0.5f + v[(i + 1) % 190];
          for (float const x : v) sum += x;
        }
        CHECK(std::fabs(found[std::size_t(t)] - sum) <= 1e-5f * std::fabs(sum));
      }
    }
  }
#endif
}
