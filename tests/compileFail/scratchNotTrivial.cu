// SPDX-License-Identifier: Apache-2.0
// expect: tweed::BlockScratch: T must be trivially copyable
#include <tweed/block/blockScratch.cuh>

struct Owner {
  TWEED_HOST_DEVICE ~Owner() {}
  int value;
};
__global__ void kernel(int* out) {
  *out = int(sizeof(tweed::BlockScratch<tweed::Block<64>, Owner>));
}
