// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -I tweed/include dotProduct.cu -o dotProduct && ./dotProduct
//
// The dot product of two arrays inside one kernel: each thread adds up its share, gridReduce adds
// up the threads of the whole launch. No second kernel, no atomics, the same bits on every run.

#include <tweed/grid/gridReduce.cuh>
#include <tweed/grid/gridStride.cuh>
#include <tweed/launch/occupancy.cuh>
#include <tweed/memory/workspace.cuh>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <vector>

constexpr int threads = 256;

__global__ void dotProduct(float const* a, float const* b, float* out, long long n, void* state) {
  float share = 0;
  for (auto const i : tweed::gridStride(n)) share += a[i] * b[i];
  auto const total = tweed::gridReduce<threads>(share, tweed::Sum{}, state);
  if (total.isLast && threadIdx.x == 0) *out = total.value;
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
  char const* const usage = "usage: dotProduct [N]    N floats in each array, 0 to 1073741824\n";
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(usage, stdout), 0;
  char* end = nullptr;
  long long n = argc == 2 ? std::strtoll(argv[1], &end, 10) : 0;
  if (argc > 2 || (argc == 2 && (end == argv[1] || *end != '\0' || n < 0 || n > most))) {
    std::fprintf(stderr, "dotProduct: '%s' is not allowed\n%s", argv[argc - 1], usage);
    return 2;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  tweed::DeviceInfo const device = tweed::deviceInfo();
  if (argc == 1) n = device.isLoom ? 1 << 17 : 1 << 26;

  std::vector<float> hostA(n), hostB(n);
  std::mt19937 random(1);
  for (float& x : hostA) x = float(random()) * 0x1p-32f;
  for (float& x : hostB) x = float(random()) * 0x1p-32f;

  std::size_t const bytes = std::size_t(n) * sizeof(float);
  float *a, *b, *out;
  TWEED_CHECK(cudaMalloc(&a, bytes));
  TWEED_CHECK(cudaMalloc(&b, bytes));
  TWEED_CHECK(cudaMalloc(&out, sizeof(float)));
  TWEED_CHECK(cudaMemcpy(a, hostA.data(), bytes, cudaMemcpyHostToDevice));
  TWEED_CHECK(cudaMemcpy(b, hostB.data(), bytes, cudaMemcpyHostToDevice));

  // At least one block, which writes the 0 of empty arrays. The state serves every launch.
  unsigned const blocks = std::max(1u, tweed::gridFor(n, dotProduct, threads));
  tweed::Workspace workspace;
  void* const state =
      workspace.takeState("dotProduct", tweed::gridReduceBytes<float>(blocks), workspace.stream());
  double const time = millisecondsOf([&] {
    tweed::launch(dotProduct, {blocks, threads}, a, b, out, n, state);
  });

  float result = 0;
  TWEED_CHECK(cudaMemcpy(&result, out, sizeof(float), cudaMemcpyDeviceToHost));
  TWEED_CHECK(cudaFree(a));
  TWEED_CHECK(cudaFree(b));
  TWEED_CHECK(cudaFree(out));

  double expected = 0;
  for (long long i = 0; i < n; ++i) expected += double(hostA[i]) * hostB[i];
  // In units of the float's rounding: the additions of a thread, and those between the threads.
  double const allowed = (double(n) / (double(blocks) * threads) + 64) * 0x1p-24;
  std::printf(
      "the dot product of %lld floats is %.9g (host: %.9g, allowed is a difference of %.1g)\n", n,
      result, expected, allowed * expected);
  std::printf("%s: %.3f ms, %.1f GB/s\n", device.isLoom ? "loom (CPU)" : device.name.c_str(), time,
              2.0 * double(bytes) / time * 1e-6);
  if (!(std::fabs(result - expected) <= allowed * expected)) {
    std::puts("FAIL: the device's is another");
    return 1;
  }
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "dotProduct: %s\n", error.what());
  return 1;
}
