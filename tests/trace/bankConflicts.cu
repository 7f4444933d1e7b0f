// SPDX-License-Identifier: Apache-2.0
// tests/trace/bankConflicts.cu - what bankConflicts() says at compile time is what the recorder
// counts when the access runs.

#include <doctest/doctest.h>
#include <tweed/arch/cache.cuh>
#include <tweed/launch/launch.cuh>
#include <tweed/loom/recording.hpp>
#include <tweed/memory/bankConflicts.cuh>
#include <tweed/memory/dynamicShared.cuh>
#include <tweed/memory/paddedTile.cuh>
#include <tweed/memory/swizzle.cuh>

#include <utility>

#include "support/device.cuh"

namespace {

using tweed::BlockAccess;
using tweed::ColumnAccess;
using tweed::PaddedTile;
using tweed::RowAccess;
using tweed::SwizzledTile;
using tweed::loom::Event;
using tweedTest::DeviceArray;

struct Offsets {
  int of[32];
};

// An instance for each case, so that one recording tells them apart.
template <class Layout, class Access>
__global__ void accessOnce(Offsets offsets) {
  constexpr int bytes = Access::items * int(sizeof(typename Layout::Item));
  using Piece = tweed::arch::Piece<bytes>;
  auto* const at =
      reinterpret_cast<Piece*>(tweed::dynamicShared<unsigned char>() + offsets.of[threadIdx.x]);
  tweed::arch::store<tweed::Cache::Normal>(at, Piece{});
  __syncwarp();
  if (tweed::arch::load<tweed::Cache::Normal>(at).word[0] != 0) __trap();
}

template <class Layout, class Access>
void run(std::vector<tweed::BankPasses>& said) {
  said.push_back(tweed::bankPasses<Layout, Access>());
  CHECK(said.back().passes - said.back().ideal == tweed::bankConflicts<Layout, Access>());
  constexpr int bytes = Access::items * int(sizeof(typename Layout::Item));
  Offsets offsets;
  int most = 0;
  for (int lane = 0; lane < 32; ++lane) {
    offsets.of[lane] = Layout::offset(Access::row(lane), Access::column(lane));
    most = tweed::larger(most, offsets.of[lane] + bytes);
  }
  tweed::launch(accessOnce<Layout, Access>, {1, 32, std::size_t(most)}, offsets);
}

template <class... Case>
struct Cases {
  static void check() {
    std::vector<tweed::BankPasses> said;
    auto const recording = tweed::loom::record(
        [&] { (run<typename Case::Layout, typename Case::Access>(said), ...); });
    REQUIRE(recording.kernels.size() == sizeof...(Case));
    for (std::size_t i = 0; i < said.size(); ++i)
      for (Event const event : {Event::sharedLoad, Event::sharedStore}) {
        auto const counts = recording.kernels[i].total(event);
        CAPTURE(recording.kernels[i].name);
        CHECK(counts.requests == 1);
        CHECK(int(counts.passes) == said[i].passes);
        CHECK(int(counts.idealPasses) == said[i].ideal);
      }
  }
};

template <class Layout_, class Access_>
struct Case {
  using Layout = Layout_;
  using Access = Access_;
};

template <class T, int... Stride>
void checkStrides(std::integer_sequence<int, Stride...>) {
  Cases<Case<PaddedTile<T, 1, 64 * 32>, RowAccess<1, Stride + 1>>...>::check();
}

struct alignas(16) Quad {
  float x, y, z, w;
};

template <class Layout>
void checkTile() {
  Cases<Case<Layout, RowAccess<>>, Case<Layout, ColumnAccess<>>, Case<Layout, ColumnAccess<1, 0>>,
        Case<Layout, BlockAccess<8>>, Case<Layout, BlockAccess<16>>>::check();
}
template <class Layout, int Items>
void checkVectors() {
  Cases<Case<Layout, BlockAccess<32 / Items, Items>>, Case<Layout, BlockAccess<2, Items>>,
        Case<Layout, ColumnAccess<Items>>>::check();
}

TEST_CASE("strides 1 to 64 of 4, 8 and 16 bytes") {
  constexpr std::make_integer_sequence<int, 64> strides;
  checkStrides<float>(strides);
  checkStrides<double>(strides);
  checkStrides<Quad>(strides);
}

TEST_CASE("tiles, padded and not") {
  checkTile<PaddedTile<float, 32, 32>>();
  checkTile<PaddedTile<float, 32, 32, 1>>();
  checkTile<PaddedTile<short, 32, 32, 1>>();
  checkTile<PaddedTile<double, 32, 32, 1>>();
  checkVectors<PaddedTile<float, 32, 32>, 2>();
  checkVectors<PaddedTile<float, 32, 32>, 4>();
  checkVectors<PaddedTile<float, 32, 32, 2>, 2>();
  checkVectors<PaddedTile<float, 32, 32, 4>, 4>();
}

TEST_CASE("swizzled tiles") {
  checkTile<SwizzledTile<float, 32, 32>>();
  checkTile<SwizzledTile<short, 32, 64, 64>>();
  checkVectors<SwizzledTile<float, 32, 32>, 2>();
  checkVectors<SwizzledTile<float, 32, 32>, 4>();
  checkVectors<SwizzledTile<short, 32, 32, 64>, 8>();
  checkVectors<SwizzledTile<short, 32, 32, 32>, 8>();
}

}  // namespace
