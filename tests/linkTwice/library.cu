// SPDX-License-Identifier: Apache-2.0
// tests/linkTwice/library.cu - one of two shared libraries that say the same names; see
// libraries.cpp. LIBRARY is its number, FUNCTION what it shows.
#include <tweed/device/deviceReduce.cuh>
#include <tweed/launch/occupancy.cuh>

#include <vector>

namespace {

struct DeviceInts {
  int* data = nullptr;
  explicit DeviceInts(std::vector<int> const& values) {
    TWEED_CHECK(cudaMalloc(&data, values.size() * sizeof(int)));
    TWEED_CHECK(
        cudaMemcpy(data, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
  }
  ~DeviceInts() { (void)cudaFree(data); }
  DeviceInts(DeviceInts const&) = delete;
  DeviceInts& operator=(DeviceInts const&) = delete;
  int first() const {
    int value = 0;
    TWEED_CHECK(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost));
    return value;
  }
};

}  // namespace

// In both libraries, and not the same: the first picks the lesser, the second the greater. On the
// loom, where it is host code, that would break the language's one-definition rule.
#if defined(TWEED_LOOM)
namespace {
#endif
struct Pick {
  TWEED_HOST_DEVICE int operator()(int a, int b) const { return (LIBRARY == 1) == (a < b) ? a : b; }
};
#if defined(TWEED_LOOM)
}  // namespace
#endif

TWEED_KERNEL void addLibrary(int* out) { *out += LIBRARY; }

// The pick of n values from 1 up, plus the library's number. n < 0: throws tweed::Error.
extern "C" int FUNCTION(int n) {
  std::vector<int> values(n < 0 ? 1 : std::size_t(n));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 + int((i * 7919) % values.size());
  DeviceInts const in(values), middle({LIBRARY == 1 ? -1000 : 1000000}), out({0});
  tweed::Workspace workspace;
  tweed::deviceReduce(in.data, values.size(), n < 0 ? nullptr : middle.data, Pick{}, workspace);
  tweed::deviceReduce(middle.data, 1, out.data, Pick{}, workspace);  // may overlap the one before
  unsigned const blocks = tweed::gridFor(1, addLibrary, 1);
  tweed::launch(addLibrary, {blocks, 1}, out.data);
  tweed::synchronize();
  return out.first();
}
