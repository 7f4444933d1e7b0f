// SPDX-License-Identifier: Apache-2.0
// benchmarks/device/deviceReduce.cu - the sum of n floats, against CUB and what memory allows.
#include "support/cubCall.cuh"
#include "support/reading.cuh"
#include "support/tweedReduce.cuh"

namespace {

bench::MakeCall<float, float> copyCall(bench::DeviceArray<float> const& target) {
  return [&target](std::uint64_t n) {
    return bench::Call<float, float>([&target, n](float const* in, float*) {
      TWEED_CHECK(cudaMemcpyAsync(target.data(), in, n * sizeof(float), cudaMemcpyDeviceToDevice,
                                  bench::stream()));
    });
  };
}

void addCases() {
  constexpr std::uint64_t items = 1ull << 30;
  bench::addVersion("cub", CUB_VERSION);
#if defined(TWEED_HAS_NEWEST_CUB)
  bench::addVersion("cubNewest", bench::newestCub().version);
#endif
  static bench::Input<float> const input(items);
  static bench::DeviceArray<float> const target(items);
  auto const addAll = [](bench::Case& each, bench::Mode mode, std::uint64_t n) {
    auto const add = [&](char const* name, bench::MakeCall<float, float> make) {
      bench::addDevicePeer<float, float>(each, input, mode, n, name, std::move(make),
                                         bench::checkSum<float, float>);
    };
    add("tweed", bench::tweedReduce<float, float>(tweed::Sum{}));
    add("cub", bench::cubSum<float>());
#if defined(TWEED_HAS_NEWEST_CUB)
    add("cubNewest", bench::cubCall<float, float>(bench::newestCub().sum));
    add("cubNewestUnordered", bench::cubCall<float, float>(bench::newestCub().sumUnordered));
#endif
    bench::addReading<float>(each, input, mode, n);
    bench::addDevicePeer<float, float>(each, input, mode, n, "copy", copyCall(target), {},
                                       2. * double(n) * sizeof(float));
  };
  bench::addDeviceCases<float>("f32", {10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30}, addAll);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "deviceReduce", 12, addCases); }
