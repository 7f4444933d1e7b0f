// SPDX-License-Identifier: Apache-2.0
// expect: tweed::launch: an argument does not convert to the kernel's parameter
#include <tweed/launch/launch.cuh>

struct Count {
  explicit Count(int n) : value(n) {}
  int value;
};
__global__ void kernel(float* out, Count count) { *out = float(count.value); }
void start(float* out) { tweed::launch(kernel, {1, 256}, out, 7); }
