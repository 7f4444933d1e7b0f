// SPDX-License-Identifier: Apache-2.0
// tweed/launch/occupancy.cuh - how many blocks a multiprocessor holds, and the grid that follows.
#pragma once

#include <tweed/core/math.cuh>
#include <tweed/launch/launch.cuh>

#include <cstdint>

namespace tweed {

/// What of a kernel is resident on one multiprocessor.
struct Occupancy {
  int blocks;
  int warps;
  double fraction;  ///< of the warps that the multiprocessor can hold, 0 to 1
};

/// Residency of a kernel with blocks of `blockThreads` threads and `sharedBytes` of dynamic shared
/// memory, as the runtime computes it for the current device. blocks == 0: it does not fit.
/// Errors   throws tweed::Error: blockThreads not 1 to 1024.
template <class... Params>
Occupancy occupancy(void (*kernel)(Params...), int blockThreads, std::size_t sharedBytes = 0) {
  if (blockThreads < 1 || blockThreads > 1024)
    detail::fail(cudaErrorInvalidValue, "tweed::occupancy: a block of " +
                                            std::to_string(blockThreads) +
                                            " threads is asked for; 1 to 1024 are allowed");
  void const* const address = reinterpret_cast<void const*>(kernel);
  detail::SharedBytes shared;
  if (sharedBytes > 0 && !detail::allowShared(address, sharedBytes, shared)) return {0, 0, 0};
  int blocks = 0;
  TWEED_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, address, blockThreads, sharedBytes));
  int const threads = deviceAttribute(cudaDevAttrMaxThreadsPerMultiProcessor, currentDevice());
  int const warps = blocks * ceilDiv(blockThreads, 32);
  return {blocks, warps, double(warps) / (threads / 32)};
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
                     " bytes of dynamic shared memory does not fit: the device holds 0 at once");
  auto const most = std::uint64_t(resident.blocks) *
                    std::uint64_t(deviceAttribute(cudaDevAttrMultiProcessorCount, currentDevice()));
  return unsigned(smaller(ceilDiv(n, std::uint64_t(blockThreads)), most));
}

}  // namespace tweed
