// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -I tweed/include sum.cu -o sum && ./sum
//
// The sum of an array in device memory: one call, one launch, no scratch to size.

#include <tweed/device/deviceReduce.cuh>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <vector>

// Pairwise, so that the reference's own rounding stays far below what is checked.
double hostSum(float const* values, std::size_t n) {
  if (n <= 32) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += values[i];
    return sum;
  }
  return hostSum(values, n / 2) + hostSum(values + n / 2, n - n / 2);
}

// The median of nine runs on the device, after one that warms it up.
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

int main(int argc, char** argv) try {
  constexpr long long most = 1ll << 30;
  char const* const usage = "usage: sum [N]    adds N random floats, 0 to 1073741824\n";
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(usage, stdout), 0;
  char* end = nullptr;
  long long const asked = argc == 2 ? std::strtoll(argv[1], &end, 10) : 0;
  if (argc > 2 || (argc == 2 && (end == argv[1] || *end != '\0' || asked < 0 || asked > most))) {
    std::fprintf(stderr, "sum: '%s' is not allowed\n%s", argv[argc - 1], usage);
    return 2;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  tweed::DeviceInfo const device = tweed::deviceInfo();
  std::size_t const n = argc == 2 ? std::size_t(asked) : device.isLoom ? 1 << 20 : 1 << 24;

  std::vector<float> values(n);
  std::mt19937 random(1);
  for (float& value : values) value = float(random()) * 0x1p-32f;

  float* in = nullptr;
  float* out = nullptr;
  TWEED_CHECK(cudaMalloc(&in, n * sizeof(float)));
  TWEED_CHECK(cudaMalloc(&out, sizeof(float)));
  TWEED_CHECK(cudaMemcpy(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  tweed::Workspace workspace;
  double const time =
      millisecondsOf([&] { tweed::deviceReduce(in, n, out, tweed::Sum{}, workspace); });

  float sum = 0;
  TWEED_CHECK(cudaMemcpy(&sum, out, sizeof(float), cudaMemcpyDeviceToHost));
  TWEED_CHECK(cudaFree(in));
  TWEED_CHECK(cudaFree(out));

  double const expected = hostSum(values.data(), n);
  std::printf("%zu floats add up to %.9g (host: %.9g)\n", n, sum, expected);
  std::printf("%s: %.3f ms, %.1f GB/s\n", device.isLoom ? "loom (CPU)" : device.name.c_str(), time,
              double(n) * sizeof(float) / time * 1e-6);
  if (!(std::fabs(sum - expected) <= 1e-5 * expected)) {
    std::puts("FAIL: more than 1e-5 from the host's sum");
    return 1;
  }
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "sum: %s\n", error.what());
  return 1;
}
