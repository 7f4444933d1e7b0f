// SPDX-License-Identifier: Apache-2.0
/// What the virtual device says about itself, and what it takes: an H200's limits, with the shared
/// memory and the multiprocessors of the options. Registers are not modelled.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "engine.hpp"
#include "runtime.hpp"
#include "symbols.hpp"

namespace tweed::loom {
namespace {

constexpr int maxGrid[3] = {0x7fffffff, 65535, 65535};
constexpr int maxBlock[3] = {1024, 1024, 64};
constexpr int registers = 65536;
constexpr int l2Bytes = 60 << 20;
constexpr int memoryClockKilohertz = 3201000, clockKilohertz = 1980000, busBits = 6144;
constexpr int constantBytes = 65536, pitchBytes = 0x7fffffff;

struct KernelSettings {
  int dynamicSharedBytes = -1;  // as opted in, -1: not set
  int carveout = -1;
};
std::mutex settingsMutex;
std::map<void const*, KernelSettings>& settings() {
  static auto* const all = new std::map<void const*, KernelSettings>;  // outlives all statics
  return *all;
}
std::size_t allowedDynamicShared(void const* kernel) {
  std::lock_guard<std::mutex> lock(settingsMutex);
  auto const it = settings().find(kernel);
  std::size_t const basic = defaults().limits.sharedBytesPerBlock;
  if (it == settings().end() || it->second.dynamicSharedBytes < 0) return basic;
  return std::max(basic, std::size_t(it->second.dynamicSharedBytes));
}

unsigned blocksPerMultiprocessor(unsigned blockThreads, std::size_t dynamicSharedBytes) {
  Limits const& limits = defaults().limits;
  unsigned const threads = (blockThreads + 31) / 32 * 32;  // whole warps
  std::size_t const shared =
      (dynamicSharedBytes + 127) / 128 * 128 + limits.sharedBytesReservedPerBlock;
  std::size_t const byShared =
      shared ? limits.sharedBytesPerMultiprocessor / shared : limits.blocksPerMultiprocessor;
  return unsigned(std::min<std::size_t>(
      {limits.blocksPerMultiprocessor, limits.threadsPerMultiprocessor / threads, byShared}));
}

cudaError_t checkAttributes(cudaLaunchConfig_t const& config,
                            detail::LaunchDescription& description) {
  if (config.numAttrs && !config.attrs) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    cudaLaunchAttributeValue const& value = config.attrs[i].val;
    switch (config.attrs[i].id) {
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributeAccessPolicyWindow:
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributePreferredSharedMemoryCarveout:
      case cudaLaunchAttributeProgrammaticStreamSerialization:
        break;  // launches do not overlap
      case cudaLaunchAttributeCooperative:
        description.allResident = value.cooperative;
        break;
      case cudaLaunchAttributeClusterDimension:
        if (value.clusterDim.x != 1 || value.clusterDim.y != 1 || value.clusterDim.z != 1)
          return cudaErrorNotSupported;
        break;
      default:
        return cudaErrorNotSupported;
    }
  }
  return cudaSuccess;
}

cudaError_t check(cudaLaunchConfig_t const* config, void const* kernel,
                  detail::LaunchDescription& description) {
  if (!config) return cudaErrorInvalidValue;
  if (!kernel) return cudaErrorInvalidDeviceFunction;
  if (!isStream(config->stream)) return cudaErrorInvalidResourceHandle;
  unsigned const grid[3] = {config->gridDim.x, config->gridDim.y, config->gridDim.z};
  unsigned const block[3] = {config->blockDim.x, config->blockDim.y, config->blockDim.z};
  std::uint64_t blocks = 1, threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (grid[i] == 0 || grid[i] > unsigned(maxGrid[i])) return cudaErrorInvalidValue;
    if (block[i] == 0 || block[i] > unsigned(maxBlock[i])) return cudaErrorInvalidValue;
    blocks *= grid[i], threads *= block[i];
    description.grid[i] = grid[i], description.block[i] = block[i];
  }
  if (threads > maxBlockThreads) return cudaErrorInvalidValue;
  if (blocks > 0xffffffffu) return cudaErrorNotSupported;  // would run for days
  if (config->dynamicSmemBytes > allowedDynamicShared(kernel)) return cudaErrorInvalidValue;
  description.dynamicSharedBytes = config->dynamicSmemBytes;
  description.kernel = kernel;
  cudaError_t const error = checkAttributes(*config, description);
  if (error != cudaSuccess) return error;
  std::uint64_t const atOnce =
      std::uint64_t(blocksPerMultiprocessor(unsigned(threads), config->dynamicSmemBytes)) *
      defaults().multiprocessors;
  if (description.allResident && blocks > atOnce) return cudaErrorCooperativeLaunchTooLarge;
  return cudaSuccess;
}

cudaError_t onlyDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

int attributeValue(cudaDeviceAttr attribute, bool& known) {
  Limits const& limits = defaults().limits;
  known = true;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return int(maxBlockThreads);
    case cudaDevAttrMaxBlockDimX:
      return maxBlock[0];
    case cudaDevAttrMaxBlockDimY:
      return maxBlock[1];
    case cudaDevAttrMaxBlockDimZ:
      return maxBlock[2];
    case cudaDevAttrMaxGridDimX:
      return maxGrid[0];
    case cudaDevAttrMaxGridDimY:
      return maxGrid[1];
    case cudaDevAttrMaxGridDimZ:
      return maxGrid[2];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return int(limits.sharedBytesPerBlock);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return int(limits.sharedBytesPerBlockOptIn);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return int(limits.sharedBytesPerMultiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return int(limits.sharedBytesReservedPerBlock);
    case cudaDevAttrTotalConstantMemory:
      return constantBytes;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrMaxPitch:
      return pitchBytes;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return registers;
    case cudaDevAttrClockRate:
      return clockKilohertz;
    case cudaDevAttrTextureAlignment:
      return 512;
    case cudaDevAttrMultiProcessorCount:
      return int(defaults().multiprocessors);
    case cudaDevAttrMemoryClockRate:
      return memoryClockKilohertz;
    case cudaDevAttrGlobalMemoryBusWidth:
      return busBits;
    case cudaDevAttrL2CacheSize:
      return l2Bytes;
    case cudaDevAttrMaxPersistingL2CacheSize:
      return l2Bytes / 2;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return int(limits.threadsPerMultiprocessor);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return int(limits.blocksPerMultiprocessor);
    case cudaDevAttrComputeCapabilityMajor:
      return int(limits.computeCapabilityMajor);
    case cudaDevAttrComputeCapabilityMinor:
      return int(limits.computeCapabilityMinor);
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrUnifiedAddressing:
      return 1;
    case cudaDevAttrClusterLaunch:
    case cudaDevAttrComputeMode:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrIntegrated:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrManagedMemory:
      return 0;
    default:
      known = false;
      return 0;
  }
}

}  // namespace

cudaError_t detail::checkLaunch(cudaLaunchConfig_t const* config, void const* kernel,
                                LaunchDescription& description) {
  if (inDevice) currentEngine->nestedLaunch();
  return fail(check(config, kernel, description));
}

}  // namespace tweed::loom

using namespace tweed::loom;

extern "C" {
cudaError_t cudaGetDevice(int* device) {
  if (!device) return fail(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return fail(onlyDevice(device)); }
cudaError_t cudaGetDeviceCount(int* count) {
  if (!count) return fail(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  if (!version) return fail(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (!value) return fail(cudaErrorInvalidValue);
  if (onlyDevice(device) != cudaSuccess) return fail(cudaErrorInvalidDevice);
  bool known = false;
  *value = attributeValue(attribute, known);
  return known ? cudaSuccess : fail(cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (!properties) return fail(cudaErrorInvalidValue);
  if (onlyDevice(device) != cudaSuccess) return fail(cudaErrorInvalidDevice);
  Limits const& limits = defaults().limits;
  cudaDeviceProp p{};
  std::strcpy(p.name, "tweed loom (CPU)");
  p.totalGlobalMem = limits.globalBytes;
  p.sharedMemPerBlock = limits.sharedBytesPerBlock;
  p.sharedMemPerBlockOptin = limits.sharedBytesPerBlockOptIn;
  p.sharedMemPerMultiprocessor = limits.sharedBytesPerMultiprocessor;
  p.reservedSharedMemPerBlock = limits.sharedBytesReservedPerBlock;
  p.totalConstMem = constantBytes;
  p.memPitch = pitchBytes;
  p.textureAlignment = 512;
  p.regsPerBlock = p.regsPerMultiprocessor = registers;
  p.warpSize = 32;
  p.maxThreadsPerBlock = int(maxBlockThreads);
  std::copy(maxBlock, maxBlock + 3, p.maxThreadsDim);
  std::copy(maxGrid, maxGrid + 3, p.maxGridSize);
  p.major = int(limits.computeCapabilityMajor);
  p.minor = int(limits.computeCapabilityMinor);
  p.multiProcessorCount = int(defaults().multiprocessors);
  p.canMapHostMemory = p.concurrentKernels = p.asyncEngineCount = p.unifiedAddressing = 1;
  p.cooperativeLaunch = p.memoryPoolsSupported = 1;
  p.memoryBusWidth = busBits;
  p.l2CacheSize = l2Bytes;
  p.persistingL2CacheMaxSize = l2Bytes / 2;
  p.maxThreadsPerMultiProcessor = int(limits.threadsPerMultiprocessor);
  p.maxBlocksPerMultiProcessor = int(limits.blocksPerMultiprocessor);
  *properties = p;
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void const* kernel) {
  if (!attributes) return fail(cudaErrorInvalidValue);
  if (!kernel) return fail(cudaErrorInvalidDeviceFunction);
  Limits const& limits = defaults().limits;
  cudaFuncAttributes a{};
  a.maxThreadsPerBlock = int(maxBlockThreads);
  a.ptxVersion = a.binaryVersion =
      int(limits.computeCapabilityMajor * 10 + limits.computeCapabilityMinor);
  a.maxDynamicSharedSizeBytes = int(allowedDynamicShared(kernel));
  std::lock_guard<std::mutex> lock(settingsMutex);
  a.preferredShmemCarveout = settings()[kernel].carveout;
  *attributes = a;
  return cudaSuccess;
}

cudaError_t cudaFuncGetName(char const** name, void const* kernel) {
  if (!name) return fail(cudaErrorInvalidValue);
  *name = kernel ? Symbols::get().mangledNameOf(kernel) : nullptr;
  return *name ? cudaSuccess : fail(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncSetAttribute(void const* kernel, cudaFuncAttribute attribute, int value) {
  if (!kernel) return fail(cudaErrorInvalidDeviceFunction);
  int const most = int(defaults().limits.sharedBytesPerBlockOptIn);
  std::lock_guard<std::mutex> lock(settingsMutex);
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || value > most) return fail(cudaErrorInvalidValue);
      settings()[kernel].dynamicSharedBytes = value;
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return fail(cudaErrorInvalidValue);
      settings()[kernel].carveout = value;
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      return cudaSuccess;
    default:
      return fail(cudaErrorInvalidValue);
  }
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void const* kernel,
                                                                   int blockThreads,
                                                                   std::size_t dynamicSharedBytes,
                                                                   unsigned) {
  if (!blocks || blockThreads <= 0) return fail(cudaErrorInvalidValue);
  if (!kernel) return fail(cudaErrorInvalidDeviceFunction);
  bool const fits = unsigned(blockThreads) <= maxBlockThreads &&
                    dynamicSharedBytes <= allowedDynamicShared(kernel);
  *blocks = fits ? int(blocksPerMultiprocessor(unsigned(blockThreads), dynamicSharedBytes)) : 0;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void const* kernel,
                                                          int blockThreads,
                                                          std::size_t dynamicSharedBytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, blockThreads,
                                                                dynamicSharedBytes, 0);
}
}
