// SPDX-License-Identifier: Apache-2.0
// tests/linkTwice/libraries.cpp - a program with two shared libraries, for different architectures,
// that hold the same kernels and host functions of tweed: each runs its own. OPEN_FIRST and
// OPEN_SECOND, if defined, are files to load while it runs; else the program is linked with them.
#include <cuda_runtime.h>
#include <doctest/doctest.h>
#include <tweed/core/error.cuh>

#include <cstdio>
#include <cstdlib>
#include <string>

#if defined(OPEN_FIRST)
#include <dlfcn.h>
#endif

namespace {

using Function = int (*)(int);

}  // namespace

#if defined(OPEN_FIRST)
namespace {
Function load(char const* file, char const* name, int how) {
  void* const library = dlopen(file, RTLD_NOW | how);
  REQUIRE_MESSAGE(library != nullptr, std::string(dlerror()));
  auto const function = reinterpret_cast<Function>(dlsym(library, name));
  REQUIRE(bool(function));
  return function;
}
}  // namespace
#else
extern "C" int pickInFirst(int n);
extern "C" int pickInSecond(int n);
#endif

TEST_CASE("two shared libraries each run their own kernels") {
#if !defined(TWEED_LOOM)
  int major = 0;
  TWEED_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major < 9) {
    std::puts("SKIP: the second library is for compute capability 9.0 and later");
    std::exit(77);
  }
#endif
#if defined(OPEN_FIRST)
  // What is loaded globally comes before the first's own functions, wherever those can be seen.
  Function const second = load(OPEN_SECOND, "pickInSecond", RTLD_GLOBAL);
  Function const first = load(OPEN_FIRST, "pickInFirst", RTLD_LOCAL);
#else
  Function const first = pickInFirst, second = pickInSecond;
#endif
  for (int const n : {1, 1000, 100003}) {  // in one block, and in many
    CHECK(first(n) == 1 + 1);
    CHECK(second(n) == n + 2);
  }
  CHECK(second(77) == 79);
  CHECK(first(77) == 2);
  for (Function const function : {first, second}) {
    std::string text;
    try {
      function(-1);
    } catch (tweed::Error const& error) {
      text = error.what();
    }
    CHECK(text.find("out is a null pointer") != std::string::npos);
  }
}
