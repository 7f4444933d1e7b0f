// SPDX-License-Identifier: Apache-2.0
// tests/launch/occupancy.cu - tests tweed/launch/occupancy.cuh
#include <tweed/launch/occupancy.cuh>
#include <tweed/memory/dynamicShared.cuh>

#include <cstdint>
#include <iterator>
#include <vector>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define HAS_CUDA_OCCUPANCY_H
#endif

#include "support/device.cuh"

namespace {

using namespace tweedTest;

__global__ void nothing(int) {}
__global__ void large(int* out) { *tweed::dynamicShared<int>() = *out; }
__global__ void untouched(int* out) { *tweed::dynamicShared<int>() = *out; }

// Keeps Values values alive across a loop: as many registers and more, unless bounds say otherwise.
template <int Values>
TWEED_DEVICE void useRegisters(float* data, int turns) {
  float v[Values];
#pragma unroll
  for (int i = 0; i < Values; ++i) v[i] = data[i * 32 + int(threadIdx.x) % 32];
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < Values; ++i) v[i] = v[i] * v[(i + 7) % Values] + v[(i + 31) % Values];
  }
#pragma unroll
  for (int i = 0; i < Values; ++i) data[i * 32 + int(threadIdx.x) % 32] = v[i];
}
template <int Values>
__global__ void registers(float* data, int turns) {
  useRegisters<Values>(data, turns);
}
template <int Threads, int Blocks>
__global__ __launch_bounds__(Threads, Blocks) void bounded(float* data, int turns) {
  useRegisters<200>(data, turns);
}
template <int Bytes>
__global__ void fixedShared(float* data, int turns) {
  __shared__ float own[Bytes / 4];
  own[threadIdx.x % (Bytes / 4)] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = own[unsigned(turns) % (Bytes / 4)];
}

tweed::MultiprocessorLimits limitsOf(int computeCapability, int threads, int blocks, int sharedKiB,
                                     int optInKiB, int blockRegisters = 65536,
                                     int registers = 65536) {
  std::size_t const reserved = computeCapability >= 80 ? 1024 : 0;
  return {computeCapability,
          1024,
          threads,
          blocks,
          blockRegisters,
          registers,
          48 * 1024,
          std::size_t(optInKiB) * 1024,
          std::size_t(sharedKiB) * 1024,
          reserved};
}
// CUDA C++ Programming Guide, technical specifications per compute capability.
tweed::MultiprocessorLimits const devices[] = {
    limitsOf(30, 2048, 16, 48, 48),    limitsOf(37, 2048, 16, 112, 48, 65536, 131072),
    limitsOf(52, 2048, 32, 96, 48),    limitsOf(53, 2048, 32, 64, 48, 32768),
    limitsOf(60, 2048, 32, 64, 48),    limitsOf(61, 2048, 32, 96, 48),
    limitsOf(70, 2048, 32, 96, 96),    limitsOf(75, 1024, 16, 64, 64),
    limitsOf(80, 2048, 32, 164, 163),  limitsOf(86, 1536, 16, 100, 99),
    limitsOf(87, 1536, 16, 164, 163),  limitsOf(89, 1536, 24, 100, 99),
    limitsOf(90, 2048, 32, 228, 227),  limitsOf(100, 2048, 32, 228, 227),
    limitsOf(103, 2048, 32, 228, 227), limitsOf(110, 1536, 24, 228, 227),
    limitsOf(120, 1536, 24, 100, 99)};
tweed::MultiprocessorLimits limitsOf(int computeCapability) {
  for (tweed::MultiprocessorLimits const& limits : devices)
    if (limits.computeCapability == computeCapability) return limits;
  FAIL("no such device in the table");
  return {};
}

bool holds(tweed::Occupancy const& got, int blocks, int warps, double fraction,
           tweed::Resource limit) {
  return got.blocks == blocks && got.warps == warps && got.fraction == doctest::Approx(fraction) &&
         got.limit == limit;
}

#if defined(HAS_CUDA_OCCUPANCY_H)
cudaOccResult toolkitAnswer(tweed::KernelResources const& kernel,
                            tweed::MultiprocessorLimits const& limits) {
  cudaOccDeviceProp device;
  device.computeMajor = limits.computeCapability / 10;
  device.computeMinor = limits.computeCapability % 10;
  device.maxThreadsPerBlock = limits.threadsPerBlock;
  device.maxThreadsPerMultiprocessor = limits.threadsPerMultiprocessor;
  device.regsPerBlock = limits.registersPerBlock;
  device.regsPerMultiprocessor = limits.registersPerMultiprocessor;
  device.warpSize = 32;
  device.sharedMemPerBlock = limits.sharedBytesPerBlock;
  device.sharedMemPerMultiprocessor = limits.sharedBytesPerMultiprocessor;
  device.numSms = 1;
  device.sharedMemPerBlockOptin = limits.sharedBytesPerBlockOptIn;
  device.reservedSharedMemPerBlock = limits.sharedBytesReserved;
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = kernel.mostBlockThreads;
  function.numRegs = kernel.registersPerThread;
  function.sharedSizeBytes = kernel.staticSharedBytes;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = limits.sharedBytesPerBlockOptIn - kernel.staticSharedBytes;
  function.numBlockBarriers = kernel.blockBarriers;
  cudaOccDeviceState const state;
  int blocks = 0;
  REQUIRE(cudaOccMaxBlocksPerMultiprocessor(&blocks, &device) == CUDA_OCC_SUCCESS);
  REQUIRE(blocks == limits.blocksPerMultiprocessor);
  cudaOccResult result;
  REQUIRE(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state,
                                                  kernel.blockThreads,
                                                  kernel.dynamicSharedBytes) == CUDA_OCC_SUCCESS);
  return result;
}
unsigned factorOf(tweed::Resource resource) {
  switch (resource) {
    case tweed::Resource::Threads:
      return OCC_LIMIT_WARPS;
    case tweed::Resource::Blocks:
      return OCC_LIMIT_BLOCKS;
    case tweed::Resource::Registers:
      return OCC_LIMIT_REGISTERS;
    case tweed::Resource::Shared:
      return OCC_LIMIT_SHARED_MEMORY;
    default:
      return OCC_LIMIT_BARRIERS;
  }
}
#endif

// For all block sizes and several sizes of shared memory the runtime says the same, and asking
// changed nothing of the kernel.
template <class... Params>
void compareWithRuntime(void (*kernel)(Params...)) {
  void const* const address = reinterpret_cast<void const*>(kernel);
  tweed::MultiprocessorLimits const limits = tweed::multiprocessorLimits(tweed::currentDevice());
  cudaFuncAttributes before, after;
  TWEED_CHECK(cudaFuncGetAttributes(&before, address));
  CAPTURE(before.numRegs);
  CAPTURE(before.sharedSizeBytes);
  std::size_t const most = limits.sharedBytesPerBlockOptIn - before.sharedSizeBytes;
  std::vector<std::size_t> const sizes = {0,          1,        1000,      1024,          5000,
                                          16384,      40000,    48 * 1024, 48 * 1024 + 1, 70000,
                                          100 * 1024, most - 1, most};
  std::vector<tweed::Occupancy> got;
  for (std::size_t const shared : sizes)
    for (int threads = 1; threads <= before.maxThreadsPerBlock; threads += threads % 32 ? 31 : 32)
      got.push_back(tweed::occupancy(kernel, threads, shared));
  TWEED_CHECK(cudaFuncGetAttributes(&after, address));
  CHECK(after.maxDynamicSharedSizeBytes == before.maxDynamicSharedSizeBytes);
  CHECK(after.preferredShmemCarveout == before.preferredShmemCarveout);
  TWEED_CHECK(
      cudaFuncSetAttribute(address, cudaFuncAttributeMaxDynamicSharedMemorySize, int(most)));
  auto next = got.begin();
  for (std::size_t const shared : sizes)
    for (int threads = 1; threads <= before.maxThreadsPerBlock;
         threads += threads % 32 ? 31 : 32, ++next) {
      int blocks = -1;
      TWEED_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, address, threads, shared));
      CAPTURE(threads);
      CAPTURE(shared);
      REQUIRE(next->blocks == blocks);
      REQUIRE(next->warps == blocks * ((threads + 31) / 32));
      REQUIRE(next->needsOptIn == (shared + before.sharedSizeBytes > limits.sharedBytesPerBlock));
    }
}

std::uint64_t ceiling(std::uint64_t n, std::uint64_t d) { return n / d + (n % d != 0); }

}  // namespace

TEST_SUITE("occupancy") {
  TEST_CASE("worked examples of a card of compute capability 9.0") {
    using tweed::Resource;
    tweed::MultiprocessorLimits const h200 = limitsOf(90);
    // Registers of a thread, bytes of static and dynamic shared memory, threads of a block.
    CHECK(holds(tweed::occupancy({32, 0, 0, 256}, h200), 8, 64, 1.0, Resource::Threads));
    CHECK(holds(tweed::occupancy({64, 0, 0, 256}, h200), 4, 32, 0.5, Resource::Registers));
    CHECK(holds(tweed::occupancy({32, 0, 48 * 1024, 256}, h200), 4, 32, 0.5, Resource::Shared));
    CHECK(holds(tweed::occupancy({32, 0, 0, 32}, h200), 32, 32, 0.5, Resource::Blocks));
    CHECK(holds(tweed::occupancy({32, 0, 0, 1024}, h200), 2, 64, 1.0, Resource::Threads));
    // 33 registers are 40, since a warp gets them by 256; 1000 threads are 32 warps.
    CHECK(holds(tweed::occupancy({33, 0, 0, 256}, h200), 6, 48, 0.75, Resource::Registers));
    CHECK(holds(tweed::occupancy({32, 0, 0, 1000}, h200), 2, 64, 1.0, Resource::Threads));
    CHECK(holds(tweed::occupancy({32, 0, 0, 1}, h200), 32, 32, 0.5, Resource::Blocks));
    CHECK(holds(tweed::occupancy({0, 0, 0, 768}, h200), 2, 48, 0.75, Resource::Threads));
    // Static and dynamic memory count alike, and each block takes 1 KiB more.
    CHECK(holds(tweed::occupancy({32, 28 * 1024, 20 * 1024, 256}, h200), 4, 32, 0.5,
                Resource::Shared));
    CHECK(tweed::occupancy({32, 0, 113 * 1024, 256}, h200).blocks == 2);
    CHECK(tweed::occupancy({32, 0, 113 * 1024 + 1, 256}, h200).blocks == 1);
  }
  TEST_CASE("named barriers: a multiprocessor has two for each block, or one") {
    using tweed::Resource;
    tweed::MultiprocessorLimits const h200 = limitsOf(90);
    CHECK(holds(tweed::occupancy({18, 768, 0, 192, 1024, 16}, h200), 4, 24, 24 / 64.0,
                Resource::Barriers));
    CHECK(holds(tweed::occupancy({18, 768, 0, 32, 1024, 3}, h200), 21, 21, 21 / 64.0,
                Resource::Barriers));
    CHECK(holds(tweed::occupancy({18, 768, 0, 32, 1024, 2}, h200), 32, 32, 0.5, Resource::Blocks));
    CHECK(holds(tweed::occupancy({18, 0, 0, 32, 1024, 0}, h200), 32, 32, 0.5, Resource::Blocks));
    CHECK(holds(tweed::occupancy({18, 0, 0, 32, 1024, 2}, limitsOf(120)), 12, 12, 0.25,
                Resource::Barriers));
    CHECK(tweed::occupancy({18, 0, 0, 32, 1024, 16}, limitsOf(89)).blocks == 24);
  }
  TEST_CASE("C38: what does not fit once has 0 blocks, and says for want of what") {
    using tweed::Resource;
    tweed::MultiprocessorLimits const h200 = limitsOf(90);
    CHECK(holds(tweed::occupancy({156, 0, 0, 512}, h200), 0, 0, 0, Resource::Registers));
    CHECK(holds(tweed::occupancy({65, 0, 0, 1024}, h200), 0, 0, 0, Resource::Registers));
    CHECK(tweed::occupancy({64, 0, 0, 1024}, h200).blocks == 1);
    CHECK(holds(tweed::occupancy({257, 0, 0, 32}, h200), 0, 0, 0, Resource::Registers));
    CHECK(holds(tweed::occupancy({32, 0, 300 * 1024, 32}, h200), 0, 0, 0, Resource::Shared));
    CHECK(holds(tweed::occupancy({32, 0, SIZE_MAX, 32}, h200), 0, 0, 0, Resource::Shared));
    CHECK(holds(tweed::occupancy({32, 1, 227 * 1024, 32}, h200), 0, 0, 0, Resource::Shared));
    CHECK(holds(tweed::occupancy({32, 0, 0, 257, 256}, h200), 0, 0, 0, Resource::Threads));
    CHECK(holds(tweed::occupancy({255, 0, 0, 512, 256}, h200), 0, 0, 0, Resource::Registers));
    CHECK(tweed::occupancy({32, 0, 0, 256, 256}, h200).blocks == 8);
  }
  TEST_CASE("it says what launch() opts in to") {
    tweed::MultiprocessorLimits const h200 = limitsOf(90);
    CHECK(!tweed::occupancy({32, 0, 48 * 1024, 32}, h200).needsOptIn);
    CHECK(tweed::occupancy({32, 0, 48 * 1024 + 1, 32}, h200).needsOptIn);
    CHECK(tweed::occupancy({32, 1, 48 * 1024, 32}, h200).needsOptIn);
    CHECK(tweed::occupancy({32, 1, SIZE_MAX, 32}, h200).needsOptIn);
  }
  TEST_CASE("the resources have names") {
    CHECK(std::string(tweed::resourceName(tweed::Resource::Threads)) == "threads");
    CHECK(std::string(tweed::resourceName(tweed::Resource::Blocks)) == "blocks");
    CHECK(std::string(tweed::resourceName(tweed::Resource::Registers)) == "registers");
    CHECK(std::string(tweed::resourceName(tweed::Resource::Shared)) == "shared memory");
    CHECK(std::string(tweed::resourceName(tweed::Resource::Barriers)) == "barriers");
  }
  TEST_CASE("old cards: the limits of compute capability 2.0 and 3.5") {
    using tweed::Resource;
    tweed::MultiprocessorLimits const fermi = {20,    1024,      1536,      8,         32768,
                                               32768, 48 * 1024, 48 * 1024, 48 * 1024, 0};
    CHECK(holds(tweed::occupancy({20, 0, 0, 256}, fermi), 6, 48, 1.0, Resource::Threads));
    CHECK(holds(tweed::occupancy({21, 0, 0, 256}, fermi), 5, 40, 40 / 48.0, Resource::Registers));
    CHECK(holds(tweed::occupancy({20, 0, 0, 64}, fermi), 8, 16, 16 / 48.0, Resource::Blocks));
    CHECK(holds(tweed::occupancy({20, 16 * 1024, 0, 256}, fermi), 3, 24, 0.5, Resource::Shared));
    CHECK(tweed::occupancy({64, 0, 0, 32}, fermi).blocks == 0);
    tweed::MultiprocessorLimits kepler = limitsOf(30);
    kepler.computeCapability = 35;
    CHECK(holds(tweed::occupancy({32, 0, 0, 256}, kepler), 8, 64, 1.0, Resource::Threads));
    CHECK(holds(tweed::occupancy({32, 0, 0, 64}, kepler), 16, 32, 0.5, Resource::Blocks));
    CHECK(holds(tweed::occupancy({63, 0, 0, 256}, kepler), 4, 32, 0.5, Resource::Registers));
  }
  TEST_CASE("old cards: each limit of compute capability 2.0 to 3.5 by itself") {
    using tweed::Resource;
    struct {
      int computeCapability, threads, blocks, registers, registersWhenFull, blocksWithOneMore;
    } const cards[] = {{20, 1536, 8, 32768, 20, 5},
                       {21, 1536, 8, 32768, 20, 5},
                       {30, 2048, 16, 65536, 32, 6},
                       {35, 2048, 16, 65536, 32, 6}};
    for (auto const& card : cards) {
      CAPTURE(card.computeCapability);
      tweed::MultiprocessorLimits const limits = {
          card.computeCapability, 1024,      card.threads, card.blocks, card.registers,
          card.registers,         48 * 1024, 48 * 1024,    48 * 1024,   0};
      int const full = card.threads / 256;
      CHECK(holds(tweed::occupancy({card.registersWhenFull, 0, 0, 256}, limits), full, full * 8, 1,
                  Resource::Threads));
      // One register more is several, since a warp gets them by 64 or 256.
      int const fewer = card.blocksWithOneMore;
      CHECK(holds(tweed::occupancy({card.registersWhenFull + 1, 0, 0, 256}, limits), fewer,
                  fewer * 8, double(fewer) / full, Resource::Registers));
      CHECK(holds(tweed::occupancy({0, 0, 0, 32}, limits), card.blocks, card.blocks,
                  32.0 * card.blocks / card.threads, Resource::Blocks));
      std::size_t const share = 48 * 1024 / full;
      CHECK(tweed::occupancy({0, share, 0, 256}, limits).blocks == full);
      CHECK(holds(tweed::occupancy({0, share + 1, 0, 256}, limits), full - 1, full * 8 - 8,
                  1 - 1.0 / full, Resource::Shared));
    }
  }
#if defined(HAS_CUDA_OCCUPANCY_H)
  TEST_CASE("the toolkit's calculator says the same, on many kernels and devices") {
    int const kernels = isShort() ? 2000 : 10000;
    std::uint64_t seed = 20250114;
    auto const upTo = [&](std::uint64_t most) { return noise(++seed) % (most + 1); };
    std::vector<tweed::MultiprocessorLimits> all(std::begin(devices), std::end(devices));
    for (tweed::MultiprocessorLimits device : devices) {  // and cards with half as many for a block
      device.registersPerBlock /= 2;
      all.push_back(device);
    }
    for (tweed::MultiprocessorLimits const& device : all) {
      CAPTURE(device.computeCapability);
      int limited[5] = {}, none = 0;
      for (int i = 0; i < kernels; ++i) {
        tweed::KernelResources kernel;
        // Most of the time what real kernels take, which are near the edges.
        kernel.blockThreads = int(i % 3 ? 32 * (1 + upTo(31)) : 1 + upTo(1023));
        kernel.registersPerThread = int(i % 5 ? 16 + upTo(64) : upTo(260));
        kernel.staticSharedBytes = i % 2 ? 0 : upTo(48 * 1024);
        kernel.blockBarriers = i % 4 ? 1 : int(noise(std::uint64_t(i)) % 17);
        std::size_t const room = device.sharedBytesPerBlockOptIn - kernel.staticSharedBytes;
        switch (upTo(5)) {
          case 0:
            kernel.dynamicSharedBytes = upTo(256 * 1024);
            break;
          case 1:
            kernel.dynamicSharedBytes = room - upTo(tweed::smaller(room, std::size_t(1100)));
            break;
          case 2:  // an even share of the multiprocessor, one way or the other
            kernel.dynamicSharedBytes = tweed::smaller(
                room, device.sharedBytesPerMultiprocessor / (1 + upTo(31)) + upTo(2) * 128);
            break;
          case 3:
            kernel.dynamicSharedBytes = upTo(4096);
            break;
          default:
            break;
        }
        CAPTURE(kernel.blockThreads);
        CAPTURE(kernel.registersPerThread);
        CAPTURE(kernel.staticSharedBytes);
        CAPTURE(kernel.dynamicSharedBytes);
        CAPTURE(kernel.blockBarriers);
        cudaOccResult const expected = toolkitAnswer(kernel, device);
        tweed::Occupancy const got = tweed::occupancy(kernel, device);
        REQUIRE(got.blocks == expected.activeBlocksPerMultiprocessor);
        REQUIRE((expected.limitingFactors & factorOf(got.limit)) != 0);
        ++limited[int(got.limit)];
        none += got.blocks == 0;
      }
      // The kernels must show each limit.
      for (int i = 0; i < (device.computeCapability < 90 ? 4 : 5); ++i)
        CHECK(limited[i] > kernels / 500);
      CHECK(none > kernels / 500);
    }
  }
#else
  TEST_CASE("skipped: the toolkit's calculator, since there is no toolkit") {}
#endif
  TEST_CASE("the runtime says the same, and asking changes nothing of a kernel") {
    compareWithRuntime(untouched);
    compareWithRuntime(registers<8>);
    compareWithRuntime(registers<32>);
#if !defined(TWEED_LOOM)  // which sees neither registers nor static shared memory
    compareWithRuntime(registers<60>);
    compareWithRuntime(registers<100>);
    compareWithRuntime(registers<160>);
    compareWithRuntime(registers<220>);
    compareWithRuntime(bounded<256, 1>);
    compareWithRuntime(bounded<256, 4>);
    compareWithRuntime(bounded<1024, 1>);
    compareWithRuntime(bounded<1024, 2>);
    compareWithRuntime(bounded<96, 10>);
    compareWithRuntime(fixedShared<4>);
    compareWithRuntime(fixedShared<5000>);
    compareWithRuntime(fixedShared<48 * 1024>);
#endif
  }
  TEST_CASE("C38: a kernel whose registers and threads a block has not does not fit") {
#if defined(TWEED_LOOM)
    MESSAGE("skipped: the loom counts no registers");
#else
    cudaFuncAttributes attributes;
    TWEED_CHECK(cudaFuncGetAttributes(&attributes, registers<200>));
    REQUIRE(attributes.numRegs * 512 > 65536);
    tweed::Occupancy const got = tweed::occupancy(registers<200>, 512);
    CHECK(got.blocks == 0);
    CHECK(got.limit == tweed::Resource::Registers);
    std::string const text = refusal([] { (void)tweed::gridFor(1000000, registers<200>, 512); });
    CAPTURE(text);
    CHECK(contains(text, "a block of 512 threads"));
    CHECK(contains(text, "limited by registers"));
    CHECK(tweed::occupancy(bounded<256, 1>, 288).blocks == 0);
    CHECK(!refusal([] { (void)tweed::gridFor(1000000, bounded<256, 1>, 288); }).empty());
#endif
  }
  TEST_CASE("C38, S15: block sizes out of range are refused, with the range") {
    for (int const threads : {0, -1, 1025, 1 << 30}) {
      for (std::string const& text :
           {refusal([&] { (void)tweed::occupancy(nothing, threads); }),
            refusal([&] { (void)tweed::gridFor(1000, nothing, threads); })}) {
        CAPTURE(text);
        CHECK(contains(text, std::to_string(threads)));
        CHECK(contains(text, "1 to 1024"));
      }
      CHECK(contains(refusal([&] {
                       (void)tweed::occupancy({0, 0, 0, threads}, limitsOf(90));
                     }),
                     "1 to 1024"));
    }
    CHECK(contains(refusal([] {
                     (void)tweed::occupancy({-1, 0, 0, 32}, limitsOf(90));
                   }),
                   "registersPerThread is -1"));
    for (int const barriers : {-1, 17}) {
      std::string const text = refusal([&] {
        (void)tweed::occupancy({32, 0, 0, 32, 1024, barriers}, limitsOf(90));
      });
      CHECK(contains(text, "blockBarriers is " + std::to_string(barriers) + "; 0 to 16"));
    }
  }
  TEST_CASE("C03, C38, S8, S15: the grid holds all items or what the device does, and is never 0") {
    for (int const threads : {1, 32, 100, 256, 1024}) {
      std::uint64_t const most = std::uint64_t(tweed::occupancy(nothing, threads).blocks) *
                                 std::uint64_t(tweed::deviceInfo().multiprocessors);
      for (std::uint64_t const n : {std::uint64_t(1),
                                    std::uint64_t(threads) - 1,
                                    std::uint64_t(threads),
                                    std::uint64_t(threads) + 1,
                                    std::uint64_t(1000),
                                    most * std::uint64_t(threads) - 1,
                                    most * std::uint64_t(threads),
                                    most * std::uint64_t(threads) + 1,
                                    std::uint64_t(2147483392),
                                    std::uint64_t(2147483393),
                                    (std::uint64_t(1) << 31) - 1000,
                                    (std::uint64_t(1) << 31) - 11,
                                    (std::uint64_t(1) << 31) - 1,
                                    std::uint64_t(1) << 31,
                                    (std::uint64_t(1) << 32) - 1,
                                    std::uint64_t(1) << 32,
                                    (std::uint64_t(1) << 32) + 1,
                                    std::uint64_t(1) << 33,
                                    std::uint64_t(1) << 40,
                                    ~std::uint64_t(0)}) {
        if (n == 0) continue;
        CAPTURE(n);
        CAPTURE(threads);
        std::uint64_t const need = ceiling(n, std::uint64_t(threads));
        CHECK(tweed::gridFor(n, nothing, threads) == (need < most ? need : most));
      }
      CHECK(tweed::gridFor(0, nothing, threads) == 0);
    }
    CHECK(tweed::gridFor(20, nothing, 32) == 1);  // 20 / 32 is 0
    CHECK(tweed::gridFor(INT_MAX, nothing, 512) >= 1);
    CHECK(tweed::gridFor(INT_MAX, nothing, 512) <= 4194304);
  }
  TEST_CASE("C22: a grid for nothing launches nothing") {
    tweed::launch(nothing, {tweed::gridFor(0, nothing, 256), 256}, 1);
    tweed::synchronize();
    CHECK(cudaGetLastError() == cudaSuccess);
  }
  TEST_CASE("C38: a block that launch() takes has a grid, without a launch before") {
    std::size_t const bytes = 100 * 1024;
    CHECK(tweed::occupancy(large, 256, bytes).blocks >= 1);
    CHECK(refusal([&] { CHECK(tweed::gridFor(1 << 20, large, 256, bytes) >= 1); }).empty());
    std::size_t const most = tweed::deviceInfo().sharedBytesPerBlockOptIn;
    CHECK(tweed::occupancy(large, 256, most).blocks == 1);
  }
  TEST_CASE("C38: a block that fits no multiprocessor is an error, not a grid of 0") {
    std::size_t const bytes = 300 * 1024;
    CHECK(tweed::occupancy(large, 64, bytes).blocks == 0);
    CHECK(tweed::occupancy(large, 64, bytes).fraction == 0);
    for (std::uint64_t const n : {std::uint64_t(1), std::uint64_t(1) << 40}) {
      std::string const text = refusal([&] { (void)tweed::gridFor(n, large, 64, bytes); });
      CAPTURE(text);
      CHECK(contains(text, "tweed::gridFor"));
      CHECK(contains(text, std::to_string(bytes)));
      CHECK(contains(text, "64 threads"));
      CHECK(contains(text, "limited by shared memory"));
    }
  }
#if defined(TWEED_LOOM)
  TEST_CASE("the virtual device's options are followed") {
    tweed::loom::Options options = tweed::loom::defaults();
    options.multiprocessors = 7;
    options.limits.threadsPerMultiprocessor = 1536;
    options.limits.blocksPerMultiprocessor = 16;
    tweed::loom::ScopedOptions const scope(options);
    CHECK(tweed::occupancy(nothing, 1024).blocks == 1);
    CHECK(tweed::occupancy(nothing, 1024).fraction == doctest::Approx(32.0 / 48));
    CHECK(tweed::occupancy(nothing, 32).blocks == 16);
    CHECK(tweed::gridFor(1 << 30, nothing, 1024) == 7);
    CHECK(tweed::gridFor(1 << 30, nothing, 32) == 7 * 16);
  }
#endif
}
