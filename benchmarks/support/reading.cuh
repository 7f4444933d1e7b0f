// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/reading.cuh - the ceiling: reads as deviceReduce does, and combines nothing.
#pragma once

#include "deviceCase.cuh"
#include "readOnly.cuh"

namespace bench {

namespace detail {

template <class T, class Out, int Threads, int Loads>
MakeCall<T, Out> readCall(int blocksPerMultiprocessor) {
  return [blocksPerMultiprocessor](std::uint64_t n) {
    std::uint64_t const vectors = n * sizeof(T) / sizeof(float4);
    std::uint64_t const most = std::uint64_t(multiprocessors() * blocksPerMultiprocessor);
    auto const blocks = unsigned(std::min(most, (vectors + Threads - 1) / Threads));
    return Call<T, Out>([vectors, blocks](T const* in, Out* out) {
      readOnly<Threads, Loads>
          <<<blocks, Threads, 0, stream()>>>(reinterpret_cast<float4 const*>(in), vectors, out);
      TWEED_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace detail

/// Two ways to read the items of a case; the faster one counts.
template <class Out, class T>
void addReading(Case& to, Input<T> const& input, Mode mode, std::uint64_t n) {
  addDevicePeer<T, Out>(to, input, mode, n, "read512x4", detail::readCall<T, Out, 512, 4>(4), {});
  addDevicePeer<T, Out>(to, input, mode, n, "read1024x4", detail::readCall<T, Out, 1024, 4>(2), {});
}

}  // namespace bench
