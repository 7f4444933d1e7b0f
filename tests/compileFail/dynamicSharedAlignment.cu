// SPDX-License-Identifier: Apache-2.0
// expect: tweed::dynamicShared: dynamic shared memory is aligned to 128 bytes, T asks more
#include <tweed/memory/dynamicShared.cuh>

struct alignas(256) Page {
  float item[64];
};

__global__ void kernel(float* out) { *out = tweed::dynamicShared<Page>(1)->item[3]; }
