// SPDX-License-Identifier: Apache-2.0
// tests/block/blockScan.cub.cu - compares tweed/block/blockScan.cuh with all algorithms of
// cub::BlockScan
#include <tweed/block/blockScan.cuh>

#include <cub/block/block_scan.cuh>

#include <cmath>
#include <limits>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

constexpr int algorithms = 3;

template <class T>
struct Prefixes {
  T inclusive, exclusive, total;
};
template <class T>
struct All {
  Prefixes<T> tweed, cub[algorithms];
};

template <int Threads, cub::BlockScanAlgorithm Algorithm, class T, class Op>
__device__ Prefixes<T> scanWithCub(T const& x, Op op, T const& init) {
  using Cub = cub::BlockScan<T, Threads, Algorithm>;
  __shared__ typename Cub::TempStorage storage;
  Prefixes<T> p{};
  Cub(storage).InclusiveScan(x, p.inclusive, op, p.total);
  __syncthreads();
  Cub(storage).ExclusiveScan(x, p.exclusive, init, op);
  return p;
}

template <int Threads, class T, class Op>
__global__ void __launch_bounds__(Threads) scanAll(T const* in, All<T>* out, Op op, T init) {
  T const x = in[threadIdx.x];
  All<T> all{};
  tweed::Scan<T> const inclusive = tweed::blockInclusiveScan<Threads>(x, op);
  tweed::Scan<T> const exclusive = tweed::blockExclusiveScan<Threads>(x, op, init);
  all.tweed = {inclusive.prefix, exclusive.prefix, inclusive.total};
  all.cub[0] = scanWithCub<Threads, cub::BLOCK_SCAN_RAKING>(x, op, init);
  all.cub[1] = scanWithCub<Threads, cub::BLOCK_SCAN_RAKING_MEMOIZE>(x, op, init);
  all.cub[2] = scanWithCub<Threads, cub::BLOCK_SCAN_WARP_SCANS>(x, op, init);
  out[threadIdx.x] = all;
}

template <int Threads, class T, class Op, class Check>
void compareSize(std::vector<T> const& in, Op op, T init, Check check) {
  CAPTURE(Threads);
  DeviceArray<T> const dIn(in);
  DeviceArray<All<T>> const out(Threads);
  tweed::launch(scanAll<Threads, T, Op>, {1, Threads}, dIn.data(), out.data(), op, init);
  tweed::synchronize();
  check(out.host(), in);
}
template <class T, class Op, class Check>
void compare(std::vector<T> const& in, Op op, T init, Check check) {
  compareSize<32>(in, op, init, check), compareSize<100>(in, op, init, check);
  compareSize<256>(in, op, init, check), compareSize<1024>(in, op, init, check);
}
template <class T, class Op>
void compareExact(std::vector<T> const& in, Op op, T init) {
  compare(in, op, init, [](std::vector<All<T>> const& got, std::vector<T> const&) {
    for (All<T> const& all : got)
      for (Prefixes<T> const& theirs : all.cub) {
        REQUIRE(all.tweed.inclusive == theirs.inclusive);
        REQUIRE(all.tweed.exclusive == theirs.exclusive);
        REQUIRE(all.tweed.total == theirs.total);
      }
  });
}

}  // namespace

TEST_SUITE("blockScan.cub") {
  TEST_CASE_TEMPLATE("integers are equal", T, unsigned short, int, unsigned long long) {
    compareExact(smallIntegers<T>(1024, 11), tweed::Sum{}, T(7));
  }
  TEST_CASE("ordered operators are equal") {
    std::vector<Affine> maps;
    for (unsigned i = 0; i < 1024; ++i)
      maps.push_back({unsigned(2 * noise(i) + 1), unsigned(noise(i + 5000))});
    compareExact(maps, Compose{}, Affine{3, 5});
  }
  TEST_CASE_TEMPLATE("sums of floats are within the bound of their length", T, float, double) {
    std::vector<T> in;
    for (std::uint64_t i = 0; i < 1024; ++i) in.push_back(T(noise(i) % 1000003) * T(1e-3) - T(400));
    T const init = T(12.5);
    compare(in, tweed::Sum{}, init,
            [init](std::vector<All<T>> const& got, std::vector<T> const& values) {
              long double exact = 0, size = std::fabs(init);
              for (std::size_t i = 0; i < got.size(); ++i) {
                long double const before = exact + init;
                exact += values[i], size += std::fabs(values[i]);
                long double const bound = (i + 2) * std::numeric_limits<T>::epsilon() * size;
                REQUIRE(std::fabs(got[i].tweed.inclusive - exact) <= bound);
                REQUIRE(std::fabs(got[i].tweed.exclusive - before) <= bound);
                for (Prefixes<T> const& theirs : got[i].cub) {
                  REQUIRE(std::fabs(theirs.inclusive - exact) <= bound);
                  REQUIRE(std::fabs(theirs.exclusive - before) <= bound);
                }
              }
            });
  }
}
