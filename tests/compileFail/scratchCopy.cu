// SPDX-License-Identifier: Apache-2.0
// expect: deleted
#include <tweed/block/blockReduce.cuh>

// The copy would be each thread's own (C18).
__global__ void kernel(float* out, unsigned char* shared) {
  using Scratch = tweed::BlockScratch<tweed::Block<64>, float>;
  auto scratch = *reinterpret_cast<Scratch*>(shared);
  *out = tweed::blockReduce(1.f, tweed::Sum{}, scratch);
}
