// SPDX-License-Identifier: Apache-2.0
// benchmarks/grid/gridReduce.cu - the sum of n floats by a kernel that ends in gridReduce(), against
// deviceReduce and CUB, which are kernels for nothing else.
#include "support/cubSum.cuh"

#include <tweed/device/deviceReduce.cuh>
#include <tweed/grid/gridReduce.cuh>
#include <tweed/grid/gridStrideVectors.cuh>
#include <tweed/launch/launch.cuh>

namespace {

template <int Threads>
__global__ void __launch_bounds__(Threads)
    sumInGrid(float const* in, std::uint64_t n, float* out, void* state) {
  float sum = 0;
  tweed::gridStrideVectors<4>(in, n, [&](float x) { sum += x; });
  auto const total = tweed::gridReduce<Threads>(sum, tweed::Sum{}, state);
  if (total.isLast && threadIdx.x == 0) *out = total.value;
}

// The same without the combining: what the loads alone cost.
template <int Threads>
__global__ void __launch_bounds__(Threads) readOnly(float const* in, std::uint64_t n, float* out) {
  float sum = 0;
  tweed::gridStrideVectors<4>(in, n, [&](float x) { sum += x; });
  if (sum == 1e30f) *out = sum;
}

// Four vectors of each thread, as far as the grid stays within what fits on the device at once.
template <int Threads>
unsigned blocksFor(std::uint64_t n, int threadsPerMultiprocessor) {
  auto const most = std::uint64_t(bench::multiprocessors() * (threadsPerMultiprocessor / Threads));
  return unsigned(std::max<std::uint64_t>(1, std::min(most, n / (16 * Threads))));
}

template <int Threads>
bench::MakeCall gridCall(int threadsPerMultiprocessor) {
  return [=](std::uint64_t n) {
    unsigned const blocks = blocksFor<Threads>(n, threadsPerMultiprocessor);
    auto const bytes = tweed::gridReduceBytes<float>(blocks);
    auto const workspace = std::make_shared<tweed::Workspace>(bench::stream(), bytes);
    return bench::Call([=](float const* in, float* out) {
      tweed::launch(sumInGrid<Threads>, {blocks, Threads, 0, bench::stream()}, in, n, out,
                    workspace->takeState("sumInGrid", bytes, bench::stream()));
    });
  };
}

template <int Threads>
bench::MakeCall readCall(int threadsPerMultiprocessor) {
  return [=](std::uint64_t n) {
    unsigned const blocks = blocksFor<Threads>(n, threadsPerMultiprocessor);
    return bench::Call([=](float const* in, float* out) {
      tweed::launch(readOnly<Threads>, {blocks, Threads, 0, bench::stream()}, in, n, out);
    });
  };
}

bench::MakeCall deviceCall() {
  return [](std::uint64_t n) {
    auto const workspace = std::make_shared<tweed::Workspace>(bench::stream());
    return bench::Call([workspace, n](float const* in, float* out) {
      tweed::deviceReduce(in, n, out, tweed::Sum{}, *workspace);
    });
  };
}

void addCases() {
  constexpr int mostLog2 = 26;
  bench::addVersion("cub", CUB_VERSION);
  static bench::Input const input(1ull << mostLog2);
  for (bench::Mode const mode : {bench::Mode::Stream, bench::Mode::Graph}) {
    for (int log2 = 12; log2 <= mostLog2; log2 += 2) {
      std::uint64_t const n = 1ull << log2;
      bench::Case& each =
          bench::addCase(std::string("f32/") + bench::nameOf(mode) + "/n:" + std::to_string(n));
      auto const add = [&](char const* name, bench::MakeCall make,
                           bench::Result result = bench::Result::Sum) {
        bench::addDevicePeer(each, input, mode, n, name, std::move(make), result);
      };
      add("grid256", gridCall<256>(2048));
      add("grid512", gridCall<512>(2048));
      add("grid1024", gridCall<1024>(1024));
      add("read512", readCall<512>(2048), bench::Result::Nothing);
      add("deviceReduce", deviceCall());
      add("cub", bench::toolkitCubSum());
    }
  }
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "gridReduce", 8, addCases); }
