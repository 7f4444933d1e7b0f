// SPDX-License-Identifier: Apache-2.0
// expect: tweed::launch: the kernel takes another number of arguments
#include <tweed/launch/launch.cuh>

__global__ void kernel(float* out, int n) {
  if (n > 0) *out = 1;
}
void start(float* out) { tweed::launch(kernel, {1, 256}, out); }
