// SPDX-License-Identifier: Apache-2.0
// tests/launch/launchConfig.cu - tests tweed/launch/launchConfig.cuh
#include <tweed/launch/launchConfig.cuh>

#include "support/device.cuh"

namespace {

bool isShape(dim3 d, unsigned x, unsigned y, unsigned z) {
  return d.x == x && d.y == y && d.z == z;
}

}  // namespace

TEST_SUITE("launchConfig") {
  TEST_CASE("what is not named is one block of one thread on the default stream") {
    tweed::LaunchConfig const config;
    CHECK(isShape(config.grid.native(), 1, 1, 1));
    CHECK(isShape(config.block.native(), 1, 1, 1));
    CHECK(config.sharedBytes == 0);
    CHECK(config.stream == nullptr);
    CHECK(isShape(config.cluster.native(), 1, 1, 1));
    CHECK(!config.overlapPrevious);
  }
  TEST_CASE("numbers and shapes, in the order grid, block, shared bytes, stream") {
    tweed::LaunchConfig const flat{7, 256};
    CHECK(isShape(flat.grid.native(), 7, 1, 1));
    CHECK(isShape(flat.block.native(), 256, 1, 1));
    cudaStream_t const stream = cudaStreamPerThread;
    tweed::LaunchConfig const full{dim3(2, 3, 4), dim3(16, 8), 4096, stream};
    CHECK(isShape(full.grid.native(), 2, 3, 4));
    CHECK(isShape(full.block.native(), 16, 8, 1));
    CHECK(full.sharedBytes == 4096);
    CHECK(full.stream == stream);
    tweed::LaunchConfig const all{8, 32, 0, stream, dim3(2, 1), true};
    CHECK(isShape(all.cluster.native(), 2, 1, 1));
    CHECK(all.overlapPrevious);
  }
}
