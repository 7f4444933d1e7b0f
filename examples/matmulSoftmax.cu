// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -I tweed/include matmulSoftmax.cu -o softmax && ./softmax
//
// The softmax of every row of A * B, in one kernel: each block multiplies tile by tile and keeps of
// each row its maximum and sum so far; then it multiplies once more and writes the results. The
// product itself is never stored.

#include <tweed/launch/launch.cuh>
#include <tweed/matmul/blockMatmul.cuh>
#include <tweed/memory/dynamicShared.cuh>
#include <tweed/warp/warpReduce.cuh>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <vector>

using A = tweed::MatrixView<float const, tweed::RowMajor>;
using B = tweed::MatrixView<float const, tweed::ColumnMajor>;
using C = tweed::MatrixView<float, tweed::RowMajor>;

using Tile = tweed::TileShape<64, 64, 16>;
using Product =
    tweed::BlockMatmul<tweed::SimtConfig<Tile, 4, 4, 3>, decltype(tweed::loadRows(A(), 0)),
                       decltype(tweed::loadColumns(B(), 0))>;

struct Shared {
  Product::Shared product;
  float tile[Tile::m][Tile::n + 1];
  float top[Tile::m];  // of each row, the largest number so far,
  float sum[Tile::m];  // and the sum of exp(number - top)
};

__global__ void __launch_bounds__(Product::threads) softmaxOfProduct(A a, B b, C c) {
  Shared& shared = *tweed::dynamicShared<Shared>(1);
  Product product(shared.product);
  int const firstRow = int(blockIdx.x) * Tile::m;
  auto const loaderA = tweed::loadRows(a, firstRow);
  int const rows = tweed::smaller(Tile::m, loaderA.extent), columns = int(b.columns);
  for (int row = int(threadIdx.x); row < Tile::m; row += Product::threads) {
    shared.top[row] = -INFINITY;
    shared.sum[row] = 0;
  }

  for (int firstColumn = 0; firstColumn < columns; firstColumn += Tile::n) {
    Product::Accumulator acc{};
    product.run(loaderA, tweed::loadColumns(b, firstColumn), 0, int(a.columns), acc);
    Product::forEach(acc, [&](float x, int row, int column) { shared.tile[row][column] = x; });
    __syncthreads();
    int const width = tweed::smaller(Tile::n, columns - firstColumn), lane = int(threadIdx.x) % 32;
    for (int row = int(threadIdx.x) / 32; row < rows; row += Product::threads / 32) {
      float top = shared.top[row], sum = 0;
      for (int i = lane; i < width; i += 32) top = fmaxf(top, shared.tile[row][i]);
      top = tweed::warpReduce(top, tweed::Max{});
      for (int i = lane; i < width; i += 32) sum += expf(shared.tile[row][i] - top);
      sum = tweed::warpReduce(sum);
      if (lane == 0) {
        shared.sum[row] = shared.sum[row] * expf(shared.top[row] - top) + sum;
        shared.top[row] = top;
      }
    }
    __syncthreads();
  }

  for (int firstColumn = 0; firstColumn < columns; firstColumn += Tile::n) {
    Product::Accumulator acc{};
    product.run(loaderA, tweed::loadColumns(b, firstColumn), 0, int(a.columns), acc);
    Product::forEach(acc, [&](float x, int row, int column) {
      if (row < rows && firstColumn + column < columns)
        c(firstRow + row, firstColumn + column) = expf(x - shared.top[row]) / shared.sum[row];
    });
  }
}

std::vector<float> randomNumbers(std::size_t n, unsigned seed) {
  std::vector<float> numbers(n);
  std::mt19937 random(seed);
  for (float& number : numbers) number = float(random()) * 0x1p-30f - 2;
  return numbers;
}

float* toDevice(std::vector<float> const& numbers) {
  float* memory = nullptr;
  TWEED_CHECK(cudaMalloc(&memory, (numbers.size() + 1) * sizeof(float)));
  TWEED_CHECK(
      cudaMemcpy(memory, numbers.data(), numbers.size() * sizeof(float), cudaMemcpyHostToDevice));
  return memory;
}

// The largest difference from the softmax in double, of every row or of some.
double largestError(std::vector<float> const& a, std::vector<float> const& b,
                    std::vector<float> const& c, std::size_t m, std::size_t n, std::size_t k) {
  double worst = 0;
  std::vector<double> x(n);
  for (std::size_t i = 0; i<m; i += m * n * k> 50000000 ? 97 : 1) {
    double top = -INFINITY, sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      x[j] = 0;
      for (std::size_t l = 0; l < k; ++l) x[j] += double(a[i * k + l]) * double(b[j * k + l]);
      top = std::fmax(top, x[j]);
    }
    for (double value : x) sum += std::exp(value - top);
    for (std::size_t j = 0; j < n; ++j)
      worst = std::fmax(worst, std::fabs(double(c[i * n + j]) - std::exp(x[j] - top) / sum));
  }
  return worst;
}

int main(int argc, char** argv) try {
  char const* const usage =
      "usage: softmax [M N K]    of M x K by K x N random numbers, each 0 to 16384\n";
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(usage, stdout), 0;
  std::size_t sizes[3] = {};
  for (int i = 1; i < argc; ++i) {
    char* end = nullptr;
    long long const size = std::strtoll(argv[i], &end, 10);
    if (argc != 4 || end == argv[i] || *end != '\0' || size < 0 || size > 16384) {
      std::fprintf(stderr, "softmax: '%s' is not allowed\n%s", argv[i], usage);
      return 2;
    }
    sizes[i - 1] = std::size_t(size);
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  tweed::DeviceInfo const device = tweed::deviceInfo();
  if (argc == 1) {
    sizes[0] = device.isLoom ? 70 : 4096;
    sizes[1] = device.isLoom ? 150 : 2048;
    sizes[2] = device.isLoom ? 33 : 128;
  }
  auto const [m, n, k] = sizes;
  std::vector<float> const hostA = randomNumbers(m * k, 1), hostB = randomNumbers(k * n, 2);
  std::vector<float> hostC(m * n);
  float* const a = toDevice(hostA);
  float* const b = toDevice(hostB);
  float* const c = toDevice(hostC);

  tweed::launch(softmaxOfProduct,
                {tweed::ceilDiv(int(m), Tile::m), Product::threads, sizeof(Shared)},
                tweed::rowMajor<float const>(a, m, k), tweed::columnMajor<float const>(b, k, n),
                tweed::rowMajor(c, m, n));
  TWEED_CHECK(cudaMemcpy(hostC.data(), c, hostC.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (float* memory : {a, b, c}) TWEED_CHECK(cudaFree(memory));

  double const error = largestError(hostA, hostB, hostC, m, n, k);
  std::printf("%zu rows of %zu on %s: error %.2g\n", m, n,
              device.isLoom ? "loom (CPU)" : device.name.c_str(), error);
  if (!(error <= 1e-4)) {
    std::puts("FAIL: more than 1e-4 from the host's");
    return 1;
  }
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "softmax: %s\n", error.what());
  return 1;
}
