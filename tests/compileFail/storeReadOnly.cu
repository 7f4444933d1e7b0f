// SPDX-License-Identifier: Apache-2.0
// expect: tweed: memory that is stored to is neither Cache::ReadOnly nor Cache::ReadOnce
#include <tweed/memory/loadStore.cuh>

__global__ void kernel(float* out) {
  tweed::storeVector<tweed::Cache::ReadOnce>(out, tweed::Vector<float, 2>{{1, 2}});
}
