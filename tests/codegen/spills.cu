// SPDX-License-Identifier: Apache-2.0
// tests/codegen/spills.cu - a kernel that must spill, which the check must see.
extern "C" __global__ void __launch_bounds__(1024, 1) spills(float* data) {
  float v[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) v[i] = data[i * 32 + threadIdx.x];
  for (int turn = 0; turn < 9; ++turn)
#pragma unroll
    for (int i = 0; i < 96; ++i) v[i] = v[i] * v[(i + 7) % 96] + v[(i + 31) % 96];
#pragma unroll
  for (int i = 0; i < 96; ++i) data[i * 32 + threadIdx.x] = v[i];
}
