// SPDX-License-Identifier: Apache-2.0
// tweed/launch/occupancy.cuh - how many blocks a multiprocessor holds, what limits them, and the
// grid that follows.
#pragma once

#include <tweed/core/math.cuh>
#include <tweed/launch/launch.cuh>

#include <climits>
#include <cstdint>

namespace tweed {

/// What one block of a kernel takes.
struct KernelResources {
  int registersPerThread = 0;
  std::size_t staticSharedBytes = 0;
  std::size_t dynamicSharedBytes = 0;
  int blockThreads = 1;
  int mostBlockThreads = 1024;  ///< of the kernel, as by __launch_bounds__
  int blockBarriers = 1;        ///< as ptxas -v counts them: the highest id and one
};

/// What is used up first.
enum class Resource {
  Threads,    ///< the multiprocessor's, or the kernel's in one block
  Blocks,     ///< of the multiprocessor
  Registers,  ///< the multiprocessor's, or those of one block or thread
  Shared,     ///< memory of the multiprocessor, or of one block
  Barriers    ///< of the multiprocessor: from compute capability 9.0 on
};

inline char const* resourceName(Resource resource) {
  switch (resource) {
    case Resource::Threads:
      return "threads";
    case Resource::Blocks:
      return "blocks";
    case Resource::Registers:
      return "registers";
    case Resource::Shared:
      return "shared memory";
    default:
      return "barriers";
  }
}

/// What of a kernel is resident on one multiprocessor.
struct Occupancy {
  int blocks;  ///< 0: not one fits
  int warps;
  double fraction;  ///< of the warps that the multiprocessor can hold, 0 to 1
  Resource limit;   ///< what one more block would need more of; the first of several
  bool
      needsOptIn;  ///< to more shared memory than a kernel has at first; launch() does it by itself
};

namespace detail {

// How a multiprocessor hands out what it has.
struct AllocationUnits {
  int registersPerWarp;
  int registersPerThread;  // at most
  int partitions;          // with registers of their own
  int warpsOfCheck;        // a block's registers are checked as if its warps were a multiple of it
  int sharedBytes;
};
inline AllocationUnits allocationUnits(int computeCapability) {
  int const major = computeCapability / 10;
  if (major <= 2) return {64, 63, 2, 2, 128};
  if (major <= 6) return {256, 255, computeCapability == 60 ? 2 : 4, 4, 256};
  return {256, 256, 4, 4, major == 7 ? 256 : 128};
}

inline int blocksByRegisters(KernelResources const& kernel, MultiprocessorLimits const& limits) {
  AllocationUnits const units = allocationUnits(limits.computeCapability);
  if (kernel.registersPerThread > units.registersPerThread) return 0;
  int const warps = ceilDiv(kernel.blockThreads, 32);
  int const perWarp = roundUp(kernel.registersPerThread * 32, units.registersPerWarp);
  if (perWarp == 0) return INT_MAX;
  if (perWarp * roundUp(warps, units.warpsOfCheck) > limits.registersPerBlock) return 0;
  return limits.registersPerMultiprocessor / units.partitions / perWarp * units.partitions / warps;
}

inline int blocksByShared(KernelResources const& kernel, MultiprocessorLimits const& limits) {
  std::size_t const most = limits.sharedBytesPerBlockOptIn;
  if (kernel.staticSharedBytes > most || kernel.dynamicSharedBytes > most) return 0;
  std::size_t const bytes =
      roundUp(kernel.staticSharedBytes + kernel.dynamicSharedBytes + limits.sharedBytesReserved,
              std::size_t(allocationUnits(limits.computeCapability).sharedBytes));
  if (bytes > most + limits.sharedBytesReserved) return 0;
  return bytes == 0 ? INT_MAX : int(limits.sharedBytesPerMultiprocessor / bytes);
}

inline int blocksByBarriers(KernelResources const& kernel, MultiprocessorLimits const& limits) {
  int const device = limits.computeCapability;
  if (device < 90 || kernel.blockBarriers == 0) return INT_MAX;
  bool const isOneABlock = device == 101 || device == 110 || device >= 120;
  return limits.blocksPerMultiprocessor * (isOneABlock ? 1 : 2) / kernel.blockBarriers;
}

inline void checkBlockThreads(int threads, int most) {
  if (threads < 1 || threads > most)
    fail(cudaErrorInvalidValue, "tweed::occupancy: a block of " + std::to_string(threads) +
                                    " threads is asked for; 1 to " + std::to_string(most) +
                                    " are allowed");
}

}  // namespace detail

/// Residency of any kernel on any device, from their numbers alone.
///
///     tweed::occupancy({64, 0, 0, 256}, tweed::deviceInfo());  // 64 registers a thread
///
/// Result   as the runtime counts it, shared memory beyond the usual limit opted in to. Compute
///          capabilities 2.0 to 12.x; later ones as 12.x.
/// Cost     arithmetic on the host.
/// Errors   throws tweed::Error: blockThreads not 1 to the device's most; negative registers;
///          blockBarriers not 0 to 16.
/// Source   CUDA toolkit, cuda_occupancy.h: units of allocation, and the checks of one block.
inline Occupancy occupancy(KernelResources const& kernel, MultiprocessorLimits const& limits) {
  detail::checkBlockThreads(kernel.blockThreads, limits.threadsPerBlock);
  if (kernel.registersPerThread < 0)
    detail::fail(cudaErrorInvalidValue, "tweed::occupancy: registersPerThread is " +
                                            std::to_string(kernel.registersPerThread) +
                                            "; at least 0 is allowed");
  if (kernel.blockBarriers < 0 || kernel.blockBarriers > 16)
    detail::fail(cudaErrorInvalidValue, "tweed::occupancy: blockBarriers is " +
                                            std::to_string(kernel.blockBarriers) +
                                            "; 0 to 16 are allowed");
  int const warps = ceilDiv(kernel.blockThreads, 32);
  int const mostWarps = limits.threadsPerMultiprocessor / 32;
  struct {
    Resource resource;
    int blocks;
  } const bounds[] = {{Resource::Threads, mostWarps / warps},
                      {Resource::Blocks, limits.blocksPerMultiprocessor},
                      {Resource::Registers, detail::blocksByRegisters(kernel, limits)},
                      {Resource::Shared, detail::blocksByShared(kernel, limits)},
                      {Resource::Barriers, detail::blocksByBarriers(kernel, limits)}};
  auto least = bounds[0];
  for (auto const& bound : bounds)
    if (bound.blocks < least.blocks) least = bound;
  if (least.blocks > 0 && kernel.blockThreads > kernel.mostBlockThreads)
    least = {Resource::Threads, 0};
  return {least.blocks, least.blocks * warps, double(least.blocks * warps) / mostWarps,
          least.resource,
          kernel.dynamicSharedBytes > limits.sharedBytesPerBlock ||
              kernel.staticSharedBytes + kernel.dynamicSharedBytes > limits.sharedBytesPerBlock};
}

// Hidden, as in launch.cuh.
#pragma GCC visibility push(hidden)

/// Residency of a kernel with blocks of `blockThreads` threads and `sharedBytes` of dynamic shared
/// memory on the current device. Changes nothing of the kernel: shared memory is counted as if it
/// were opted in to, as launch() does; a preference between shared memory and L1 is not counted,
/// nor are named barriers, whose number the runtime does not tell: ask the function above.
/// Cost     about a dozen queries that the runtime answers at once.
/// Errors   throws tweed::Error: blockThreads not 1 to 1024.
template <class... Params>
Occupancy occupancy(void (*kernel)(Params...), int blockThreads, std::size_t sharedBytes = 0) {
  detail::checkBlockThreads(blockThreads, 1024);
  cudaFuncAttributes attributes;
  TWEED_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<void const*>(kernel)));
  return occupancy({attributes.numRegs, attributes.sharedSizeBytes, sharedBytes, blockThreads,
                    attributes.maxThreadsPerBlock},
                   multiprocessorLimits(currentDevice()));
}

/// The grid for a grid-stride kernel over n items: enough blocks for one item a thread, but no more
/// than the device holds at once.
/// Result   0 for n == 0 (which launch() takes as nothing to do), else at least 1 and at most
///          ceil(n / blockThreads).
/// Errors   throws tweed::Error: blockThreads not 1 to 1024; a block does not fit the device.
template <class... Params>
unsigned gridFor(std::uint64_t n, void (*kernel)(Params...), int blockThreads,
                 std::size_t sharedBytes = 0) {
  Occupancy const resident = occupancy(kernel, blockThreads, sharedBytes);
  if (resident.blocks == 0)
    detail::fail(cudaErrorLaunchOutOfResources,
                 "tweed::gridFor: a block of " + std::to_string(blockThreads) + " threads and " +
                     std::to_string(sharedBytes) +
                     " bytes of dynamic shared memory does not fit: the device holds 0 at once, " +
                     "limited by " + resourceName(resident.limit));
  auto const most = std::uint64_t(resident.blocks) *
                    std::uint64_t(deviceAttribute(cudaDevAttrMultiProcessorCount, currentDevice()));
  return unsigned(smaller(ceilDiv(n, std::uint64_t(blockThreads)), most));
}

}  // namespace tweed
#pragma GCC visibility pop
