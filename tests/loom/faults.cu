// SPDX-License-Identifier: Apache-2.0
/// Each kernel breaks one rule of CUDA; the loom must say which, under every order of threads. Not
/// for a GPU, which would hang or stay silent.
#include <doctest/doctest.h>

#include "support.cuh"

#if defined(TWEED_LOOM)
#include <stdexcept>
#include <string>

using namespace tweed::loom;
using loomTest::shape;

namespace {

__global__ void nothing() {}
__global__ void exitsBeforeBarrier() {
  if (threadIdx.x >= 192) return;
  __syncthreads();
}
__global__ void twoBarriers() {
  if (threadIdx.x < 64)
    __syncthreads();
  else
    __syncthreads();
}
__global__ void twoKindsOfBarrier() {
  // clang-format off
  if (threadIdx.x < 64) __syncthreads(); else __syncthreads_or(1);
  // clang-format on
}
__global__ void unequalLoops() {
  for (unsigned i = 0; i < threadIdx.x / 32 + 1; ++i) __syncthreads();
}
__global__ void maskOmitsCaller() { __shfl_sync(0xffff0000u, 1, 16); }
__global__ void readsOutsideMask() {
  if (threadIdx.x < 16) __shfl_down_sync(0x0000ffffu, int(threadIdx.x), 8);
}
__global__ void readsExitedLane() {
  if (threadIdx.x == 5) return;
  __shfl_sync(0xffffffffu, 1, 5);
}
__global__ void foldsExitedLane() {
  if (threadIdx.x == 5) return;
  __reduce_add_sync(0xffffffffu, 1);
}
__global__ void fullMask() { __shfl_xor_sync(0xffffffffu, 1, 1); }
__global__ void fullMaskInBranch() {
  if (threadIdx.x < 16) __ballot_sync(0xffffffffu, 1);
  __syncthreads();
}
__global__ void masksDisagree() {
  if (threadIdx.x % 2)
    __shfl_xor_sync(0xffffffffu, 1, 1);
  else
    __shfl_xor_sync(0x55555557u, 1, 2);
}
__global__ void differentIntrinsics() {
  if (threadIdx.x < 16)
    __ballot_sync(0xffffffffu, 1);
  else
    __any_sync(0xffffffffu, 1);
}
__global__ void badWidth() { __shfl_sync(0xffffffffu, 1, 0, 12); }
__global__ void spinsForever(unsigned* flag) {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    while (*static_cast<unsigned volatile*>(flag) != 7) __nanosleep(20);
}
__global__ void votesForever(unsigned* flag) {
  do __nanosleep(20);
  while (__any_sync(0xffffffffu, *static_cast<unsigned volatile*>(flag) != 7));
}
__global__ void lockNeverReleased(unsigned* lock) {
  while (atomicCAS(lock, 0u, 1u) != 0u) {
  }
}
__global__ void loadsForever(unsigned* flag) {
  while (device::atomicLoad(flag, __ATOMIC_ACQUIRE) != 7) {
  }
}
__global__ void waitsForLaterBlock(unsigned* flag) {
  if (blockIdx.x == 0)
    while (device::atomicLoad(flag, __ATOMIC_ACQUIRE) != 7) device::spinPause();
  else
    device::atomicStore(flag, 7u, __ATOMIC_RELEASE);
}
__global__ void traps() {
  if (threadIdx.x == 3) __trap();
}
__global__ void trapsWithText() {
  if (threadIdx.x == 35) device::trap("count 7 exceeds 5");
}
__global__ void throws() {
  __syncthreads();
  if (threadIdx.x == 7) throw std::out_of_range("index 7");
}
__global__ void launchesKernel() {
  cudaLaunchConfig_t const config = shape(1, 32);
  cudaLaunchKernelEx(&config, nothing);
}
__global__ void badNamedBarrier() { device::namedBarrier(16, 32); }
__global__ void namedBarriersDisagree() { device::namedBarrier(1, threadIdx.x < 32 ? 64 : 96); }
__global__ void namedBarrierShort() {
  if (threadIdx.x < 32) device::namedBarrier(2, 64);
}

struct Outcome {
  bool faulted;
  FaultKind kind;
  std::string text;
};

template <typename... Parameters, typename... Arguments>
Outcome outcome(void (*kernel)(Parameters...), cudaLaunchConfig_t const& config,
                Arguments... arguments) {
  try {
    LOOM_REQUIRE(cudaLaunchKernelEx(&config, kernel, arguments...));
  } catch (Fault const& fault) {
    return {true, fault.kind, fault.what()};
  }
  return {false, {}, ""};
}

/// Runs under the three orders; the text must hold each of `parts`.
template <typename... Parameters, typename... Arguments>
void expect(FaultKind kind, std::vector<std::string> const& parts, void (*kernel)(Parameters...),
            cudaLaunchConfig_t const& config, Arguments... arguments) {
  for (Order order : {Order::forward, Order::reverse, Order::random}) {
    Options options = defaults();
    options.schedule = order;
    options.spinLimit = 100;
    options.residentBlocks = 1;
    ScopedOptions scope(options);
    Outcome const o = outcome(kernel, config, arguments...);
    CAPTURE(int(order));
    CAPTURE(o.text);
    CHECK(o.faulted);
    CHECK(o.kind == kind);
    CHECK(o.text.find("tweed loom: (anonymous namespace)::") == 0);
    CHECK(o.text.find("\n  schedule ") != std::string::npos);
    for (std::string const& part : parts) {
      CAPTURE(part);
      CHECK(o.text.find(part) != std::string::npos);
    }
    CHECK_FALSE(outcome(nothing, shape(2, 64)).faulted);  // still usable
  }
}

}  // namespace

TEST_CASE("loom faults: barriers") {
  expect(FaultKind::barrier,
         {"exitsBeforeBarrier()", "grid (2,1,1), block (0,0,0) of 256 threads",
          "barrier divergence: __syncthreads at faults.cu:",
          "is reached by 192 of 256 threads, the others have exited",
          "threads 0-191 wait in __syncthreads", "threads 192-255 have exited"},
         exitsBeforeBarrier, shape(2, 256));
  expect(FaultKind::barrier,
         {"barrier divergence: thread ", "reaches __syncthreads at faults.cu:",
          "while others wait in __syncthreads at faults.cu:"},
         twoBarriers, shape(1, 128));
  expect(FaultKind::barrier, {"__syncthreads_or at faults.cu:", "__syncthreads at faults.cu:"},
         twoKindsOfBarrier, shape(1, 128));
  expect(FaultKind::barrier, {"barrier divergence: __syncthreads at faults.cu:", "32 of 64"},
         unequalLoops, shape(1, 64));
  expect(FaultKind::barrier, {"named barrier 16 of 32 threads", "id must be below 16"},
         badNamedBarrier, shape(1, 32));
  expect(FaultKind::barrier, {"named barrier 1 at faults.cu:", "64", "96"}, namedBarriersDisagree,
         shape(1, 96));
  expect(FaultKind::deadlock, {"threads 0-31 wait in named barrier 2 at faults.cu:"},
         namedBarrierShort, shape(1, 64));
}

TEST_CASE("loom faults: masks") {
  expect(FaultKind::mask,
         {"__shfl_sync(0xffff0000) at faults.cu:", "the mask omits the calling lane, thread "},
         maskOmitsCaller, shape(1, 16));
  expect(FaultKind::undefinedRead,
         {"__shfl_down_sync(0x0000ffff) at faults.cu:",
          "thread 8 (warp 0 lane 8) reads lane 16, which the mask omits"},
         readsOutsideMask, shape(1, 32));
  expect(FaultKind::undefinedRead, {"reads lane 5, which has exited"}, readsExitedLane,
         shape(1, 32));
  expect(FaultKind::undefinedRead,
         {"__reduce_add_sync(0xffffffff) at faults.cu:", "folds lane 5, which has exited"},
         foldsExitedLane, shape(1, 32));
  expect(FaultKind::mask,
         {"the mask names lanes that warp 1 does not have (it has 16, the block 48 threads)"},
         fullMask, shape(1, 48));
  expect(
      FaultKind::deadlock,
      {"deadlock: no thread of the block can run", "threads 0-15 wait in __ballot_sync(0xffffffff)",
       "for threads 16-31", "threads 16-63 wait in __syncthreads at faults.cu:"},
      fullMaskInBranch, shape(1, 64));
  expect(FaultKind::mask,
         {"lanes disagree on the mask: thread ",
          "(0xffffffff) at faults.cu:", "(0x55555557) at faults.cu:"},
         masksDisagree, shape(1, 32));
  expect(FaultKind::mask, {"lanes of one mask call different intrinsics: "}, differentIntrinsics,
         shape(1, 32));
  expect(FaultKind::mask, {"width 12 is not a power of two up to 32"}, badWidth, shape(1, 32));
}

TEST_CASE("loom faults: waiting for what does not come") {
  loomTest::Array<unsigned> word(1);
  std::vector<std::string> const spin = {" spins at faults.cu:",
                                         "101 rounds and nothing it waits for came"};
  expect(FaultKind::spin, spin, spinsForever, shape(1, 64), word.data());
  expect(FaultKind::spin, spin, votesForever, shape(1, 32), word.data());
  expect(FaultKind::spin, spin, lockNeverReleased, shape(1, 32), word.data());
  word.set({0});
  expect(FaultKind::spin, spin, loadsForever, shape(1, 2), word.data());
  expect(FaultKind::spin, spin, waitsForLaterBlock, shape(2, 1), word.data());
}

TEST_CASE("loom faults: ends of a thread") {
  expect(FaultKind::trap, {"__trap() at faults.cu:", "by thread 3 (warp 0 lane 3)"}, traps,
         shape(1, 32));
  expect(FaultKind::trap, {"count 7 exceeds 5 at faults.cu:", "by thread 35 (warp 1 lane 3)"},
         trapsWithText, shape(1, 64));
  expect(FaultKind::exception, {"an exception left the kernel: index 7"}, throws, shape(1, 32));
  expect(FaultKind::launch, {"a kernel launches a kernel: thread "}, launchesKernel, shape(1, 32));
  CHECK_THROWS_AS(__syncthreads(), Fault);
  CHECK_THROWS_AS(device::laneId(), Fault);
  CHECK_FALSE(device::inKernel());
}

TEST_CASE("loom faults: options that allow more") {
  Options options;
  options.exitedMayMissBarrier = true;
  options.readsMustBeDefined = false;
  options.absentLanesInMask = true;
  ScopedOptions scope(options);
  CHECK_FALSE(outcome(exitsBeforeBarrier, shape(2, 256)).faulted);
  CHECK_FALSE(outcome(readsExitedLane, shape(1, 32)).faulted);
  CHECK_FALSE(outcome(foldsExitedLane, shape(1, 32)).faulted);
  CHECK_FALSE(outcome(fullMask, shape(1, 48)).faulted);
}

TEST_CASE("loom faults: with resident blocks the first fault is told and the rest ends") {
  for (bool parallel : {false, true}) {
    Options options;
    options.residentBlocks = 4;
    options.parallel = parallel;
    ScopedOptions scope(options);
    for (int round = 0; round < 20; ++round) {  // a slot may be between two blocks at the fault
      Outcome const o = outcome(exitsBeforeBarrier, shape(8, 256));
      CHECK(o.kind == FaultKind::barrier);
      CHECK(o.text.find("4 blocks resident") != std::string::npos);
      CHECK_FALSE(outcome(nothing, shape(8, 64)).faulted);
    }
  }
}
#endif
