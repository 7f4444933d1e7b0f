// SPDX-License-Identifier: Apache-2.0
// tests/arch/cluster.cu - tests tweed/arch/cluster.cuh, and mbarrierArriveAt()
#include <tweed/arch/cluster.cuh>
#include <tweed/arch/mbarrier.cuh>
#include <tweed/arch/sharedMemory.cuh>

#include "support/hopper.cuh"

namespace {

using namespace tweedTest;

#if !defined(TWEED_LOOM)
// out: for each block its rank, the blocks of its cluster, and the sums of what all of these keep.
__global__ void sumCluster(int turns, unsigned* out) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using namespace tweed::arch;
  __shared__ alignas(16) unsigned kept[4];
  unsigned const blocks = clusterBlocks();
  unsigned sums[4] = {};
  for (int turn = 0; turn < turns; ++turn) {
    if (threadIdx.x < 4) kept[threadIdx.x] = (blockIdx.x + 1) * (threadIdx.x + 1) + unsigned(turn);
    syncCluster();
    for (unsigned rank = 0; rank < blocks; ++rank) {
      Bytes16 const there = loadCluster(clusterAddress(sharedAddress(kept), rank));
      for (int i = 0; i < 4; ++i) sums[i] += there.word[i];
    }
    clusterArrive();
    clusterWait();
  }
  if (threadIdx.x == blockDim.x - 1) {
    out[blockIdx.x * 6] = clusterRank();
    out[blockIdx.x * 6 + 1] = blocks;
    for (int i = 0; i < 4; ++i) out[blockIdx.x * 6 + 2 + i] = sums[i];
  }
#endif
}

// Each block's barrier ends its phases by an arrival of each block of the cluster.
__global__ void arriveAtAll(int turns, int* phases) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using namespace tweed::arch;
  __shared__ unsigned long long barrier;
  unsigned const b = sharedAddress(&barrier);
  if (threadIdx.x == 0) {
    mbarrierInit(b, clusterBlocks());
    fenceMbarrierInit();
  }
  syncCluster();
  int ended = 0;
  for (int turn = 0; turn < turns; ++turn) {
    if (threadIdx.x < clusterBlocks()) mbarrierArriveAt(b, threadIdx.x);
    mbarrierWait(b, unsigned(turn) & 1);
    ++ended;
    __syncwarp();
  }
  if (threadIdx.x == 0) phases[blockIdx.x] = ended;
  syncCluster();
#endif
}
#endif

}  // namespace

TEST_SUITE("cluster") {
  TEST_CASE("the loom has none") { CHECK((!isLoom || !tweed::arch::hasHopper)); }
#if !defined(TWEED_LOOM)
  TEST_CASE("blocks read what the others of their cluster keep") {
    if (!hasHopperHere()) return;
    for (unsigned const size : {1u, 2u, 4u, 8u}) {
      CAPTURE(size);
      unsigned const blocks = 3 * size;
      unsigned const turns = 5;
      DeviceArray<unsigned> const out(std::vector<unsigned>(blocks * 6, 99));
      tweed::LaunchConfig config{blocks, 64};
      config.cluster = size;
      tweed::launch(sumCluster, config, int(turns), out.data());
      tweed::synchronize();
      auto const found = out.host();
      for (unsigned block = 0; block < blocks; ++block) {
        CHECK(found[block * 6] == block % size);
        CHECK(found[block * 6 + 1] == size);
        for (unsigned i = 0; i < 4; ++i) {
          unsigned expected = 0;
          for (unsigned turn = 0; turn < turns; ++turn)
            for (unsigned other = block / size * size; other < block / size * size + size; ++other)
              expected += (other + 1) * (i + 1) + turn;
          CHECK(found[block * 6 + 2 + i] == expected);
        }
      }
    }
  }
  TEST_CASE("blocks arrive at each other's barriers") {
    if (!hasHopperHere()) return;
    for (unsigned const size : {1u, 2u, 8u}) {
      DeviceArray<int> const phases(std::vector<int>(2 * size, -1));
      tweed::LaunchConfig config{2 * size, 32};
      config.cluster = size;
      tweed::launch(arriveAtAll, config, 21, phases.data());
      tweed::synchronize();
      CHECK(phases.host() == std::vector<int>(2 * size, 21));
    }
  }
#endif
}
