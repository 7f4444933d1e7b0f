// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/cubSum.cuh - cub::DeviceReduce::Sum as a peer, its temporary storage allocated
// beforehand.
#pragma once

#include "deviceCase.cuh"
#include "peer.hpp"

#include <cub/device/device_reduce.cuh>

namespace bench {

namespace detail {

template <class SumCall>
MakeCall makeCubCall(SumCall sum) {
  return [sum](std::uint64_t n) {
    std::size_t bytes = 0;
    TWEED_CHECK(sum(nullptr, bytes, nullptr, nullptr, int(n), stream()));
    auto const temp = std::make_shared<DeviceArray<char>>(bytes > 0 ? bytes : 1);
    return Call([sum, temp, n](float const* in, float* out) {
      std::size_t given = temp->bytes();
      TWEED_CHECK(sum(temp->data(), given, in, out, int(n), stream()));
    });
  };
}

}  // namespace detail

/// The toolkit's CUB. A 32-bit count, as its fastest call takes; no n here needs more.
inline MakeCall toolkitCubSum() {
  return detail::makeCubCall([](void* temp, std::size_t& bytes, float const* in, float* out, int n,
                                cudaStream_t onStream) {
    return cub::DeviceReduce::Sum(temp, bytes, in, out, n, onStream);
  });
}

#if defined(TWEED_HAS_NEWEST_CUB)
inline MakeCall newestCubSum() { return detail::makeCubCall(newestCub().sum); }
inline MakeCall newestCubSumUnordered() { return detail::makeCubCall(newestCub().sumUnordered); }
#endif

}  // namespace bench
