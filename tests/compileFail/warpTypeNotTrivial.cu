// SPDX-License-Identifier: Apache-2.0
// expect: only a trivially copyable type moves between lanes
#include <tweed/warp/warpReduce.cuh>

struct Counted {
  TWEED_HOST_DEVICE explicit Counted(int v) : value(v) {}
  TWEED_HOST_DEVICE Counted(Counted const& other) : value(other.value) {}
  TWEED_HOST_DEVICE Counted& operator=(Counted const&) { return *this; }
  int value;
};
struct AddCounted {
  TWEED_HOST_DEVICE Counted operator()(Counted const& a, Counted const& b) const {
    return Counted(a.value + b.value);
  }
};
__global__ void kernel(int* out) { *out = tweed::warpReduce(Counted(1), AddCounted{}).value; }
