// SPDX-License-Identifier: Apache-2.0
// expect: tweed::SharedArray: needs at least one element
#include <tweed/memory/sharedArray.cuh>

__global__ void kernel() {
  __shared__ tweed::SharedArray<float, 0> values;
  values.construct(0, 1.f);
}
