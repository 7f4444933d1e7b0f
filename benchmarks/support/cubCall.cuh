// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/cubCall.cuh - functions of CUB as peers, their temporary storage allocated
// beforehand.
#pragma once

#include "deviceCase.cuh"
#include "peer.hpp"

#include <cub/device/device_reduce.cuh>

namespace bench {

/// `function(temp, bytes, in, out, n, stream)` is CUB's, or several of CUB's that share temp. A
/// 32-bit count, as its fastest calls take; no n here needs more.
template <class T, class Out, class Function>
MakeCall<T, Out> cubCall(Function function) {
  return [function](std::uint64_t n) {
    std::size_t bytes = 0;
    TWEED_CHECK(function(nullptr, bytes, static_cast<T const*>(nullptr), static_cast<Out*>(nullptr),
                         int(n), stream()));
    auto const temp = std::make_shared<DeviceArray<char>>(bytes > 0 ? bytes : 1);
    return Call<T, Out>([function, temp, n](T const* in, Out* out) {
      std::size_t given = temp->bytes();
      TWEED_CHECK(function(temp->data(), given, in, out, int(n), stream()));
    });
  };
}

/// The sum by the toolkit's CUB.
template <class T>
MakeCall<T, T> cubSum() {
  return cubCall<T, T>(
      [](void* temp, std::size_t& bytes, T const* in, T* out, int n, cudaStream_t onStream) {
        return cub::DeviceReduce::Sum(temp, bytes, in, out, n, onStream);
      });
}

}  // namespace bench
