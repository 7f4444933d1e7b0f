// SPDX-License-Identifier: Apache-2.0
// tests/device/deviceReduce.cub.cu - compares tweed/device/deviceReduce.cuh with cub::DeviceReduce.
// Not where CUB is no oracle: minima and maxima of infinities and NaN, and operators that do not
// commute.
#include <tweed/device/deviceReduce.cuh>

#include <cub/device/device_reduce.cuh>

#include <cmath>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

class Storage {
 public:
  explicit Storage(std::size_t bytes) : bytes_(bytes) { TWEED_CHECK(cudaMalloc(&data_, bytes)); }
  ~Storage() { (void)cudaFree(data_); }
  Storage(Storage const&) = delete;
  Storage& operator=(Storage const&) = delete;
  void* data() const { return data_; }
  std::size_t& bytes() { return bytes_; }

 private:
  std::size_t bytes_;
  void* data_ = nullptr;
};

// What both make of the same items: tweed's first.
template <class T, class Op, class CubCall>
std::vector<T> both(DeviceArray<T> const& in, Op op, CubCall cubCall) {
  DeviceArray<T> const out(2);
  tweed::Workspace workspace;
  tweed::deviceReduce(in.data(), in.size(), out.data(), op, workspace);
  std::size_t bytes = 0;
  TWEED_CHECK(cubCall(nullptr, bytes, out.data() + 1));
  Storage storage(bytes + 1);
  TWEED_CHECK(cubCall(storage.data(), storage.bytes(), out.data() + 1));
  tweed::synchronize();
  return out.host();
}

template <class T>
void checkIntegers(std::size_t n, std::size_t shift) {
  CAPTURE(n);
  CAPTURE(shift);
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = T(noise(i + 7 * n));
  DeviceArray<T> const in(values, shift);
  long long const count = (long long)(n);
  std::vector<T> got = both(in, tweed::Sum{}, [&](void* s, std::size_t& bytes, T* out) {
    return cub::DeviceReduce::Sum(s, bytes, in.data(), out, count);
  });
  CHECK(got[0] == got[1]);
  got = both(in, tweed::Min{}, [&](void* s, std::size_t& bytes, T* out) {
    return cub::DeviceReduce::Min(s, bytes, in.data(), out, count);
  });
  CHECK(got[0] == got[1]);
  got = both(in, tweed::Max{}, [&](void* s, std::size_t& bytes, T* out) {
    return cub::DeviceReduce::Max(s, bytes, in.data(), out, count);
  });
  CHECK(got[0] == got[1]);
}

template <class T>
void checkFloats(std::size_t n) {
  CAPTURE(n);
  std::vector<T> values(n);
  double magnitude = 0;
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = T(double(noise(i + n) >> 11) * 0x1p-52 - 1);
    magnitude += std::fabs(double(values[i]));
  }
  DeviceArray<T> const in(values);
  long long const count = (long long)(n);
  std::vector<T> got = both(in, tweed::Sum{}, [&](void* s, std::size_t& bytes, T* out) {
    return cub::DeviceReduce::Sum(s, bytes, in.data(), out, count);
  });
  // Both add in trees: each item takes part in at most about 64 roundings.
  double const ulp = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  CHECK(std::fabs(double(got[0]) - double(got[1])) <= 128 * ulp * magnitude);
  got = both(in, tweed::Max{}, [&](void* s, std::size_t& bytes, T* out) {
    return cub::DeviceReduce::Max(s, bytes, in.data(), out, count);
  });
  CHECK(got[0] == got[1]);
}

}  // namespace

TEST_SUITE("deviceReduce.cub") {
  TEST_CASE_TEMPLATE("integers are equal", T, signed char, int, unsigned long long) {
    for (std::size_t const n : {1, 2, 1000, 16384, 32769, 65537, 1000003, 5000011})
      for (std::size_t const shift : {0, 1}) checkIntegers<T>(n, shift);
  }
  TEST_CASE_TEMPLATE("floats are within the bound of their length", T, float, double) {
    for (std::size_t const n : {1, 33, 4097, 100003, 1 << 22, (1 << 24) + 5}) checkFloats<T>(n);
  }
}
