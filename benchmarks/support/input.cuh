// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/input.cuh - uniform random floats on the device, and their sums in fp64.
#pragma once

#include "machine.cuh"

#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

namespace bench {

/// Value number i of the input, uniform in [-1, 1): 24 random bits, exact in float.
__host__ __device__ inline float inputValue(std::uint64_t i) {
  std::uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15ull;
  bits ^= bits >> 29;
  bits *= 0xd6e8feb86659fd93ull;
  bits ^= bits >> 32;
  return float(int(bits & 0xffffff)) * (1.f / 0x800000) - 1.f;
}

namespace detail {

static __global__ void fillInput(float* data, std::uint64_t count) {
  std::uint64_t const stride = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t i = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    data[i] = inputValue(i);
}

}  // namespace detail

/// A pool of input that the calls walk through, so that each finds its data as cold as a program
/// would that has just worked on something else; all peers walk through the same pool.
class Input {
 public:
  static constexpr std::uint64_t chunk = 1024;

  explicit Input(std::uint64_t count) : data_(count), chunkSums_(count / chunk) {
    detail::fillInput<<<8 * multiprocessors(), 512, 0, stream()>>>(data_.data(), count);
    TWEED_CHECK(cudaGetLastError());
    unsigned const workers = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (unsigned w = 0; w < workers; ++w) {
      threads.emplace_back([this, w, workers] {
        for (std::uint64_t c = w; c < chunkSums_.size(); c += workers) {
          double sum = 0;
          for (std::uint64_t i = c * chunk; i < (c + 1) * chunk; ++i) sum += inputValue(i);
          chunkSums_[c] = sum;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    wait();
  }

  float* data() const { return data_.data(); }
  std::uint64_t size() const { return data_.size(); }
  /// How many inputs of n values, a multiple of 1024, the pool holds.
  std::uint64_t slots(std::uint64_t n) const { return size() / n; }
  float const* slot(std::uint64_t n, std::uint64_t i) const { return data() + i % slots(n) * n; }

  double sum(std::uint64_t n, std::uint64_t i) const {
    double sum = 0;
    std::uint64_t const first = i % slots(n) * n / chunk;
    for (std::uint64_t c = first; c < first + n / chunk; ++c) sum += chunkSums_[c];
    return sum;
  }

  /// What a float sum of n such values may be off by. Rounding errors of a tree of partial sums
  /// grow like the sum itself, with sqrt(n); this leaves them room, and a value that was left out
  /// or added twice (0.5 on average) none.
  static double tolerance(std::uint64_t n) { return 256 * 5.96e-8 * std::sqrt(double(n) / 3); }

 private:
  DeviceArray<float> data_;
  std::vector<double> chunkSums_;
};

}  // namespace bench
