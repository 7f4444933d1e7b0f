// SPDX-License-Identifier: Apache-2.0
// benchmarks/device/deviceArg.cu - the least of n floats and where it stands, against CUB.
#include "support/cubCall.cuh"
#include "support/reading.cuh"

#include <tweed/device/deviceArg.cuh>

namespace {

using Found = tweed::Indexed<float>;
using Pair = cub::KeyValuePair<int, float>;

bench::MakeCall<float, Found> tweedCall() {
  return [](std::uint64_t n) {
    auto const workspace = std::make_shared<tweed::Workspace>(bench::stream());
    return bench::Call<float, Found>([workspace, n](float const* in, Found* out) {
      tweed::deviceArgMin(in, n, out, *workspace);
    });
  };
}

// `function` writes value and index each to its own place, as both CUBs do now.
template <class Function>
bench::MakeCall<float, Found> cubCall(Function function) {
  return bench::cubCall<float, Found>([function](void* temp, std::size_t& bytes, float const* in,
                                                 Found* out, int n, cudaStream_t stream) {
    float* const value = out == nullptr ? nullptr : &out->value;
    long long* const index = out == nullptr ? nullptr : &out->index;
    return function(temp, bytes, in, value, index, n, stream);
  });
}

std::string check(float value, long long index, bench::NumberFacts const& facts) {
  if (double(value) == facts.least && index == (long long)facts.leastAt) return {};
  return "wrong result: " + std::to_string(value) + " at " + std::to_string(index) + " for " +
         std::to_string(facts.least) + " at " + std::to_string(facts.leastAt);
}

// CUB's older form, with an index of 32 bits: deprecated, and the faster one at times.
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1444
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
bench::MakeCall<float, Pair> cubPairCall() {
  return bench::cubCall<float, Pair>(
      [](void* temp, std::size_t& bytes, float const* in, Pair* out, int n, cudaStream_t stream) {
        return cub::DeviceReduce::ArgMin(temp, bytes, in, out, n, stream);
      });
}
#pragma GCC diagnostic pop
#pragma nv_diagnostic pop

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
#if defined(TWEED_HAS_NEWEST_CUB)
  bench::addVersion("cubNewest", bench::newestCub().version);
#endif
  static bench::Input<float> const input(1ull << 30);
  auto const addAll = [](bench::Case& each, bench::Mode mode, std::uint64_t n) {
    auto const add = [&](char const* name, bench::MakeCall<float, Found> make) {
      bench::addDevicePeer<float, Found>(
          each, input, mode, n, name, std::move(make),
          [](bench::NumberFacts const& facts, std::uint64_t, Found const& found) {
            return check(found.value, found.index, facts);
          });
    };
    add("tweed", tweedCall());
    add("cub", cubCall([](void* temp, std::size_t& bytes, float const* in, float* value,
                          long long* index, int count, cudaStream_t stream) {
          return cub::DeviceReduce::ArgMin(temp, bytes, in, value, index, count, stream);
        }));
    bench::addDevicePeer<float, Pair>(
        each, input, mode, n, "cubPair", cubPairCall(),
        [](bench::NumberFacts const& facts, std::uint64_t, Pair const& found) {
          return check(found.value, found.key, facts);
        });
#if defined(TWEED_HAS_NEWEST_CUB)
    add("cubNewest", cubCall(bench::newestCub().argMin));
#endif
    bench::addReading<Found>(each, input, mode, n);
  };
  bench::addDeviceCases<float>("f32", {10, 12, 14, 16, 18, 20, 22, 24, 28}, addAll);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "deviceArg", 12, addCases); }
