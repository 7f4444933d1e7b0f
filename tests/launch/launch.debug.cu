// SPDX-License-Identifier: Apache-2.0
// tests/launch/launch.debug.cu - tests tweed/launch/launch.cuh with TWEED_DEBUG. What it says of a
// kernel that failed is in tests/traps.
#define TWEED_DEBUG
#include <tweed/launch/launch.cuh>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

__global__ void addSlowly(int* sum, int value) {
#if !defined(TWEED_LOOM)
  long long const start = clock64();
  while (clock64() - start < 1 << 22) {
  }
#endif
  atomicAdd(sum, value);
}

}  // namespace

TEST_SUITE("launch under TWEED_DEBUG") {
  TEST_CASE("it has ended when launch() returns, and did the same") {
    DeviceArray<int> const sum(std::vector<int>(1, 0));
    cudaStream_t stream = nullptr;
    TWEED_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 1; i <= 3; ++i) {
      tweed::launch(addSlowly, {2, 32, 0, stream}, sum.data(), i);
      CHECK(cudaStreamQuery(stream) == cudaSuccess);
    }
    CHECK(sum.host()[0] == 64 * 6);
    TWEED_CHECK(cudaStreamDestroy(stream));
  }
  TEST_CASE("C38: an error that an earlier call left is neither taken nor blamed") {
    DeviceArray<int> const sum(std::vector<int>(1, 0));
    (void)cudaSetDevice(-1);
    CHECK_NOTHROW(tweed::launch(addSlowly, {1, 32}, sum.data(), 1));
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    CHECK(sum.host()[0] == 32);
  }
  TEST_CASE("refusals are the same") {
    CHECK(contains(refusal([] {
                     tweed::launch(addSlowly, {1, 2000}, nullptr, 1);
                   }),
                   "block.x is 2000; at most 1024"));
  }
#if defined(TWEED_LOOM)
  TEST_CASE("skipped: capture, which the loom has not") {}
#else
  TEST_CASE("in a capture nothing waits, and the graph has the kernels") {
    DeviceArray<int> const sum(std::vector<int>(1, 0));
    cudaStream_t stream = nullptr;
    TWEED_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    TWEED_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 1; i <= 3; ++i) tweed::launch(addSlowly, {2, 32, 0, stream}, sum.data(), i);
    cudaGraph_t graph = nullptr;
    TWEED_CHECK(cudaStreamEndCapture(stream, &graph));
    std::size_t nodes = 0;
    TWEED_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(nodes == 3);
    CHECK(sum.host()[0] == 0);
    TWEED_CHECK(cudaGraphDestroy(graph));
    TWEED_CHECK(cudaStreamDestroy(stream));
  }
#endif
}
