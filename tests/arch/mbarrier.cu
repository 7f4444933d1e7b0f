// SPDX-License-Identifier: Apache-2.0
// tests/arch/mbarrier.cu - tests tweed/arch/mbarrier.cuh
#include <tweed/arch/mbarrier.cuh>
#include <tweed/arch/sharedMemory.cuh>

#include "support/hopper.cuh"

namespace {

using namespace tweedTest;

#if !defined(TWEED_LOOM)
// Thread 0 of the second warp hands `turns` numbers to the first warp through a ring of 3 places;
// the warp adds them up, each lane for itself.
__global__ void ring(int turns, int* sums) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using namespace tweed::arch;
  constexpr int places = 3;
  __shared__ int value[places];
  __shared__ unsigned long long full[places], empty[places];
  if (threadIdx.x == 0) {
    for (int i = 0; i < places; ++i) {
      mbarrierInit(sharedAddress(&full[i]), 1);
      mbarrierInit(sharedAddress(&empty[i]), 32);
    }
    fenceMbarrierInit();
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    for (int i = 0; i < turns; ++i) {
      mbarrierWait(sharedAddress(&empty[i % places]), unsigned(i / places + 1) & 1);
      value[i % places] = i * i + 1;
      mbarrierArrive(sharedAddress(&full[i % places]));
    }
  } else if (threadIdx.x < 32) {
    int sum = 0;
    for (int i = 0; i < turns; ++i) {
      mbarrierWait(sharedAddress(&full[i % places]), unsigned(i / places) & 1);
      sum += value[i % places];
      mbarrierArrive(sharedAddress(&empty[i % places]));
    }
    sums[threadIdx.x] = sum;
  }
#endif
}

// What a wait says before and after the last of three arrivals.
__global__ void countArrivals(int* hasEnded) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using namespace tweed::arch;
  __shared__ unsigned long long barrier;
  unsigned const b = sharedAddress(&barrier);
  mbarrierInit(b, 3);
  hasEnded[0] = mbarrierTryWait(b, 1);  // the phase before the first
  mbarrierArrive(b);
  mbarrierArriveExpect(b, 0);
  hasEnded[1] = mbarrierTryWait(b, 0);
  mbarrierArrive(b);
  hasEnded[2] = mbarrierTryWait(b, 0);
  hasEnded[3] = mbarrierTryWait(b, 1);  // the second phase has begun
#endif
}
#endif

}  // namespace

TEST_SUITE("mbarrier") {
  TEST_CASE("the loom has none") { CHECK((!isLoom || !tweed::arch::hasHopper)); }
#if !defined(TWEED_LOOM)
  TEST_CASE("a ring of three places hands each number on once") {
    if (!hasHopperHere()) return;
    for (int const turns : {0, 1, 2, 3, 4, 7, 200}) {
      CAPTURE(turns);
      DeviceArray<int> const sums(std::vector<int>(32, -1));
      tweed::launch(ring, {1, 64}, turns, sums.data());
      tweed::synchronize();
      int expected = 0;
      for (int i = 0; i < turns; ++i) expected += i * i + 1;
      CHECK(sums.host() == std::vector<int>(32, expected));
    }
  }
  TEST_CASE("a phase ends with its last arrival") {
    if (!hasHopperHere()) return;
    DeviceArray<int> const hasEnded(std::vector<int>(4, -1));
    tweed::launch(countArrivals, {1, 1}, hasEnded.data());
    tweed::synchronize();
    CHECK(hasEnded.host() == std::vector<int>{1, 0, 1, 0});
  }
#endif
}
