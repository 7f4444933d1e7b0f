// SPDX-License-Identifier: Apache-2.0
// tests/property/device.cu - properties of deviceReduce, deviceArgMin and deviceArgMax on drawn
// sizes, alignments and data
#include <tweed/device/deviceArg.cuh>

#include "data.cuh"

namespace {

using namespace tweedTest;

// Most sizes are small, as the host takes longest; some are of every grid and of several rows.
enum class Sizes { small, all };

Space spaceOf(unsigned least, unsigned kinds, Sizes sizes) {
  unsigned const all = isLoom ? 70000 : 4000000;
  unsigned const most = sizes == Sizes::small ? 40000 : all;
  return {{1, 1, least, 0, 0, 0}, {1, 1, most, 15, kinds, 9999}, [](Case const&) { return ~0u; }};
}

// The host's reference takes longest: not thirty times as many on a GPU, but four.
unsigned casesOf(unsigned loomCases) { return isLoom ? loomCases : loomCases / 8 + 1; }

unsigned batchOf(Sizes sizes) { return sizes == Sizes::all ? 8 : isLoom ? 16 : 480; }

// Calls reduce(in, n, out) for each case, and judge(case, items, out[i]): true if it is right.
template <class T, class Out, class Reduce, class Judge>
Verdict runDevice(std::vector<Case> const& cases, Reduce reduce, Judge judge) {
  Inputs<T> inputs;
  for (Case const& c : cases) inputs.add(c, c.count);
  DeviceArray<T> const in(inputs.items);
  DeviceArray<Out> const out(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i)
    reduce(in.data() + inputs.firsts[i], cases[i].count, out.data() + i);
  tweed::synchronize();
  std::vector<Out> const got = out.host();
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (!judge(cases[i], inputs.items.data() + inputs.firsts[i], got[i]))
      return {int(i), "wrong result"};
  return {};
}

template <class T, class Op>
void checkReduce(char const* name, unsigned kinds, unsigned loomCases, Op op,
                 Sizes sizes = Sizes::small) {
  tweed::Workspace workspace;
  Space const space = spaceOf(tweed::hasIdentity<Op, T> ? 0 : 1, kinds, sizes);
  checkProperty(
      name, space, casesOf(loomCases),
      [&](std::vector<Case> const& cases) {
        auto const reduce = [&](T const* in, std::size_t n, T* out) {
          tweed::deviceReduce(in, n, out, op, workspace);
        };
        auto const judge = [&](Case const& c, T const* in, T const& got) {
          Reference<T, Op> const want(c, in, c.count, op);
          return want.agrees(got, want.first(c.count));
        };
        return runDevice<T, T>(cases, reduce, judge);
      },
      batchOf(sizes));
}

template <class T, bool IsMin>
void checkArg(char const* name, unsigned loomCases, Sizes sizes = Sizes::small) {
  using Op = tweed::BasicArg<tweed::Nan::Propagate, IsMin>;
  using Place = tweed::Indexed<T>;
  tweed::Workspace workspace;
  checkProperty(
      name, spaceOf(0, Nans, sizes), casesOf(loomCases),
      [&](std::vector<Case> const& cases) {
        auto const reduce = [&](T const* in, std::size_t n, Place* out) {
          if (IsMin) {
            tweed::deviceArgMin(in, n, out, workspace);
          } else {
            tweed::deviceArgMax(in, n, out, workspace);
          }
        };
        auto const judge = [&](Case const& c, T const* in, Place const& got) {
          Place want = tweed::identityOf<Op, Place>();
          for (unsigned i = 0; i < c.count; ++i) want = Op{}(want, Place{in[i], i});
          return same(got, want);
        };
        return runDevice<T, Place>(cases, reduce, judge);
      },
      batchOf(sizes));
}

}  // namespace

TEST_SUITE("properties of whole arrays") {
  TEST_CASE("sums") {
    checkReduce<unsigned>("sums of unsigned", Extremes, 800, tweed::Sum{});
    checkReduce<signed char>("sums of signed char", Extremes, 800, tweed::Sum{});
    checkReduce<float>("sums of float", Random, 800, tweed::Sum{});
  }
  TEST_CASE("extremes and where they stand") {
    checkReduce<double>("maxima of double", Nans, 600, tweed::Max{});
    checkArg<float, true>("least of float", 600);
    checkArg<short, false>("greatest of short", 600);
  }
  TEST_CASE("order is kept") {
    checkReduce<Affine>("affine maps", Ties, 800, Compose{});
    checkReduce<Stretch>("stretches", Ascending, 600, Join{});
    checkReduce<tweed::Values<float, unsigned>>("minimum and sum", Nans, 600,
                                                tweed::Ops{tweed::Min{}, tweed::Sum{}});
  }
  TEST_CASE("sizes up to several rows of the largest grid") {
    checkReduce<unsigned>("large sums of unsigned", Extremes, 30, tweed::Sum{}, Sizes::all);
    checkReduce<Affine>("large affine maps", Ties, 20, Compose{}, Sizes::all);
    checkArg<float, true>("large, least of float", 20, Sizes::all);
  }
}
