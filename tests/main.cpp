// SPDX-License-Identifier: Apache-2.0
// The main of every test executable. On the loom it runs always; the GPU's reports "skipped" (77)
// to CTest where there is no device, and a failure where TWEED_REQUIRE_GPU=1 says there must be
// one.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  int devices = 0;
  if (!context.shouldExit() && (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)) {
    char const* const require = std::getenv("TWEED_REQUIRE_GPU");
    if (require != nullptr && std::strcmp(require, "1") == 0) {
      std::puts("FAIL: TWEED_REQUIRE_GPU=1, and there is no CUDA device");
      return 1;
    }
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  return context.run();
}
