// SPDX-License-Identifier: Apache-2.0
// tests/traps/traps.cu - what TWEED_DEBUG stops on the GPU, each case a process of its own, since a
// trap ends the context. Prints the device's text; the test expects it. On the loom the same checks
// are ordinary tests.
#define TWEED_DEBUG
#include <tweed/tweed.cuh>

#include <cstdio>
#include <cstdlib>
#include <cstring>

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

struct Case {
  char const* name;
  void (*kernel)(float*);
  unsigned threads;
};
Case const cases[] = {{"otherBlock", otherBlock, 128}, {"otherShape", otherShape, 128},
                      {"tooDynamic", tooDynamic, 96},  {"blockCount", blockCount, 64},
                      {"warpCount", warpCount, 32},    {"scanCount", scanCount, 64}};

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    char const* const require = std::getenv("TWEED_REQUIRE_GPU");
    bool const required = require != nullptr && std::strcmp(require, "1") == 0;
    std::puts(required ? "FAIL: there is no CUDA device" : "SKIP: no CUDA device");
    return 77;
  }
  for (Case const& c : cases) {
    if (argc != 2 || std::strcmp(argv[1], c.name) != 0) continue;
    float* x = nullptr;
    TWEED_CHECK(cudaMalloc(&x, 256 * sizeof(float)));
    TWEED_CHECK(cudaMemset(x, 0, 256 * sizeof(float)));
    try {
      tweed::launch(c.kernel, {1, c.threads}, x);
    } catch (tweed::Error const& error) {
      std::printf("stopped: %s\n", error.what());
      return 1;
    }
    std::puts("FAIL: nothing stopped the kernel");
    return 0;
  }
  std::puts("FAIL: no such case");
  return 2;
}
