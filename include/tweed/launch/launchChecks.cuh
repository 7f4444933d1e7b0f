// SPDX-License-Identifier: Apache-2.0
// tweed/launch/launchChecks.cuh - what launch() refuses, and the sentences that say why.
#pragma once

#include <tweed/launch/deviceInfo.cuh>
#include <tweed/launch/launchConfig.cuh>

#include <cstdlib>
#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

// Hidden, as in launch.cuh.
#pragma GCC visibility push(hidden)
namespace tweed {

namespace detail {

inline std::string text(Extent e) {
  return "(" + std::to_string(e.x) + ", " + std::to_string(e.y) + ", " + std::to_string(e.z) + ")";
}

// Refuses a dimension outside 0..most; then no product overflows.
inline void checkDimension(char const* name, long long value, long long most) {
  if (value < 0 || value > most)
    fail(cudaErrorInvalidConfiguration, std::string("tweed::launch: ") + name + " is " +
                                            std::to_string(value) + "; at most " +
                                            std::to_string(most) + " is allowed");
}

inline long long threadsOf(Extent block) { return block.x * block.y * block.z; }

inline bool isEmpty(Extent grid) { return grid.x == 0 || grid.y == 0 || grid.z == 0; }

inline constexpr long long portableClusterBlocks = 8;  // of every device that has clusters
inline constexpr long long mostClusterBlocks = 16;     // of any device

inline long long blocksOf(Extent cluster) { return cluster.x * cluster.y * cluster.z; }

inline void checkCluster(Extent grid, Extent cluster) {
  checkDimension("cluster.x", cluster.x, mostClusterBlocks);
  checkDimension("cluster.y", cluster.y, mostClusterBlocks);
  checkDimension("cluster.z", cluster.z, mostClusterBlocks);
  long long const blocks = blocksOf(cluster);
  if (blocks < 1 || blocks > mostClusterBlocks)
    fail(cudaErrorInvalidConfiguration, "tweed::launch: cluster " + text(cluster) + " has " +
                                            std::to_string(blocks) +
                                            " blocks; 1 to 16 are allowed");
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    fail(cudaErrorInvalidConfiguration,
         "tweed::launch: cluster " + text(cluster) + " does not divide grid " + text(grid));
}

// Limits that every device of compute capability 3.0 and later shares: checked without asking.
inline void checkShape(LaunchConfig const& config) {
  Extent const b = config.block;
  checkDimension("block.z", b.z, 64);
  checkDimension("block.y", b.y, 1024);
  checkDimension("block.x", b.x, 1024);
  auto const refuse = [](std::string const& what) {
    fail(cudaErrorInvalidConfiguration, "tweed::launch: block " + what);
  };
  if (threadsOf(b) == 0) refuse(text(b) + " has no threads; 1 to 1024 are allowed");
  if (threadsOf(b) > 1024)
    refuse(text(b) + " has " + std::to_string(threadsOf(b)) + " threads; at most 1024 are allowed");
  checkDimension("grid.x", config.grid.x, 2147483647);
  checkDimension("grid.y", config.grid.y, 65535);
  checkDimension("grid.z", config.grid.z, 65535);
  checkCluster(config.grid, config.cluster);
}

// Opts the kernel in to all the dynamic shared memory that its static part leaves: once and to the
// limit, since a value per launch would race between host threads.
inline void requireShared(void const* kernel, std::size_t bytes) {
  cudaFuncAttributes attributes;
  TWEED_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  if (bytes <= std::size_t(attributes.maxDynamicSharedSizeBytes)) return;
  std::size_t const fixed = attributes.sharedSizeBytes;
  auto const limit =
      std::size_t(deviceAttribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, currentDevice()));
  if (fixed > limit || bytes > limit - fixed)
    fail(cudaErrorInvalidValue,
         "tweed::launch: " + std::to_string(bytes) + " bytes of dynamic and " +
             std::to_string(fixed) +
             " of static shared memory are asked for; a block of this device has " +
             std::to_string(limit));
  TWEED_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   int(limit - fixed)));
}

inline void requireCluster(void const* kernel, Extent cluster) {
  if (deviceAttribute(cudaDevAttrClusterLaunch, currentDevice()) == 0)
    fail(cudaErrorNotSupported, "tweed::launch: a cluster of " + std::to_string(blocksOf(cluster)) +
                                    " blocks is asked for; this device allows 1");
  if (blocksOf(cluster) > portableClusterBlocks)
    TWEED_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
}

// A kernel's name, for a text.
inline std::string nameOf(void const* kernel) {
  char const* mangled = nullptr;
  if (cudaFuncGetName(&mangled, kernel) != cudaSuccess || mangled == nullptr) {
    (void)cudaGetLastError();
    return "a kernel";
  }
  std::string name = mangled;
#if __has_include(<cxxabi.h>)
  int status = 0;
  char* const readable = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  if (readable != nullptr) name = readable;
  std::free(readable);
#endif
  return name;
}

[[noreturn]] inline void failEarlier(cudaError_t code) {
  fail(code, std::string("tweed::launch: did not start, since earlier work failed: ") +
                 cudaGetErrorString(code));
}

// Why a launch was refused: only now is there time to ask.
[[noreturn]] inline void failLaunch(cudaError_t code, void const* kernel,
                                    LaunchConfig const& config,
                                    [[maybe_unused]] cudaLaunchConfig_t const& native) {
  (void)cudaGetLastError();
  if (isKernelFault(code)) failEarlier(code);
  std::string const name = "tweed::launch: " + nameOf(kernel) + ": ";
  if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction) {
    int const device = currentDevice();
    fail(code, name + "the program has no code of it for compute capability " +
                   std::to_string(deviceAttribute(cudaDevAttrComputeCapabilityMajor, device)) +
                   "." +
                   std::to_string(deviceAttribute(cudaDevAttrComputeCapabilityMinor, device)) +
                   "; compile for it, by nvcc's -arch or CMAKE_CUDA_ARCHITECTURES");
  }
  cudaFuncAttributes attributes{};
  auto const threads = std::size_t(threadsOf(config.block));
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) (void)cudaGetLastError();
  auto const limit = std::size_t(attributes.maxThreadsPerBlock);
  if (limit > 0 && threads > limit) {
    int const registers = deviceAttribute(cudaDevAttrMaxRegistersPerBlock, currentDevice());
    fail(code, name + "a block of " + std::to_string(threads) +
                   " threads is asked for; this kernel allows " + std::to_string(limit) + " (" +
                   std::to_string(attributes.numRegs) + " registers a thread make " +
                   std::to_string(std::size_t(attributes.numRegs) * threads) + ", a block has " +
                   std::to_string(registers) + ", and its __launch_bounds__ may say less)");
  }
  std::string clusters;
  if (blocksOf(config.cluster) > 1) {
    clusters = ", cluster " + text(config.cluster);
#if !defined(TWEED_LOOM)  // which has none
    int most = 0;
    if (cudaOccupancyMaxPotentialClusterSize(&most, kernel, &native) != cudaSuccess)
      (void)cudaGetLastError();
    else if (blocksOf(config.cluster) > most)
      fail(code, name + "a cluster of " + std::to_string(blocksOf(config.cluster)) +
                     " blocks is asked for; this device allows " + std::to_string(most) +
                     " for this kernel, block and shared memory");
#endif
  }
  fail(code, name + "grid " + text(config.grid) + ", block " + text(config.block) + clusters +
                 ", " + std::to_string(config.sharedBytes) +
                 " bytes of dynamic shared memory: " + cudaGetErrorString(code));
}

}  // namespace detail
}  // namespace tweed
#pragma GCC visibility pop
