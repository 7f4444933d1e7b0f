// SPDX-License-Identifier: Apache-2.0
// tests/support/device.cuh - device memory with canaries, and test data.
#pragma once

#include <doctest/doctest.h>
#include <tweed/core/config.cuh>
#include <tweed/core/error.cuh>
#include <tweed/launch/launch.cuh>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace tweedTest {

/// Whether all of `bytes` (at least one) are poison. Not a loop: sanitizers slow those down.
inline bool isPoison(unsigned char const* first, std::size_t bytes) {
  return first[0] == 0xA5 && std::memcmp(first, first + 1, bytes - 1) == 0;
}

/// n objects in device memory, poisoned, between canaries; `shift` items off a 256-byte boundary.
/// The destructor checks that nothing around them was written.
template <class T>
class DeviceArray {
  static constexpr std::size_t guard = 256;

 public:
  explicit DeviceArray(std::size_t n, std::size_t shift = 0)
      : n_(n), before_(guard + shift * sizeof(T)), total_(before_ + n * sizeof(T) + guard) {
    TWEED_CHECK(cudaMalloc(reinterpret_cast<void**>(&bytes_), total_));
    TWEED_CHECK(cudaMemset(bytes_, 0xA5, total_));
  }
  DeviceArray(std::vector<T> const& host, std::size_t shift = 0) : DeviceArray(host.size(), shift) {
    if (n_ > 0)
      TWEED_CHECK(cudaMemcpy(data(), host.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    TWEED_CHECK(cudaDeviceSynchronize());  // streams that do not wait for the default one read it
  }
  ~DeviceArray() {
    auto const isIntact = [&](std::size_t first, std::size_t bytes) {
      std::vector<unsigned char> part(bytes);
      return cudaMemcpy(part.data(), bytes_ + first, bytes, cudaMemcpyDeviceToHost) !=
                 cudaSuccess ||
             isPoison(part.data(), bytes);
    };
    CHECK_MESSAGE((isIntact(0, before_) && isIntact(total_ - guard, guard)),
                  "memory around a device array was written");
    (void)cudaFree(bytes_);
  }
  DeviceArray(DeviceArray const&) = delete;
  DeviceArray& operator=(DeviceArray const&) = delete;

  T* data() const { return reinterpret_cast<T*>(bytes_ + before_); }
  std::size_t size() const { return n_; }

  std::vector<T> host() const {
    std::vector<unsigned char> raw(n_ * sizeof(T));
    if (n_ > 0) TWEED_CHECK(cudaMemcpy(raw.data(), data(), raw.size(), cudaMemcpyDeviceToHost));
    T const* const first = reinterpret_cast<T const*>(raw.data());
    return std::vector<T>(first, first + n_);
  }

 private:
  unsigned char* bytes_ = nullptr;
  std::size_t n_, before_, total_;
};

/// Repeatable 64-bit noise.
TWEED_HOST_DEVICE std::uint64_t noise(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/// n small integers from 1 up as T, different everywhere, so that sums of up to 2^20 of them are
/// exact in every type.
template <class T>
std::vector<T> smallIntegers(std::size_t n, std::uint64_t seed) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = T(1 + int(noise(seed * 1000003 + i) % 9));
  return values;
}

/// What a host call of tweed's says when it refuses; empty if it does not. A refusal leaves no
/// error behind for the next call.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (tweed::Error const& error) {
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(error.code() != cudaSuccess);
    return error.what();
  }
  return "";
}

inline bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

#if defined(TWEED_LOOM)
/// What the loom says about a kernel that breaks a rule; empty if it finds none.
template <class Call>
std::string fault(Call call) {
  try {
    call();
  } catch (tweed::loom::Fault const& fault) {
    return fault.what();
  }
  return "";
}
#endif

#if defined(TWEED_LOOM)
inline constexpr bool isLoom = true;
#else
inline constexpr bool isLoom = false;
#endif

/// The sanitizer lanes of CI take fewer sizes: TWEED_TEST_SHORT=1.
inline bool isShort() {
  char const* const value = std::getenv("TWEED_TEST_SHORT");
  return value != nullptr && std::strcmp(value, "1") == 0;
}

template <class T>
bool sameBits(T const& a, T const& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

}  // namespace tweedTest
