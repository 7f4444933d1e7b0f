// SPDX-License-Identifier: Apache-2.0
// tests/traps/traps.cu - what TWEED_DEBUG stops on the GPU, each case a process of its own, since a
// trap ends the context. Prints the device's text; the test expects it. On the loom the same checks
// are ordinary tests.
#define TWEED_DEBUG
#include <tweed/tweed.cuh>

#include <cstddef>

#include "process.cuh"

namespace {

__global__ void otherBlock(float* x) { x[threadIdx.x] = tweed::blockReduce<256>(x[threadIdx.x]); }
__global__ void otherShape(float* x) {
  x[threadIdx.x] = tweed::blockReduce<tweed::Block<16, 8>>(x[threadIdx.x]);
}
__global__ void tooDynamic(float* x) {
  x[threadIdx.x] = tweed::blockReduce<tweed::Dynamic<64>>(x[threadIdx.x]);
}
__global__ void blockCount(float* x) {
  x[threadIdx.x] = tweed::blockReduce<64>(x[threadIdx.x], tweed::Sum{}, 65);
}
__global__ void scratchShape(float* x) {
  __shared__ tweed::BlockScratch<tweed::Block<256>, float> scratch;
  x[threadIdx.x] = tweed::blockReduce(x[threadIdx.x], tweed::Sum{}, scratch);
}
__global__ void scratchSize(float* x) {
  __shared__ tweed::BlockScratch<tweed::Dynamic<64>, float> scratch;
  x[threadIdx.x] = tweed::blockReduce(x[threadIdx.x], tweed::Sum{}, scratch, 3);
}
__global__ void scratchCount(float* x) {
  __shared__ tweed::BlockScratch<tweed::Block<64>, float> scratch;
  x[threadIdx.x] = tweed::blockReduce(x[threadIdx.x], tweed::Sum{}, scratch, 66);
}
__global__ void scratchNegative(float* x) {
  __shared__ tweed::BlockScratch<tweed::Block<96>, float> scratch;
  x[threadIdx.x] = tweed::blockReduce(x[threadIdx.x], tweed::Sum{}, scratch, -1);
}
__global__ void warpCount(float* x) {
  x[threadIdx.x] = tweed::warpReduce<16>(x[threadIdx.x], tweed::Sum{}, 17);
}
__global__ void scanCount(float* x) {
  x[threadIdx.x] = tweed::blockInclusiveScan<64>(x[threadIdx.x], tweed::Sum{}, 65).prefix;
}
__global__ void itemCount(float* x) {
  float const items[2] = {x[threadIdx.x], 0};
  x[threadIdx.x] = tweed::blockReduce<64>(items, tweed::Sum{}, 129);
}
__global__ void sharedCount(float* x) { x[threadIdx.x] = tweed::dynamicShared<float>(9)[0]; }

__global__ void otherScan(float* x) {
  x[threadIdx.x] = tweed::blockInclusiveScan<256>(x[threadIdx.x], tweed::Sum{}).prefix;
}
__global__ void otherExclusiveScan(float* x) {
  x[threadIdx.x] = tweed::blockExclusiveScan<64>(x[threadIdx.x], tweed::Sum{}, 0.f).prefix;
}
__global__ void partialWarp(float* x) { x[threadIdx.x] = tweed::warpReduce(x[threadIdx.x]); }
__global__ void partialGroup(float* x) {
  x[threadIdx.x] = tweed::warpInclusiveScan<16>(x[threadIdx.x], tweed::Sum{}).prefix;
}
__global__ void warpScanCount(float* x) {
  x[threadIdx.x] = tweed::warpExclusiveScan<8>(x[threadIdx.x], tweed::Sum{}, 0.f, 9).prefix;
}
__global__ void misaligned(float* x) {
  using Load = tweed::VectorLoad<float>;
  x[threadIdx.x] = Load::fold<float>(Load::load<0>(x + 4 * threadIdx.x + 2), tweed::Sum{}, 0);
}
__global__ void misalignedVector(float* x) {
  x[threadIdx.x] = tweed::loadVector<4>(x + 4 * threadIdx.x + 1).item[0];
}
__global__ void otherLanes(float* x) {
  x[threadIdx.x] = tweed::warpReduce(tweed::LaneMask{0xfu}, x[threadIdx.x], tweed::Sum{});
}
__global__ void absentLanes(float* x) {
  x[threadIdx.x] = tweed::warpReduce(tweed::LaneMask{~0u}, x[threadIdx.x], tweed::Sum{});
}
__global__ void sharedIndex(float* x) {
  __shared__ tweed::SharedArray<float, 48> items;
  items.construct(int(threadIdx.x), x[threadIdx.x]);
  x[threadIdx.x] = items[int(threadIdx.x)];
}
__global__ void twoDimensions(float* x) {
  for (auto const i : tweed::gridStride(10)) x[i] = 1;
}
__global__ void writeNull(float* x) { *x = 1; }
__global__ void fine(float* x) { *x = 1; }

constexpr std::size_t bytes = 1024;

template <void (*Kernel)(float*), unsigned Threads>
void run() {
  float* x = nullptr;
  TWEED_CHECK(cudaMalloc(&x, bytes));
  TWEED_CHECK(cudaMemset(x, 0, bytes));
  tweed::launch(Kernel, {1, Threads}, x);
}
void runTwoDimensions() {
  float* x = nullptr;
  TWEED_CHECK(cudaMalloc(&x, bytes));
  tweed::launch(twoDimensions, {dim3(2, 3), 32}, x);
}
void namesKernel() { tweed::launch(writeNull, {3, 5}, nullptr); }
void blamesEarlier() {
  float* x = nullptr;
  TWEED_CHECK(cudaMalloc(&x, bytes));
  writeNull<<<1, 1>>>(nullptr);
  tweed::launch(fine, {1, 1}, x);
}

Case const cases[] = {{"otherBlock", run<otherBlock, 128>},
                      {"otherShape", run<otherShape, 128>},
                      {"tooDynamic", run<tooDynamic, 96>},
                      {"blockCount", run<blockCount, 64>},
                      {"scratchShape", run<scratchShape, 128>},
                      {"scratchSize", run<scratchSize, 96>},
                      {"scratchCount", run<scratchCount, 64>},
                      {"scratchNegative", run<scratchNegative, 96>},
                      {"warpCount", run<warpCount, 32>},
                      {"scanCount", run<scanCount, 64>},
                      {"itemCount", run<itemCount, 64>},
                      {"otherScan", run<otherScan, 32>},
                      {"otherExclusiveScan", run<otherExclusiveScan, 63>},
                      {"partialWarp", run<partialWarp, 40>},
                      {"partialGroup", run<partialGroup, 40>},
                      {"warpScanCount", run<warpScanCount, 32>},
                      {"misaligned", run<misaligned, 32>},
                      {"misalignedVector", run<misalignedVector, 32>},
                      {"otherLanes", run<otherLanes, 32>},
                      {"absentLanes", run<absentLanes, 40>},
                      {"sharedIndex", run<sharedIndex, 64>},
                      {"sharedCount", run<sharedCount, 32>},
                      {"twoDimensions", runTwoDimensions},
                      {"namesKernel", namesKernel},
                      {"blamesEarlier", blamesEarlier}};

}  // namespace

int main(int argc, char** argv) { return runCase(cases, argc, argv); }
