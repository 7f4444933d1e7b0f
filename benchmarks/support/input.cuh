// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/input.cuh - uniform random items on the device, and what the host knows of
// them.
#pragma once

#include "affine.cuh"
#include "machine.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace bench {

__host__ __device__ inline std::uint64_t randomBits(std::uint64_t i) {
  std::uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15ull;
  bits ^= bits >> 29;
  bits *= 0xd6e8feb86659fd93ull;
  return bits ^ (bits >> 32);
}

/// Item number i of an input of T, as a value that the host can add up: exact in T, and uniform in
/// [-1, 1), int in [-8192, 8192) so that no sum overflows. Sums of all but float are exact as
/// double, and as int where T is.
template <class T>
__host__ __device__ auto inputValue(std::uint64_t i) {
  std::uint64_t const bits = randomBits(i);
  if constexpr (std::is_same_v<T, Affine>) {
    return Affine{(bits & 16) != 0 ? -1.f : 1.f, float(int(bits & 15) - 8)};
  } else if constexpr (std::is_same_v<T, int>) {
    return int(bits & 0x3fff) - 0x2000;
  } else {
    constexpr int digits = std::is_same_v<T, __half>          ? 10
                           : std::is_same_v<T, __nv_bfloat16> ? 7
                                                              : 23;
    using Value = std::conditional_t<std::is_same_v<T, double>, double, float>;
    return Value(int(bits & ((2u << digits) - 1))) * (Value(1) / (1 << digits)) - Value(1);
  }
}

/// What the host knows of neighbouring items. `take` appends one, or those that stand `offset`
/// items further on.
struct NumberFacts {
  double sum = 0, squares = 0;
  double least = HUGE_VAL, greatest = -HUGE_VAL;
  std::uint64_t leastAt = 0;  // the first of them

  void take(double x, std::uint64_t at) {
    sum += x;
    squares += x * x;
    if (x < least) {
      least = x;
      leastAt = at;
    }
    if (x > greatest) greatest = x;
  }
  void take(NumberFacts const& next, std::uint64_t offset) {
    sum += next.sum;
    squares += next.squares;
    if (next.least < least) {
      least = next.least;
      leastAt = offset + next.leastAt;
    }
    if (next.greatest > greatest) greatest = next.greatest;
  }
};
struct AffineFacts {
  Affine map{1, 0};

  void take(Affine const& next, std::uint64_t) { map = Compose{}(map, next); }
  void take(AffineFacts const& next, std::uint64_t) { map = Compose{}(map, next.map); }
};
template <class T>
using FactsOf = std::conditional_t<std::is_same_v<T, Affine>, AffineFacts, NumberFacts>;

namespace detail {

template <class T>
__global__ void fillInput(T* data, std::uint64_t count) {
  std::uint64_t const stride = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t i = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    data[i] = T(inputValue<T>(i));
}

}  // namespace detail

/// A pool of input that the calls walk through, so that each finds its data as cold as a program
/// would that has just worked on something else; all peers walk through the same pool.
template <class T>
class Input {
 public:
  static constexpr std::uint64_t chunk = 1024;

  explicit Input(std::uint64_t count) : data_(count), chunks_(count / chunk) {
    detail::fillInput<<<8 * multiprocessors(), 512, 0, stream()>>>(data_.data(), count);
    TWEED_CHECK(cudaGetLastError());
    unsigned const workers = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (unsigned w = 0; w < workers; ++w) {
      threads.emplace_back([this, w, workers] {
        for (std::uint64_t c = w; c < chunks_.size(); c += workers) {
          FactsOf<T> facts;
          for (std::uint64_t i = 0; i < chunk; ++i) facts.take(inputValue<T>(c * chunk + i), i);
          chunks_[c] = facts;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    wait();
  }

  T* data() const { return data_.data(); }
  std::uint64_t size() const { return data_.size(); }
  std::uint64_t bytes() const { return data_.bytes(); }
  /// How many inputs of n values, a multiple of 1024, the pool holds.
  std::uint64_t slots(std::uint64_t n) const { return size() / n; }
  T const* slot(std::uint64_t n, std::uint64_t i) const { return data() + i % slots(n) * n; }

  FactsOf<T> facts(std::uint64_t n, std::uint64_t i) const {
    FactsOf<T> facts;
    std::uint64_t const first = i % slots(n) * n / chunk;
    for (std::uint64_t c = 0; c < n / chunk; ++c) facts.take(chunks_[first + c], c * chunk);
    return facts;
  }

 private:
  DeviceArray<T> data_;
  std::vector<FactsOf<T>> chunks_;
};

/// What is wrong with a result found for n items, of which the host knows the facts; nothing if it
/// is right.
template <class T, class Out>
using Check =
    std::function<std::string(FactsOf<T> const& facts, std::uint64_t n, Out const& found)>;

/// Says what is wrong if `found` is further from `wanted` than `tolerance`.
inline std::string wrongBy(double found, double wanted, double tolerance, char const* what = "") {
  if (std::fabs(found - wanted) <= tolerance) return {};
  return "wrong result: " + std::string(what) + std::to_string(found) + " for " +
         std::to_string(wanted);
}

/// What a float sum of n such values may be off by. Rounding errors of a tree of partial sums
/// grow like the sum itself, with sqrt(n); this leaves them room, and a value that was left out
/// or added twice (0.5 on average) none.
inline double sumTolerance(std::uint64_t n) { return 256 * 5.96e-8 * std::sqrt(double(n) / 3); }

/// The sum of items as Out.
template <class T, class Out>
std::string checkSum(NumberFacts const& facts, std::uint64_t n, Out const& found) {
  return wrongBy(double(found), facts.sum, std::is_same_v<Out, float> ? sumTolerance(n) : 0);
}

}  // namespace bench
