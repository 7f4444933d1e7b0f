// SPDX-License-Identifier: Apache-2.0
// examples/ladder/runSum.cuh - what the rungs of the reduction ladder share: the form of a sum, and
// a program that checks one against the host and times it. README.md says how a rung is made.
#pragma once

#include <tweed/launch/deviceInfo.cuh>
#include <tweed/launch/launch.cuh>
#include <tweed/memory/workspace.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

namespace ladder {

/// Writes in[0] + ... + in[n - 1] to *out, all in device memory, in order of the workspace's
/// stream; in is only read. n >= 0; 0 gives 0. The workspace has workspaceBytes(n).
using Sum = void (*)(float const* in, long long n, float* out, tweed::Workspace& workspace);

struct SumRung {
  char const* name;
  char const* idea;
  Sum sum;
  bool isRepeatable;  ///< same bits on every run, for any values
};

/// For any rung: room for a copy of the input.
inline std::size_t workspaceBytes(long long n) {
  return std::max(tweed::Workspace::defaultBytes, std::size_t(n) * sizeof(float));
}

/// Whole numbers from -4 to 4 that follow no pattern. Sums of up to 2^22 of them are exact in a
/// float in any order, and of far more in practice, since they cancel: results compare with ==.
inline std::vector<float> sumData(long long n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  unsigned long long state = 1;
  for (float& value : values) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    value = float(int((state >> 33) % 9) - 4);
  }
  return values;
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

/// The program of a file with these rungs: its exit code.
inline int runSum(std::vector<SumRung> const& rungs, int argc, char** argv) try {
  constexpr long long most = 1ll << 30;
  char const* const usage = "usage: PROGRAM [N]    adds N floats, 0 to 1073741824\n";
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(usage, stdout), 0;
  char* end = nullptr;
  long long n = argc == 2 ? std::strtoll(argv[1], &end, 10) : 0;
  if (argc > 2 || (argc == 2 && (end == argv[1] || *end != '\0' || n < 0 || n > most))) {
    std::fprintf(stderr, "%s: '%s' is not allowed\n%s", rungs[0].name, argv[argc - 1], usage);
    return 2;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  tweed::DeviceInfo const device = tweed::deviceInfo();
  if (argc == 1) n = device.isLoom ? 1 << 16 : 1 << 24;

  std::vector<float> const values = sumData(n);
  double expected = 0;
  for (float const value : values) expected += value;

  float *in, *out;
  TWEED_CHECK(cudaMalloc(&in, values.size() * sizeof(float)));
  TWEED_CHECK(cudaMalloc(&out, sizeof(float)));
  TWEED_CHECK(cudaMemcpy(in, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
  std::printf("%lld floats on %s\n", n, device.isLoom ? "the loom (CPU)" : device.name.c_str());
  int wrong = 0;
  for (SumRung const& rung : rungs) {
    tweed::Workspace workspace(nullptr, workspaceBytes(n));
    TWEED_CHECK(cudaMemset(out, 0xFF, sizeof(float)));
    double const time = millisecondsOf([&] { rung.sum(in, n, out, workspace); });
    float sum = 0;
    TWEED_CHECK(cudaMemcpy(&sum, out, sizeof(float), cudaMemcpyDeviceToHost));
    std::printf("%-20s %10.4f ms %8.1f GB/s  sum %g  %s\n", rung.name, time,
                double(n) * sizeof(float) / time * 1e-6, sum, rung.idea);
    if (sum == float(expected)) continue;
    std::printf("FAIL: %s: the host's sum is %g\n", rung.name, expected);
    ++wrong;
  }
  TWEED_CHECK(cudaFree(in));
  TWEED_CHECK(cudaFree(out));
  return wrong > 0 ? 1 : 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s: %s\n", rungs[0].name, error.what());
  return 1;
}

}  // namespace ladder
