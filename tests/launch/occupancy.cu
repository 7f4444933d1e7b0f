// SPDX-License-Identifier: Apache-2.0
// tests/launch/occupancy.cu - tests tweed/launch/occupancy.cuh
#include <tweed/launch/occupancy.cuh>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

__global__ void nothing(int) {}
__global__ void large(int* out) { *dynamicShared<int>() = *out; }

std::uint64_t ceiling(std::uint64_t n, std::uint64_t d) { return n / d + (n % d != 0); }

}  // namespace

TEST_SUITE("occupancy") {
  TEST_CASE("blocks and warps are what the runtime says") {
    tweed::DeviceInfo const info = tweed::deviceInfo();
    for (int threads : {1, 31, 32, 33, 64, 100, 256, 1000, 1023, 1024})
      for (std::size_t shared :
           {std::size_t(0), std::size_t(1), std::size_t(20000), std::size_t(48 * 1024)}) {
        CAPTURE(threads);
        CAPTURE(shared);
        int blocks = -1;
        TWEED_CHECK(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, threads, shared));
        tweed::Occupancy const got = tweed::occupancy(nothing, threads, shared);
        CHECK(got.blocks == blocks);
        CHECK(got.blocks >= 1);
        CHECK(got.warps == blocks * ((threads + 31) / 32));
        CHECK(got.fraction == doctest::Approx(32.0 * got.warps / info.threadsPerMultiprocessor));
        CHECK(got.fraction > 0);
        CHECK(got.fraction <= 1);
      }
  }
  TEST_CASE("block sizes out of range are refused, with the range (C38)") {
    for (int const threads : {0, -1, 1025, 1 << 30}) {
      for (std::string const& text :
           {refusal([&] { (void)tweed::occupancy(nothing, threads); }),
            refusal([&] { (void)tweed::gridFor(1000, nothing, threads); })}) {
        CAPTURE(text);
        CHECK(contains(text, std::to_string(threads)));
        CHECK(contains(text, "1 to 1024"));
      }
    }
  }
  TEST_CASE("the grid holds all items or all that the device does, and is never 0 (C03, C38)") {
    for (int const threads : {1, 32, 100, 256, 1024}) {
      std::uint64_t const most = std::uint64_t(tweed::occupancy(nothing, threads).blocks) *
                                 std::uint64_t(tweed::deviceInfo().multiprocessors);
      for (std::uint64_t const n :
           {std::uint64_t(1), std::uint64_t(threads) - 1, std::uint64_t(threads),
            std::uint64_t(threads) + 1, std::uint64_t(1000), most * std::uint64_t(threads) - 1,
            most * std::uint64_t(threads), most * std::uint64_t(threads) + 1,
            (std::uint64_t(1) << 31) - 11, (std::uint64_t(1) << 31) - 1, std::uint64_t(1) << 31,
            (std::uint64_t(1) << 32) - 1, std::uint64_t(1) << 32, (std::uint64_t(1) << 32) + 1,
            std::uint64_t(1) << 33, std::uint64_t(1) << 40, ~std::uint64_t(0)}) {
        if (n == 0) continue;
        CAPTURE(n);
        CAPTURE(threads);
        std::uint64_t const need = ceiling(n, std::uint64_t(threads));
        CHECK(tweed::gridFor(n, nothing, threads) == (need < most ? need : most));
      }
      CHECK(tweed::gridFor(0, nothing, threads) == 0);
    }
  }
  TEST_CASE("a grid for nothing launches nothing (C22)") {
    tweed::launch(nothing, {tweed::gridFor(0, nothing, 256), 256}, 1);
    tweed::synchronize();
    CHECK(cudaGetLastError() == cudaSuccess);
  }
  TEST_CASE("a block that launch() takes has a grid, without a launch before (C38)") {
    std::size_t const bytes = 100 * 1024;
    CHECK(tweed::occupancy(large, 256, bytes).blocks >= 1);
    CHECK(refusal([&] { CHECK(tweed::gridFor(1 << 20, large, 256, bytes) >= 1); }).empty());
    std::size_t const most = tweed::deviceInfo().sharedBytesPerBlockOptIn;
    CHECK(tweed::occupancy(large, 256, most).blocks == 1);
  }
  TEST_CASE("a block that fits no multiprocessor is an error, not a grid of 0 (C38)") {
    std::size_t const bytes = 300 * 1024;
    CHECK(tweed::occupancy(large, 64, bytes).blocks == 0);
    CHECK(tweed::occupancy(large, 64, bytes).fraction == 0);
    for (std::uint64_t const n : {std::uint64_t(1), std::uint64_t(1) << 40}) {
      std::string const text = refusal([&] { (void)tweed::gridFor(n, large, 64, bytes); });
      CAPTURE(text);
      CHECK(contains(text, "tweed::gridFor"));
      CHECK(contains(text, std::to_string(bytes)));
      CHECK(contains(text, "64 threads"));
    }
  }
#if defined(TWEED_LOOM)
  TEST_CASE("the virtual device's options are followed") {
    tweed::loom::Options options = tweed::loom::defaults();
    options.multiprocessors = 7;
    options.limits.threadsPerMultiprocessor = 1536;
    options.limits.blocksPerMultiprocessor = 16;
    tweed::loom::ScopedOptions const scope(options);
    CHECK(tweed::occupancy(nothing, 1024).blocks == 1);
    CHECK(tweed::occupancy(nothing, 1024).fraction == doctest::Approx(32.0 / 48));
    CHECK(tweed::occupancy(nothing, 32).blocks == 16);
    CHECK(tweed::gridFor(1 << 30, nothing, 1024) == 7);
    CHECK(tweed::gridFor(1 << 30, nothing, 32) == 7 * 16);
  }
#endif
}
