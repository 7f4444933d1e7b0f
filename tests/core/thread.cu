// SPDX-License-Identifier: Apache-2.0
// tests/core/thread.cu - tests tweed/core/thread.cuh
#include <tweed/core/thread.cuh>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

template <class Shape>
__global__ void writeRanks(int* out, int* wrong) {
  int const linear = int(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
  out[linear] = Shape::rank();
  if (Shape::threads() != int(blockDim.x * blockDim.y * blockDim.z)) atomicAdd(wrong, 1);
  Shape::check("writeRanks");
}

__global__ void writePresent(unsigned* out) {
  out[tweed::Dynamic<1024>::rank()] = tweed::presentLanes();
}

template <class Shape>
void checkRanks(dim3 block) {
  int const threads = int(block.x * block.y * block.z);
  CAPTURE(threads);
  DeviceArray<int> const out(std::size_t(threads), 0);
  DeviceArray<int> const wrong(std::vector<int>(1, 0));
  tweed::launch(writeRanks<Shape>, {1, block}, out.data(), wrong.data());
  tweed::synchronize();
  std::vector<int> const ranks = out.host();
  for (int i = 0; i < threads; ++i) REQUIRE(ranks[std::size_t(i)] == i);
  CHECK(wrong.host()[0] == 0);
}

}  // namespace

TEST_SUITE("thread") {
  TEST_CASE("ranks count x first, then y, then z") {
    checkRanks<tweed::Block<1>>(1), checkRanks<tweed::Block<100>>(100);
    checkRanks<tweed::Block<1024>>(1024);
    checkRanks<tweed::Block<16, 16>>(dim3(16, 16)), checkRanks<tweed::Block<5, 3>>(dim3(5, 3));
    checkRanks<tweed::Block<1, 37>>(dim3(1, 37));
    checkRanks<tweed::Block<8, 4, 3>>(dim3(8, 4, 3)),
        checkRanks<tweed::Block<3, 1, 7>>(dim3(3, 1, 7));
    checkRanks<tweed::Block<1, 1, 64>>(dim3(1, 1, 64));
  }
  TEST_CASE("a dynamic shape takes that of the launch") {
    using Any = tweed::Dynamic<1024>;
    checkRanks<Any>(1), checkRanks<Any>(33), checkRanks<Any>(1024);
    checkRanks<Any>(dim3(16, 16)), checkRanks<Any>(dim3(7, 11, 3)), checkRanks<Any>(dim3(1, 1, 64));
    checkRanks<tweed::Dynamic<100>>(100), checkRanks<tweed::Dynamic<1>>(1);
  }
  TEST_CASE("what a shape says of itself") {
    CHECK(tweed::Block<16, 16>::isStatic);
    CHECK(tweed::Block<16, 16>::maxThreads == 256);
    CHECK(tweed::Block<8, 4, 3>::maxThreads == 96);
    CHECK(!tweed::Dynamic<512>::isStatic);
    CHECK(tweed::Dynamic<512>::maxThreads == 512);
  }
  TEST_CASE("the first lanes of a warp as a mask") {
    for (int lanes = 1; lanes < 32; ++lanes) REQUIRE(tweed::firstLanes(lanes) == (1u << lanes) - 1);
    CHECK(tweed::firstLanes(32) == 0xffffffffu);
  }
  TEST_CASE("the lanes of the last warp are those that the block has") {
    for (dim3 const block : {dim3(1), dim3(31), dim3(32), dim3(33), dim3(40), dim3(63), dim3(96),
                             dim3(1000), dim3(1024), dim3(7, 11, 3), dim3(1, 1, 33)}) {
      unsigned const threads = block.x * block.y * block.z;
      CAPTURE(threads);
      DeviceArray<unsigned> const out(threads);
      tweed::launch(writePresent, {1, block}, out.data());
      tweed::synchronize();
      std::vector<unsigned> const got = out.host();
      for (unsigned i = 0; i < threads; ++i) {
        unsigned const lanes = threads - i / 32 * 32;
        REQUIRE(got[i] == (lanes >= 32 ? ~0u : (1u << lanes) - 1));
      }
    }
  }
#if defined(TWEED_LOOM)
  TEST_CASE("a block of another shape than the launch's is named, with both shapes") {
    DeviceArray<int> const out(std::size_t(1024), 0);
    DeviceArray<int> const wrong(std::vector<int>(1, 0));
    auto const run = [&](auto kernel, dim3 block) {
      return fault([&] { tweed::launch(kernel, {1, block}, out.data(), wrong.data()); });
    };
    std::string text = run(writeRanks<tweed::Block<16, 16>>, dim3(256));
    CAPTURE(text);
    CHECK(contains(text, "tweed::writeRanks"));
    CHECK(contains(text, "(16, 16, 1)"));
    CHECK(contains(text, "(256, 1, 1)"));
    text = run(writeRanks<tweed::Block<64>>, dim3(32, 2));
    CHECK(contains(text, "(64, 1, 1)"));
    CHECK(contains(text, "(32, 2, 1)"));
    text = run(writeRanks<tweed::Block<8, 4, 3>>, dim3(8, 3, 4));
    CHECK(contains(text, "(8, 4, 3)"));
    CHECK(contains(text, "(8, 3, 4)"));
    text = run(writeRanks<tweed::Dynamic<64>>, dim3(13, 5));
    CHECK(contains(text, "at most 64"));
    CHECK(contains(text, "launched with 65"));
    CHECK(run(writeRanks<tweed::Dynamic<64>>, dim3(64)).empty());
  }
#endif
}
