// SPDX-License-Identifier: Apache-2.0
// benchmarks/device/deviceReduceMany.cu - four reductions of n floats in one pass, against four
// calls of CUB.
#include "support/cubCall.cuh"
#include "support/reading.cuh"
#include "support/tweedReduce.cuh"

#include <tweed/core/values.cuh>

namespace {

using Found = tweed::Values<float, float, float, float>;  // sum, least, greatest, sum of squares

struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};
struct SumOfSquares : tweed::Sum {
  static __host__ __device__ float lift(float x) { return x * x; }
};

bench::MakeCall<float, Found> cubCalls() {
  return bench::cubCall<float, Found>(
      [](void* temp, std::size_t& bytes, float const* in, Found* out, int n, cudaStream_t stream) {
        auto const part = [out](auto which) {
          return out == nullptr ? nullptr : &tweed::get<decltype(which)::value>(*out);
        };
        using cub::DeviceReduce;
        float* const sum = part(std::integral_constant<int, 0>{});
        float* const least = part(std::integral_constant<int, 1>{});
        float* const greatest = part(std::integral_constant<int, 2>{});
        float* const squares = part(std::integral_constant<int, 3>{});
        std::size_t needed[4] = {bytes, bytes, bytes, bytes};
        cudaError_t const codes[4] = {
            DeviceReduce::Sum(temp, needed[0], in, sum, n, stream),
            DeviceReduce::Min(temp, needed[1], in, least, n, stream),
            DeviceReduce::Max(temp, needed[2], in, greatest, n, stream),
            DeviceReduce::TransformReduce(temp, needed[3], in, squares, n, cuda::std::plus<>{},
                                          Square{}, 0.f, stream),
        };
        if (temp == nullptr) bytes = *std::max_element(needed, needed + 4);
        return *std::max_element(codes, codes + 4);
      });
}

std::string check(bench::NumberFacts const& facts, std::uint64_t n, Found const& found) {
  auto const [sum, least, greatest, squares] = found;
  for (std::string const& fault : {
           bench::wrongBy(sum, facts.sum, bench::sumTolerance(n), "sum "),
           bench::wrongBy(least, facts.least, 0, "least "),
           bench::wrongBy(greatest, facts.greatest, 0, "greatest "),
           bench::wrongBy(squares, facts.squares, 64 * 5.96e-8 * facts.squares, "squares "),
       })
    if (!fault.empty()) return fault;
  return {};
}

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
  static bench::Input<float> const input(1ull << 30);
  auto const addAll = [](bench::Case& each, bench::Mode mode, std::uint64_t n) {
    auto const add = [&](char const* name, bench::MakeCall<float, Found> make) {
      bench::addDevicePeer<float, Found>(each, input, mode, n, name, std::move(make), check);
    };
    add("tweed", bench::tweedReduce<float, Found>(
                     tweed::Ops{tweed::Sum{}, tweed::Min{}, tweed::Max{}, SumOfSquares{}}));
    add("cub", cubCalls());
    bench::addReading<Found>(each, input, mode, n);
  };
  bench::addDeviceCases<float>("f32", {20, 24, 28}, addAll);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "deviceReduceMany", 12, addCases); }
