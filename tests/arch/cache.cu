// SPDX-License-Identifier: Apache-2.0
// tests/arch/cache.cu - tests tweed/arch/cache.cuh
#include <tweed/arch/cache.cuh>
#include <tweed/core/math.cuh>

#include <numeric>

#include "support/device.cuh"

namespace {

using namespace tweedTest;
using tweed::arch::Bytes16;

__global__ void copyOnce(unsigned const* in, unsigned* out, unsigned n) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Bytes16 const v = tweed::arch::loadOnce(reinterpret_cast<Bytes16 const*>(in) + i);
  for (int k = 0; k < 4; ++k) out[4 * i + k] = v.word[k];
}

// Three loads from one address.
__global__ void copyThree(unsigned const* in, unsigned* out) {
  auto const* const at = reinterpret_cast<Bytes16 const*>(in) + 3 * threadIdx.x;
  Bytes16 const v[3] = {tweed::arch::loadOnce(at), tweed::arch::loadOnce<1>(at),
                        tweed::arch::loadOnce<2>(at)};
  for (int k = 0; k < 12; ++k) out[12 * threadIdx.x + k] = v[k / 4].word[k % 4];
}

}  // namespace

TEST_SUITE("cache") {
  TEST_CASE("the offset counts units of 16 bytes") {
    std::vector<unsigned> host(12 * 32);
    std::iota(host.begin(), host.end(), 7u);
    DeviceArray<unsigned> const in(host);
    DeviceArray<unsigned> const out(host.size());
    tweed::launch(copyThree, {1, 32}, in.data(), out.data());
    tweed::synchronize();
    CHECK(out.host() == host);
  }
  TEST_CASE("loadOnce returns the 16 bytes, at every 16-byte boundary up to the last") {
    static_assert(sizeof(Bytes16) == 16 && alignof(Bytes16) == 16, "one load");
    for (std::size_t shift : {std::size_t(0), std::size_t(4), std::size_t(8), std::size_t(60)}) {
      CAPTURE(shift);
      for (unsigned n : {1u, 7u, 300u}) {
        std::vector<unsigned> host(4 * n);
        std::iota(host.begin(), host.end(), 0x80000001u);
        DeviceArray<unsigned> const in(host, shift);
        DeviceArray<unsigned> const out(host.size());
        tweed::launch(copyOnce, {tweed::ceilDiv(n, 128u), 128}, in.data(), out.data(), n);
        tweed::synchronize();
        CHECK(out.host() == host);
      }
    }
  }
}
