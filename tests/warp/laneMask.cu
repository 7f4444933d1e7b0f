// SPDX-License-Identifier: Apache-2.0
// tests/warp/laneMask.cu - tests tweed/warp/laneMask.cuh, and the reductions that take a set of
// lanes.
#include <tweed/warp/laneMask.cuh>
#include <tweed/warp/warpReduce.cuh>

#include "support/device.cuh"
#include "support/folds.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

constexpr int fullThreads = 64;

struct AddModulo {  // no identity, not said to be commutative
  TWEED_HOST_DEVICE int operator()(int a, int b) const { return (a + b) % 1009; }
};

// Two sets of lanes and the lanes of neither reduce in branches of their own, each with its mask.
template <class T, class Op>
__global__ void reduceMasks(T const* in, T* out, Op op, unsigned const* masks) {
  int const lane = int(threadIdx.x) % 32;
  T const value = in[threadIdx.x];
  unsigned const rest = ~(masks[0] | masks[1]);
  if ((masks[0] >> lane & 1u) != 0) {
    out[threadIdx.x] = tweed::warpReduce(tweed::LaneMask{masks[0]}, value, op);
  } else if ((masks[1] >> lane & 1u) != 0) {
    out[threadIdx.x] = tweed::warpReduce(tweed::LaneMask{masks[1]}, value, op);
  } else {
    out[threadIdx.x] = tweed::warpReduce(tweed::LaneMask{rest}, value, op);
  }
}

template <class T, class Op>
void checkMasks(std::vector<T> const& in, Op op, unsigned first, unsigned second) {
  CAPTURE(first);
  CAPTURE(second);
  DeviceArray<T> const dIn(in);
  DeviceArray<T> const out(fullThreads);
  DeviceArray<unsigned> const masks(std::vector<unsigned>{first, second});
  tweed::launch(reduceMasks<T, Op>, {1, fullThreads}, dIn.data(), out.data(), op, masks.data());
  tweed::synchronize();
  std::vector<T> const got = out.host();
  for (std::size_t t = 0; t < fullThreads; ++t) {
    CAPTURE(t);
    unsigned mask = ~(first | second);
    if ((first >> t % 32 & 1u) != 0) {
      mask = first;
    } else if ((second >> t % 32 & 1u) != 0) {
      mask = second;
    }
    std::vector<T> items;
    for (std::size_t lane = 0; lane < 32; ++lane)
      if ((mask >> lane & 1u) != 0) items.push_back(in[t / 32 * 32 + lane]);
    REQUIRE((got[t] == foldOnHost(items.data(), int(items.size()), op)));
  }
}

// Every size of set, and lanes at both ends.
template <class T, class Op>
void checkMasks(std::vector<T> const& in, Op op) {
  unsigned const all = 0xffffffffu;
  for (unsigned const first : {all, 1u, 0x80000000u, 0x0001ffffu, 0x80000001u, 0x55555555u}) {
    checkMasks(in, op, first, 0);
    checkMasks(in, op, first, ~first & 0x0f0ff0f0u);
  }
  unsigned growing = 0;
  for (int size = 1; size <= 32; ++size) {
    unsigned lane = unsigned(noise(std::uint64_t(size))) % 32;
    while ((growing >> lane & 1u) != 0) lane = (lane + 1) % 32;
    growing |= 1u << lane;
    if (!isShort() || size % 5 == 0) checkMasks(in, op, growing, ~growing & 0xffff00ffu);
  }
}

// Positions are ranks in the set, so that whoever takes two lanes that are not neighbours in it,
// or takes one twice, calls `bad`.
__global__ void watchMask(unsigned mask, WatchedJoin op) {
  int const lane = int(threadIdx.x);
  if ((mask >> lane & 1u) == 0) return;
  auto const rank = std::uint32_t(tweed::arch::lanesBelow(mask, lane));
  Stretch const all = tweed::warpReduce(tweed::LaneMask{mask}, Stretch::at(rank), op);
  bool const good = all == Stretch{0, std::uint32_t(tweed::arch::countLanes(mask)), 0x600D600D};
  if (!good) atomicAdd(op.bad, 1000);
}

struct Found {
  unsigned mask;
  int sum;
};
// What a lane finds depends on who runs with it; the sum is of those whom the mask names.
__global__ void reduceActive(Found* out) {
  int const lane = int(threadIdx.x);
  if (lane < 17) {
    tweed::LaneMask const lanes = tweed::activeLanes();
    out[lane] = {lanes.bits, tweed::warpReduce(lanes, lane + 1, tweed::Sum{})};
  } else {
    tweed::LaneMask const lanes = tweed::activeLanes();
    out[lane] = {lanes.bits, tweed::warpReduce(lanes, lane + 1)};
  }
}
// The masks written down.
__global__ void reduceSeventeen(int* out) {
  int const lane = int(threadIdx.x);
  if (lane < 17) {
    out[lane] = tweed::warpReduce(tweed::LaneMask{0x0001ffffu}, lane + 1, AddModulo{});
  } else {
    out[lane] = tweed::warpReduce(tweed::LaneMask{0xfffe0000u}, lane + 1, tweed::Sum{});
  }
}

#if defined(TWEED_LOOM)
__global__ void reduceAs(int* out, unsigned mask, int callers) {
  int const lane = int(threadIdx.x);
  if (lane < callers) out[lane] = tweed::warpReduce(tweed::LaneMask{mask}, lane, AddModulo{});
  __syncthreads();  // the others wait here
}
#endif

}  // namespace

TEST_SUITE("laneMask") {
  TEST_CASE("any set of lanes, beside others, in the order of the lanes (C14, C25)") {
    checkMasks(smallIntegers<float>(fullThreads, 6), tweed::Sum{});
    checkMasks(smallIntegers<float>(fullThreads, 7), tweed::Max{});
    std::vector<Affine> maps;
    for (unsigned i = 0; i < fullThreads; ++i)
      maps.push_back({unsigned(2 * noise(i) + 1), unsigned(noise(i + 5000))});
    checkMasks(maps, Compose{});
    std::vector<Wide> wide;
    for (int i = 0; i < fullThreads; ++i) wide.push_back({{i, -i, i * 7, 1, (long long)(i) << 40}});
    checkMasks(wide, AddWide{}, 0x00f0ffe1u, 0x0700000eu);
    std::vector<Letters> letters;
    for (int i = 0; i < fullThreads; ++i) letters.push_back(Letters::of(i % 32));
    checkMasks(letters, Concatenate{}, 0x8000ffe1u, 0x0700000eu);
  }
  TEST_CASE("a set's operator is called on neighbours alone (C27)") {
    DeviceArray<int> const bad(std::vector<int>(1, 0));
    for (unsigned const mask : {0xffffffffu, 0x80000000u, 0x80000001u, 0x0001ffffu, 0x12345678u})
      tweed::launch(watchMask, {1, 32}, mask, WatchedJoin{bad.data()});
    tweed::synchronize();
    CHECK(bad.host()[0] == 0);
  }
  TEST_CASE("17 lanes take one branch and 15 the other (C14)") {
    DeviceArray<int> const out(32);
    tweed::launch(reduceSeventeen, {1, 32}, out.data());
    DeviceArray<Found> const active(32);
    tweed::launch(reduceActive, {1, 32}, active.data());
    tweed::synchronize();
    std::vector<int> const sums = out.host();
    std::vector<Found> const found = active.host();
    for (std::size_t lane = 0; lane < 32; ++lane) {
      CAPTURE(lane);
      CHECK(sums[lane] == (lane < 17 ? 153 : 375));
      unsigned const mask = found[lane].mask;
      CHECK((mask >> lane & 1u) == 1);
      CHECK((mask & (lane < 17 ? 0xfffe0000u : 0x0001ffffu)) == 0);
      int sum = 0;
      for (int other = 0; other < 32; ++other) sum += (mask >> other & 1u) != 0 ? other + 1 : 0;
      CHECK(found[lane].sum == sum);
    }
  }
  TEST_CASE("integers, whose fold is one instruction") {
    checkMasks(smallIntegers<int>(fullThreads, 8), tweed::Sum{});
    checkMasks(smallIntegers<unsigned char>(fullThreads, 8), tweed::Max{});
    std::vector<unsigned long long> bits;
    for (std::uint64_t i = 0; i < fullThreads; ++i) bits.push_back(noise(i) | 1ull << 50);
    checkMasks(bits, tweed::BitAnd{}), checkMasks(bits, tweed::BitXor{});
    std::vector<unsigned> fewBits;
    for (std::uint64_t i = 0; i < fullThreads; ++i) fewBits.push_back(1u << noise(i) % 32);
    checkMasks(fewBits, tweed::BitOr{});
  }
#if defined(TWEED_LOOM)
  TEST_CASE("a set without the calling lane, an empty one and one of lanes that never come") {
    DeviceArray<int> const out(32);
    auto const run = [&](unsigned mask, int callers, unsigned threads) {
      return fault([&] { tweed::launch(reduceAs, {1, threads}, out.data(), mask, callers); });
    };
    CHECK(contains(
        run(0x0000fff7u, 16, 32),
        "tweed::warpReduce: the mask is 0x0000fff7, which does not hold the calling lane 3"));
    CHECK(
        contains(run(0, 1, 32), "the mask is 0x00000000, which does not hold the calling lane 0"));
    CHECK(!run(0xffffffffu, 16, 32).empty());
    CHECK(contains(run(0x0001ffffu, 17, 16),
                   "the mask is 0x0001ffff, this warp has only the lanes 0x0000ffff"));
    CHECK(run(0x0000ffffu, 16, 32).empty());
  }
#endif
}
