// SPDX-License-Identifier: Apache-2.0
// benchmarks/device/deviceReduce.cu - the sum of n floats, against CUB and what memory allows.
#include "support/cubSum.cuh"

#include <tweed/device/deviceReduce.cuh>

namespace {

// The ceiling: reads as deviceReduce does and leaves out the combining. The sum stays in registers.
template <int Threads, int Loads>
__global__ void __launch_bounds__(Threads)
    readOnly(float4 const* in, unsigned long long vectors, float* sink) {
  unsigned long long const stride = gridDim.x * (Threads * 1ull);
  unsigned long long at = blockIdx.x * (Threads * 1ull) + threadIdx.x;
  float sum = 0;
  for (; at + (Loads - 1) * stride < vectors; at += Loads * stride) {
    float4 loaded[Loads];
#pragma unroll
    for (int u = 0; u < Loads; ++u) loaded[u] = __ldcs(in + at + u * stride);
#pragma unroll
    for (int u = 0; u < Loads; ++u)
      sum += (loaded[u].x + loaded[u].y) + (loaded[u].z + loaded[u].w);
  }
  for (; at < vectors; at += stride) {
    float4 const loaded = __ldcs(in + at);
    sum += (loaded.x + loaded.y) + (loaded.z + loaded.w);
  }
  if (sum == 1e30f) *sink = sum;
}

template <int Threads, int Loads>
bench::MakeCall readCall(int blocksPerMultiprocessor) {
  return [blocksPerMultiprocessor](std::uint64_t n) {
    std::uint64_t const most = std::uint64_t(bench::multiprocessors() * blocksPerMultiprocessor);
    auto const blocks = unsigned(std::min(most, (n / 4 + Threads - 1) / Threads));
    return bench::Call([n, blocks](float const* in, float* out) {
      readOnly<Threads, Loads><<<blocks, Threads, 0, bench::stream()>>>(
          reinterpret_cast<float4 const*>(in), n / 4, out);
      TWEED_CHECK(cudaGetLastError());
    });
  };
}

bench::MakeCall tweedCall() {
  return [](std::uint64_t n) {
    auto const workspace = std::make_shared<tweed::Workspace>(bench::stream());
    return bench::Call([workspace, n](float const* in, float* out) {
      tweed::deviceReduce(in, n, out, tweed::Sum{}, *workspace);
    });
  };
}

bench::MakeCall copyCall(bench::DeviceArray<float> const& target) {
  return [&target](std::uint64_t n) {
    return bench::Call([&target, n](float const* in, float*) {
      TWEED_CHECK(cudaMemcpyAsync(target.data(), in, n * sizeof(float), cudaMemcpyDeviceToDevice,
                                  bench::stream()));
    });
  };
}

void addCases() {
  constexpr int mostLog2 = 30;
  bench::addVersion("cub", CUB_VERSION);
#if defined(TWEED_HAS_NEWEST_CUB)
  bench::addVersion("cubNewest", bench::newestCub().version);
#endif
  static bench::Input const input(1ull << mostLog2);
  static bench::DeviceArray<float> const target(1ull << mostLog2);
  for (bench::Mode const mode : {bench::Mode::Stream, bench::Mode::Graph, bench::Mode::GraphCold}) {
    for (int log2 = 10; log2 <= mostLog2; log2 += 2) {
      std::uint64_t const n = 1ull << log2;
      if (mode == bench::Mode::GraphCold && !bench::hasColdForm(n)) continue;
      bench::Case& each =
          bench::addCase(std::string("f32/") + bench::nameOf(mode) + "/n:" + std::to_string(n));
      auto const add = [&](char const* name, bench::MakeCall make,
                           bench::Result result = bench::Result::Sum, double bytes = 0) {
        bench::addDevicePeer(each, input, mode, n, name, std::move(make), result, bytes);
      };
      add("tweed", tweedCall());
      add("cub", bench::toolkitCubSum());
#if defined(TWEED_HAS_NEWEST_CUB)
      add("cubNewest", bench::newestCubSum());
      add("cubNewestUnordered", bench::newestCubSumUnordered());
#endif
      add("read512x4", readCall<512, 4>(4), bench::Result::Nothing);
      add("read1024x4", readCall<1024, 4>(2), bench::Result::Nothing);
      add("copy", copyCall(target), bench::Result::Nothing, 2. * double(n) * sizeof(float));
    }
  }
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "deviceReduce", 12, addCases); }
