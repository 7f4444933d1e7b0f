// SPDX-License-Identifier: Apache-2.0
/// Device memory is the host's, but only kernels and copies may touch it: under AddressSanitizer it
/// is poisoned while no kernel runs.
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "engine.hpp"
#include "observer.hpp"
#include "runtime.hpp"

namespace tweed::loom {
namespace {

struct Allocation {
  std::size_t bytes;
  bool onHost;  // pinned
};
std::mutex memoryMutex;
std::map<char*, Allocation>& allocations() {
  static auto* const all = new std::map<char*, Allocation>;  // outlives all statics
  return *all;
}
std::size_t allocatedBytes = 0;
unsigned openLaunches = 0;

void gate(char* p, std::size_t bytes, bool open) {
  if (open || openLaunches != 0)
    asanUnpoison(p, bytes);
  else
    asanPoison(p, bytes);
}

cudaError_t allocate(void** pointer, std::size_t bytes, bool onHost) {
  if (!pointer) return fail(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  std::size_t const limit = defaults().limits.globalBytes;
  std::lock_guard<std::mutex> lock(memoryMutex);
  if (bytes > limit || (!onHost && allocatedBytes > limit - bytes))
    return fail(cudaErrorMemoryAllocation);
  void* memory = nullptr;
  if (posix_memalign(&memory, 256, bytes) != 0) return fail(cudaErrorMemoryAllocation);
  std::memset(memory, 0xFF, bytes);  // NaN, -1
  (void)VALGRIND_MAKE_MEM_UNDEFINED(memory, bytes);
  auto* const p = static_cast<char*>(memory);
  allocations()[p] = {bytes, onHost};
  if (!onHost) {
    allocatedBytes += bytes;
    gate(p, bytes, false);
  }
  *pointer = memory;
  return cudaSuccess;
}

cudaError_t release(void* pointer, bool onHost) {
  if (!pointer) return cudaSuccess;
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto const it = allocations().find(static_cast<char*>(pointer));
  if (it == allocations().end() || it->second.onHost != onHost) return fail(cudaErrorInvalidValue);
  if (!onHost) {
    allocatedBytes -= it->second.bytes;
    gate(it->first, it->second.bytes, true);
  }
  allocations().erase(it);
  std::free(pointer);
  return cudaSuccess;
}

enum class Place { host, device, bad };

// `bad` if [p, p + bytes) starts in device memory and runs over its end.
Place placeOf(void const* pointer, std::size_t bytes) {
  auto* const p = static_cast<char*>(const_cast<void*>(pointer));
  auto it = allocations().upper_bound(p);
  if (it == allocations().begin()) return Place::host;
  --it;
  std::size_t const offset = std::size_t(p - it->first);
  if (it->second.onHost || offset >= it->second.bytes) return Place::host;
  return bytes <= it->second.bytes - offset ? Place::device : Place::bad;
}

cudaError_t copy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return fail(cudaErrorInvalidMemcpyDirection);
  if (bytes == 0) return cudaSuccess;
  if (!to || !from) return fail(cudaErrorInvalidValue);
  std::lock_guard<std::mutex> lock(memoryMutex);
  Place const toPlace = placeOf(to, bytes), fromPlace = placeOf(from, bytes);
  bool const toDevice = toPlace == Place::device, fromDevice = fromPlace == Place::device;
  bool wrong = toPlace == Place::bad || fromPlace == Place::bad;
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) wrong |= !toDevice;
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice) wrong |= !fromDevice;
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) wrong |= toDevice;
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) wrong |= fromDevice;
  if (wrong) return fail(cudaErrorInvalidValue);
  auto* const source = static_cast<char*>(const_cast<void*>(from));
  if (toDevice) gate(static_cast<char*>(to), bytes, true);
  if (fromDevice) gate(source, bytes, true);
  std::memmove(to, from, bytes);
  if (toDevice) gate(static_cast<char*>(to), bytes, false);
  if (fromDevice) gate(source, bytes, false);
  return cudaSuccess;
}

cudaError_t fill(void* to, int value, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (!to) return fail(cudaErrorInvalidValue);
  std::lock_guard<std::mutex> lock(memoryMutex);
  if (placeOf(to, bytes) != Place::device) return fail(cudaErrorInvalidValue);
  gate(static_cast<char*>(to), bytes, true);
  std::memset(to, value, bytes);
  gate(static_cast<char*>(to), bytes, false);
  return cudaSuccess;
}

}  // namespace

bool isAllocated(void const* pointer, std::size_t& low, std::size_t& high) {
  auto* const p = static_cast<char*>(const_cast<void*>(pointer));
  std::lock_guard<std::mutex> lock(memoryMutex);
  auto it = allocations().upper_bound(p);
  if (it == allocations().begin()) return false;
  --it;
  if (std::size_t(p - it->first) >= it->second.bytes) return false;
  low = reinterpret_cast<std::size_t>(it->first);
  high = low + it->second.bytes;
  return true;
}

void gateDeviceMemory(bool open) {
  std::lock_guard<std::mutex> lock(memoryMutex);
  if (open ? openLaunches++ != 0 : --openLaunches != 0) return;
  if (!__asan_poison_memory_region) return;
  for (auto const& [p, allocation] : allocations())
    if (!allocation.onHost) gate(p, allocation.bytes, open);
}

}  // namespace tweed::loom

using namespace tweed::loom;

extern "C" {
cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return allocate(pointer, bytes, false);
}
cudaError_t cudaFree(void* pointer) { return release(pointer, false); }
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  if (!isStream(stream)) return fail(cudaErrorInvalidResourceHandle);
  return allocate(pointer, bytes, false);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  if (!isStream(stream)) return fail(cudaErrorInvalidResourceHandle);
  if (!pointer) return fail(cudaErrorInvalidValue);
  return release(pointer, false);
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate(pointer, bytes, true);
}
// The toolkit's inline cudaMallocHost with flags calls it.
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  return allocate(pointer, bytes, true);
}
cudaError_t cudaFreeHost(void* pointer) { return release(pointer, true); }

cudaError_t cudaMemcpy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy(to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (!isStream(stream)) return fail(cudaErrorInvalidResourceHandle);
  return copy(to, from, bytes, kind);
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) { return fill(to, value, bytes); }
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  if (!isStream(stream)) return fail(cudaErrorInvalidResourceHandle);
  return fill(to, value, bytes);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  if (!free || !total) return fail(cudaErrorInvalidValue);
  std::lock_guard<std::mutex> lock(memoryMutex);
  *total = defaults().limits.globalBytes;
  *free = *total > allocatedBytes ? *total - allocatedBytes : 0;
  return cudaSuccess;
}
}
