// SPDX-License-Identifier: Apache-2.0
// tests/arch/bulkCopy.cu - tests tweed/arch/bulkCopy.cuh
#include <tweed/arch/bulkCopy.cuh>
#include <tweed/arch/cluster.cuh>
#include <tweed/arch/mbarrier.cuh>
#include <tweed/arch/sharedMemory.cuh>
#include <tweed/memory/tensorMap.cuh>

#include "support/hopper.cuh"

namespace {

using namespace tweedTest;

#if !defined(TWEED_LOOM)
// Copies `bytes` bytes, up to 4096 at a time, through shared memory.
__global__ void copyBytes(unsigned char const* in, unsigned char* out, unsigned bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using namespace tweed::arch;
  __shared__ alignas(128) unsigned char buffer[4096];
  __shared__ unsigned long long barrier;
  unsigned const b = sharedAddress(&barrier);
  mbarrierInit(b, 1);
  fenceMbarrierInit();
  unsigned parity = 0;
  for (unsigned begin = 0; begin < bytes; begin += 4096, parity ^= 1) {
    unsigned const count = bytes - begin < 4096 ? bytes - begin : 4096;
    bulkWaitRead<0>();
    mbarrierArriveExpect(b, count);
    bulkLoad(sharedAddress(buffer), in + begin, count, b);
    mbarrierWait(b, parity);
    bulkStore(out + begin, sharedAddress(buffer), count);
    bulkCommit();
  }
  bulkWait<0>();
#endif
}

// A box of 32 x 8 floats at (x, y, z), swizzled, as it stands in shared memory; then 100 added to
// each, and stored to the other tensor at the same place.
__global__ void moveBox(tweed::arch::TensorMap const __grid_constant__ from,
                        tweed::arch::TensorMap const __grid_constant__ to, int x, int y, int z,
                        float* box) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using namespace tweed::arch;
  __shared__ alignas(1024) float buffer[256];
  __shared__ unsigned long long barrier;
  unsigned const b = sharedAddress(&barrier);
  if (threadIdx.x == 0) {
    tensorPrefetch(&from);
    mbarrierInit(b, 1);
    fenceMbarrierInit();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    mbarrierArriveExpect(b, sizeof buffer);
    tensorLoad(sharedAddress(buffer), &from, b, x, y, z);
  }
  mbarrierWait(b, 0);
  int const t = int(threadIdx.x);
  box[t] = buffer[t];
  buffer[t] += 100;
  fenceAsyncProxy();
  __syncthreads();
  if (t == 0) {
    tensorStore(&to, sharedAddress(buffer), x, y, z);
    bulkCommit();
    bulkWait<0>();
  }
#endif
}

// Each block of a pair loads half of a box of 32 x 16 for both.
__global__ void loadTogether(tweed::arch::TensorMap const __grid_constant__ from, float* boxes) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  using namespace tweed::arch;
  __shared__ alignas(1024) float buffer[512];
  __shared__ unsigned long long barrier;
  unsigned const b = sharedAddress(&barrier);
  unsigned const rank = clusterRank();
  if (threadIdx.x == 0) {
    mbarrierInit(b, 1);
    fenceMbarrierInit();
  }
  syncCluster();
  if (threadIdx.x == 0) {
    mbarrierArriveExpect(b, sizeof buffer);
    tensorLoadMulticast(sharedAddress(buffer + rank * 256), &from, b, 0, int(rank) * 8, 0, 3);
  }
  mbarrierWait(b, 0);
  boxes[rank * 512 + threadIdx.x] = buffer[threadIdx.x];
  boxes[rank * 512 + 256 + threadIdx.x] = buffer[256 + threadIdx.x];
  syncCluster();
#endif
}

constexpr int width = 40, height = 13, depth = 3;

float valueAt(int x, int y, int z) { return float(1 + x + 100 * y + 10000 * z); }
bool isInside(int x, int y, int z) { return x < width && y < height && z < depth; }
// Where item (x, y) of a box of rows of 128 bytes stands.
int swizzled(int x, int y) { return y * 32 + ((x / 4) ^ (y % 8)) * 4 + x % 4; }
#endif

}  // namespace

TEST_SUITE("bulkCopy") {
  TEST_CASE("the loom has none") { CHECK((!isLoom || !tweed::arch::hasHopper)); }
#if !defined(TWEED_LOOM)
  TEST_CASE("bytes, in pieces and with an end") {
    if (!hasHopperHere()) return;
    for (unsigned const bytes : {0u, 16u, 48u, 4080u, 4096u, 4112u, 100000u}) {
      CAPTURE(bytes);
      std::vector<unsigned char> values(bytes);
      for (unsigned i = 0; i < bytes; ++i) values[i] = (unsigned char)(noise(i));
      DeviceArray<unsigned char> const in(values);
      DeviceArray<unsigned char> const out(bytes);
      tweed::launch(copyBytes, {1, 1}, in.data(), out.data(), bytes);
      tweed::synchronize();
      CHECK(out.host() == values);
    }
  }
  TEST_CASE("boxes of a tensor: zeros beyond it, and nothing is written there") {
    if (!hasHopperHere()) return;
    std::vector<float> values;
    for (int z = 0; z < depth; ++z)
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) values.push_back(valueAt(x, y, z));
    DeviceArray<float> const in(values);
    for (int const x : {0, 8, 32, 40})
      for (int const y : {0, 5, 12})
        for (int const z : {0, 2, 3}) {
          CAPTURE(x);
          CAPTURE(y);
          CAPTURE(z);
          DeviceArray<float> const out(std::vector<float>(values.size(), -1.0f));
          DeviceArray<float> const box(256);
          auto const mapOf = [&](float* p) {
            return tweed::makeTensorMap("it", p,
                                        {tweed::TensorShape::Element::Float,
                                         {width, height, depth},
                                         {width * 4, width * height * 4},
                                         {32, 8}});
          };
          tweed::launch(moveBox, {1, 256}, mapOf(in.data()), mapOf(out.data()), x, y, z,
                        box.data());
          tweed::synchronize();
          auto const loaded = box.host();
          std::vector<float> expected(values.size(), -1.0f);
          for (int j = 0; j < 8; ++j)
            for (int i = 0; i < 32; ++i) {
              bool const inside = isInside(x + i, y + j, z);
              float const value = inside ? valueAt(x + i, y + j, z) : 0.0f;
              CHECK(loaded[std::size_t(swizzled(i, j))] == value);
              if (inside)
                expected[std::size_t(((z * height) + y + j) * width + x + i)] = value + 100;
            }
          CHECK(out.host() == expected);
        }
  }
  TEST_CASE("two blocks load halves for each other") {
    if (!hasWgmmaHere()) return;
    std::vector<float> values(32 * 16);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(i);
    DeviceArray<float> const in(values);
    DeviceArray<float> const boxes(1024);
    auto const map = tweed::makeTensorMap(
        "it", in.data(), {tweed::TensorShape::Element::Float, {32, 16, 1}, {128, 0}, {32, 8}});
    tweed::LaunchConfig config{2, 256};
    config.cluster = 2;
    tweed::launch(loadTogether, config, map, boxes.data());
    tweed::synchronize();
    auto const found = boxes.host();
    for (int block = 0; block < 2; ++block)
      for (int y = 0; y < 16; ++y)
        for (int x = 0; x < 32; ++x)
          CHECK(found[std::size_t(block * 512 + y / 8 * 256 + swizzled(x, y % 8))] ==
                float(y * 32 + x));
  }
#endif
}
