// SPDX-License-Identifier: Apache-2.0
// tests/property/blocks.cuh - reductions and scans of blocks on drawn cases, a block each.
#pragma once

#include <tweed/block/blockReduce.cuh>
#include <tweed/block/blockScan.cuh>

#include "data.cuh"

namespace tweedTest {

template <class T>
struct BlockResults {
  T reduced, reducedFirst, inclusive, inclusiveFirst, exclusive, exclusiveFirst, totals[4];
};

// Block b holds case b. What is not data in the counted calls is poison.
template <class Shape, class T, class Op>
__global__ void runBlocks(T const* in, unsigned const* firsts, unsigned const* counts,
                          T const* inits, BlockResults<T>* out, Op op) {
  int const t = Shape::rank();
  int const count = int(counts[blockIdx.x]);
  T const* const items = in + firsts[blockIdx.x];
  T const value = items[t], init = inits[blockIdx.x];
  T some = value;
  if (t >= count) memset(static_cast<void*>(&some), 0xFF, sizeof some);
  BlockResults<T> got{};
  got.reduced = tweed::blockReduce<Shape>(value, op);
  got.reducedFirst = tweed::blockReduce<Shape>(some, op, count);
  auto const inclusive = tweed::blockInclusiveScan<Shape>(value, op);
  got.inclusive = inclusive.prefix, got.totals[0] = inclusive.total;
  auto const inclusiveFirst = tweed::blockInclusiveScan<Shape>(some, op, count);
  got.inclusiveFirst = inclusiveFirst.prefix, got.totals[1] = inclusiveFirst.total;
  auto const exclusive = tweed::blockExclusiveScan<Shape>(value, op, init);
  got.exclusive = exclusive.prefix, got.totals[2] = exclusive.total;
  auto const exclusiveFirst = tweed::blockExclusiveScan<Shape>(some, op, init, count);
  got.exclusiveFirst = exclusiveFirst.prefix, got.totals[3] = exclusiveFirst.total;
  out[blockIdx.x * unsigned(Shape::threads()) + unsigned(t)] = got;
}

// What is wrong with what a block of n threads got; empty if nothing is.
template <class T, class Op>
std::string judgeBlock(BlockResults<T> const* got, Case const& c, T const* in, T const& init,
                       Op op) {
  unsigned const n = c.threads;
  // init op fold is rounded elsewhere than the fold of init and the items: bounded as well.
  Reference<T, Op> const want(c, in, n, op);
  auto const exclusive = [&](unsigned i) { return i == 0 ? init : op(init, want[i - 1]); };
  for (unsigned i = 0; i < n; ++i) {
    unsigned const last = std::min(i, c.count - 1);
    BlockResults<T> const& mine = got[i];
    char const* wrong = nullptr;
    if (!want.agrees(mine.reduced, want[n - 1])) wrong = "blockReduce";
    if (!same(mine.reduced, got[0].reduced)) wrong = "blockReduce, other than thread 0's";
    if (!want.agrees(mine.reducedFirst, want[c.count - 1])) wrong = "blockReduce with count";
    if (!want.agrees(mine.inclusive, want[i])) wrong = "blockInclusiveScan";
    if (!want.agrees(mine.inclusiveFirst, want[last])) wrong = "blockInclusiveScan with count";
    if (!want.agrees(mine.exclusive, exclusive(i))) wrong = "blockExclusiveScan";
    if (!want.agrees(mine.exclusiveFirst, exclusive(std::min(i, c.count))))
      wrong = "blockExclusiveScan with count";
    for (unsigned k = 0; k < 4; ++k)
      if (!want.agrees(mine.totals[k], want[k % 2 == 0 ? n - 1 : c.count - 1]))
        wrong = "a total of a scan";
    if (wrong != nullptr) return wrong + (", thread " + std::to_string(i));
  }
  return "";
}

template <class Shape, class T, class Op>
Verdict runBlockCases(std::vector<Case> const& cases, dim3 block, Op op) {
  Inputs<T> inputs;
  unsigned const threads = block.x * block.y * block.z;
  for (Case const& c : cases) inputs.add(c, threads);
  DeviceArray<T> const in(inputs.items), inits(inputs.inits);
  DeviceArray<unsigned> const firsts(inputs.firsts), counts(inputs.counts);
  DeviceArray<BlockResults<T>> const out(cases.size() * threads);
  watchCalls(op);
  tweed::launch(runBlocks<Shape, T, Op>, {cases.size(), block}, in.data(), firsts.data(),
                counts.data(), inits.data(), out.data(), op);
  tweed::synchronize();
  std::vector<BlockResults<T>> const got = out.host();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::string const text =
        judgeBlock(got.data() + i * threads, cases[i], inputs.items.data() + inputs.firsts[i],
                   inputs.inits[i], op);
    if (!text.empty()) return {int(i), text};
  }
  return judgeCalls(op);
}

/// Blocks of any size.
template <class T, class Op>
void checkBlocks(char const* name, unsigned kinds, unsigned loomCases, Op op) {
  Space const space{{1, 1, 1, 0, 0, 0}, {1024, 1, 1024, 15, kinds, 9999}, [](Case const& c) {
                      return c.threads;
                    }};
  checkProperty(name, space, loomCases, [&](std::vector<Case> const& cases) {
    return runBlockCases<tweed::Dynamic<1024>, T>(cases, cases[0].threads, op);
  });
}

/// Blocks of one shape.
template <class Shape, class T, class Op>
void checkShape(char const* name, dim3 block, unsigned kinds, unsigned loomCases, Op op) {
  unsigned const threads = block.x * block.y * block.z;
  Space const space{{threads, 1, 1, 0, 0, 0},
                    {threads, 1, threads, 15, kinds, 9999},
                    [](Case const& c) { return c.threads; }};
  checkProperty(name, space, loomCases, [&](std::vector<Case> const& cases) {
    return runBlockCases<Shape, T>(cases, block, op);
  });
}

}  // namespace tweedTest
