// SPDX-License-Identifier: Apache-2.0
// benchmarks/grid/gridStride2D.cu - adds a bias to each column of a row-major matrix: loops by
// gridStride2D, by hand, and by cub::DeviceFor::Bulk. Not ForEachInExtents: in CUB 3.0.1 its
// threads step by a block's 512 pairs in place of the grid's, so that 2^26 take seconds.
#include "support/arrayCase.cuh"

#include <tweed/grid/gridStride2D.cuh>

#include <cub/device/device_for.cuh>

namespace {

struct Shape {
  unsigned rows, cols;
};

struct AddBias {
  float const* x;
  float const* bias;
  float* out;
  unsigned cols;
  __device__ void at(unsigned row, unsigned col) const {
    std::uint64_t const i = std::uint64_t(row) * cols + col;
    out[i] = x[i] + bias[col];
  }
  // As CUB calls it.
  __device__ void operator()(unsigned i) const { at(i / cols, i % cols); }
};

__global__ void __launch_bounds__(256) byPairs(AddBias add, unsigned rows) {
  for (auto const [row, col] : tweed::gridStride2D(rows, add.cols)) add.at(row, col);
}
// For two-dimensional launches.
__global__ void __launch_bounds__(256) byLoops(AddBias add, unsigned rows) {
  for (unsigned row = blockIdx.y * blockDim.y + threadIdx.y; row < rows;
       row += gridDim.y * blockDim.y)
    for (unsigned col = blockIdx.x * blockDim.x + threadIdx.x; col < add.cols;
         col += gridDim.x * blockDim.x)
      add.at(row, col);
}
// For one-dimensional ones; all indices fit 32 bits.
__global__ void __launch_bounds__(256) byDivision(AddBias add, unsigned rows) {
  unsigned const n = rows * add.cols;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    add.at(i / add.cols, i % add.cols);
}
__global__ void countWrong(AddBias add, unsigned rows, unsigned long long* wrong) {
  unsigned const n = rows * add.cols;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (add.out[i] != add.x[i] + add.bias[i % add.cols]) atomicAdd(wrong, 1ull);
}

void addShape(bench::Input<float> const& input, bench::DeviceArray<float> const& target,
              Shape shape, bool isGraph) {
  std::uint64_t const n = std::uint64_t(shape.rows) * shape.cols;
  bench::Case& to = bench::addCase(std::string("addBias/") + (isGraph ? "graph" : "stream") + "/" +
                                   std::to_string(shape.rows) + "x" + std::to_string(shape.cols) +
                                   "/bytes:" + std::to_string(n * sizeof(float)));
  auto const work = [shape](bench::Arrays<float> const& a) {
    return AddBias{a.x, a.y, a.out, shape.cols};
  };
  auto const check = [=](bench::Arrays<float> const& a, unsigned long long* wrong) {
    countWrong<<<1024, 256, 0, bench::stream()>>>(work(a), shape.rows, wrong);
    TWEED_CHECK(cudaGetLastError());
  };
  auto const add = [&](char const* name, bench::ArrayCall<float> call) {
    bench::addArrayPeer<float>(to, name, {input, target, n}, isGraph,
                               2. * double(n) * sizeof(float), std::move(call), check);
  };
  unsigned const blocks = 8 * unsigned(bench::multiprocessors());
  dim3 const line(unsigned(std::min<std::uint64_t>(blocks, (n + 255) / 256)));
  unsigned const across = std::min(blocks, (shape.cols + 31) / 32);
  dim3 const plane(across, std::min((shape.rows + 7) / 8, std::max(1u, blocks / across)));
  auto const launch = [=](auto kernel, dim3 grid, dim3 block) {
    return [=](bench::Arrays<float> const& a) {
      kernel<<<grid, block, 0, bench::stream()>>>(work(a), shape.rows);
      TWEED_CHECK(cudaGetLastError());
    };
  };
  add("tweed.plane", launch(byPairs, plane, dim3(32, 8)));
  add("tweed.line", launch(byPairs, line, dim3(256)));
  add("plain.plane", launch(byLoops, plane, dim3(32, 8)));
  add("plain.line", launch(byDivision, line, dim3(256)));
  add("cub", [=](bench::Arrays<float> const& a) {
    TWEED_CHECK(cub::DeviceFor::Bulk(unsigned(n), work(a), bench::stream()));
  });
}

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
  constexpr std::size_t pool = 3ull << 26;  // two arrays of 2^26 items, apart
  static bench::Input<float> const input(pool);
  static bench::DeviceArray<float> const target(pool);
  for (Shape const shape : {Shape{8192, 8192}, Shape{1u << 20, 64}, Shape{1u << 22, 15}})
    addShape(input, target, shape, false);
  for (Shape const shape : {Shape{1024, 1024}, Shape{1u << 14, 64}})
    addShape(input, target, shape, true);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "gridStride2D", 12, addCases); }
