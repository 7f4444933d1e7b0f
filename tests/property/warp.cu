// SPDX-License-Identifier: Apache-2.0
// tests/property/warp.cu - properties of reductions and scans of warps, their parts and any lanes
#include <tweed/warp/laneMask.cuh>
#include <tweed/warp/warpScan.cuh>

#include "data.cuh"

namespace {

using namespace tweedTest;

template <class T>
struct WarpResults {
  T reduced, reducedFirst, ofLanes, inclusive, inclusiveFirst, exclusive, exclusiveFirst, totals[4];
};

// Whether the operator combines lanes that are not neighbours.
template <class Op>
inline constexpr bool isAnySet = !std::is_same_v<Op, WatchedJoin>;

// Block b holds case b: groups of Width, in each of which the first `count` hold data. The lanes of
// `masks[b]` and the others that the warp has call a reduction of their own.
template <int Width, class T, class Op>
__global__ void runWarps(T const* in, unsigned const* firsts, unsigned const* counts,
                         unsigned const* masks, T const* inits, WarpResults<T>* out, Op op) {
  unsigned const t = threadIdx.x;
  int const count = int(counts[blockIdx.x]);
  T const* const items = in + firsts[blockIdx.x];
  unsigned const first = t / Width * Width;  // of this group
  T const value = items[t], init = first == 0 ? inits[blockIdx.x] : items[first - 1];
  T some = value;
  if (int(t % Width) >= count) memset(static_cast<void*>(&some), 0xFF, sizeof some);
  WarpResults<T> got{};
  got.reduced = tweed::warpReduce<Width>(value, op);
  got.reducedFirst = tweed::warpReduce<Width>(some, op, count);
  if constexpr (isAnySet<Op>) {
    unsigned const mine = masks[blockIdx.x] & tweed::presentLanes();
    unsigned const others = ~mine & tweed::presentLanes();
    if (mine >> t % 32 & 1u) {
      got.ofLanes = tweed::warpReduce(tweed::LaneMask{mine}, value, op);
    } else {
      got.ofLanes = tweed::warpReduce(tweed::LaneMask{others}, value, op);
    }
  }
  auto const inclusive = tweed::warpInclusiveScan<Width>(value, op);
  got.inclusive = inclusive.prefix, got.totals[0] = inclusive.total;
  auto const inclusiveFirst = tweed::warpInclusiveScan<Width>(some, op, count);
  got.inclusiveFirst = inclusiveFirst.prefix, got.totals[1] = inclusiveFirst.total;
  auto const exclusive = tweed::warpExclusiveScan<Width>(value, op, init);
  got.exclusive = exclusive.prefix, got.totals[2] = exclusive.total;
  auto const exclusiveFirst = tweed::warpExclusiveScan<Width>(some, op, init, count);
  got.exclusiveFirst = exclusiveFirst.prefix, got.totals[3] = exclusiveFirst.total;
  out[blockIdx.x * blockDim.x + t] = got;
}

// The lanes of a set in a warp of `lanes` threads whose items start at `in`, folded in order.
template <class T, class Op>
bool agreesWithLanes(T const& got, Case const& c, T const* in, unsigned lanes, unsigned set,
                     Op op) {
  std::vector<T> items;
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (set >> lane & 1u) items.push_back(in[lane]);
  Reference<T, Op> const want(c, items.data(), unsigned(items.size()), op);
  return want.agrees(got, want.first(unsigned(items.size())));
}

unsigned maskOf(Case const& c) { return unsigned(noise(c.seed) >> 13); }

template <class T, class Op>
std::string judgeWarps(unsigned width, WarpResults<T> const* got, Case const& c, T const* in,
                       T const& before, Op op) {
  for (unsigned first = 0; first < c.threads; first += width) {
    Reference<T, Op> const want(c, in + first, width, op);
    T const& init = first == 0 ? before : in[first - 1];
    for (unsigned i = 0; i < width; ++i) {
      WarpResults<T> const& mine = got[first + i];
      unsigned const end = std::min(i, c.count), upTo = std::min(i + 1, c.count);
      unsigned const warp = (first + i) / 32 * 32;
      unsigned const set = maskOf(c) >> (first + i) % 32 & 1u ? maskOf(c) : ~maskOf(c);
      char const* wrong = nullptr;
      if (!want.agrees(mine.reduced, want.first(width))) wrong = "warpReduce";
      if (!same(mine.reduced, got[first].reduced)) wrong = "warpReduce, other than lane 0's";
      if (!want.agrees(mine.reducedFirst, want.first(c.count))) wrong = "warpReduce with count";
      if (!want.agrees(mine.inclusive, want.first(i + 1))) wrong = "warpInclusiveScan";
      if (!want.agrees(mine.inclusiveFirst, want.first(upTo)))
        wrong = "warpInclusiveScan with count";
      if (!want.agrees(mine.exclusive, want.before(i, init, op))) wrong = "warpExclusiveScan";
      if (!want.agrees(mine.exclusiveFirst, want.before(end, init, op)))
        wrong = "warpExclusiveScan with count";
      for (unsigned k = 0; k < 4; ++k)
        if (!want.agrees(mine.totals[k], want.first(k % 2 == 0 ? width : c.count)))
          wrong = "a total of a scan";
      if (isAnySet<Op> &&
          !agreesWithLanes(mine.ofLanes, c, in + warp, std::min(32u, c.threads - warp), set, op))
        wrong = "warpReduce of a LaneMask";
      if (wrong != nullptr) return wrong + (", thread " + std::to_string(first + i));
    }
  }
  return "";
}

template <class T, class Op>
using Kernel = void (*)(T const*, unsigned const*, unsigned const*, unsigned const*, T const*,
                        WarpResults<T>*, Op);

// Blocks of whole groups of `width`. Not for each width: that would take longer to compile than
// the kernel.
template <class T, class Op>
void checkKernel(Kernel<T, Op> kernel, unsigned width, char const* name, unsigned kinds,
                 unsigned loomCases, Op op) {
  unsigned const least = tweed::hasIdentity<Op, T> ? 0 : 1;
  Space const space{{width, 1, least, 0, 0, 0}, {160, 1, width, 15, kinds, 9999}, [](Case const&) {
                      return 32u;
                    }};
  checkProperty(name, space, loomCases, [&](std::vector<Case> cases) {
    unsigned const threads = cases[0].threads / width * width;
    Inputs<T> inputs;
    std::vector<unsigned> masks;
    for (Case& c : cases) {
      c.threads = threads;
      inputs.add(c, threads);
      masks.push_back(maskOf(c));
    }
    DeviceArray<T> const in(inputs.items), inits(inputs.inits);
    DeviceArray<unsigned> const firsts(inputs.firsts), counts(inputs.counts), dMasks(masks);
    DeviceArray<WarpResults<T>> const out(cases.size() * threads);
    watchCalls(op);
    tweed::launch(kernel, {cases.size(), threads}, in.data(), firsts.data(), counts.data(),
                  dMasks.data(), inits.data(), out.data(), op);
    tweed::synchronize();
    std::vector<WarpResults<T>> const got = out.host();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      std::string const text =
          judgeWarps(width, got.data() + i * threads, cases[i],
                     inputs.items.data() + inputs.firsts[i], inputs.inits[i], op);
      if (!text.empty()) return Verdict{int(i), text};
    }
    return judgeCalls(op);
  });
}
template <int Width, class T, class Op>
void checkWidth(char const* name, unsigned kinds, unsigned loomCases, Op op) {
  checkKernel<T, Op>(runWarps<Width, T, Op>, Width, name, kinds, loomCases, op);
}

template <class T, class Op>
void checkWidths(char const* name, unsigned kinds, unsigned loomCases, Op op) {
  CAPTURE(name);
  checkWidth<1, T>("width 1", kinds, loomCases / 4, op);
  checkWidth<4, T>("width 4", kinds, loomCases / 2, op);
  checkWidth<16, T>("width 16", kinds, loomCases, op);
  checkWidth<32, T>("width 32", kinds, loomCases, op);
}

}  // namespace

TEST_SUITE("properties of warps") {
  TEST_CASE("sums") {
    checkWidths<unsigned>("unsigned", Extremes, 1600, tweed::Sum{});
    checkWidth<32, signed char>("sums of signed char", Extremes, 1600, tweed::Sum{});
    checkWidth<8, float>("sums of float, width 8", Random, 1600, tweed::Sum{});
    checkWidth<32, double>("sums of double", Random, 1600, tweed::Sum{});
  }
  TEST_CASE("minima, maxima and bits") {
    checkWidth<32, int>("minima of int", Extremes, 1600, tweed::Min{});
    checkWidth<32, unsigned long long>("bits of 64", Extremes, 1600, tweed::BitXor{});
    checkWidth<32, float>("maxima of float", Nans, 1600, tweed::Max{});
    checkWidth<2, float>("minima of numbers, width 2", Nans, 1600, tweed::MinNumber{});
    checkWidth<16, tweed::Indexed<double, int>>("least", Nans, 1000, tweed::ArgMin{});
  }
  TEST_CASE("order is kept, and the operator is called on data alone") {
    DeviceArray<int> const bad(std::vector<int>(1, 0));
    checkWidths<Stretch>("stretches", Ascending, 1600, WatchedJoin{bad.data()});
    checkWidth<32, Affine>("affine maps", Ties, 1600, Compose{});
    checkWidth<32, Wide>("40 bytes", Ties, 800, AddWide{});
  }
}
