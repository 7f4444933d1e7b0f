// SPDX-License-Identifier: Apache-2.0
// tests/arch/vote.cu - tests tweed/arch/vote.cuh
#include <tweed/arch/vote.cuh>

#include <limits>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

struct Votes {
  unsigned ballot;
  int any, all;
};

// The lanes of the mask and the others vote apart, at the same time.
__global__ void vote(unsigned mask, unsigned predicates, Votes* out) {
  int const lane = int(threadIdx.x);
  bool const mine = (predicates >> lane & 1u) != 0;
  if ((mask >> lane & 1u) != 0) {
    out[lane] = {tweed::arch::ballot(mask, mine), tweed::arch::any(mask, mine),
                 tweed::arch::all(mask, mine)};
  } else {
    unsigned const others = ~mask;
    out[lane] = {tweed::arch::ballot(others, mine), tweed::arch::any(others, mine),
                 tweed::arch::all(others, mine)};
  }
}

template <class T>
__global__ void match(unsigned mask, T const* values, unsigned* out) {
  int const lane = int(threadIdx.x);
  if ((mask >> lane & 1u) != 0) out[lane] = tweed::arch::matchAny(mask, values[lane]);
  __syncthreads();  // the other lanes wait here
}

template <class T>
void checkMatch(std::vector<T> const& values, unsigned mask) {
  CAPTURE(mask);
  DeviceArray<T> const in(values);
  DeviceArray<unsigned> const out(32);
  tweed::launch(match<T>, {1, 32}, mask, in.data(), out.data());
  tweed::synchronize();
  std::vector<unsigned> const got = out.host();
  for (std::size_t lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1u) == 0) continue;
    unsigned want = 0;
    for (std::size_t other = 0; other < 32; ++other)
      if ((mask >> other & 1u) != 0 && sameBits(values[lane], values[other])) want |= 1u << other;
    REQUIRE(got[lane] == want);
  }
}

template <class T>
std::vector<T> someEqual(std::vector<T> const& different) {
  std::vector<T> values;
  for (std::size_t lane = 0; lane < 32; ++lane)
    values.push_back(different[noise(lane) % different.size()]);
  return values;
}

__global__ void count(unsigned const* masks, int* lanes, int* below) {
  int const t = int(threadIdx.x);
  lanes[t] = tweed::arch::countLanes(masks[0]);
  below[t] = tweed::arch::lanesBelow(masks[0], t);
}

}  // namespace

TEST_SUITE("vote") {
  TEST_CASE("ballot, any and all ask the lanes of the mask, and only those") {
    std::vector<unsigned> masks = {0xffffffffu, 0x0000ffffu, 0x55555555u, 1u, 0x80000000u, 0x1fu};
    std::vector<unsigned> predicates = {0u, 0xffffffffu, 1u, 0x80000000u, 0x0000ffffu, 0x55555555u};
    for (std::uint64_t i = 0; i < 20; ++i) {
      masks.push_back(unsigned(noise(i)) | 1u << i);
      predicates.push_back(unsigned(noise(i + 100)));
    }
    DeviceArray<Votes> const out(32);
    for (unsigned mask : masks)
      for (unsigned predicate : predicates) {
        CAPTURE(mask);
        CAPTURE(predicate);
        tweed::launch(vote, {1, 32}, mask, predicate, out.data());
        tweed::synchronize();
        std::vector<Votes> const got = out.host();
        for (std::size_t lane = 0; lane < 32; ++lane) {
          unsigned const voters = (mask >> lane & 1u) != 0 ? mask : ~mask;
          REQUIRE(got[lane].ballot == (predicate & voters));
          REQUIRE(got[lane].any == ((predicate & voters) != 0));
          REQUIRE(got[lane].all == ((predicate & voters) == voters));
        }
      }
  }
  TEST_CASE("matchAny finds the lanes with the same bits") {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    for (unsigned mask : {0xffffffffu, 0x0000ffffu, 0xaaaaaaaau, 0x40u}) {
      checkMatch(someEqual<int>({0, -1, 1, 1 << 30}), mask);
      checkMatch(someEqual<unsigned>({0u, ~0u}), mask);
      checkMatch(someEqual<unsigned long long>({1, 1ull << 32, (1ull << 32) + 1}), mask);
      checkMatch(someEqual<long long>({-1, 0xffffffffll}), mask);
      checkMatch(someEqual<float>({0.f, -0.f, nan, 1.f}), mask);
      checkMatch(someEqual<double>({0., -0., double(nan), 1.}), mask);
    }
  }
  TEST_CASE("what is in a mask") {
    for (std::uint64_t i = 0; i < 8; ++i) {
      std::vector<unsigned> const mask = {i == 0 ? 0u : i == 1 ? ~0u : unsigned(noise(i))};
      DeviceArray<unsigned> const in(mask);
      DeviceArray<int> const lanes(32);
      DeviceArray<int> const below(32);
      tweed::launch(count, {1, 32}, in.data(), lanes.data(), below.data());
      tweed::synchronize();
      int set = 0;
      std::vector<int> const gotBelow = below.host();
      for (int lane = 0; lane < 32; ++lane) {
        REQUIRE(gotBelow[std::size_t(lane)] == set);
        set += int(mask[0] >> lane & 1u);
      }
      for (int const got : lanes.host()) REQUIRE(got == set);
    }
  }
}
