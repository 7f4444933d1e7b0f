// SPDX-License-Identifier: Apache-2.0
// expect: tweed::warpReduce: op must be callable as T = op(T, T)
#include <tweed/core/values.cuh>
#include <tweed/warp/warpReduce.cuh>

__global__ void kernel(int* out) {
  *out = tweed::get<2>(tweed::warpReduce(tweed::Values{1, 2, 3}, tweed::MinMax{}));
}
