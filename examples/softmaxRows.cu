// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -I tweed/include softmaxRows.cu -o softmax && ./softmax
//
// The softmax of every row of a matrix, one block a row: two reductions inside a kernel, each with
// its result in every thread, no scratch to declare, no barrier to remember.

#include <tweed/block/blockReduce.cuh>
#include <tweed/launch/occupancy.cuh>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <vector>

constexpr int threads = 256;

__global__ void softmaxRows(float const* in, float* out, std::size_t rows, std::size_t columns) {
  for (std::size_t row = blockIdx.x; row < rows; row += gridDim.x) {
    float const* const x = in + row * columns;
    float* const y = out + row * columns;

    float top = -INFINITY;  // what the maximum of nothing is, for threads without a column
    for (std::size_t i = threadIdx.x; i < columns; i += threads) top = fmaxf(top, x[i]);
    top = tweed::blockReduce<threads>(top, tweed::Max{});

    float sum = 0;
    for (std::size_t i = threadIdx.x; i < columns; i += threads) sum += expf(x[i] - top);
    sum = tweed::blockReduce<threads>(sum);

    for (std::size_t i = threadIdx.x; i < columns; i += threads) y[i] = expf(x[i] - top) / sum;
  }
}

// Ordinary rows of values between -10 and 10, and three kinds that naive versions get wrong.
std::vector<float> makeRows(std::size_t rows, std::size_t columns) {
  std::vector<float> values(rows * columns);
  std::mt19937 random(1);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < columns; ++i) {
      float& value = values[row * columns + i];
      value = float(random()) * 20 * 0x1p-32f - 10;
      if (row % 8 == 0) value = -100;                     // 1 / columns each; exp(-100) underflows
      if (row % 8 == 1) value += 1000;                    // exp would overflow
      if (row % 8 == 2 && i % 3 != 0) value = -INFINITY;  // masked: 0
    }
  return values;
}

// The largest error in `out`, relative to the softmax in double.
double largestError(std::vector<float> const& in, std::vector<float> const& out, std::size_t rows,
                    std::size_t columns) {
  double worst = 0;
  for (std::size_t row = 0; row < rows && columns > 0; ++row) {
    float const* const x = in.data() + row * columns;
    double const top = *std::max_element(x, x + columns);
    double sum = 0;
    for (std::size_t i = 0; i < columns; ++i) sum += std::exp(x[i] - top);
    for (std::size_t i = 0; i < columns; ++i) {
      double const expected = std::exp(x[i] - top) / sum;
      double const error = std::fabs(out[row * columns + i] - expected);
      if (error == 0) continue;
      worst = std::max(worst, error > 0 ? error / expected : INFINITY);  // NaN: INFINITY
    }
  }
  return worst;
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
  constexpr long long most = 1ll << 20;
  char const* const usage = "usage: softmaxRows [ROWS COLUMNS]    each 0 to 1048576\n";
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(usage, stdout), 0;
  long long shape[2] = {0, 0};
  for (int i = 1; i < argc; ++i) {
    char* end = argv[i];
    if (i <= 2) shape[i - 1] = std::strtoll(argv[i], &end, 10);
    if (end == argv[i] || *end != '\0' || shape[i - 1] < 0 || shape[i - 1] > most) {
      std::fprintf(stderr, "softmaxRows: '%s' is not allowed\n%s", argv[i], usage);
      return 2;
    }
  }
  if (argc == 2) {
    std::fprintf(stderr, "softmaxRows: COLUMNS is missing\n%s", usage);
    return 2;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  tweed::DeviceInfo const device = tweed::deviceInfo();
  std::size_t const rows = argc > 1 ? std::size_t(shape[0]) : device.isLoom ? 200 : 8192;
  std::size_t const columns = argc > 1 ? std::size_t(shape[1]) : device.isLoom ? 1000 : 4096;

  std::vector<float> const values = makeRows(rows, columns);
  std::vector<float> result(values.size());
  std::size_t const bytes = values.size() * sizeof(float);
  float* in = nullptr;
  float* out = nullptr;
  TWEED_CHECK(cudaMalloc(&in, bytes));
  TWEED_CHECK(cudaMalloc(&out, bytes));
  TWEED_CHECK(cudaMemcpy(in, values.data(), bytes, cudaMemcpyHostToDevice));

  unsigned const blocks = tweed::gridFor(rows * threads, softmaxRows, threads);
  double const time = millisecondsOf([&] {
    tweed::launch(softmaxRows, {blocks, threads}, in, out, rows, columns);
  });

  TWEED_CHECK(cudaMemcpy(result.data(), out, bytes, cudaMemcpyDeviceToHost));
  TWEED_CHECK(cudaFree(in));
  TWEED_CHECK(cudaFree(out));

  // In units of the float's rounding: a difference from the maximum of up to 20, two exponentials,
  // and the additions that one thread makes.
  double const allowed = (64 + double(columns) / threads) * 0x1p-24;
  double const error = largestError(values, result, rows, columns);
  std::printf("%zu rows of %zu: largest relative error %.2g, allowed %.2g\n", rows, columns, error,
              allowed);
  std::printf("%s: %.3f ms, %.1f GB/s (each value read once, written once)\n",
              device.isLoom ? "loom (CPU)" : device.name.c_str(), time,
              2.0 * double(bytes) / time * 1e-6);
  if (!(error <= allowed)) {
    std::puts("FAIL: the error is larger than allowed");
    return 1;
  }
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "softmaxRows: %s\n", error.what());
  return 1;
}
