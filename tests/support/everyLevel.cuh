// SPDX-License-Identifier: Apache-2.0
// tests/support/everyLevel.cuh - one type and operator through all reductions and scans of warps
// and blocks, whole and with counts, and through deviceReduce, against a fold on the host.
#pragma once

#include <tweed/block/blockReduce.cuh>
#include <tweed/block/blockScan.cuh>
#include <tweed/device/deviceReduce.cuh>

#include "device.cuh"

namespace tweedTest {

namespace everyLevel {

template <class T>
struct Results {
  T reduced, first, inclusive, exclusive, total;
};

// What is not data is poison.
template <class T>
TWEED_DEVICE T dataOr(bool isData, T value) {
  if (!isData) memset(static_cast<void*>(&value), 0xFF, sizeof value);
  return value;
}

template <class T, class Op>
TWEED_KERNEL void inWarps(T const* in, Results<T>* out, Op op, int count) {
  int const t = int(threadIdx.x);
  T const value = in[t];
  T const some = dataOr(t % 32 < count, value);
  auto const [inclusive, total] = tweed::warpInclusiveScan(value, op);
  auto const exclusive = tweed::warpExclusiveScan(some, op, in[0], count).prefix;
  out[t] = {tweed::warpReduce(value, op), tweed::warpReduce(some, op, count), inclusive, exclusive,
            total};
}
template <class Shape, class T, class Op>
TWEED_KERNEL void __launch_bounds__(Shape::maxThreads)
    inBlock(T const* in, Results<T>* out, Op op, int count) {
  int const t = Shape::rank();
  T const value = in[t];
  T const some = dataOr(t < count, value);
  auto const [inclusive, total] = tweed::blockInclusiveScan<Shape>(value, op);
  auto const exclusive = tweed::blockExclusiveScan<Shape>(some, op, in[0], count).prefix;
  out[t] = {tweed::blockReduce<Shape>(value, op), tweed::blockReduce<Shape>(some, op, count),
            inclusive, exclusive, total};
}

// `got` of `size` participants, all of which hold data, the first `count` of them in counted calls.
template <class T, class Op>
void checkGroup(Results<T> const* got, T const* in, int size, int count, T init, Op op) {
  std::vector<T> prefixes(in, in + size);
  for (std::size_t i = 1; i < prefixes.size(); ++i) prefixes[i] = op(prefixes[i - 1], prefixes[i]);
  T const* const prefix = prefixes.data();
  T const all = prefix[size - 1];
  for (int i = 0; i < size; ++i) {
    T const exclusive = i == 0 ? init : op(init, prefix[i <= count ? i - 1 : count - 1]);
    bool const good = got[i].reduced == all && got[i].total == all &&
                      got[i].first == prefix[count - 1] && got[i].inclusive == prefix[i] &&
                      got[i].exclusive == exclusive;
    if (!good) {
      CAPTURE(i);
      CHECK((got[i].reduced == all));
      CHECK((got[i].total == all));
      CHECK((got[i].first == prefix[count - 1]));
      CHECK((got[i].inclusive == prefix[i]));
      CHECK((got[i].exclusive == exclusive));
      FAIL("wrong from this participant on");
    }
  }
}

// Not for each shape: what checks a shape would take longer to compile than its kernel.
template <class T, class Op>
using Kernel = void (*)(T const*, Results<T>*, Op, int);

template <class T, class Op>
void checkWarps(std::vector<T> const& in, Op op) {
  Kernel<T, Op> const kernel = inWarps<T, Op>;
  DeviceArray<T> const dIn(in);
  DeviceArray<Results<T>> const out(64);
  for (int const count : {1, 2, 17, 31, 32}) {
    CAPTURE(count);
    tweed::launch(kernel, {1, 64}, dIn.data(), out.data(), op, count);
    tweed::synchronize();
    auto const got = out.host();
    for (int first = 0; first < 64; first += 32)
      checkGroup(got.data() + first, in.data() + first, 32, count, in[0], op);
  }
}

template <class T, class Op>
void checkKernel(Kernel<T, Op> kernel, std::vector<T> const& in, dim3 block, Op op) {
  int const threads = int(block.x * block.y * block.z);
  CAPTURE(threads);
  DeviceArray<T> const dIn(in);
  DeviceArray<Results<T>> const out(std::size_t(threads), 0);
  for (int const count : {1, 31, 32, 33, threads / 2 + 1, threads - 1, threads}) {
    if (count < 1 || count > threads) continue;
    CAPTURE(count);
    tweed::launch(kernel, {1, block}, dIn.data(), out.data(), op, count);
    tweed::synchronize();
    checkGroup(out.host().data(), in.data(), threads, count, in[0], op);
  }
}

template <class Shape, class T, class Op>
void checkBlock(std::vector<T> const& in, dim3 block, Op op) {
  checkKernel<T, Op>(inBlock<Shape, T, Op>, in, block, op);
}

template <class T, class Op>
void checkDevice(std::vector<T> const& in, Op op) {
  tweed::Workspace workspace;
  DeviceArray<T> const dIn(in);
  DeviceArray<T> const out(1);
  for (std::size_t const n : {std::size_t(1), std::size_t(33), in.size()}) {
    CAPTURE(n);
    T want = in[0];
    for (std::size_t i = 1; i < n; ++i) want = op(want, in[i]);
    tweed::deviceReduce(dIn.data(), n, out.data(), op, workspace);
    tweed::synchronize();
    REQUIRE((out.host()[0] == want));
  }
}

}  // namespace everyLevel

/// Needs at least 257 items of a type with ==, trivially copyable, and an operator that is exact.
template <class T, class Op>
void checkEveryLevel(std::vector<T> const& in, Op op) {
  using namespace everyLevel;
  checkWarps(in, op);
  checkBlock<tweed::Block<1>>(in, 1, op);
  checkBlock<tweed::Block<100>>(in, 100, op);
  checkBlock<tweed::Block<16, 16>>(in, dim3(16, 16), op);
  for (unsigned const threads : {32u, 33u, 257u}) checkBlock<tweed::Dynamic<288>>(in, threads, op);
}

/// The same, and whole arrays.
template <class T, class Op>
void checkEveryLevelAndDevice(std::vector<T> const& in, Op op) {
  checkEveryLevel(in, op);
  everyLevel::checkDevice(in, op);
}

}  // namespace tweedTest
