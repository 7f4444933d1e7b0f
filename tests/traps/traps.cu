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
__global__ void warpCount(float* x) {
  x[threadIdx.x] = tweed::warpReduce<16>(x[threadIdx.x], tweed::Sum{}, 17);
}
__global__ void scanCount(float* x) {
  x[threadIdx.x] = tweed::blockInclusiveScan<64>(x[threadIdx.x], tweed::Sum{}, 0).prefix;
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
void namesKernel() { tweed::launch(writeNull, {3, 5}, nullptr); }
void blamesEarlier() {
  float* x = nullptr;
  TWEED_CHECK(cudaMalloc(&x, bytes));
  writeNull<<<1, 1>>>(nullptr);
  tweed::launch(fine, {1, 1}, x);
}

Case const cases[] = {{"otherBlock", run<otherBlock, 128>}, {"otherShape", run<otherShape, 128>},
                      {"tooDynamic", run<tooDynamic, 96>},  {"blockCount", run<blockCount, 64>},
                      {"warpCount", run<warpCount, 32>},    {"scanCount", run<scanCount, 64>},
                      {"namesKernel", namesKernel},         {"blamesEarlier", blamesEarlier}};

}  // namespace

int main(int argc, char** argv) { return runCase(cases, argc, argv); }
