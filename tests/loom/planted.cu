// SPDX-License-Identifier: Apache-2.0
/// One planted error a run, named by the first argument, for AddressSanitizer or ThreadSanitizer to
/// report; the case of the same name with "ok:" before it is right and must stay silent. Without an
/// argument lists the cases: sanitizer, name. planted.sh runs them all.
#if defined(TWEED_LOOM)
#include <tweed/arch/barrier.cuh>
#include <tweed/arch/copyAsync.cuh>
#include <tweed/block/blockReduce.cuh>

#include <cstring>
#include <string>

#include "support.cuh"

using loomTest::Array;
using loomTest::launch;
using loomTest::shape;

namespace {

// ------------------------------------------------------------------------------ memory
__global__ void writeAt(float* p, int i) { p[i + int(threadIdx.x)] = 1.f; }
__global__ void writeShared(int i) { loomTest::dynamicShared<float>()[i] = 1.f; }
__global__ void writeVector(char* p) {
  float4& v = *reinterpret_cast<float4*>(p);
  v.x = v.y = v.z = v.w = 1.f;
}

__global__ void copyPastEnd(float const* p, int i) {
  __shared__ float tile[1];
  tweed::arch::copyAsync<4>(tile, p + i);
}

void memoryCase(std::string const& name, bool right) {
  Array<float> memory(100);
  if (name == "globalPastEnd") launch(writeAt, shape(1, 1), memory.data(), right ? 99 : 100);
  if (name == "copyPastEnd") launch(copyPastEnd, shape(1, 1), memory.data(), right ? 99 : 100);
  if (name == "sharedPastEnd") launch(writeShared, shape(1, 1, 256), right ? 63 : 64);
  if (name == "misaligned")
    launch(writeVector, shape(1, 1), reinterpret_cast<char*>(memory.data()) + (right ? 16 : 4));
  if (name == "hostTouchesDevice") {
    if (right)
      memory.get();
    else
      memory.data()[3] = 1.f;
  }
  if (name == "useAfterFree") {
    float* p = nullptr;
    LOOM_REQUIRE(cudaMalloc(&p, 400));
    if (!right) cudaFree(p);
    launch(writeAt, shape(1, 1), p, 0);
    if (right) cudaFree(p);
  }
}

// ------------------------------------------------------------------------------ races
template <bool Right>
__global__ void barrier(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = int(threadIdx.x);
  if (Right) __syncthreads();
  out[threadIdx.x] = values[63 - threadIdx.x];
}
// The first threads wait in the last barrier before the others have started.
template <bool Right>
__global__ void beforeBarrier(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = int(threadIdx.x);
  if (Right) __syncthreads();
  out[threadIdx.x] = values[63 - threadIdx.x];
  __syncthreads();
}
template <bool Right>
__global__ void reuse(int* out) {
  __shared__ int values[64];
  for (int i = 0; i < 2; ++i) {
    values[threadIdx.x] = int(threadIdx.x) + i;
    __syncthreads();
    out[threadIdx.x] = values[63 - threadIdx.x];
    if (Right) __syncthreads();
  }
}
template <bool Right>
__global__ void warpSync(int* out) {
  __shared__ int values[32];
  values[threadIdx.x] = int(threadIdx.x);
  // A shuffle orders no memory, whatever the hardware does.
  if (Right)
    __syncwarp();
  else
    __shfl_sync(0xffffffffu, 1, 0);
  out[threadIdx.x] = values[31 - threadIdx.x];
}
template <bool Right>
__global__ void fence(int* data, unsigned* ticket) {
  data[1 + blockIdx.x] = int(blockIdx.x);
  if (Right) __threadfence();
  bool const last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  if (Right) __threadfence();
  if (!last) return;
  for (unsigned b = 0; b < gridDim.x; ++b) data[0] += data[1 + b];
}
template <bool Right>
__global__ void acquire(int* data, unsigned* flag) {
  using namespace tweed::loom::device;
  if (blockIdx.x == 0) {
    data[0] = 42;
    atomicStore(flag, 1u, __ATOMIC_RELEASE);
  } else {
    while (!atomicLoad(flag, Right ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED)) spinPause();
    data[blockIdx.x] = data[0];
  }
}
template <bool Right>
__global__ void acrossBlocks(int* data) {
  if (Right)
    atomicAdd(data, 1);
  else
    *data = *data + 1;
}
// The scratch of blockReduce, used again without the barrier that its contract asks for.
template <bool Right>
__global__ void scratch(int* out) {
  __shared__ tweed::BlockScratch<tweed::Block<64>, int> folds;
  for (int i = 0; i < 2; ++i) {
    out[threadIdx.x] = tweed::blockReduce(int(threadIdx.x) + i, tweed::Max{}, folds);
    if (Right) __syncthreads();
  }
}

// A tile that copies fill, without one of its two barriers.
enum class Lacks { nothing, barrierAfterWait, barrierBeforeRefill };
template <Lacks What>
__global__ void copyTile(int* data) {
  __shared__ int tile[32];
  int const i = int(threadIdx.x);
  for (int turn = 0; turn < 2; ++turn) {
    tweed::arch::copyAsync<4>(&tile[i], &data[i]);
    tweed::arch::waitForAllCopies();
    if (What != Lacks::barrierAfterWait) tweed::arch::syncBlock();
    data[32 + i] = tile[31 - i];
    if (What != Lacks::barrierBeforeRefill) tweed::arch::syncBlock();
  }
}

void raceCase(std::string const& name, bool right) {
  tweed::loom::Options options = tweed::loom::defaults();
  options.schedule = tweed::loom::Order::random;
  options.residentBlocks = 8;
  options.preempt = 4;
  tweed::loom::ScopedOptions scope(options);
  Array<int> data(64);
  Array<unsigned> word(1);
  if (name == "barrier") launch(right ? barrier<true> : barrier<false>, shape(1, 64), data.data());
  if (name == "beforeBarrier") {
    options.schedule = tweed::loom::Order::forward;
    options.preempt = 0;
    tweed::loom::ScopedOptions inOrder(options);
    launch(right ? beforeBarrier<true> : beforeBarrier<false>, shape(1, 64), data.data());
  }
  if (name == "reuse") launch(right ? reuse<true> : reuse<false>, shape(1, 64), data.data());
  if (name == "scratch") launch(right ? scratch<true> : scratch<false>, shape(1, 64), data.data());
  if (name == "warpSync")
    launch(right ? warpSync<true> : warpSync<false>, shape(1, 32), data.data());
  if (name == "fence")
    launch(right ? fence<true> : fence<false>, shape(8, 1), data.data(), word.data());
  if (name == "acquire")
    launch(right ? acquire<true> : acquire<false>, shape(8, 1), data.data(), word.data());
  if (name == "copyWait")
    launch(right ? copyTile<Lacks::nothing> : copyTile<Lacks::barrierAfterWait>, shape(1, 32),
           data.data());
  if (name == "copyRefill")
    launch(right ? copyTile<Lacks::nothing> : copyTile<Lacks::barrierBeforeRefill>, shape(1, 32),
           data.data());
  if (name == "acrossBlocks")
    launch(right ? acrossBlocks<true> : acrossBlocks<false>, shape(8, 1), data.data());
}

char const* const memoryCases[] = {"globalPastEnd", "copyPastEnd",       "sharedPastEnd",
                                   "misaligned",    "hostTouchesDevice", "useAfterFree"};
char const* const raceCases[] = {"barrier",  "beforeBarrier", "reuse",   "scratch",
                                 "warpSync", "fence",         "acquire", "acrossBlocks",
                                 "copyWait", "copyRefill"};

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    for (char const* name : memoryCases) std::printf("address %s\n", name);
    for (char const* name : raceCases) std::printf("thread %s\n", name);
    return 0;
  }
  std::string name = arguments[1];
  bool const right = name.rfind("ok:", 0) == 0;
  if (right) name.erase(0, 3);
  for (char const* known : memoryCases)
    if (name == known) return memoryCase(name, right), 0;
  for (char const* known : raceCases)
    if (name == known) return raceCase(name, right), 0;
  std::fprintf(stderr, "planted: no case %s\n", arguments[1]);
  return 2;
}
#else
int main() { return 77; }  // for the loom alone: skipped on a GPU
#endif
