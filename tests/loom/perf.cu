// SPDX-License-Identifier: Apache-2.0
/// How fast the loom switches. Prints a line a workload; --json FILE also writes them as JSON.
#if defined(TWEED_LOOM)
#include <chrono>
#include <cstring>
#include <string>

#include "support.cuh"

using loomTest::Array;
using loomTest::launch;
using loomTest::shape;

namespace {

__global__ void barriers(int count, int* out) {
  for (int i = 0; i < count; ++i) __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = count;
}
__global__ void shuffleReduce(float const* in, float* out) {
  float x = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, x);
}
__global__ void treeReduce(float const* in, float* out) {
  float* const shared = loomTest::dynamicShared<float>();
  shared[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) shared[threadIdx.x] += shared[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = shared[0];
}
__global__ void tiledMatmul(float const* a, float const* b, float* c, int n) {
  __shared__ float sa[16][17], sb[16][17];
  int const row = int(blockIdx.y) * 16 + int(threadIdx.y);
  int const column = int(blockIdx.x) * 16 + int(threadIdx.x);
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    sa[threadIdx.y][threadIdx.x] = a[row * n + t + int(threadIdx.x)];
    sb[threadIdx.y][threadIdx.x] = b[(t + int(threadIdx.y)) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += sa[threadIdx.y][k] * sb[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
__global__ void axpy(float a, float const* x, float* y) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = a * x[i] + y[i];
}

struct Row {
  std::string name;
  double milliseconds, switches, perSecond;
};
std::vector<Row> rows;

template <typename F>
void measure(char const* name, F run) {
  run();
  double best = 1e30;
  tweed::loom::Counters counters{};
  for (int i = 0; i < 3; ++i) {
    tweed::loom::takeCounters();
    auto const start = std::chrono::steady_clock::now();
    run();
    std::chrono::duration<double, std::milli> const time = std::chrono::steady_clock::now() - start;
    counters = tweed::loom::takeCounters();
    if (time.count() < best) best = time.count();
  }
  double const switches = double(counters.switches);
  rows.push_back({name, best, switches, switches / best * 1e3});
  std::printf("%-32s %9.2f ms %9.3f M switches %7.2f M/s\n", name, best, switches / 1e6,
              switches / best / 1e3);
}

}  // namespace

int main(int count, char** arguments) {
  char const* json = nullptr;
  if (count == 3 && std::strcmp(arguments[1], "--json") == 0) {
    json = arguments[2];
  } else if (count != 1) {
    std::fprintf(stderr, "usage: perf [--json FILE]\n");
    return 2;
  }
  std::size_t const items = 1 << 18;
  Array<float> x(std::vector<float>(items, 1.f)), y(items), z(items);
  Array<int> out(64);
  for (unsigned threads : {32u, 256u, 1024u})
    measure(("barriers, blocks of " + std::to_string(threads)).c_str(),
            [&] { launch(barriers, shape(4, threads), int(256 * 1024 / threads), out.data()); });
  measure("shuffle reduce, 1024 x 256",
          [&] { launch(shuffleReduce, shape(1024, 256), x.data(), y.data()); });
  measure("tree reduce, 1024 x 256",
          [&] { launch(treeReduce, shape(1024, 256, 1024), x.data(), y.data()); });
  measure("tiled matmul 256^3, 16 x 16", [&] {
    launch(tiledMatmul, shape(dim3(16, 16), dim3(16, 16)), x.data(), y.data(), z.data(), 256);
  });
  measure("axpy, 1024 x 256, no barrier",
          [&] { launch(axpy, shape(1024, 256), 2.f, x.data(), y.data()); });
  measure("1000 smallest launches", [&] {
    for (int i = 0; i < 1000; ++i) launch(barriers, shape(1, 1), 0, out.data());
  });
  if (!json) return 0;
  std::FILE* const file = std::fopen(json, "w");
  if (!file) {
    std::perror(json);
    return 1;
  }
  std::fprintf(file, "[\n");
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::fprintf(file,
                 "  {\"name\": \"%s\", \"milliseconds\": %.4f, \"switches\": %.0f, "
                 "\"switchesPerSecond\": %.0f}%s\n",
                 rows[i].name.c_str(), rows[i].milliseconds, rows[i].switches, rows[i].perSecond,
                 i + 1 < rows.size() ? "," : "");
  std::fprintf(file, "]\n");
  return std::fclose(file) == 0 ? 0 : 1;
}
#else
int main() { return 77; }  // for the loom alone: skipped on a GPU
#endif
