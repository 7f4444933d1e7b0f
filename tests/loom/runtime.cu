// SPDX-License-Identifier: Apache-2.0
/// The runtime's functions that tweed and its tests use: the same answers from the loom and from a
/// GPU.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "support.cuh"

using loomTest::Array;
using loomTest::shape;

namespace {

__global__ void nothing() {}
__global__ void countThreads(unsigned* count) { atomicAdd(count, 1u); }
__global__ void addAll(float a, int b, double c, int const* d, double* out) {
  if (threadIdx.x == 0) *out = double(a) + b + c + *d;
}
struct Pair {
  int x;
  float y;
};
__global__ void changesItsCopy(Pair pair, int* out) {
  pair.x += int(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = pair.x;
}
__global__ void lastDynamicByte(unsigned bytes, unsigned* out) {
  unsigned char* const shared = loomTest::dynamicShared<unsigned char>();
  if (threadIdx.x == 0) shared[bytes - 1] = 7;
  __syncthreads();
  if (threadIdx.x == 1) *out = shared[bytes - 1];
}
__global__ void prints() { printf("printed by thread %u\n", threadIdx.x); }

/// The code, and that it is also the last error, once.
cudaError_t launchError(cudaLaunchConfig_t const& config) {
  cudaError_t const error = cudaLaunchKernelEx(&config, nothing);
  CHECK(cudaPeekAtLastError() == error);
  CHECK(cudaGetLastError() == error);
  CHECK(cudaGetLastError() == cudaSuccess);
  return error;
}

int attribute(cudaDeviceAttr which) {
  int value = -1;
  CHECK(cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess);
  return value;
}

}  // namespace

TEST_CASE("loom runtime: memory") {
  int* p = nullptr;
  CHECK(cudaMalloc(&p, 0) == cudaSuccess);
  CHECK(p == nullptr);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaMalloc(&p, std::size_t(1) << 60) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaMalloc(static_cast<void**>(nullptr), 4) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);

  std::size_t before = 0, total = 0, after = 0;
  CHECK(cudaMemGetInfo(&before, &total) == cudaSuccess);
  CHECK(before <= total);
  REQUIRE(cudaMalloc(&p, 64 << 20) == cudaSuccess);
  CHECK(reinterpret_cast<std::uintptr_t>(p) % 256 == 0);
  CHECK(cudaMemGetInfo(&after, &total) == cudaSuccess);
#if defined(TWEED_LOOM)  // other programs on a GPU free memory meanwhile
  CHECK(after <= before - (64 << 20));
#endif
  CHECK(cudaMemset(p, 1, 400) == cudaSuccess);
  std::vector<int> host(100);
  CHECK(cudaMemcpy(host.data(), p, 400, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(host == std::vector<int>(100, 0x01010101));
  CHECK(cudaMemcpy(p + 100, p, 400, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(cudaMemcpyAsync(host.data(), p + 100, 400, cudaMemcpyDefault, nullptr) == cudaSuccess);
  CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);
  CHECK(host[99] == 0x01010101);
  CHECK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(p, nullptr, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host.data(), p, 4, static_cast<cudaMemcpyKind>(9)) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(cudaFree(p) == cudaSuccess);
  CHECK(cudaFree(host.data()) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);

  float* pinned = nullptr;
  REQUIRE(cudaMallocHost(&pinned, 16) == cudaSuccess);
  pinned[3] = 2.f;
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  REQUIRE(cudaMallocAsync(&p, 16, nullptr) == cudaSuccess);
  CHECK(cudaMemsetAsync(p, 0, 16, nullptr) == cudaSuccess);
  CHECK(cudaFreeAsync(p, nullptr) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

TEST_CASE("loom runtime: streams and events") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  CHECK(stream != nullptr);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  CHECK(cudaStreamIsCapturing(stream, &status) == cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusNone);
  cudaEvent_t start = nullptr, end = nullptr, untimed = nullptr;
  REQUIRE(cudaEventCreate(&start) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&end, cudaEventDefault) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming) == cudaSuccess);
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventRecord(start, stream) == cudaSuccess);
  Array<unsigned> count(1);
  cudaLaunchConfig_t config = shape(2, 64);
  config.stream = stream;
  CHECK(cudaLaunchKernelEx(&config, countThreads, count.data()) == cudaSuccess);
  CHECK(cudaEventRecord(end, stream) == cudaSuccess);
  CHECK(cudaEventRecord(untimed, stream) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(stream, untimed, 0) == cudaSuccess);
  CHECK(cudaEventSynchronize(end) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(cudaStreamQuery(stream) == cudaSuccess);
  CHECK(cudaEventQuery(end) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess);
  CHECK(milliseconds >= 0);
  CHECK(milliseconds < 60000);
  CHECK(cudaEventElapsedTime(&milliseconds, start, untimed) == cudaErrorInvalidResourceHandle);
  CHECK(count.get()[0] == 128);
  for (cudaEvent_t event : {start, end, untimed}) CHECK(cudaEventDestroy(event) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(cudaStreamCreate(nullptr) == cudaErrorInvalidValue);
  CHECK(cudaEventCreate(nullptr) == cudaErrorInvalidValue);
  (void)cudaGetLastError();
#if defined(TWEED_LOOM)  // a GPU's runtime may crash on these
  CHECK(cudaStreamQuery(stream) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventRecord(end, nullptr) == cudaErrorInvalidResourceHandle);
  CHECK(cudaLaunchKernelEx(&config, countThreads, count.data()) == cudaErrorInvalidResourceHandle);
  (void)cudaGetLastError();
#endif
}

TEST_CASE("loom runtime: error names") {
  CHECK(std::string(cudaGetErrorName(cudaSuccess)) == "cudaSuccess");
  CHECK(std::string(cudaGetErrorString(cudaSuccess)) == "no error");
  CHECK(std::string(cudaGetErrorName(cudaErrorInvalidConfiguration)) ==
        "cudaErrorInvalidConfiguration");
  CHECK(std::string(cudaGetErrorString(cudaErrorInvalidConfiguration)) ==
        "invalid configuration argument");
  CHECK(std::string(cudaGetErrorString(cudaErrorInvalidValue)) == "invalid argument");
  CHECK(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)) == "out of memory");
  CHECK(std::string(cudaGetErrorString(cudaErrorInvalidResourceHandle)) ==
        "invalid resource handle");
  CHECK(std::string(cudaGetErrorString(cudaErrorNotSupported)) == "operation not supported");
  CHECK(std::string(cudaGetErrorName(static_cast<cudaError_t>(12345))) ==
        "unrecognized error code");
}

TEST_CASE("loom runtime: device") {
  int count = 0, device = -1;
  CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(count >= 1);
  CHECK(cudaSetDevice(0) == cudaSuccess);
  CHECK(cudaGetDevice(&device) == cudaSuccess);
  CHECK(device == 0);
  CHECK(cudaSetDevice(count) == cudaErrorInvalidDevice);
  CHECK(cudaGetDevice(nullptr) == cudaErrorInvalidValue);
  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count) == cudaErrorInvalidDevice);
  CHECK(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0) == cudaErrorInvalidValue);
  (void)cudaGetLastError();
  CHECK(attribute(cudaDevAttrMaxThreadsPerBlock) == 1024);
  CHECK(attribute(cudaDevAttrMaxBlockDimX) == 1024);
  CHECK(attribute(cudaDevAttrMaxBlockDimZ) == 64);
  CHECK(attribute(cudaDevAttrMaxGridDimX) == 0x7fffffff);
  CHECK(attribute(cudaDevAttrMaxGridDimY) == 65535);
  CHECK(attribute(cudaDevAttrMaxSharedMemoryPerBlock) == 48 * 1024);
  CHECK(attribute(cudaDevAttrWarpSize) == 32);
  CHECK(attribute(cudaDevAttrMaxRegistersPerBlock) == 65536);
  CHECK(attribute(cudaDevAttrMultiProcessorCount) >= 1);
  if (attribute(cudaDevAttrComputeCapabilityMajor) == 9) {
    CHECK(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == 227 * 1024);
    CHECK(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) == 228 * 1024);
    CHECK(attribute(cudaDevAttrReservedSharedMemoryPerBlock) == 1024);
    CHECK(attribute(cudaDevAttrMaxThreadsPerMultiProcessor) == 2048);
    CHECK(attribute(cudaDevAttrMaxBlocksPerMultiprocessor) == 32);
  }
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(properties.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount));
  CHECK(properties.major == attribute(cudaDevAttrComputeCapabilityMajor));
  CHECK(properties.l2CacheSize == attribute(cudaDevAttrL2CacheSize));
  CHECK(properties.maxGridSize[1] == 65535);
  CHECK(properties.sharedMemPerBlock == 48 * 1024);
#if defined(TWEED_LOOM)
  CHECK(std::string(properties.name) == "tweed loom (CPU)");
  tweed::loom::Options options = tweed::loom::defaults();
  CHECK(options.multiprocessors == 4);
  options.multiprocessors = 7;
  options.limits.computeCapabilityMajor = 8;
  tweed::loom::ScopedOptions scope(options);
  CHECK(attribute(cudaDevAttrMultiProcessorCount) == 7);
  CHECK(attribute(cudaDevAttrComputeCapabilityMajor) == 8);
#endif
}

TEST_CASE("loom runtime: parameters are converted and copied") {
  Array<int> in(std::vector<int>{1000});
  Array<double> out(1);
  loomTest::launch(addAll, shape(1, 32), 1, short(20), 300.f, in.data(), out.data());
  CHECK(out.get()[0] == 1321.0);
  Array<int> copies(64);
  loomTest::launch(changesItsCopy, shape(1, 64), Pair{5, 1.f}, copies.data());
  auto const values = copies.get();
  for (int i = 0; i < 64; ++i) CHECK(values[i] == 5 + i);
  loomTest::launch(prints, shape(1, 1));
}

TEST_CASE("loom runtime: invalid configurations") {
  CHECK(launchError(shape(1, 1)) == cudaSuccess);
  CHECK(launchError(shape(1, 1024)) == cudaSuccess);
  CHECK(launchError(shape(1, dim3(1, 16, 64))) == cudaSuccess);
  CHECK(launchError(shape(dim3(1, 65535), 1)) == cudaSuccess);
  for (cudaLaunchConfig_t const& config :
       {shape(1, 0), shape(0, 1), shape(dim3(1, 0, 1), 1), shape(1, 1025), shape(1, dim3(32, 33)),
        shape(1, dim3(1, 1, 65)), shape(1, dim3(1, 1025)), shape(dim3(1, 65536), 1),
        shape(dim3(1, 1, 65536), 1), shape(0x80000000u, 1)}) {
    CAPTURE(config.gridDim.x);
    CAPTURE(config.blockDim.x);
    CHECK(launchError(config) == cudaErrorInvalidValue);
  }
  CHECK(launchError(shape(1, 1, 48 * 1024)) == cudaSuccess);
  CHECK(launchError(shape(1, 1, 48 * 1024 + 1)) == cudaErrorInvalidValue);
}

TEST_CASE("loom runtime: opting in to more shared memory") {
  Array<unsigned> out(1);
  unsigned const bytes = 100 * 1024;
  cudaLaunchConfig_t const config = shape(1, 32, bytes);
  CHECK(cudaLaunchKernelEx(&config, lastDynamicByte, bytes, out.data()) == cudaErrorInvalidValue);
  (void)cudaGetLastError();
  CHECK(cudaFuncSetAttribute(lastDynamicByte, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             int(bytes)) == cudaSuccess);
  loomTest::launch(lastDynamicByte, config, bytes, out.data());
  CHECK(out.get()[0] == 7);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, lastDynamicByte) == cudaSuccess);
  CHECK(attributes.maxDynamicSharedSizeBytes == int(bytes));
  CHECK(attributes.maxThreadsPerBlock == 1024);
  CHECK(cudaFuncSetAttribute(lastDynamicByte, cudaFuncAttributePreferredSharedMemoryCarveout,
                             100) == cudaSuccess);
  if (attribute(cudaDevAttrComputeCapabilityMajor) == 9) {
    CHECK(cudaFuncSetAttribute(lastDynamicByte, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               227 * 1024 + 1) == cudaErrorInvalidValue);
    (void)cudaGetLastError();
  }
}

TEST_CASE("loom runtime: occupancy") {
  int blocks = -1;
  auto const query = [&](int threads, std::size_t sharedBytes) {
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, threads, sharedBytes) ==
          cudaSuccess);
    return blocks;
  };
  if (attribute(cudaDevAttrComputeCapabilityMajor) == 9) {
    CHECK(query(1024, 0) == 2);
    CHECK(query(256, 0) == 8);
    CHECK(query(96, 0) == 21);
    CHECK(query(32, 0) == 32);
    CHECK(query(1, 0) == 32);
    CHECK(query(128, 40 * 1024) == 5);
    CHECK(query(128, 48 * 1024) == 4);
  }
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, nothing, 32, 0) ==
        cudaErrorInvalidValue);
  (void)cudaGetLastError();
}

TEST_CASE("loom runtime: names of kernels") {
  char const* name = nullptr;
  REQUIRE(cudaFuncGetName(&name, reinterpret_cast<void const*>(lastDynamicByte)) == cudaSuccess);
  CHECK(std::string(name).find("lastDynamicByte") != std::string::npos);
  CHECK(cudaFuncGetName(nullptr, reinterpret_cast<void const*>(nothing)) == cudaErrorInvalidValue);
#if defined(TWEED_LOOM)  // a GPU's runtime may take any pointer for a handle
  CHECK(cudaFuncGetName(&name, &name) == cudaErrorInvalidDeviceFunction);
#endif
  (void)cudaGetLastError();
}

TEST_CASE("loom runtime: launch attributes") {
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = shape(2, 32);
  config.attrs = attributes;
  config.numAttrs = 1;
  CHECK(launchError(config) == cudaSuccess);
#if defined(TWEED_LOOM)
  config.numAttrs = 2;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim.x = 2;
  attributes[1].val.clusterDim.y = attributes[1].val.clusterDim.z = 1;
  CHECK(launchError(config) == cudaErrorNotSupported);
  attributes[1].val.clusterDim.x = 1;
  CHECK(launchError(config) == cudaSuccess);
  attributes[1].id = cudaLaunchAttributeCooperative;
  attributes[1].val.cooperative = 1;
  CHECK(launchError(config) == cudaSuccess);
  config.gridDim.x = 4 * 32 + 1;
  CHECK(launchError(config) == cudaErrorCooperativeLaunchTooLarge);
#endif
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}
