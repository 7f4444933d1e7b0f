// SPDX-License-Identifier: Apache-2.0
/// The inputs of intrinsics.cu, the same on every machine, and the folding of its results.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr unsigned threads = 64, rounds = 24, maxResults = 96, threadsPerWord = 8;
constexpr unsigned full = 0xffffffffu;

__host__ __device__ inline std::uint32_t mix(std::uint32_t hash, std::uint32_t word) {
  return (hash ^ word) * 16777619u + (hash >> 13);
}

/// Folds each operation's results of a thread into one word.
class Results {
 public:
  __device__ explicit Results(std::uint32_t* out) : out_(out + threadIdx.x) {}
  /// The next results belong to another operation. As many calls in every thread.
  __device__ void next() {
    if (at_ >= 0) out_[unsigned(at_) * threads] = hash_;
    ++at_, hash_ = 2166136261u;
  }
  __device__ void operator()(std::uint32_t word) { hash_ = mix(hash_, word); }
  __device__ void operator()(int word) { (*this)(std::uint32_t(word)); }
  __device__ void operator()(unsigned long long word) {
    (*this)(std::uint32_t(word)), (*this)(std::uint32_t(word >> 32));
  }
  __device__ void operator()(long long word) { (*this)((unsigned long long)(word)); }
  __device__ void operator()(unsigned long word) { (*this)((unsigned long long)(word)); }
  __device__ void operator()(long word) { (*this)((unsigned long long)(word)); }
  // Which NaN comes out is not defined.
  __device__ void operator()(float x) { (*this)(x != x ? 0x7fc00000u : __float_as_uint(x)); }
  __device__ void operator()(double x) {
    (*this)(x != x ? 0x7ff8000000000000ll : __double_as_longlong(x));
  }

 private:
  std::uint32_t* out_;
  int at_ = -1;
  std::uint32_t hash_ = 0;
};

__device__ inline std::uint32_t random32(unsigned round, unsigned salt = 0) {
  std::uint32_t x = (threadIdx.x + 1) * 0x9E3779B9u + round * 0x85EBCA6Bu + salt * 0xC2B2AE35u;
  x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
  return x;
}
// Their cases, copied into every loop, take g++ half a minute of jump threading.
__attribute__((noinline)) __device__ inline std::uint32_t randomInt(unsigned round,
                                                                    unsigned salt = 0) {
  std::uint32_t const x = random32(round, salt);
  switch (x >> 28) {  // the ends of the range more often than by chance
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return 0xffffffffu;
    case 3:
      return 0x80000000u;
    case 4:
      return 0x7fffffffu;
    case 5:
      return x & 0xff;
    default:
      return x;
  }
}
__device__ inline std::uint64_t randomInt64(unsigned round, unsigned salt = 0) {
  return std::uint64_t(randomInt(round, salt)) << 32 | randomInt(round, salt + 100);
}
__attribute__((noinline)) __device__ inline float randomFloat(unsigned round, unsigned salt = 0) {
  std::uint32_t const x = random32(round, salt + 7);
  switch (x >> 28) {
    case 0:
      return 0.f;
    case 1:
      return -0.f;
    case 2:
      return __uint_as_float(0x7f800000u | (x & 1) << 31);  // infinities
    case 3:
      return __uint_as_float(0x7fc00000u);  // NaN
    case 4:
      return __uint_as_float(x & 0x807fffffu);  // denormal
    case 5:
      return float(int(x)) * 0.5f;
    case 6:
      return float(x & 0xff) + 0.5f;  // ties
    case 7:
      return -float(x & 0xff) - 0.5f;
    case 8:
      return __uint_as_float(0x3f800000u | (x & 0x7fffff));
    default:
      return __uint_as_float(x);
  }
}
__device__ inline double randomDouble(unsigned round, unsigned salt = 0) {
  std::uint32_t const x = random32(round, salt + 11);
  if (x >> 31) return randomFloat(round, salt);
  return __longlong_as_double((long long)(std::uint64_t(x) << 33 | random32(round, salt + 12)));
}

}  // namespace
