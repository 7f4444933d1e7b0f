// SPDX-License-Identifier: Apache-2.0
// tweed/launch/deviceInfo.cuh - the limits of a device, as the launch checks and occupancy use
// them.
#pragma once

#include <tweed/core/error.cuh>

#include <cstddef>
#include <string>

namespace tweed {

/// One device. Sizes in bytes, counts named by their unit.
struct DeviceInfo {
  std::string name;
  int computeCapability;  ///< major * 10 + minor
  int multiprocessors;
  int threadsPerBlock;
  int threadsPerMultiprocessor;
  int blocksPerMultiprocessor;
  int registersPerBlock;
  int registersPerMultiprocessor;
  std::size_t sharedBytesPerBlock;       ///< without opting in
  std::size_t sharedBytesPerBlockOptIn;  ///< the most that launch() opts in to
  std::size_t sharedBytesPerMultiprocessor;
  std::size_t sharedBytesReserved;  ///< taken by the system from each block's share
  std::size_t l2Bytes;
  std::size_t memoryBytes;
  bool isLoom;  ///< the CPU executor
};

/// The device that is current in this host thread.
inline int currentDevice() {
  int device = 0;
  TWEED_CHECK(cudaGetDevice(&device));
  return device;
}

/// One attribute of a device; cheap enough for every call.
inline int deviceAttribute(cudaDeviceAttr attribute, int device) {
  int value = 0;
  TWEED_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

/// Everything about a device. Asks the driver each time, which can take a millisecond.
/// Errors   throws tweed::Error: no such device.
inline DeviceInfo deviceInfo(int device) {
  cudaDeviceProp properties;
  TWEED_CHECK(cudaGetDeviceProperties(&properties, device));
  DeviceInfo info{};
  info.name = properties.name;
  info.computeCapability = properties.major * 10 + properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.threadsPerBlock = properties.maxThreadsPerBlock;
  info.threadsPerMultiprocessor = properties.maxThreadsPerMultiProcessor;
  info.blocksPerMultiprocessor = properties.maxBlocksPerMultiProcessor;
  info.registersPerBlock = properties.regsPerBlock;
  info.registersPerMultiprocessor = properties.regsPerMultiprocessor;
  info.sharedBytesPerBlock = properties.sharedMemPerBlock;
  info.sharedBytesPerBlockOptIn = properties.sharedMemPerBlockOptin;
  info.sharedBytesPerMultiprocessor = properties.sharedMemPerMultiprocessor;
  info.sharedBytesReserved = properties.reservedSharedMemPerBlock;
  info.l2Bytes = std::size_t(properties.l2CacheSize);
  info.memoryBytes = properties.totalGlobalMem;
#if defined(TWEED_LOOM)
  info.isLoom = true;
#endif
  return info;
}

inline DeviceInfo deviceInfo() { return deviceInfo(currentDevice()); }

}  // namespace tweed
