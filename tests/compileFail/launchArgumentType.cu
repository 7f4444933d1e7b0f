// SPDX-License-Identifier: Apache-2.0
// expect: tweed::launch: an argument does not convert to the kernel's parameter
#include <tweed/launch/launch.cuh>

__global__ void kernel(float* out, int n) {
  if (n > 0) *out = 1;
}
void start(float const* out) { tweed::launch(kernel, {1, 256}, out, 7); }
