// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -I tweed/include saxpy.cu -o saxpy && ./saxpy
//
// y = a * x + y with a kernel of your own: a loop over any number of items, on a grid that fills
// the device.

#include <tweed/grid/gridStride.cuh>
#include <tweed/launch/occupancy.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

__global__ void saxpy(float a, float const* x, float* y, std::size_t n) {
  for (auto const i : tweed::gridStride(n)) y[i] = a * x[i] + y[i];
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
  char const* const usage = "usage: saxpy [N]    y = 2 x + y for N floats, 0 to 1073741824\n";
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(usage, stdout), 0;
  char* end = nullptr;
  long long const asked = argc == 2 ? std::strtoll(argv[1], &end, 10) : 0;
  if (argc > 2 || (argc == 2 && (end == argv[1] || *end != '\0' || asked < 0 || asked > most))) {
    std::fprintf(stderr, "saxpy: '%s' is not allowed\n%s", argv[argc - 1], usage);
    return 2;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  tweed::DeviceInfo const device = tweed::deviceInfo();
  std::size_t const n = argc == 2 ? std::size_t(asked) : device.isLoom ? 1 << 20 : 1 << 26;

  // Small integers: every product and sum is exact, fused or not.
  std::vector<float> hostX(n);
  std::vector<float> hostY(n);
  for (std::size_t i = 0; i < n; ++i) hostX[i] = float(i % 1000);
  for (std::size_t i = 0; i < n; ++i) hostY[i] = float(i % 777);

  std::size_t const bytes = n * sizeof(float);
  float* x = nullptr;
  float* y = nullptr;
  TWEED_CHECK(cudaMalloc(&x, bytes));
  TWEED_CHECK(cudaMalloc(&y, bytes));
  TWEED_CHECK(cudaMemcpy(x, hostX.data(), bytes, cudaMemcpyHostToDevice));
  TWEED_CHECK(cudaMemcpy(y, hostY.data(), bytes, cudaMemcpyHostToDevice));

  unsigned const blocks = tweed::gridFor(n, saxpy, 256);
  auto const run = [&] { tweed::launch(saxpy, {blocks, 256}, 2.0f, x, y, n); };
  run();
  TWEED_CHECK(cudaMemcpy(hostY.data(), y, bytes, cudaMemcpyDeviceToHost));
  double const time = millisecondsOf(run);
  TWEED_CHECK(cudaFree(x));
  TWEED_CHECK(cudaFree(y));

  std::printf("y = 2 x + y for %zu floats, %u blocks of 256 threads\n", n, blocks);
  std::printf("%s: %.3f ms, %.1f GB/s\n", device.isLoom ? "loom (CPU)" : device.name.c_str(), time,
              3.0 * double(bytes) / time * 1e-6);
  for (std::size_t i = 0; i < n; ++i) {
    float const expected = 2 * float(i % 1000) + float(i % 777);
    if (hostY[i] != expected) {
      std::printf("FAIL: y[%zu] is %g, not %g\n", i, hostY[i], expected);
      return 1;
    }
  }
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "saxpy: %s\n", error.what());
  return 1;
}
