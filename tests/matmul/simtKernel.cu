// SPDX-License-Identifier: Apache-2.0
// tests/matmul/simtKernel.cu - tests tweed/matmul/simtKernel.cuh and simtConfiguration.cuh
#include <tweed/core/half.cuh>
#include <tweed/matmul/epiloguePieces.cuh>
#include <tweed/matmul/simtConfiguration.cuh>

#include "support/matmul.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::Loading;
using tweed::RowMajor;
using tweed::SimtConfig;
using tweed::SimtConfiguration;
using tweed::TileShape;

// Of A and B what Task knows; C is row-major.
template <class Configuration, class A, class B, class C, class Epilogue = tweed::Identity>
void multiply(A const& a, B const& b, C const& c, Epilogue epilogue = {},
              cudaStream_t stream = nullptr) {
  using Task = tweed::MatmulTask<A, B, C, Epilogue>;
  Task const task{a, b, c, epilogue};
  static_assert(Configuration::template takes<Task>);
  tweed::MatmulDevice const device = tweed::matmulDevice();
  REQUIRE(Configuration::refusal(task, device) == "");
  DeviceArray<unsigned char> const workspace(Configuration::workspaceBytes(task, device));
  Configuration::launch(task, Configuration::prepare(task, device), device, workspace.data(),
                        stream);
  tweed::synchronize(stream);
}

template <class Configuration>
constexpr bool needsHopper = false;
template <class Config, int Split, int Flops>
constexpr bool needsHopper<SimtConfiguration<Config, Split, Flops>> =

    Split > 1 || Config::hasProducers;

// Whether this device runs it; says so if not.
template <class Configuration>
bool canRun() {
  using View = tweed::MatrixView<float const, RowMajor>;
  using Task = tweed::MatmulTask<View, View, tweed::MatrixView<float, RowMajor>, tweed::Identity>;
  std::string const refusal = Configuration::refusal(Task{}, tweed::matmulDevice());
  if (refusal != "") {
    CHECK(needsHopper<Configuration>);
    if (!isLoom) MESSAGE("skipped: " << Configuration::name() << ": " << refusal);
  }
  return refusal == "";
}

template <class Configuration, class T, class LayoutA, class LayoutB>
void checkLayout(Product<T> const& p, double chain) {
  CAPTURE(Configuration::name());
  CAPTURE(p.m);
  CAPTURE(p.n);
  CAPTURE(p.k);
  std::vector<T> first;
  int const gaps[][2] = {{0, 0}, {3, 1}};
  for (auto const& each : gaps) {
    int const gap = each[0], shift = each[1];
    CAPTURE(gap);
    DeviceMatrix<T, LayoutA> const a(p.m, p.k, p.a, gap, shift);
    DeviceMatrix<T, LayoutB> const b(p.k, p.n, p.b, gap, shift);
    DeviceMatrix<T, RowMajor> const c(p.m, p.n, gap, shift);
    multiply<Configuration>(a.in(), b.in(), c.view());
    tweed::synchronize();
    auto const got = c.host();
    if (first.empty()) {
      p.check(got, roundoff<T>, chain);
      first = got;
    }
    CHECK((got == first));
  }
}
// Of each operand both layouts: it is loaded apart from the other one. All four pairs of them, with
// all kinds of threads' tiles: blockMatmul.cu.
template <class Configuration, class T>
void checkLayouts(Product<T> const& p, double chain) {
  checkLayout<Configuration, T, RowMajor, RowMajor>(p, chain);
  checkLayout<Configuration, T, ColumnMajor, ColumnMajor>(p, chain);
}

// Edges of the tile, of the stages and of the split.
template <class Configuration>
void checkEdges() {
  if (!canRun<Configuration>()) return;
  using Tile = typename Configuration::Tile;
  int const edges[][2] = {{-1, -1}, {0, 0}, {1, 1}, {0, 1}, {-1, 0}};
  int const steps[] = {0, 1, 3, 9};
  bool const isLarge = Tile::m * Tile::n > 4096;
  int seed = 0;
  for (auto const& [dm, dn] : edges)
    for (int const step : steps) {
      if ((isShort() || isLarge) && (dm != dn || step == 9)) continue;
      if (isShort() && isLarge && dm != 1) continue;  // a sanitizer takes a minute for all
      int const k = tweed::larger(0, step * Tile::k + (dm + 2 * dn) % 2);
      checkLayouts<Configuration>(
          Product<float>((isLarge ? 1 : 2) * Tile::m + dm, Tile::n + dn, k, std::uint64_t(++seed)),
          tweed::larger(k, 1));
    }
}

using Small = SimtConfiguration<SimtConfig<TileShape<16, 32, 8>, 2, 4, 3>, 1, 100>;
using Tall = SimtConfiguration<SimtConfig<TileShape<64, 32, 8>, 8, 4, 2>, 1, 100>;
// Three warps, of which one has nothing to load of A.
using Odd = SimtConfiguration<SimtConfig<TileShape<8, 48, 16>, 1, 4, 2>, 1, 100>;
using Balanced = SimtConfiguration<SimtConfig<TileShape<16, 32, 8>, 2, 4, 3>, tweed::balanced, 100>;
using BalancedTall =
    SimtConfiguration<SimtConfig<TileShape<64, 32, 8>, 8, 4, 2>, tweed::balanced, 100>;
// Those that are tuned.
using Split8 = SimtConfiguration<SimtConfig<TileShape<64, 64, 32>, 4, 4, 3>, 8, 100>;
using Split4 = SimtConfiguration<SimtConfig<TileShape<64, 128, 32>, 8, 4, 3>, 4, 100>;
using Split2 = SimtConfiguration<SimtConfig<TileShape<128, 128, 16>, 8, 8, 3>, 2, 100>;
using Large =
    SimtConfiguration<SimtConfig<TileShape<128, 256, 32>, 16, 8, 3, Loading::ByWarpgroup>, 1, 100>;
using LargeSplit =
    SimtConfiguration<SimtConfig<TileShape<128, 256, 32>, 16, 8, 3, Loading::ByWarpgroup>, 4, 100>;
using Groups =
    SimtConfiguration<SimtConfig<TileShape<32, 16, 16>, 4, 4, 2, Loading::ByAll, 4>, 1, 100>;
using SplitGroups =
    SimtConfiguration<SimtConfig<TileShape<64, 64, 32>, 8, 8, 4, Loading::ByWarpgroup, 4>, 2, 100>;
using LargeBalanced =
    SimtConfiguration<SimtConfig<TileShape<128, 256, 32>, 16, 8, 3, Loading::ByWarpgroup>,
                      tweed::balanced, 100>;
using Portable = SimtConfiguration<SimtConfig<TileShape<128, 128, 16>, 8, 8, 3>, 1, 100>;
using PortableLarge = SimtConfiguration<SimtConfig<TileShape<128, 256, 16>, 16, 8, 3>, 1, 100>;

struct AddPlace {
  TWEED_HOST_DEVICE float operator()(float value, tweed::Coord at) const {
    return value + float(1000 * at.row + at.column) + 1e6f * float(at.matrix);
  }
};

template <class Configuration>
void checkEpilogues() {
  if (!canRun<Configuration>()) return;
  using Tile = typename Configuration::Tile;
  int const m = Tile::m + 3, n = Tile::n + 5, k = 2 * Tile::k + 1;
  Product<int> const exact(m, n, k, 21);  // small integers: floats are exact
  std::vector<float> const fa(exact.a.begin(), exact.a.end()), fb(exact.b.begin(), exact.b.end());
  for (int const gap : {0, 4 - n % 4}) {
    DeviceMatrix<float, RowMajor> const a(m, k, fa), b(k, n, fb);
    // Old items of C are read once each, and only where they are needed.
    std::vector<float> old(std::size_t(m) * std::size_t(n));
    for (std::size_t i = 0; i < old.size(); ++i) old[i] = float(i % 101);
    DeviceMatrix<float, RowMajor> const c(m, n, old, gap);
    multiply<Configuration>(a.in(), b.in(), c.view(), tweed::scale(2.f) | tweed::addC(3.f));
    auto const sums = c.host();
    DeviceMatrix<float, RowMajor> const poisoned(m, n, gap);
    multiply<Configuration>(a.in(), b.in(), poisoned.view(), tweed::scale(2.f) | tweed::addC(0.f));
    auto const scaled = poisoned.host();
    DeviceMatrix<float, RowMajor> const places(m, n, gap);
    multiply<Configuration>(a.in(), b.in(), places.view(), AddPlace{});
    auto const placed = places.host();
    bool areSame = true;
    for (std::size_t i = 0; i < old.size(); ++i) {
      float const exactItem = float(exact.c[i]);
      float const place = float(1000 * (i / std::size_t(n)) + i % std::size_t(n));
      areSame = areSame && sums[i] == 2 * exactItem + 3 * old[i] && scaled[i] == 2 * exactItem &&
                placed[i] == exactItem + place;
    }
    CHECK(areSame);
  }
}

template <class Configuration>
void checkBatch() {
  if (!canRun<Configuration>()) return;
  int const m = 30, n = 33, k = 17, batch = 5;
  Product<int> const one(m, n, k, 31);
  std::vector<float> fa, fb;
  for (int i = 0; i < batch; ++i)
    for (int const x : one.a) fa.push_back(float(x * (i + 1)));
  for (int const x : one.b) fb.push_back(float(x));
  DeviceArray<float> const a(fa), b(fb), c(std::size_t(m * n * batch));
  float const* const inA = a.data();
  float const* const inB = b.data();
  multiply<Configuration>(tweed::rowMajor(inA, m, k).batched(batch, m * k),
                          tweed::rowMajor(inB, k, n).batched(batch, 0),  // one for all
                          tweed::rowMajor(c.data(), m, n).batched(batch, m * n), AddPlace{});
  auto const got = c.host();
  bool areSame = true;
  for (std::size_t i = 0; i < got.size(); ++i) {
    std::size_t const inOne = i % std::size_t(m * n), matrix = i / std::size_t(m * n);
    float const place = float(1000 * (inOne / std::size_t(n)) + inOne % std::size_t(n));
    areSame =
        areSame && got[i] == float(one.c[inOne] * (int(matrix) + 1)) + place + 1e6f * float(matrix);
  }
  CHECK(areSame);
}

}  // namespace

TEST_SUITE("simtKernel") {
  TEST_CASE("edges of small tiles") {
    checkEdges<Small>();
    checkEdges<Tall>();
    checkEdges<Groups>();
    checkEdges<Odd>();
  }
  TEST_CASE("edges of small tiles, balanced") {
    checkEdges<Balanced>();
    checkEdges<BalancedTall>();
  }
  TEST_CASE_TEMPLATE("edges of large tiles, on a GPU", Configuration, Split8, Split4, Split2,
                     SplitGroups, Large, LargeSplit, LargeBalanced, Portable, PortableLarge) {
    if (isLoom) return;
    checkEdges<Configuration>();
  }
  TEST_CASE("one tile of each configuration") {
    Product<float> const p(129, 257, 70, 3);
    auto const check = [&](auto configuration) {
      using Configuration = decltype(configuration);
      if (canRun<Configuration>()) checkLayout<Configuration, float, RowMajor, RowMajor>(p, 70);
    };
    check(Split8{});
    check(SplitGroups{});
    check(Large{});
    check(LargeSplit{});
    check(LargeBalanced{});
    check(Portable{});
    check(PortableLarge{});
  }

  TEST_CASE_TEMPLATE("number types", T, double, int) {
    Product<T> const p(70, 75, 43, 9);
    checkLayouts<Small, T>(p, 43);
    if (isLoom) return;
    checkLayouts<SimtConfiguration<SimtConfig<TileShape<64, 64, 16>, 8, 4, 3>, 1, 100>, T>(p, 43);
  }

  TEST_CASE("epilogues see each item once, with its place and its old value") {
    // A store of each kind, and with a warpgroup that loads: where it stands is the edges' test.
    checkEpilogues<Small>();
    checkEpilogues<Tall>();  // two rounds of its loop over rows
    checkEpilogues<Balanced>();
    checkEpilogues<Split8>();
    checkEpilogues<SplitGroups>();
    checkEpilogues<Large>();
    checkEpilogues<LargeBalanced>();
  }
  TEST_CASE("batches") {
    checkBatch<Small>();
    checkBatch<Balanced>();
    checkBatch<Split8>();
    checkBatch<Large>();
  }

  TEST_CASE("half in, half out, sums in float") {
    Product<__half> const p(40, 45, 50, 7);
    DeviceMatrix<__half, RowMajor> const a(p.m, p.k, p.a, 1), b(p.k, p.n, p.b), c(p.m, p.n, 3);
    multiply<Small>(a.in(), b.in(), c.view());
    auto const got = c.host();
    for (std::size_t i = 0; i < got.size(); ++i)
      CHECK(std::fabs(double(float(got[i])) - p.c[i]) <=
            0x1p-11 * std::fabs(p.c[i]) + 50 * 0x1p-24 * p.sizes[i]);
  }

  TEST_CASE("the same bits every time, also of more tiles than blocks") {
    auto const check = [](auto configuration, int n) {
      using Configuration = decltype(configuration);
      if (!canRun<Configuration>()) return;
      Product<float> const p(isLoom ? 40 : 300, n, isLoom ? 40 : 99, 13);
      DeviceMatrix<float, RowMajor> const a(p.m, p.k, p.a), b(p.k, p.n, p.b);
      DeviceMatrix<float, RowMajor> const c(p.m, p.n);
      std::vector<float> first;
      for (int i = 0; i < (isShort() ? 2 : 11); ++i) {
        multiply<Configuration>(a.in(), b.in(), c.view());
        auto const got = c.host();
        if (i == 0) first = got;
        CHECK((got == first));
      }
      p.check(first, roundoff<float>, p.k);
    };
    check(Small{}, 100);
    check(Balanced{}, 100);
    check(BalancedTall{}, 300);
    if (isLoom) return;
    check(Large{}, 15000);  // 3 * 59 tiles
    check(LargeSplit{}, 15000);
    check(Split8{}, 2000);
    check(SplitGroups{}, 2000);
    check(LargeBalanced{}, 15000);
    check(LargeBalanced{}, 100);
  }

#if defined(TWEED_LOOM)  // on a GPU it ends the context
  TEST_CASE("a launch without the target's instructions is a fault, not a result of nothing") {
    using View = tweed::MatrixView<float const, RowMajor>;
    using Task = tweed::MatmulTask<View, View, tweed::MatrixView<float, RowMajor>, tweed::Identity>;
    DeviceArray<float> const c(std::vector<float>(1, 7.f));
    Task const task{{c.data(), 1, 0, 0}, {c.data(), 0, 1, 1}, {c.data(), 1, 1, 1}, {}};
    auto const device = tweed::matmulDevice();
    CHECK(contains(fault([&] { Large::launch(task, {}, device, nullptr, nullptr); }),
                   "instructions the loom does not have"));
  }
#endif
  TEST_CASE("what it cannot do") {
    using View = tweed::MatrixView<float const, RowMajor>;
    using Out = tweed::MatrixView<float, RowMajor>;
    using Task = tweed::MatmulTask<View, View, Out, tweed::Identity>;
    tweed::MatmulDevice device = tweed::matmulDevice();
    if (isLoom) {
      CHECK(contains(Large::refusal(Task{}, device), "sm_90a"));
      CHECK(contains(Split8::refusal(Task{}, device), "clusters"));
    }
    device.sharedBytes = 10000;
    CHECK(contains(Portable::refusal(Task{}, device), "the device has 10000"));
    using Halves = tweed::MatrixView<__half const, RowMajor>;
    using HalfTask = tweed::MatmulTask<Halves, Halves, Out, tweed::Identity>;
    static_assert(!Large::takes<HalfTask>, "halves are converted");
    static_assert(Split8::takes<HalfTask> && Portable::takes<HalfTask>);
    CHECK(Split8::name() == "64x64x32, 3 stages, the sum split by 8");
    CHECK(Large::name() == "128x256x32, 3 stages, a warpgroup that loads");
  }
}
