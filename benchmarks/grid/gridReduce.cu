// SPDX-License-Identifier: Apache-2.0
// benchmarks/grid/gridReduce.cu - the sum of n floats by a kernel that ends in gridReduce(),
// against deviceReduce and CUB, which are kernels for nothing else.
#include "support/cubCall.cuh"
#include "support/tweedReduce.cuh"

#include <tweed/grid/gridReduce.cuh>
#include <tweed/grid/gridStrideVectors.cuh>
#include <tweed/launch/launch.cuh>

namespace {

using Call = bench::Call<float, float>;
using MakeCall = bench::MakeCall<float, float>;
using Check = bench::Check<float, float>;

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
MakeCall gridCall(int threadsPerMultiprocessor) {
  return [=](std::uint64_t n) {
    unsigned const blocks = blocksFor<Threads>(n, threadsPerMultiprocessor);
    auto const bytes = tweed::gridReduceBytes<float>(blocks);
    auto const workspace = std::make_shared<tweed::Workspace>(bench::stream(), bytes);
    return Call([=](float const* in, float* out) {
      tweed::launch(sumInGrid<Threads>, {blocks, Threads, 0, bench::stream()}, in, n, out,
                    workspace->takeState("sumInGrid", bytes, bench::stream()));
    });
  };
}

template <int Threads>
MakeCall readCall(int threadsPerMultiprocessor) {
  return [=](std::uint64_t n) {
    unsigned const blocks = blocksFor<Threads>(n, threadsPerMultiprocessor);
    return Call([=](float const* in, float* out) {
      tweed::launch(readOnly<Threads>, {blocks, Threads, 0, bench::stream()}, in, n, out);
    });
  };
}

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
  static bench::Input<float> const input(1ull << 26);
  auto const addAll = [](bench::Case& each, bench::Mode mode, std::uint64_t n) {
    auto const add = [&](char const* name, MakeCall make,
                         Check check = bench::checkSum<float, float>) {
      bench::addDevicePeer<float, float>(each, input, mode, n, name, std::move(make), check);
    };
    add("grid256", gridCall<256>(2048));
    add("grid512", gridCall<512>(2048));
    add("grid1024", gridCall<1024>(1024));
    add("read512", readCall<512>(2048), {});
    add("deviceReduce", bench::tweedReduce<float, float>(tweed::Sum{}));
    add("cub", bench::cubSum<float>());
  };
  bench::addDeviceCases<float>("f32", {12, 14, 16, 18, 20, 22, 24, 26}, addAll);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "gridReduce", 12, addCases); }
