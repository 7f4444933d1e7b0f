// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -I tweed/include argmaxRows.cu -o argmaxRows && ./argmaxRows
//
// In which column of each row of a matrix the greatest value stands, one block a row. Of equal
// values the first is the answer, and so is the first NaN of a row with some, as in NumPy's argmax;
// with blockArgMax<threads, tweed::Nan::Ignore> and tweed::ArgMaxNumber NaN would be passed over.

#include <tweed/block/blockArg.cuh>
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

__global__ void argmaxRows(float const* in, int* out, int rows, int columns) {
  using Best = tweed::Indexed<float, int>;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float const* const x = in + 1ll * row * columns;
    // Threads without a column bring the maximum of nothing: any value replaces it, -infinity too.
    Best best = tweed::ArgMax::identity<Best>();
    for (int i = threadIdx.x; i < columns; i += threads) best = tweed::ArgMax{}(best, {x[i], i});
    best = tweed::blockArgMax<threads>(best.value, best.index);
    if (threadIdx.x == 0) out[row] = best.index;
  }
}

// Random rows, and the kinds that naive versions get wrong.
std::vector<float> makeRows(int rows, int columns) {
  std::vector<float> values(std::size_t(rows) * columns);
  std::mt19937 random(1);
  for (int row = 0; row < rows; ++row) {
    float* const x = values.data() + 1ll * row * columns;
    for (int i = 0; i < columns; ++i) {
      x[i] = float(random()) * 0x1p-32f - 1;
      if (row % 8 == 1) x[i] = float(random() % 3);  // many maxima
      if (row % 8 == 2) x[i] = -INFINITY;
      if (row % 8 == 3) x[i] = NAN;
    }
    if (row % 8 == 4) x[random() % columns] = x[random() % columns] = NAN;
    if (row % 8 == 5) x[random() % columns] = INFINITY;
  }
  return values;
}

int argmaxOnHost(float const* x, int columns) {
  int best = 0;
  for (int i = 0; i < columns; ++i) {
    if (std::isnan(x[i])) return i;
    if (x[i] > x[best]) best = i;
  }
  return best;
}

int main(int argc, char** argv) try {
  constexpr int most = 1 << 26;
  char const* const usage = "usage: argmaxRows [COLUMNS]    1 to 67108864\n";
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(usage, stdout), 0;
  char* end = nullptr;
  long long const asked = argc == 2 ? std::strtoll(argv[1], &end, 10) : 1000;
  if (argc > 2 || (argc == 2 && (end == argv[1] || *end != '\0' || asked < 1 || asked > most))) {
    std::fprintf(stderr, "argmaxRows: '%s' is not allowed\n%s", argv[argc - 1], usage);
    return 2;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  int const columns = int(asked);
  bool const isLoom = tweed::deviceInfo().isLoom;
  int const rows =
      std::min(isLoom ? 200 : 1 << 16, tweed::ceilDiv(isLoom ? 1 << 17 : most, columns));

  std::vector<float> const values = makeRows(rows, columns);
  std::vector<int> result(rows);
  float* in;
  int* out;
  TWEED_CHECK(cudaMalloc(&in, values.size() * sizeof(float)));
  TWEED_CHECK(cudaMalloc(&out, rows * sizeof(int)));
  TWEED_CHECK(cudaMemcpy(in, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
  unsigned const blocks = tweed::gridFor(1ll * rows * threads, argmaxRows, threads);
  tweed::launch(argmaxRows, {blocks, threads}, in, out, rows, columns);
  TWEED_CHECK(cudaMemcpy(result.data(), out, rows * sizeof(int), cudaMemcpyDeviceToHost));
  TWEED_CHECK(cudaFree(in));
  TWEED_CHECK(cudaFree(out));

  for (int row = 0; row < rows; ++row) {
    int const expected = argmaxOnHost(values.data() + 1ll * row * columns, columns);
    if (result[row] != expected) {
      std::printf("FAIL: the greatest value of row %d stands in column %d, not %d\n", row, expected,
                  result[row]);
      return 1;
    }
  }
  std::printf("%d rows of %d: the greatest value stands where the host finds it in all\n", rows,
              columns);
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "argmaxRows: %s\n", error.what());
  return 1;
}
