// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=sm_80 -I tweed/include matmulChain.cu -o chain && ./chain
//
// D = (A * B) * C in one kernel, as two layers of a network, or attention: each block keeps its
// rows of A * B in shared memory and multiplies them once more. The kernel is the same for CUDA
// cores and for tensor cores, from compute capability 8.0 on; for those of Hopper, take
// WgmmaConfig<64, 64, 1, 3> and -gencode=arch=compute_90a,code=sm_90a.

#include <tweed/launch/launch.cuh>
#include <tweed/matmul/blockTile.cuh>
#include <tweed/memory/dynamicShared.cuh>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <vector>

using A = tweed::MatrixView<__half const, tweed::RowMajor>;
using B = tweed::MatrixView<__half const, tweed::ColumnMajor>;
using C = tweed::MatrixView<__half const, tweed::RowMajor>;
using D = tweed::MatrixView<float, tweed::RowMajor>;

using CudaCores = tweed::SimtConfig<tweed::TileShape<64, 64, 16>, 4, 4, 3>;
using TensorCores = tweed::MmaConfig<tweed::TileShape<64, 64, 64>, 32, 32, 3>;

template <class Config>
using Product = tweed::BlockMatmul<Config, decltype(tweed::loadRows(A(), 0)),
                                   decltype(tweed::loadColumns(B(), 0)), float>;

int constexpr mostBetween = 128;  // columns of B, rows of C
template <class Config>
struct Shared {
  typename Product<Config>::Shared product;  // of both
  __half between[Config::Tile::m][mostBetween];
};

template <class Config>
__global__ void __launch_bounds__(Product<Config>::threads) multiplyTwice(A a, B b, C c, D d) {
  using Tile = typename Config::Tile;
  auto& shared = *tweed::dynamicShared<Shared<Config>>(1);
  int const row = int(blockIdx.x) * Tile::m;
  for (int column = 0; column < b.columns; column += Tile::n) {
    auto tile = tweed::blockMatmul<Config>(shared.product, tweed::loadRows(a, row),
                                           tweed::loadColumns(b, column));
    tile.forEach([&](float x, int i, int j) {
      if (column + j < mostBetween) shared.between[i][column + j] = __half(x);
    });
  }
  __syncthreads();

  auto const& between = shared.between;
  auto const rows = tweed::loadItems<tweed::Major::K>([&](int i, int k) { return between[i][k]; },
                                                      Tile::m, int(b.columns));
  for (int column = 0; column < c.columns; column += Tile::n)
    tweed::blockMatmul<Config>(shared.product, rows, tweed::loadColumns(c, column))
        .store(d, {row, column, 0});
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
      "usage: chain [M N K]    M x K by K x N by N x K, M and K 0 to 16384, N 0 to 128\n";
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(usage, stdout), 0;
  std::size_t sizes[3] = {70, 100, 33};
  for (int i = 1; i < argc; ++i) {
    char* end = nullptr;
    long long const size = std::strtoll(argv[i], &end, 10);
    long long const most = i == 2 ? mostBetween : 16384;
    if (argc != 4 || end == argv[i] || *end != '\0' || size < 0 || size > most) {
      std::fprintf(stderr, "chain: '%s' is not allowed\n%s", argv[i], usage);
      return 2;
    }
    sizes[i - 1] = std::size_t(size);
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  std::size_t const m = sizes[0], n = sizes[1], k = sizes[2];

  // Integers so small that half holds the first product, and float the second.
  std::mt19937 random(1);
  auto const integers = [&](std::size_t count) {
    std::vector<__half> numbers(count);
    for (__half& number : numbers) number = __half(float(int(random() % 5) - 2));
    return numbers;
  };
  std::vector<__half> const hostA = integers(m * k), hostB = integers(k * n);
  std::vector<__half> const hostC = integers(n * k);  // B by columns, C by rows
  std::vector<float> expected(m * k), first(n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      first[j] = 0;
      for (std::size_t l = 0; l < k; ++l)
        first[j] += __half2float(hostA[i * k + l]) * __half2float(hostB[j * k + l]);
    }
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t l = 0; l < k; ++l)
        expected[i * k + l] += first[j] * __half2float(hostC[j * k + l]);
  }
  __half* const a = toDevice(hostA);
  __half* const b = toDevice(hostB);
  __half* const c = toDevice(hostC);
  float* const d = toDevice(expected);

  std::size_t wrong = 0;
  auto const check = [&](auto config, char const* name) {
    using Config = decltype(config);
    TWEED_CHECK(cudaMemset(d, 0xff, m * k * sizeof(float)));
    tweed::launch(
        multiplyTwice<Config>,
        {tweed::ceilDiv(int(m), Config::Tile::m), Product<Config>::threads, sizeof(Shared<Config>)},
        tweed::rowMajor<__half const>(a, m, k), tweed::columnMajor<__half const>(b, k, n),
        tweed::rowMajor<__half const>(c, n, k), tweed::rowMajor(d, m, k));
    std::vector<float> found(m * k);
    TWEED_CHECK(cudaMemcpy(found.data(), d, found.size() * sizeof(float), cudaMemcpyDeviceToHost));
    std::size_t different = 0;
    for (std::size_t i = 0; i < found.size(); ++i) different += found[i] != expected[i];
    std::printf("%zu x %zu by %zu x %zu by %zu x %zu, %s: %zu numbers are wrong\n", m, k, k, n, n,
                k, name, different);
    wrong += different;
  };
  check(CudaCores{}, "CUDA cores");
  check(TensorCores{}, "tensor cores");
  for (void* memory :
       {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c), static_cast<void*>(d)})
    TWEED_CHECK(cudaFree(memory));
  if (wrong != 0) {
    std::puts("FAIL: not the host's product");
    return 1;
  }
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "chain: %s\n", error.what());
  return 1;
}
