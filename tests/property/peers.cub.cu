// SPDX-License-Identifier: Apache-2.0
// tests/property/peers.cub.cu - reductions and scans against CUB's on drawn cases. Not where CUB is
// no oracle: extremes of infinities and NaN, whole arrays under an operator whose order matters,
// results outside thread 0, counts of 0, and other bounds than a sum's for floats.
#include <tweed/block/blockReduce.cuh>
#include <tweed/block/blockScan.cuh>
#include <tweed/device/deviceReduce.cuh>

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>

#include "data.cuh"

namespace {

using namespace tweedTest;

template <class T>
struct Both {
  T tweed[4], cub[4];  // warp, block, block with count, scan of the block
};

template <int Threads, class T, class Op>
__global__ void __launch_bounds__(Threads)
    runBoth(T const* in, unsigned const* firsts, unsigned const* counts, Both<T>* out, Op op) {
  using CubWarp = cub::WarpReduce<T>;
  using CubBlock = cub::BlockReduce<T, Threads>;
  using CubScan = cub::BlockScan<T, Threads>;
  __shared__ typename CubWarp::TempStorage ofWarps[Threads / 32];
  __shared__ typename CubBlock::TempStorage ofBlock, ofCounted;
  __shared__ typename CubScan::TempStorage ofScan;
  unsigned const t = threadIdx.x;
  int const count = int(counts[blockIdx.x]);
  T const x = in[firsts[blockIdx.x] + t];
  Both<T> both{};
  both.tweed[0] = tweed::warpReduce(x, op);
  both.cub[0] = CubWarp(ofWarps[t / 32]).Reduce(x, op);
  both.tweed[1] = tweed::blockReduce<Threads>(x, op);
  both.cub[1] = CubBlock(ofBlock).Reduce(x, op);
  both.tweed[2] = tweed::blockReduce<Threads>(x, op, count);
  both.cub[2] = CubBlock(ofCounted).Reduce(x, op, count);
  both.tweed[3] = tweed::blockInclusiveScan<Threads>(x, op).prefix;
  CubScan(ofScan).InclusiveScan(x, both.cub[3], op);
  out[blockIdx.x * Threads + t] = both;
}

template <int Threads, class T, class Op>
void checkBlocks(char const* name, unsigned kinds, unsigned cases, Op op) {
  Space const space{{Threads, 1, 1, 0, 0, 0},
                    {Threads, 1, Threads, 15, kinds, 9999},
                    [](Case const&) { return unsigned(Threads); }};
  checkProperty(name, space, cases, [&](std::vector<Case> const& some) {
    Inputs<T> inputs;
    for (Case const& c : some) inputs.add(c, Threads);
    DeviceArray<T> const in(inputs.items);
    DeviceArray<unsigned> const firsts(inputs.firsts), counts(inputs.counts);
    DeviceArray<Both<T>> const out(some.size() * Threads);
    tweed::launch(runBoth<Threads, T, Op>, {some.size(), Threads}, in.data(), firsts.data(),
                  counts.data(), out.data(), op);
    tweed::synchronize();
    std::vector<Both<T>> const got = out.host();
    for (std::size_t i = 0; i < some.size(); ++i) {
      Reference<T, Op> const bound(some[i], inputs.items.data() + inputs.firsts[i], Threads, op);
      for (unsigned t = 0; t < Threads; ++t) {
        Both<T> const& both = got[i * Threads + t];
        for (int call = 0; call < 4; ++call) {
          bool const isDefined = call == 3 || (call == 0 ? t % 32 == 0 : t == 0);
          if (isDefined && !bound.agrees(both.tweed[call], both.cub[call]))
            return Verdict{int(i),
                           "call " + std::to_string(call) + ", thread " + std::to_string(t)};
        }
      }
    }
    return Verdict{};
  });
}

template <class T, class Op>
void checkArrays(char const* name, unsigned kinds, unsigned cases, Op op) {
  tweed::Workspace workspace;
  Space const space{
      {1, 1, 1, 0, 0, 0}, {1, 1, 200000, 15, kinds, 9999}, [](Case const&) { return ~0u; }};
  checkProperty(name, space, cases, [&](std::vector<Case> const& some) {
    Inputs<T> inputs;
    for (Case const& c : some) inputs.add(c, c.count);
    DeviceArray<T> const in(inputs.items), out(2 * some.size());
    std::size_t bytes = 0;
    auto const cubReduce = [&](void* storage, T const* x, unsigned n, T* result) {
      T const init = tweed::identityOf<Op, T>();
      TWEED_CHECK(cub::DeviceReduce::Reduce(storage, bytes, x, result, int(n), op, init));
    };
    cubReduce(nullptr, in.data(), 200000, out.data());
    DeviceArray<unsigned char> const storage(bytes);
    for (std::size_t i = 0; i < some.size(); ++i) {
      T const* const x = in.data() + inputs.firsts[i];
      tweed::deviceReduce(x, some[i].count, out.data() + 2 * i, op, workspace);
      cubReduce(storage.data(), x, some[i].count, out.data() + 2 * i + 1);
    }
    tweed::synchronize();
    std::vector<T> const got = out.host();
    for (std::size_t i = 0; i < some.size(); ++i) {
      Reference<T, Op> const bound(some[i], inputs.items.data() + inputs.firsts[i], some[i].count,
                                   op);
      if (!bound.agrees(got[2 * i], got[2 * i + 1])) return Verdict{int(i), "other than CUB's"};
    }
    return Verdict{};
  });
}

}  // namespace

TEST_SUITE("properties beside CUB") {
  TEST_CASE("blocks and warps") {
    checkBlocks<128, unsigned>("unsigned", Extremes, 400, tweed::Sum{});
    checkBlocks<256, int>("greatest int", Extremes, 400, tweed::Max{});
    checkBlocks<96, float>("float", Random, 400, tweed::Sum{});
    checkBlocks<64, Affine>("affine maps", Ties, 400, Compose{});
  }
  TEST_CASE("whole arrays") {
    checkArrays<unsigned>("unsigned", Extremes, 100, tweed::Sum{});
    checkArrays<long long>("least long long", Extremes, 100, tweed::Min{});
    checkArrays<double>("double", Random, 100, tweed::Sum{});
  }
}
