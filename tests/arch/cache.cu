// SPDX-License-Identifier: Apache-2.0
// tests/arch/cache.cu - tests tweed/arch/cache.cuh
// What nvcc 13.0 makes of the hints for sm_90a: LDG and STG with .EF (Streaming), .EL and a
// constant policy (Keep), .CONSTANT (ReadOnly), .NA.LTC128B.CONSTANT (ReadOnce), each as .128, .64
// and 32 bits.
#include <tweed/arch/cache.cuh>
#include <tweed/core/math.cuh>

#include <numeric>

#include "support/device.cuh"

namespace {

using namespace tweedTest;
using tweed::Cache;
using tweed::arch::Bytes16;
using tweed::arch::Piece;

static_assert(sizeof(Bytes16) == 16 && alignof(Bytes16) == 16, "one load");
static_assert(sizeof(Piece<8>) == 8 && alignof(Piece<8>) == 8, "one load");
static_assert(sizeof(Piece<2>) == 2 && alignof(Piece<2>) == 2, "one load");
static_assert(sizeof(Piece<1>) == 1 && alignof(Piece<1>) == 1, "one load");

template <Cache Load, Cache Store, int Bytes>
__global__ void copyPieces(unsigned char const* in, unsigned char* out, unsigned n) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  auto const v = tweed::arch::load<Load>(reinterpret_cast<Piece<Bytes> const*>(in) + i);
  tweed::arch::store<Store>(reinterpret_cast<Piece<Bytes>*>(out) + i, v);
}

// Three loads from one address.
template <Cache Load, int Bytes>
__global__ void copyThree(unsigned char const* in, unsigned char* out) {
  auto const* const at = reinterpret_cast<Piece<Bytes> const*>(in) + 3 * threadIdx.x;
  auto* const to = reinterpret_cast<Piece<Bytes>*>(out) + 3 * threadIdx.x;
  tweed::arch::store<Cache::Normal>(to, tweed::arch::load<Load>(at));
  tweed::arch::store<Cache::Normal>(to + 1, tweed::arch::load<Load, 1>(at));
  tweed::arch::store<Cache::Normal>(to + 2, tweed::arch::load<Load, 2>(at));
}

template <Cache Load, Cache Store, int Bytes>
void checkCopies() {
  for (std::size_t shift : {0, 1, 2, 15}) {
    CAPTURE(shift);
    for (unsigned n : {1u, 7u, 300u}) {
      std::vector<unsigned char> host(n * std::size_t(Bytes));
      std::iota(host.begin(), host.end(), (unsigned char)(7));
      DeviceArray<unsigned char> const in(host, shift * Bytes);
      DeviceArray<unsigned char> const out(host.size(), (15 - shift) * Bytes);
      tweed::launch(copyPieces<Load, Store, Bytes>, {tweed::ceilDiv(n, 128u), 128}, in.data(),
                    out.data(), n);
      tweed::synchronize();
      CHECK(out.host() == host);
    }
  }
  std::vector<unsigned char> host(96 * std::size_t(Bytes));
  std::iota(host.begin(), host.end(), (unsigned char)(3));
  DeviceArray<unsigned char> const in(host), out(host.size());
  tweed::launch(copyThree<Load, Bytes>, {1, 32}, in.data(), out.data());
  tweed::synchronize();
  CHECK(out.host() == host);
}

#if defined(TWEED_LOOM)
__global__ void misaligned(unsigned char const* in, unsigned char* out) {
  auto const v = tweed::arch::load<Cache::Normal>(reinterpret_cast<Piece<8> const*>(in));
  tweed::arch::store<Cache::Normal>(reinterpret_cast<Piece<8>*>(out), v);
}
#endif

template <int Bytes>
struct Width {
  static constexpr int bytes = Bytes;
};

}  // namespace

TEST_SUITE("cache") {
  TEST_CASE_TEMPLATE("pieces of every width with every hint, up to the last", T, Width<1>, Width<2>,
                     Width<4>, Width<8>, Width<16>) {
    checkCopies<Cache::Normal, Cache::Normal, T::bytes>();
    checkCopies<Cache::Streaming, Cache::Streaming, T::bytes>();
    checkCopies<Cache::Keep, Cache::Keep, T::bytes>();
    checkCopies<Cache::ReadOnly, Cache::Keep, T::bytes>();
    checkCopies<Cache::ReadOnce, Cache::Streaming, T::bytes>();
  }
#if defined(TWEED_LOOM)
  TEST_CASE("an address that is not aligned is stopped") {
    DeviceArray<unsigned char> const in(32), out(32);
    auto const at = [&](int i, int j) {
      return fault([&] { tweed::launch(misaligned, {1, 1}, in.data() + i, out.data() + j); });
    };
    CHECK(at(8, 16) == "");
    CHECK(contains(at(4, 16), "an access of 8 bytes at an address that is no multiple of it"));
    CHECK(at(8, 1) != "");
  }
#endif
}
