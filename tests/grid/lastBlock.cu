// SPDX-License-Identifier: Apache-2.0
// tests/grid/lastBlock.cu - tests tweed/grid/lastBlock.cuh
#include <tweed/grid/lastBlock.cuh>

#include <cstdint>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

struct Shape {
  dim3 grid, block;
};

// Every thread of every block writes one word; each thread of the last block adds up words of all
// blocks, none of them its own. `turns` of it, with a state each.
__global__ void addUp(unsigned* words, unsigned* state, unsigned long long* totals, int* lasts,
                      int turns) {
  unsigned const threads = blockDim.x * blockDim.y * blockDim.z;
  unsigned const t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned const blocks = gridDim.x * gridDim.y * gridDim.z;
  unsigned const block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  for (int turn = 0; turn < turns; ++turn) {
    unsigned* const mine = words + unsigned(turn) * blocks * threads;
    mine[block * threads + t] = (block * threads + t) * 7 + unsigned(turn);
    if (!tweed::lastBlock(state + turn)) continue;
    atomicAdd(&lasts[turn], 1);
    unsigned long long sum = 0;
    for (unsigned b = 0; b < blocks; ++b) sum += mine[b * threads + (t + b + 1) % threads];
    totals[unsigned(turn) * threads + t] += sum;
  }
}

void checkShape(Shape const& shape, int turns, int launches) {
  dim3 const g = shape.grid, b = shape.block;
  CAPTURE(g.x);
  CAPTURE(g.y);
  CAPTURE(g.z);
  unsigned const blocks = g.x * g.y * g.z, threads = b.x * b.y * b.z;
  CAPTURE(blocks);
  CAPTURE(threads);
  std::size_t const sums = std::size_t(turns) * threads;
  DeviceArray<unsigned> const words(std::size_t(turns) * blocks * threads);
  DeviceArray<unsigned> const state(std::vector<unsigned>(std::size_t(turns), 0));
  DeviceArray<unsigned long long> const totals(std::vector<unsigned long long>(sums, 0));
  DeviceArray<int> const lasts(std::vector<int>(std::size_t(turns), 0));
  for (int i = 0; i < launches; ++i) {
    // The words of the launch before must not pass for this one's.
    TWEED_CHECK(cudaMemset(words.data(), 0xA5, words.size() * sizeof(unsigned)));
    tweed::launch(addUp, {g, b}, words.data(), state.data(), totals.data(), lasts.data(), turns);
  }
  tweed::synchronize();
  std::vector<unsigned long long> const got = totals.host();
  for (int turn = 0; turn < turns; ++turn) {
    CHECK(state.host()[std::size_t(turn)] == 0);
    CHECK(lasts.host()[std::size_t(turn)] == launches * int(threads));
    for (unsigned t = 0; t < threads; ++t) {
      unsigned long long want = 0;
      for (unsigned k = 0; k < blocks; ++k)
        want += (k * threads + (t + k + 1) % threads) * 7 + unsigned(turn);
      REQUIRE(got[std::size_t(turn) * threads + t] == want * std::uint64_t(launches));
    }
  }
}

__device__ unsigned globalState;
__global__ void useGlobalState(int* lasts) {
  if (tweed::lastBlock(&globalState)) lasts[threadIdx.x] += 1 + int(gridDim.x);
}

__global__ void writeRanks(unsigned long long* out) {
  unsigned const rank = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  out[rank] = tweed::detail::gridBlockRank();
}

}  // namespace

TEST_SUITE("lastBlock") {
  TEST_CASE("one block is last and sees what all have written, launch after launch") {
    std::vector<Shape> const shapes = {
        {1, 1},
        {1, 64},
        {2, 33},
        {7, 1},
        {40, 64},
        {dim3(3, 5), dim3(8, 4)},
        {dim3(1, 2, 3), dim3(2, 3, 5)},
        {dim3(2, 2, 2), dim3(1, 1, 64)},
        {100, 32},
    };
    for (Shape const& shape : shapes) checkShape(shape, 1, isShort() ? 2 : 3);
    if (!isShort()) checkShape({1000, 32}, 1, 2);
  }
  TEST_CASE("x counts fastest, as for threads") {
    DeviceArray<unsigned long long> const ranks(3 * 4 * 5);
    tweed::launch(writeRanks, {dim3(3, 4, 5), 1}, ranks.data());
    tweed::synchronize();
    std::vector<unsigned long long> const got = ranks.host();
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == i);
  }
  TEST_CASE("several calls in one launch, with a state each") {
    checkShape({5, 40}, 3, 2);
    checkShape({dim3(2, 3), dim3(4, 8)}, 2, 2);
  }
  TEST_CASE("a __device__ variable is a state") {
    DeviceArray<int> const lasts(std::vector<int>(40, 0));
    for (int blocks : {3, 1, 8}) tweed::launch(useGlobalState, {blocks, 40}, lasts.data());
    tweed::synchronize();
    CHECK(lasts.host() == std::vector<int>(40, 4 + 2 + 9));
  }
#if !defined(TWEED_LOOM)
  TEST_CASE("a graph of launches is replayed without a reset") {
    unsigned const blocks = 500, threads = 128;
    DeviceArray<unsigned> const words(blocks * threads);
    DeviceArray<unsigned> const state(std::vector<unsigned>(1, 0));
    DeviceArray<unsigned long long> const totals(std::vector<unsigned long long>(threads, 0));
    DeviceArray<int> const lasts(std::vector<int>(1, 0));
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    TWEED_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    TWEED_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < 3; ++i)
      tweed::launch(addUp, {blocks, threads, 0, stream}, words.data(), state.data(), totals.data(),
                    lasts.data(), 1);
    TWEED_CHECK(cudaStreamEndCapture(stream, &graph));
    TWEED_CHECK(cudaGraphInstantiate(&replay, graph, 0));
    for (int i = 0; i < 10; ++i) TWEED_CHECK(cudaGraphLaunch(replay, stream));
    tweed::synchronize(stream);
    CHECK(lasts.host()[0] == 30 * int(threads));
    CHECK(state.host()[0] == 0);
    (void)cudaGraphExecDestroy(replay);
    (void)cudaGraphDestroy(graph);
    (void)cudaStreamDestroy(stream);
  }
#endif
}
