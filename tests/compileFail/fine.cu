// SPDX-License-Identifier: Apache-2.0
#include <tweed/tweed.cuh>

// What the other files do wrong, done right.
struct Point {
  float x, y;
};
struct AddPoints {
  TWEED_HOST_DEVICE Point operator()(Point const& a, Point const& b) const {
    return {a.x + b.x, a.y + b.y};
  }
};

__global__ void kernel(float* out, int n) {
  float value = tweed::blockReduce<256>(1.f);
  value += tweed::blockReduce<tweed::Block<32, 8>>(value, tweed::Max{});
  value += tweed::warpReduce<8>(value, tweed::Sum{});
  value += tweed::warpInclusiveScan<4>(value, tweed::Sum{}).prefix;
  value += tweed::warpReduce(Point{value, 0}, AddPoints{}).x;
  value += tweed::identityOf<tweed::Sum, float>();
  auto const [low, high] = tweed::warpReduce(tweed::Values{value, value}, tweed::MinMax{});
  value += tweed::blockArgMin<256>(low + high, int(threadIdx.x)).value;
  for (auto const i : tweed::gridStride(n)) out[i] = value;
}

void start(float const* in, float* out) {
  tweed::launch(kernel, {1, 256}, out, 256);
  tweed::deviceReduce(in, 256, out, tweed::Sum{});
}
