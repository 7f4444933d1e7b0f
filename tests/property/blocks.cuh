// SPDX-License-Identifier: Apache-2.0
// tests/property/blocks.cuh - reductions and scans of blocks on drawn cases, a block each.
#pragma once

#include <tweed/block/blockReduce.cuh>
#include <tweed/block/blockScan.cuh>

#include "data.cuh"

namespace tweedTest {

// What an item gets; its thread's results stand at each of its items.
template <class T>
struct BlockResults {
  T inclusive, inclusiveFirst, exclusive, exclusiveFirst;
  T reduced, reducedFirst, inScratch, inScratchFirst, totals[4];
};

// Block b holds case b, N items a thread. What is not data in the counted calls is poison.
template <class Shape, int N, class T, class Op>
__global__ void __launch_bounds__(Shape::maxThreads)
    runBlocks(T const* in, unsigned const* firsts, unsigned const* counts, T const* inits,
              BlockResults<T>* out, Op op) {
  int const count = int(counts[blockIdx.x]);
  unsigned const own = unsigned(Shape::rank() * N);
  T const init = inits[blockIdx.x];
  T whole[N], some[N];
  for (unsigned i = 0; i < N; ++i) {
    whole[i] = some[i] = in[firsts[blockIdx.x] + own + i];
    if (int(own + i) >= count) memset(static_cast<void*>(&some[i]), 0xFF, sizeof(T));
  }
  BlockResults<T> got{};
  BlockResults<T>* const results = out + blockIdx.x * unsigned(Shape::threads() * N) + own;
  if constexpr (N == 1) {
    got.reduced = tweed::blockReduce<Shape>(whole[0], op);
    got.reducedFirst = tweed::blockReduce<Shape>(some[0], op, count);
    __shared__ tweed::BlockScratch<Shape, T> scratch;
    got.inScratch = tweed::blockReduce(whole[0], op, scratch);
    __syncthreads();
    got.inScratchFirst = tweed::blockReduce(some[0], op, scratch, count);
    auto const inclusive = tweed::blockInclusiveScan<Shape>(whole[0], op);
    got.inclusive = inclusive.prefix, got.totals[0] = inclusive.total;
    auto const inclusiveFirst = tweed::blockInclusiveScan<Shape>(some[0], op, count);
    got.inclusiveFirst = inclusiveFirst.prefix, got.totals[1] = inclusiveFirst.total;
    auto const exclusive = tweed::blockExclusiveScan<Shape>(whole[0], op, init);
    got.exclusive = exclusive.prefix, got.totals[2] = exclusive.total;
    auto const exclusiveFirst = tweed::blockExclusiveScan<Shape>(some[0], op, init, count);
    got.exclusiveFirst = exclusiveFirst.prefix, got.totals[3] = exclusiveFirst.total;
    results[0] = got;
  } else {
    got.reduced = got.inScratch = tweed::blockReduce<Shape>(whole, op);
    got.reducedFirst = got.inScratchFirst = tweed::blockReduce<Shape>(some, op, count);
    T prefixes[4][N];
    for (int i = 0; i < N; ++i) {
      prefixes[0][i] = prefixes[2][i] = whole[i];
      prefixes[1][i] = prefixes[3][i] = some[i];
    }
    got.totals[0] = tweed::blockInclusiveScan<Shape>(prefixes[0], op);
    got.totals[1] = tweed::blockInclusiveScan<Shape>(prefixes[1], op, count);
    got.totals[2] = tweed::blockExclusiveScan<Shape>(prefixes[2], op, init);
    got.totals[3] = tweed::blockExclusiveScan<Shape>(prefixes[3], op, init, count);
    for (int i = 0; i < N; ++i) {
      got.inclusive = prefixes[0][i], got.inclusiveFirst = prefixes[1][i];
      got.exclusive = prefixes[2][i], got.exclusiveFirst = prefixes[3][i];
      results[i] = got;
    }
  }
}

// What is wrong with what a block of n items got; empty if nothing is.
template <class T, class Op>
std::string judgeBlock(BlockResults<T> const* got, Case const& c, unsigned n, T const* in,
                       T const& init, Op op) {
  Reference<T, Op> const want(c, in, n, op);
  for (unsigned i = 0; i < n; ++i) {
    unsigned const end = std::min(i, c.count), upTo = std::min(i + 1, c.count);
    BlockResults<T> const& mine = got[i];
    char const* wrong = nullptr;
    if (!want.agrees(mine.reduced, want.first(n))) wrong = "blockReduce";
    if (!same(mine.reduced, got[0].reduced)) wrong = "blockReduce, other than thread 0's";
    if (!want.agrees(mine.reducedFirst, want.first(c.count))) wrong = "blockReduce with count";
    if (!want.agrees(mine.inScratch, want.first(n))) wrong = "blockReduce with scratch";
    if (!same(mine.inScratch, got[0].inScratch)) wrong = "blockReduce with scratch, other";
    if (!want.agrees(mine.inScratchFirst, want.first(c.count)))
      wrong = "blockReduce with scratch and count";
    if (!want.agrees(mine.inclusive, want.first(i + 1))) wrong = "blockInclusiveScan";
    if (!want.agrees(mine.inclusiveFirst, want.first(upTo)))
      wrong = "blockInclusiveScan with count";
    if (!want.agrees(mine.exclusive, want.before(i, init, op))) wrong = "blockExclusiveScan";
    if (!want.agrees(mine.exclusiveFirst, want.before(end, init, op)))
      wrong = "blockExclusiveScan with count";
    for (unsigned k = 0; k < 4; ++k)
      if (!want.agrees(mine.totals[k], want.first(k % 2 == 0 ? n : c.count)))
        wrong = "a total of a scan";
    if (wrong != nullptr) return wrong + (", item " + std::to_string(i));
  }
  return "";
}

// Not for each shape: what checks a shape would take longer to compile than its kernel.
template <int N, class T, class Op>
Verdict runBlockCases(void (*kernel)(T const*, unsigned const*, unsigned const*, T const*,
                                     BlockResults<T>*, Op),
                      std::vector<Case> const& cases, dim3 block, Op op) {
  Inputs<T> inputs;
  unsigned const items = block.x * block.y * block.z * N;
  for (Case const& c : cases) inputs.add(c, items);
  DeviceArray<T> const in(inputs.items), inits(inputs.inits);
  DeviceArray<unsigned> const firsts(inputs.firsts), counts(inputs.counts);
  DeviceArray<BlockResults<T>> const out(cases.size() * items);
  watchCalls(op);
  tweed::launch(kernel, {cases.size(), block}, in.data(), firsts.data(), counts.data(),
                inits.data(), out.data(), op);
  tweed::synchronize();
  std::vector<BlockResults<T>> const got = out.host();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::string const text =
        judgeBlock(got.data() + i * items, cases[i], items, inputs.items.data() + inputs.firsts[i],
                   inputs.inits[i], op);
    if (!text.empty()) return {int(i), text};
  }
  return judgeCalls(op);
}

/// Blocks of any size up to Most, and N items a thread.
template <class T, int N = 1, int Most = 1024, class Op>
void checkBlocks(char const* name, unsigned kinds, unsigned loomCases, Op op) {
  unsigned const least = tweed::hasIdentity<Op, T> ? 0 : 1;
  Space const space{{1, 1, least, 0, 0, 0},
                    {Most, 1, Most * N, 15, kinds, 9999},
                    [](Case const& c) { return c.threads * N; }};
  checkProperty(name, space, loomCases, [&](std::vector<Case> const& cases) {
    return runBlockCases<N, T, Op>(runBlocks<tweed::Dynamic<Most>, N, T, Op>, cases,
                                   cases[0].threads, op);
  });
}

/// Blocks of one shape.
template <class Shape, class T, int N = 1, class Op>
void checkShape(char const* name, dim3 block, unsigned kinds, unsigned loomCases, Op op) {
  unsigned const threads = block.x * block.y * block.z;
  unsigned const least = tweed::hasIdentity<Op, T> ? 0 : 1;
  Space const space{{threads, 1, least, 0, 0, 0},
                    {threads, 1, threads * N, 15, kinds, 9999},
                    [](Case const& c) { return c.threads * N; }};
  checkProperty(name, space, loomCases, [&](std::vector<Case> const& cases) {
    return runBlockCases<N, T, Op>(runBlocks<Shape, N, T, Op>, cases, block, op);
  });
}

}  // namespace tweedTest
