// SPDX-License-Identifier: Apache-2.0
// expect: tweed::BlockScratch: AccumulatorOf<T> must be no smaller nor less aligned than T
#include <tweed/block/blockScratch.cuh>

struct Pair {
  int first, second;
};
template <>
struct tweed::Accumulator<Pair> {
  using Type = int;
};

__global__ void kernel(int* out) {
  *out = int(sizeof(tweed::BlockScratch<tweed::Block<64>, Pair>));
}
