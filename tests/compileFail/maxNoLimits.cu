// SPDX-License-Identifier: Apache-2.0
// expect: tweed::Limits: the limits of this type are not known
#include <tweed/warp/warpReduce.cuh>

struct Point {
  int x, y;
  friend TWEED_HOST_DEVICE bool operator<(Point const& a, Point const& b) { return a.x < b.x; }
};
__global__ void kernel(Point* out) { *out = tweed::warpReduce(*out, tweed::Max{}); }
