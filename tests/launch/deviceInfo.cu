// SPDX-License-Identifier: Apache-2.0
// tests/launch/deviceInfo.cu - tests tweed/launch/deviceInfo.cuh
#include <tweed/launch/deviceInfo.cuh>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

}  // namespace

TEST_SUITE("deviceInfo") {
  TEST_CASE("every field is what the runtime says") {
    int const device = tweed::currentDevice();
    tweed::DeviceInfo const info = tweed::deviceInfo();
    auto const ask = [&](cudaDeviceAttr attribute) {
      return tweed::deviceAttribute(attribute, device);
    };
    CHECK(!info.name.empty());
    CHECK(info.computeCapability ==
          ask(cudaDevAttrComputeCapabilityMajor) * 10 + ask(cudaDevAttrComputeCapabilityMinor));
    CHECK(info.multiprocessors == ask(cudaDevAttrMultiProcessorCount));
    CHECK(info.threadsPerBlock == ask(cudaDevAttrMaxThreadsPerBlock));
    CHECK(info.threadsPerMultiprocessor == ask(cudaDevAttrMaxThreadsPerMultiProcessor));
    CHECK(info.blocksPerMultiprocessor == ask(cudaDevAttrMaxBlocksPerMultiprocessor));
    CHECK(info.registersPerBlock == ask(cudaDevAttrMaxRegistersPerBlock));
    CHECK(info.registersPerMultiprocessor == ask(cudaDevAttrMaxRegistersPerMultiprocessor));
    CHECK(info.sharedBytesPerBlock == std::size_t(ask(cudaDevAttrMaxSharedMemoryPerBlock)));
    CHECK(info.sharedBytesPerBlockOptIn ==
          std::size_t(ask(cudaDevAttrMaxSharedMemoryPerBlockOptin)));
    CHECK(info.sharedBytesPerMultiprocessor ==
          std::size_t(ask(cudaDevAttrMaxSharedMemoryPerMultiprocessor)));
    CHECK(info.sharedBytesReserved == std::size_t(ask(cudaDevAttrReservedSharedMemoryPerBlock)));
    CHECK(info.l2Bytes == std::size_t(ask(cudaDevAttrL2CacheSize)));
    std::size_t available = 0, total = 0;
    TWEED_CHECK(cudaMemGetInfo(&available, &total));
    CHECK(info.memoryBytes >= total);
  }
  TEST_CASE("the limits of its multiprocessors are the same without the rest") {
    tweed::MultiprocessorLimits const all = tweed::deviceInfo();
    tweed::MultiprocessorLimits const few = tweed::multiprocessorLimits(tweed::currentDevice());
    CHECK(few.computeCapability == all.computeCapability);
    CHECK(few.threadsPerBlock == all.threadsPerBlock);
    CHECK(few.sharedBytesReserved == all.sharedBytesReserved);
    cudaDeviceProp properties;
    TWEED_CHECK(cudaGetDeviceProperties(&properties, tweed::currentDevice()));
    CHECK(few.computeCapability == properties.major * 10 + properties.minor);
    CHECK(few.threadsPerMultiprocessor == properties.maxThreadsPerMultiProcessor);
    CHECK(few.blocksPerMultiprocessor == properties.maxBlocksPerMultiProcessor);
    CHECK(few.registersPerBlock == properties.regsPerBlock);
    CHECK(few.registersPerMultiprocessor == properties.regsPerMultiprocessor);
    CHECK(few.sharedBytesPerBlock == properties.sharedMemPerBlock);
    CHECK(few.sharedBytesPerBlockOptIn == properties.sharedMemPerBlockOptin);
    CHECK(few.sharedBytesPerMultiprocessor == properties.sharedMemPerMultiprocessor);
    CHECK(few.sharedBytesReserved == properties.reservedSharedMemPerBlock);
  }
  TEST_CASE("the numbers are a device's") {
    tweed::DeviceInfo const info = tweed::deviceInfo(tweed::currentDevice());
    CHECK(info.computeCapability >= 50);
    CHECK(info.multiprocessors >= 1);
    CHECK(info.threadsPerBlock == 1024);
    CHECK(info.sharedBytesPerBlock >= 48 * 1024);
    CHECK(info.sharedBytesPerBlockOptIn >= info.sharedBytesPerBlock);
    CHECK(info.sharedBytesPerMultiprocessor >= info.sharedBytesPerBlockOptIn);
    CHECK(info.threadsPerMultiprocessor >= 1024);
    CHECK(info.memoryBytes > 0);
  }
  TEST_CASE("it says whether it is the loom") {
#if defined(TWEED_LOOM)
    CHECK(tweed::deviceInfo().isLoom);
    tweed::loom::Options options = tweed::loom::defaults();
    options.multiprocessors = 132;
    options.limits.computeCapabilityMajor = 8, options.limits.computeCapabilityMinor = 6;
    options.limits.sharedBytesPerBlockOptIn = 99 * 1024;
    tweed::loom::ScopedOptions const scope(options);
    tweed::DeviceInfo const info = tweed::deviceInfo();
    CHECK(info.multiprocessors == 132);
    CHECK(info.computeCapability == 86);
    CHECK(info.sharedBytesPerBlockOptIn == 99 * 1024);
#else
    CHECK(!tweed::deviceInfo().isLoom);
#endif
  }
  TEST_CASE("a device that does not exist is refused") {
    for (int const device : {-1, 1 << 20}) {
      CHECK(contains(refusal([&] { (void)tweed::deviceInfo(device); }), "cudaErrorInvalidDevice"));
      CHECK(contains(refusal([&] { (void)tweed::multiprocessorLimits(device); }),
                     "cudaErrorInvalidDevice"));
      CHECK(contains(
          refusal([&] { (void)tweed::deviceAttribute(cudaDevAttrMultiProcessorCount, device); }),
          "cudaErrorInvalidDevice"));
    }
    CHECK(tweed::currentDevice() == 0);
  }
}
