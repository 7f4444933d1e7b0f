// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -I tweed/include matmulGelu.cu -o matmulGelu && ./matmulGelu
//
// A layer of a network: C = gelu(A * B + bias), one kernel for all of it. On an H100 or H200 say
// -arch=sm_90a in place of -arch=native, which leaves out their fastest instructions; the plan says
// which it runs.

#include <tweed/core/half.cuh>
#include <tweed/matmul/matmul.cuh>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <vector>

using Item = __nv_bfloat16;

std::vector<Item> randomItems(std::size_t n, unsigned seed) {
  std::vector<Item> items(n);
  std::mt19937 random(seed);
  for (Item& item : items) item = Item(float(random()) * 0x1p-31f - 1);
  return items;
}

template <class T>
T* toDevice(std::vector<T> const& items) {
  T* memory = nullptr;
  TWEED_CHECK(cudaMalloc(&memory, (items.size() + 1) * sizeof(T)));
  TWEED_CHECK(cudaMemcpy(memory, items.data(), items.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

int main(int argc, char** argv) try {
  char const* const usage =
      "usage: matmulGelu [M N K]    multiplies M x K by K x N random numbers, each 0 to 16384\n";
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(usage, stdout), 0;
  long long sizes[3] = {};
  for (int i = 1; i < argc; ++i) {
    char* end = nullptr;
    long long const size = std::strtoll(argv[i], &end, 10);
    if (argc != 4 || end == argv[i] || *end != '\0' || size < 0 || size > 16384) {
      std::fprintf(stderr, "matmulGelu: '%s' is not allowed\n%s", argv[i], usage);
      return 2;
    }
    sizes[i - 1] = size;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  tweed::DeviceInfo const device = tweed::deviceInfo();
  if (argc == 1)
    for (long long& size : sizes) size = device.isLoom ? 136 : 4096;
  auto const [m, n, k] = sizes;

  std::vector<Item> const hostA = randomItems(std::size_t(m * k), 1);
  std::vector<Item> const hostB = randomItems(std::size_t(k * n), 2);
  std::vector<float> hostBias(std::size_t(n), 0);
  for (std::size_t j = 0; j < hostBias.size(); ++j) hostBias[j] = float(j % 9) / 4 - 1;
  std::vector<Item> hostC(std::size_t(m * n));
  Item* const a = toDevice(hostA);
  Item* const b = toDevice(hostB);
  Item* const c = toDevice(hostC);
  float* const bias = toDevice(hostBias);

  // B lies as a layer's weights do: one run of k numbers for each output.
  tweed::MatmulPlan const layer(tweed::rowMajor(a, m, k), tweed::columnMajor(b, k, n),
                                tweed::rowMajor(c, m, n),
                                tweed::biasPerColumn(bias) | tweed::gelu());
  std::puts(layer.explain().c_str());

  cudaEvent_t start, stop;
  TWEED_CHECK(cudaEventCreate(&start));
  TWEED_CHECK(cudaEventCreate(&stop));
  layer();
  TWEED_CHECK(cudaEventRecord(start));
  layer();
  TWEED_CHECK(cudaEventRecord(stop));
  tweed::synchronize();
  float time = 0;
  TWEED_CHECK(cudaEventElapsedTime(&time, start, stop));
  TWEED_CHECK(cudaEventDestroy(start));
  TWEED_CHECK(cudaEventDestroy(stop));

  TWEED_CHECK(cudaMemcpy(hostC.data(), c, hostC.size() * sizeof(Item), cudaMemcpyDeviceToHost));
  for (void* memory : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c),
                       static_cast<void*>(bias)})
    TWEED_CHECK(cudaFree(memory));

  // All numbers of a small product, some of a large one, against double.
  std::size_t const step = hostC.size() * std::size_t(k) > 50000000 ? 7919 : 1;
  double worst = 0;
  for (std::size_t at = 0; at < hostC.size(); at += step) {
    std::size_t const i = at / std::size_t(n), j = at % std::size_t(n), depth = std::size_t(k);
    double x = double(hostBias[j]);
    for (std::size_t l = 0; l < depth; ++l)
      x += double(float(hostA[i * depth + l])) * double(float(hostB[j * depth + l]));
    double const expected = 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    double const error = std::fabs(double(float(hostC[at])) - expected);
    worst = std::fmax(worst, error / (1 + std::fabs(expected)));
  }
  std::printf("%lld x %lld x %lld on %s: %.3f ms, %.1f TFLOP/s, error %.2g\n", m, n, k,
              device.isLoom ? "loom (CPU)" : device.name.c_str(), double(time),
              2e-9 * double(m) * double(n) * double(k) / double(time), worst);
  if (!(worst <= 1.0 / 128)) {
    std::puts("FAIL: further from the host's than bfloat16 rounds");
    return 1;
  }
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "matmulGelu: %s\n", error.what());
  return 1;
}
