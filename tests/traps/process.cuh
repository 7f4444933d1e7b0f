// SPDX-License-Identifier: Apache-2.0
// tests/traps/process.cuh - the main of programs whose cases end the context: one case a process.
#pragma once

#include <tweed/core/error.cuh>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Case {
  char const* name;
  void (*run)();  // throws the tweed::Error that is printed
};

template <std::size_t N>
int runCase(Case const (&cases)[N], int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    char const* const require = std::getenv("TWEED_REQUIRE_GPU");
    bool const required = require != nullptr && std::strcmp(require, "1") == 0;
    std::puts(required ? "FAIL: there is no CUDA device" : "SKIP: no CUDA device");
    return 77;
  }
  for (Case const& c : cases) {
    if (argc != 2 || std::strcmp(argv[1], c.name) != 0) continue;
    try {
      c.run();
    } catch (tweed::Error const& error) {
      std::printf("stopped: %s\n", error.what());
      return 1;
    }
    std::puts("FAIL: nothing stopped it");
    return 0;
  }
  std::puts("FAIL: no such case");
  return 2;
}

}  // namespace
