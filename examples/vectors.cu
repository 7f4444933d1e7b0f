// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -I tweed/include vectors.cu -o vectors && ./vectors
//
// Brightens an image of one byte a pixel: 16 bytes at a time by gridStrideVectors, one at a time by
// gridStride. Arrays may begin anywhere, and no byte beside them is written.

#include <tweed/grid/gridStride.cuh>
#include <tweed/grid/gridStrideVectors.cuh>
#include <tweed/launch/occupancy.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

using Pixel = unsigned char;
constexpr int threads = 256;

TWEED_HOST_DEVICE Pixel brighten(Pixel x) { return Pixel(x < 215 ? x + 40 : 255); }

__global__ void byVectors(Pixel const* in, Pixel* out, long long n) {
  tweed::gridStrideVectors<16>(out, in, n, [](Pixel x) { return brighten(x); });
}

__global__ void byPixels(Pixel const* in, Pixel* out, long long n) {
  for (auto const i : tweed::gridStride(n)) out[i] = brighten(in[i]);
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
  constexpr long long most = 1ll << 32;
  char const* const usage = "usage: vectors [N]    N pixels, 0 to 4294967296\n";
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(usage, stdout), 0;
  char* end = nullptr;
  long long n = argc == 2 ? std::strtoll(argv[1], &end, 10) : 0;
  if (argc > 2 || (argc == 2 && (end == argv[1] || *end != '\0' || n < 0 || n > most))) {
    std::fprintf(stderr, "vectors: '%s' is not allowed\n%s", argv[argc - 1], usage);
    return 2;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  tweed::DeviceInfo const device = tweed::deviceInfo();
  if (argc == 1) n = device.isLoom ? 50000 : 100000000;

  // Room on both sides of the image, filled with a value that brighten() never gives.
  constexpr int before = 32, after = 32;
  constexpr Pixel untouched = 7;
  std::size_t const bytes = before + std::size_t(n) + after;
  std::vector<Pixel> image(bytes), result(bytes);
  for (std::size_t i = 0; i < bytes; ++i) image[i] = Pixel(i * 2654435761u >> 24);
  Pixel *in, *out;
  TWEED_CHECK(cudaMalloc(&in, bytes));
  TWEED_CHECK(cudaMalloc(&out, bytes));
  TWEED_CHECK(cudaMemcpy(in, image.data(), bytes, cudaMemcpyHostToDevice));

  std::printf("%lld pixels on %s\n", n, device.isLoom ? "loom (CPU)" : device.name.c_str());
  bool isRight = true;
  auto const measure = [&](char const* name, auto kernel, int inOffset, int outOffset) {
    Pixel const* const from = in + before + inOffset;
    Pixel* const to = out + before + outOffset;
    unsigned const blocks = tweed::gridFor(n, kernel, threads);
    TWEED_CHECK(cudaMemset(out, untouched, bytes));
    double const time = millisecondsOf([&] {
      tweed::launch(kernel, {blocks, threads}, from, to, n);
    });
    TWEED_CHECK(cudaMemcpy(result.data(), out, bytes, cudaMemcpyDeviceToHost));
    std::printf("%-17s in + %d, out + %d: %7.3f ms, %6.1f GB/s\n", name, inOffset, outOffset, time,
                2.0 * double(n) / time * 1e-6);

    std::size_t const first = before + outOffset;
    for (std::size_t i = 0; i < bytes; ++i) {
      bool const isPixel = i >= first && i < first + n;
      Pixel const expected = isPixel ? brighten(image[i - outOffset + inOffset]) : untouched;
      if (result[i] == expected) continue;
      std::printf("FAIL: byte %lld of the image is %d, not %d\n", (long long)(i - first), result[i],
                  expected);
      isRight = false;
      return;
    }
  };
  measure("gridStride", byPixels, 0, 0);
  measure("gridStrideVectors", byVectors, 0, 0);
  measure("gridStride", byPixels, 1, 3);
  measure("gridStrideVectors", byVectors, 1, 3);  // loads by 2, as in and out differ by 2
  TWEED_CHECK(cudaFree(in));
  TWEED_CHECK(cudaFree(out));
  if (isRight) std::puts("all pixels are right, and the bytes beside them as they were");
  return isRight ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "vectors: %s\n", error.what());
  return 1;
}
