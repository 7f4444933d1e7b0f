// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -I tweed/include matmulGather.cu -o gather && ./gather
//
// The product of picked rows of A with B, as where each token goes to an expert of its own: the
// rows are read where they are, and no copy of them is made.

#include <tweed/launch/launch.cuh>
#include <tweed/matmul/blockTile.cuh>
#include <tweed/memory/dynamicShared.cuh>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <vector>

using A = tweed::MatrixView<float const, tweed::RowMajor>;
using B = tweed::MatrixView<float const, tweed::RowMajor>;
using C = tweed::MatrixView<float, tweed::RowMajor>;

using Tile = tweed::TileShape<64, 64, 16>;
using Config = tweed::SimtConfig<Tile, 4, 4, 3>;
using Product =
    tweed::BlockMatmul<Config, tweed::GatherLoader<float>, decltype(tweed::loadColumns(B(), 0))>;

// Row i of C is row index[i] of A times B.
__global__ void __launch_bounds__(Product::threads)
    multiplyPicked(A a, int const* index, B b, C c) {
  auto& scratch = *tweed::dynamicShared<Product::Shared>(1);
  int const firstRow = int(blockIdx.y) * Tile::m, firstColumn = int(blockIdx.x) * Tile::n;
  int const rows = int(c.rows) - firstRow, depth = int(a.columns);
  tweed::GatherLoader<float> const picked{a.data, a.leadingDimension, index + firstRow, rows,
                                          depth};
  tweed::blockMatmul<Config>(scratch, picked, tweed::loadColumns(b, firstColumn))
      .store(c, {firstRow, firstColumn, 0});
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
      "usage: gather [M N K]    M picked rows of K numbers by K x N, each 0 to 16384\n";
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(usage, stdout), 0;
  std::size_t sizes[3] = {70, 150, 33};
  for (int i = 1; i < argc; ++i) {
    char* end = nullptr;
    long long const size = std::strtoll(argv[i], &end, 10);
    if (argc != 4 || end == argv[i] || *end != '\0' || size < 0 || size > 16384) {
      std::fprintf(stderr, "gather: '%s' is not allowed\n%s", argv[i], usage);
      return 2;
    }
    sizes[i - 1] = std::size_t(size);
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  auto const [m, n, k] = sizes;
  std::size_t const tokens = 1000;  // rows of A

  // Small integers, so that sums are exact.
  std::mt19937 random(1);
  auto const integers = [&](std::size_t count) {
    std::vector<float> numbers(count);
    for (float& number : numbers) number = float(int(random() % 9) - 4);
    return numbers;
  };
  std::vector<float> const hostA = integers(tokens * k), hostB = integers(k * n);
  std::vector<int> hostIndex(m);
  for (int& row : hostIndex) row = int(random() % tokens);
  std::vector<float> hostC(m * n);
  float* const a = toDevice(hostA);
  float* const b = toDevice(hostB);
  float* const c = toDevice(hostC);
  int* const index = toDevice(hostIndex);

  tweed::LaunchConfig const config{
      tweed::Extent(tweed::ceilDiv(int(n), Tile::n), tweed::ceilDiv(int(m), Tile::m)),
      Product::threads, sizeof(Product::Shared)};
  tweed::launch(multiplyPicked, config, tweed::rowMajor<float const>(a, tokens, k), index,
                tweed::rowMajor<float const>(b, k, n), tweed::rowMajor(c, m, n));
  TWEED_CHECK(cudaMemcpy(hostC.data(), c, hostC.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (float* memory : {a, b, c}) TWEED_CHECK(cudaFree(memory));
  TWEED_CHECK(cudaFree(index));

  std::size_t wrong = 0;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t l = 0; l < k; ++l)
        sum += hostA[std::size_t(hostIndex[i]) * k + l] * hostB[l * n + j];
      if (hostC[i * n + j] != sum) ++wrong;
    }
  std::printf("%zu picked rows of %zu by %zu x %zu: %zu numbers are wrong\n", m, tokens, k, n,
              wrong);
  if (wrong != 0) {
    std::puts("FAIL: not the host's product");
    return 1;
  }
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "gather: %s\n", error.what());
  return 1;
}
