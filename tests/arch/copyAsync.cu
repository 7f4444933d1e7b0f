// SPDX-License-Identifier: Apache-2.0
// tests/arch/copyAsync.cu - tests tweed/arch/copyAsync.cuh
#include <tweed/arch/barrier.cuh>
#include <tweed/arch/copyAsync.cuh>

#include "support/device.cuh"

namespace {

using namespace tweedTest;
namespace arch = tweed::arch;

template <int Bytes>
struct alignas(Bytes) Item {
  unsigned char byte[Bytes];
};

// Thread i copies the first `fromBytes` of item i, and stores what thread i + 1 copied.
template <int Bytes>
__global__ void copyItems(Item<Bytes> const* in, Item<Bytes>* out, int fromBytes) {
  __shared__ Item<Bytes> tile[96];
  int const i = int(threadIdx.x), threads = int(blockDim.x);
  tile[i].byte[Bytes - 1] = 77;
  arch::copyAsync<Bytes>(&tile[i], fromBytes > 0 ? &in[i] : nullptr, fromBytes);
  arch::commitCopies();
  arch::waitForCopies<0>();
  arch::syncBlock();
  out[i] = tile[(i + 1) % threads];
}

template <int Bytes>
void checkBytes() {
  std::vector<Item<Bytes>> items(96);
  for (std::size_t i = 0; i < items.size() * Bytes; ++i)
    items[i / Bytes].byte[i % Bytes] = (unsigned char)(noise(i) | 1);
  DeviceArray<Item<Bytes>> const in(items);
  for (unsigned threads : {1u, 33u, 96u})
    for (int fromBytes = 0; fromBytes <= Bytes; ++fromBytes) {
      DeviceArray<Item<Bytes>> const out(96);
      tweed::launch(copyItems<Bytes>, {1, threads}, in.data(), out.data(), fromBytes);
      tweed::synchronize();
      auto const got = out.host();
      CAPTURE(fromBytes);
      for (unsigned i = 0; i < threads; ++i)
        for (int k = 0; k < Bytes; ++k)
          REQUIRE(int(got[i].byte[k]) ==
                  (k < fromBytes ? int(items[(i + 1) % threads].byte[k]) : 0));
    }
}

// Group g of each thread is one copy to row g of its own column; one more is in no group. `seen` is
// what has come once all but the last two groups must have.
__global__ void copyGroups(unsigned const* in, unsigned* seen, unsigned* all) {
  constexpr int groups = 5;
  __shared__ unsigned tile[(groups + 1) * 32];
  int const i = int(threadIdx.x);
  for (int g = 0; g < groups; ++g) {
    if (g != 1) arch::copyAsync<4>(&tile[g * 32 + i], &in[g * 32 + i]);  // an empty group counts
    arch::commitCopies();
  }
  arch::copyAsync<4>(&tile[groups * 32 + i], &in[groups * 32 + i]);
  arch::waitForCopies<2>();
  for (int g = 0; g < groups - 2; ++g)
    if (g != 1) seen[g * 32 + i] = tile[g * 32 + i];
  if (tweed::arch::hasCopyAsync && tweedTest::isLoom) {
    for (int g = groups - 2; g <= groups; ++g) seen[g * 32 + i] = tile[g * 32 + i];
  }
  arch::waitForAllCopies();
  for (int g = 0; g <= groups; ++g)
    if (g != 1) all[g * 32 + i] = tile[g * 32 + i];
}

#if defined(TWEED_LOOM)
enum class Forgets { nothing, wait, barrierAfter, barrierBefore };

// A ring of two stages, each thread summing what its neighbours copied.
template <Forgets What>
__global__ void sumTiles(float const* in, float* out, int tiles) {
  __shared__ float ring[2][64];
  int const i = int(threadIdx.x), threads = int(blockDim.x);
  auto const fetch = [&](int tile) {
    if (tile < tiles) arch::copyAsync<4>(&ring[tile % 2][i], &in[tile * threads + i]);
    arch::commitCopies();
  };
  fetch(0);
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    fetch(tile + 1);
    if constexpr (What != Forgets::wait) arch::waitForCopies<1>();
    if constexpr (What != Forgets::barrierAfter) arch::syncBlock();
    sum += ring[tile % 2][(i + 1) % threads] - ring[tile % 2][(i + threads - 1) % threads];
    if constexpr (What != Forgets::barrierBefore) arch::syncBlock();
  }
  out[i] = sum;
}

template <Forgets What>
bool isRight() {
  constexpr unsigned tiles = 5, threads = 64;
  auto const items = smallIntegers<float>(tiles * threads, 3);
  DeviceArray<float> const in(items), out(threads);
  tweed::launch(sumTiles<What>, {1, threads}, in.data(), out.data(), int(tiles));
  std::vector<float> want(threads);
  for (unsigned i = 0; i < threads; ++i)
    for (unsigned tile = 0; tile < tiles; ++tile)
      want[i] += items[tile * threads + (i + 1) % threads] -
                 items[tile * threads + (i + threads - 1) % threads];
  return out.host() == want;
}

template <int Bytes>
__global__ void copyFrom(unsigned char const* in, int shift, int fromBytes) {
  __shared__ Item<Bytes> tile;
  arch::copyAsync<Bytes>(&tile, in + shift, fromBytes);
}
#endif

}  // namespace

TEST_SUITE("copyAsync") {
  TEST_CASE("4, 8 and 16 bytes, whole, in part and not at all") {
    checkBytes<4>(), checkBytes<8>(), checkBytes<16>();
  }
  TEST_CASE(
      "a wait ends all groups but the last ones, a wait for all ends also what has no group") {
    auto const items = smallIntegers<unsigned>(6 * 32, 5);
    DeviceArray<unsigned> const in(items), seen(6 * 32), all(6 * 32);
    tweed::launch(copyGroups, {1, 32}, in.data(), seen.data(), all.data());
    tweed::synchronize();
    auto const gotSeen = seen.host(), gotAll = all.host();
    for (std::size_t k = 0; k < items.size(); ++k) {
      CAPTURE(k);
      if (k / 32 == 1) continue;
      CHECK(gotAll[k] == items[k]);
      if (k / 32 < 3) CHECK(gotSeen[k] == items[k]);
      if (isLoom && k / 32 >= 3) CHECK(gotSeen[k] == 0xffffffffu);
    }
  }
#if defined(TWEED_LOOM)
  TEST_CASE("a missing wait or barrier shows: what is under way is poison") {
    if (isShort()) return;  // races on purpose, which ThreadSanitizer reports: loom/planted.cu
    CHECK(isRight<Forgets::nothing>());
    CHECK_FALSE(isRight<Forgets::wait>());
    CHECK_FALSE(isRight<Forgets::barrierAfter>());
    CHECK_FALSE(isRight<Forgets::barrierBefore>());
  }
  TEST_CASE("a wrong address or number of bytes is named") {
    DeviceArray<unsigned char> const in(256);
    auto const run = [&](int shift, int fromBytes) {
      return fault([&] { tweed::launch(copyFrom<8>, {1, 1}, in.data(), shift, fromBytes); });
    };
    CHECK(run(0, 8).empty());
    CHECK(run(8, 0).empty());
    CHECK(contains(run(4, 8), "addresses must be multiples of it"));
    CHECK(contains(run(0, 9), "9 bytes are to be read, allowed are 0 to 8"));
    CHECK(contains(run(0, -1), "-1 bytes are to be read, allowed are 0 to 8"));
  }
#endif
}
