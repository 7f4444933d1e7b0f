// SPDX-License-Identifier: Apache-2.0
// tweed/launch/deviceInfo.cuh - the limits of a device, as the launch checks and occupancy use
// them.
#pragma once

#include <tweed/core/error.cuh>

#include <cstddef>
#include <string>

namespace tweed {

/// What bounds the blocks that a multiprocessor holds. Sizes in bytes, counts named by their unit.
struct MultiprocessorLimits {
  int computeCapability;  ///< major * 10 + minor
  int threadsPerBlock;
  int threadsPerMultiprocessor;
  int blocksPerMultiprocessor;
  int registersPerBlock;
  int registersPerMultiprocessor;
  std::size_t sharedBytesPerBlock;       ///< without opting in
  std::size_t sharedBytesPerBlockOptIn;  ///< the most that launch() opts in to
  std::size_t sharedBytesPerMultiprocessor;
  std::size_t sharedBytesReserved;  ///< taken by the system from each block's share
};

/// One device.
struct DeviceInfo : MultiprocessorLimits {
  std::string name;
  int multiprocessors;
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

/// The limits of a device's multiprocessors, without asking the driver for all that it knows.
/// Errors   throws tweed::Error: no such device.
inline MultiprocessorLimits multiprocessorLimits(int device) {
  auto const ask = [=](cudaDeviceAttr attribute) { return deviceAttribute(attribute, device); };
  auto const askBytes = [=](cudaDeviceAttr attribute) { return std::size_t(ask(attribute)); };
  return {ask(cudaDevAttrComputeCapabilityMajor) * 10 + ask(cudaDevAttrComputeCapabilityMinor),
          ask(cudaDevAttrMaxThreadsPerBlock),
          ask(cudaDevAttrMaxThreadsPerMultiProcessor),
          ask(cudaDevAttrMaxBlocksPerMultiprocessor),
          ask(cudaDevAttrMaxRegistersPerBlock),
          ask(cudaDevAttrMaxRegistersPerMultiprocessor),
          askBytes(cudaDevAttrMaxSharedMemoryPerBlock),
          askBytes(cudaDevAttrMaxSharedMemoryPerBlockOptin),
          askBytes(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
          askBytes(cudaDevAttrReservedSharedMemoryPerBlock)};
}

/// Everything about a device. Asks the driver each time, which can take a millisecond.
/// Errors   throws tweed::Error: no such device.
inline DeviceInfo deviceInfo(int device) {
  cudaDeviceProp properties;
  TWEED_CHECK(cudaGetDeviceProperties(&properties, device));
  DeviceInfo info{
      multiprocessorLimits(device), properties.name, properties.multiProcessorCount, 0, 0, false};
  info.l2Bytes = std::size_t(properties.l2CacheSize);
  info.memoryBytes = properties.totalGlobalMem;
#if defined(TWEED_LOOM)
  info.isLoom = true;
#endif
  return info;
}

inline DeviceInfo deviceInfo() { return deviceInfo(currentDevice()); }

}  // namespace tweed
