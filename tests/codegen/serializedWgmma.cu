// SPDX-License-Identifier: Apache-2.0
// tests/codegen/serializedWgmma.cu
// Products that the compiler must run one by one, since their sums are touched in between, which
// the check must see.
#include <tweed/arch/wgmma.cuh>

extern "C" __global__ void __launch_bounds__(128, 1) touchesSums(float* out) {
  using namespace tweed::arch;
  float d[32];
  wgmmaFence();
  for (int i = 0; i < 4; ++i) {
    wgmma<WgmmaHalf, false, false>(d, wgmmaDescriptor<false>(0, 0), wgmmaDescriptor<false>(0, 0),
                                   i > 0);
    d[0] += out[i];
  }
  wgmmaCommit();
  wgmmaWait<0>();
  for (int i = 0; i < 32; ++i) out[threadIdx.x * 32 + i] = d[i];
}
