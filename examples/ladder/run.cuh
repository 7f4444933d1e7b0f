// SPDX-License-Identifier: Apache-2.0
// examples/ladder/run.cuh - what the programs of all ladders share: their command lines, numbers to
// compute with, and a clock.
#pragma once

#include <tweed/core/error.cuh>
#include <tweed/launch/deviceInfo.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace ladder {

/// Reads a command line of Count sizes, each 0 to `most`, or of none, which leaves them as they
/// are, and looks for a device. Result: -1, or the exit code of a program that ends here.
template <int Count>
int readSizes(char const* name, char const* usage, long long most, int argc, char** argv,
              long long (&sizes)[Count]) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(usage, stdout), 0;
  for (int i = 1; i < argc; ++i) {
    char* end = nullptr;
    long long const size = std::strtoll(argv[i], &end, 10);
    if (end == argv[i] || *end != '\0' || size < 0 || size > most) {
      std::fprintf(stderr, "%s: '%s' is not a whole number from 0 to %lld\n%s", name, argv[i], most,
                   usage);
      return 2;
    }
    if (argc != Count + 1) {
      std::fprintf(stderr, "%s: %d or no numbers are allowed, and %d arguments are given\n%s", name,
                   Count, argc - 1, usage);
      return 2;
    }
    sizes[i - 1] = size;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) return -1;
  std::puts("SKIP: no CUDA device");
  return 77;
}

/// What `make` makes of 31 bits each that follow no pattern.
template <class Make>
std::vector<float> numbers(long long count, unsigned long long seed, Make make) {
  std::vector<float> values(static_cast<std::size_t>(count));
  unsigned long long state = seed;
  for (float& value : values) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    value = make(unsigned(state >> 33));
  }
  return values;
}

/// Whole numbers from -most to most.
inline std::vector<float> wholeNumbers(long long count, int most, unsigned long long seed = 1) {
  return numbers(count, seed, [most](unsigned bits) {
    return float(int(bits % unsigned(2 * most + 1)) - most);
  });
}

/// Uniform in [-1, 1), in steps of 2^-23.
inline std::vector<float> realNumbers(long long count, unsigned long long seed) {
  return numbers(count, seed,
                 [](unsigned bits) { return float(int(bits >> 7) - (1 << 23)) * 0x1p-23f; });
}

/// The median of nine runs on the device, after one that warms it up, in milliseconds.
template <class Call>
double millisecondsOf(Call call) {
  cudaEvent_t start, stop;
  TWEED_CHECK(cudaEventCreate(&start));
  TWEED_CHECK(cudaEventCreate(&stop));
  float times[9];
  call();
  for (float& time : times) {
    TWEED_CHECK(cudaEventRecord(start));
    call();
    TWEED_CHECK(cudaEventRecord(stop));
    TWEED_CHECK(cudaEventSynchronize(stop));
    TWEED_CHECK(cudaEventElapsedTime(&time, start, stop));
  }
  TWEED_CHECK(cudaEventDestroy(start));
  TWEED_CHECK(cudaEventDestroy(stop));
  std::sort(times, times + 9);
  return times[4];
}

/// Runs it. Result: how long it took, and how many times 10^9 of `work` a second that is. On the
/// loom, where nothing is timed, it runs once, and the text is empty.
template <class Call>
std::string timed(Call call, double work, char const* unit) {
  if (tweed::deviceInfo().isLoom) return call(), std::string();
  double const time = millisecondsOf(call);
  char text[64];
  std::snprintf(text, sizeof text, "%10.4f ms %10.1f %s  ", time, work / time * 1e-6, unit);
  return text;
}

}  // namespace ladder
