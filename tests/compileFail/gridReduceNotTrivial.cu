// SPDX-License-Identifier: Apache-2.0
// expect: tweed::gridReduce: T must be trivially copyable, as it goes from block to block
#include <tweed/grid/gridReduce.cuh>

struct Owner {
  __host__ __device__ Owner() {}
  __host__ __device__ Owner(Owner const& o) : value(o.value) {}
  __host__ __device__ Owner& operator=(Owner const&) { return *this; }
  int value = 0;
};
struct Add {
  __host__ __device__ Owner operator()(Owner const& x, Owner const&) const { return x; }
};

__global__ void kernel(void* state) { tweed::gridReduce<64>(Owner{}, Add{}, state); }
