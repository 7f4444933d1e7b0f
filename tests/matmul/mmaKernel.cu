// SPDX-License-Identifier: Apache-2.0
// tests/matmul/mmaKernel.cu - tests tweed/matmul/mmaKernel.cuh
#include <tweed/matmul/epiloguePieces.cuh>
#include <tweed/matmul/mmaKernel.cuh>

#include <algorithm>

#include "support/mma.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::Coord;
using tweed::MmaConfig;
using tweed::RowMajor;
using tweed::TileShape;

template <class T>
inline constexpr int depth = 128 / int(sizeof(T));
template <class T>
using Small = MmaConfig<TileShape<64, 64, depth<T>>, 32, 32, 3>;

/// The epilogue of the tests: an item's place shows, without an error of its own, and calls are
/// counted.
struct Places {
  int* calls;  // of a matrix of `columns` columns, one after the other
  int columns, rows;
  TWEED_DEVICE float operator()(float value, Coord at) const {
    atomicAdd(&calls[(at.matrix * rows + at.row) * columns + at.column], 1);
    return value * float(factor(at.row, at.column, at.matrix));
  }
  static TWEED_HOST_DEVICE int factor(int row, int column, int matrix) {
    return 1 << (row + 3 * column + matrix) % 8;
  }
};
struct Size {
  int m, n, k;
};
/// Padding of the leading dimensions and shifts of the bases, in items.
struct Places3 {
  int padA = 0, shiftA = 0, padB = 0, shiftB = 0, padC = 0, shiftC = 0;
};

template <class Config, class Task>
void launchProduct(Task const& task) {
  auto const tiles = task.template order<typename Config::Tile>().count();
  if (tiles == 0) return;
  tweed::launch(tweed::mmaMatmul<Config, Task>,
                {tiles, Config::threads, std::size_t(tweed::mmaSharedBytes<Config, Task>)}, task);
  tweed::synchronize();
}

template <class Config, class T, class LayoutA, class LayoutB, class TC = T>
void check(Size s, Places3 p = {}, int batch = 1) {
  CAPTURE(s.m);
  CAPTURE(s.n);
  CAPTURE(s.k);
  CAPTURE(p.padA);
  CAPTURE(p.shiftA);
  CAPTURE(p.padB);
  CAPTURE(p.shiftB);
  Operand<T, LayoutA> a(s.m, s.k, 1, {p.padA, p.shiftA, batch});
  Operand<T, LayoutB> b(s.k, s.n, 2, {p.padB, p.shiftB, batch});
  long long const ld = s.n + p.padC, stride = ld * s.m + 3 * p.padC;
  DeviceArray<TC> const c(std::vector<TC>(std::size_t(stride * batch), item<TC>(std::nan(""))),
                          std::size_t(p.shiftC));
  DeviceArray<int> const calls(std::vector<int>(std::size_t(batch * s.m * s.n), 0));
  using Task =
      tweed::MatmulTask<tweed::MatrixView<T const, LayoutA>, tweed::MatrixView<T const, LayoutB>,
                        tweed::MatrixView<TC, RowMajor>, Places>;
  launchProduct<Config>(Task{
      a.upload(), b.upload(), {c.data(), s.m, s.n, ld, batch, stride}, {calls.data(), s.n, s.m}});
  auto const got = c.host();
  auto const counts = calls.host();
  CHECK(std::count(counts.begin(), counts.end(), 1) == std::ptrdiff_t(counts.size()));
  int wrong = 0;
  for (int matrix = 0; matrix < batch; ++matrix) {
    Factors const factors(a, b, s.m, s.n, s.k, matrix);
    for (int i = 0; i < s.m; ++i)
      for (int j = 0; j < s.n; ++j) {
        if (s.m * s.n > 20000 && noise(std::uint64_t(i * s.n + j)) % 16 != 0) continue;
        double const factor = Places::factor(i, j, matrix);
        auto const exact = factors.sum(i, j);
        double const want = factor * exact.sum;
        double const bound =
            factor * accumulatorBound<T>(exact, s.k) + 1.01 * rounding<TC> * std::fabs(want);
        double const have = number(got[std::size_t(matrix * stride + i * ld + j)]);
        if (std::fabs(have - want) <= bound) continue;
        if (++wrong == 1) MESSAGE("item (", i, ", ", j, ") is ", have, ", not ", want);
      }
  }
  CHECK(wrong == 0);
  // Nothing else was written.
  auto const isNan = [](TC x) { return std::isnan(number(x)); };
  CHECK(std::count_if(got.begin(), got.end(), isNan) ==
        std::ptrdiff_t(got.size()) - std::ptrdiff_t(batch * s.m * s.n));
}

template <class Config, class T, class... Arguments>
void checkLayouts(Arguments... arguments) {
  check<Config, T, RowMajor, ColumnMajor>(arguments...);
  check<Config, T, RowMajor, RowMajor>(arguments...);
  check<Config, T, ColumnMajor, ColumnMajor>(arguments...);
  check<Config, T, ColumnMajor, RowMajor>(arguments...);
}

// Around the edges of the tile and of the stages, each by itself.
template <class T>
void checkSizes(bool few) {
  constexpr int k = depth<T>;
  for (Size s : {Size{1, 1, 1}, {63, 65, k}, {5, 64, 2 * k + 1}, {64, 7, 3 * k - 1}})
    checkLayouts<Small<T>, T>(s);
  if (few) return;
  for (Size s : {Size{2, 3, 5},
                 {65, 33, k + 1},
                 {64, 64, 3 * k},
                 {64, 64, 3 * k + 1},
                 {16, 40, 5 * k - 1},
                 {129, 31, k - 1},
                 {1, 200, 40},
                 {200, 1, 40}})
    checkLayouts<Small<T>, T>(s);
}

// Each alignment of base and leading dimension, of one operand and of both.
template <class T>
void checkAlignments(bool few) {
  constexpr int k = depth<T>;
  // Runs that end within a piece of 16 bytes: the rest of it is poison, or no memory at all.
  checkLayouts<Small<T>, T>(Size{47, 39, 2 * k + 7}, Places3{9, 8, 9, 16, 1, 0});
  Size const s{48, 40, 2 * k + 8};
  for (int by : {1, 2, 4}) {
    checkLayouts<Small<T>, T>(s, Places3{by, by, by, by, by, by});
    if (few) return;
    check<Small<T>, T, RowMajor, ColumnMajor>(s, Places3{by, 0, 0, by, 0, 0});
    check<Small<T>, T, RowMajor, ColumnMajor>(s, Places3{0, by, by, 0, 0, 0});
    check<Small<T>, T, ColumnMajor, RowMajor>(s, Places3{by, 0, 0, by, 0, 0});
    check<Small<T>, T, ColumnMajor, RowMajor>(s, Places3{0, by, by, 0, 0, 0});
  }
  check<Small<T>, T, RowMajor, RowMajor>(s, Places3{8, 8, 8, 8, 1, 0});
  check<Small<T>, T, ColumnMajor, ColumnMajor>(s, Places3{8, 8, 1, 8, 0, 1});
}

template <class T>
void checkType(bool few = false) {
  checkSizes<T>(few || isShort());
  checkAlignments<T>(few || isShort());
}

}  // namespace

TEST_SUITE("mmaKernel") {
  TEST_CASE("bfloat16: sizes and alignments") { checkType<__nv_bfloat16>(); }
  TEST_CASE("half: sizes and alignments") { checkType<__half>(true); }
  TEST_CASE("float as TF32: sizes and alignments") { checkType<float>(); }

  // Of each operand both layouts, which are filled and read apart from the other operand's; all
  // four pairs of them above.
  TEST_CASE("other configurations: one warp, two and four stages, many warps, float results") {
    using T = __nv_bfloat16;
    Size const s{70, 40, 130};
    check<MmaConfig<TileShape<32, 64, 64>, 32, 64, 2>, T, RowMajor, RowMajor>(s);
    check<MmaConfig<TileShape<64, 32, 64>, 64, 32, 2>, T, ColumnMajor, ColumnMajor>(s);
    if (isShort()) return;
    check<MmaConfig<TileShape<64, 128, 64>, 64, 32, 4>, T, RowMajor, RowMajor>(s);
    check<MmaConfig<TileShape<64, 128, 64>, 64, 32, 4>, T, ColumnMajor, ColumnMajor>(s);
    check<MmaConfig<TileShape<64, 64, 64>, 16, 16, 2>, T, RowMajor, ColumnMajor>(s);
    check<MmaConfig<TileShape<64, 64, 64>, 16, 16, 2>, T, ColumnMajor, RowMajor>(s);
    check<MmaConfig<TileShape<128, 64, 64>, 32, 64, 3>, T, ColumnMajor, RowMajor>(s);
    check<Small<T>, T, RowMajor, ColumnMajor, float>(s);
    check<Small<T>, T, RowMajor, ColumnMajor, float>(s, Places3{0, 0, 0, 0, 1, 0});
    check<MmaConfig<TileShape<64, 64, 32>, 64, 16, 2>, float, RowMajor, RowMajor>(s);
    check<MmaConfig<TileShape<64, 64, 32>, 64, 16, 2>, float, ColumnMajor, ColumnMajor>(s);
  }

  TEST_CASE("a batch") {
    checkLayouts<Small<__half>, __half>(Size{65, 30, 70}, Places3{3, 1, 0, 0, 1, 0}, 3);
  }

  TEST_CASE("without a k the product is 0, and nothing of A and B is read") {
    using T = __nv_bfloat16;
    checkLayouts<Small<T>, T>(Size{65, 30, 0});
    checkLayouts<Small<T>, T>(Size{0, 30, 7});
    checkLayouts<Small<T>, T>(Size{30, 0, 7});
  }

  TEST_CASE("the old C is read where the epilogue needs it; where beta is 0 it may be NaN") {
    using T = __half;
    Operand<T, RowMajor> a(33, 40, 5, {}), b(40, 35, 6, {});
    auto const viewA = a.upload(), viewB = b.upload();
    Factors const factors(a, b, 33, 35, 40);
    for (int padding : {0, 1, 5})
      for (float beta : {0.5f, 0.f}) {
        CAPTURE(padding);
        CAPTURE(beta);
        std::vector<T> old;
        for (int i = 0; i < 33 * (35 + padding); ++i)
          old.push_back(item<T>(beta == 0 ? std::nan("") : i % 11 - 5));
        DeviceArray<T> const c(old);
        auto const epilogue = tweed::scale(1.f) | tweed::addC(beta);
        using View = tweed::MatrixView<T const, RowMajor>;
        using Task = tweed::MatmulTask<View, View, tweed::MatrixView<T, RowMajor>,
                                       tweed::RemoveConst<decltype(epilogue)>>;
        launchProduct<Small<T>>(
            Task{viewA, viewB, tweed::rowMajor(c.data(), 33, 35, 35 + padding), epilogue});
        auto const got = c.host();
        int wrong = 0;
        for (int i = 0; i < 33; ++i)
          for (int j = 0; j < 35; ++j) {
            auto const at = std::size_t(i * (35 + padding) + j);
            auto const exact = factors.sum(i, j);
            double const want = exact.sum + (beta == 0 ? 0 : 0.5 * number(old[at]));
            wrong += !(std::fabs(number(got[at]) - want) <=
                       accumulatorBound<T>(exact, 40) + 1.02 * rounding<T> * std::fabs(want));
          }
        CHECK(wrong == 0);
      }
  }

  TEST_CASE("NaN and infinity reach their row or column and no other") {
    using T = __nv_bfloat16;
    Operand<T, RowMajor> a(40, 70, 7, {}), b(70, 50, 8, {});
    a.at(11, 69) = item<T>(std::nan(""));
    b.at(3, 20) = item<T>(INFINITY);
    DeviceArray<float> const c(40 * 50);
    using View = tweed::MatrixView<T const, RowMajor>;
    using Task = tweed::MatmulTask<View, View, tweed::MatrixView<float, RowMajor>, tweed::Identity>;
    launchProduct<Small<T>>(
        Task{a.upload(), b.upload(), tweed::rowMajor(c.data(), 40, 50), tweed::Identity{}});
    auto const got = c.host();
    for (int i = 0; i < 40; ++i)
      for (int j = 0; j < 50; ++j) {
        double const have = number(got[std::size_t(i * 50 + j)]);
        if (i == 11)
          CHECK(std::isnan(have));
        else if (j == 20)
          CHECK(have == (number(a.at(i, 3)) > 0 ? INFINITY : -INFINITY));
        else
          CHECK(std::isfinite(have));
      }
  }

  TEST_CASE("the same bits every time") {
    using T = __nv_bfloat16;
    int const m = isLoom ? 70 : 1000, n = m, k = 130;
    Operand<T, RowMajor> a(m, k, 9, {}), b(k, n, 10, {});
    DeviceArray<float> const c(std::size_t(m * n));
    using View = tweed::MatrixView<T const, RowMajor>;
    using Task = tweed::MatmulTask<View, View, tweed::MatrixView<float, RowMajor>, tweed::Identity>;
    Task const task{a.upload(), b.upload(), tweed::rowMajor(c.data(), m, n), tweed::Identity{}};
    std::vector<float> first;
    for (int turn = 0; turn < (isShort() ? 2 : 11); ++turn) {
      TWEED_CHECK(cudaMemset(c.data(), 0xff, c.size() * sizeof(float)));
      launchProduct<Small<T>>(task);
      auto const got = c.host();
      if (turn == 0) first = got;
      CHECK(std::memcmp(first.data(), got.data(), got.size() * sizeof(float)) == 0);
    }
    CHECK(std::all_of(first.begin(), first.end(), [](float x) { return std::isfinite(x); }));
  }

#if !defined(TWEED_LOOM)
  // Half, TF32 with a column-major A and other pairs of layouts: matmul.half.cu and matmul.tf32.cu,
  // which run the kernels that tweed chooses from.
  TEST_CASE("large tiles") {
    using T = __nv_bfloat16;
    using Large = MmaConfig<TileShape<128, 256, 64>, 64, 64, 4>;
    for (Size s : {Size{128, 256, 64}, {257, 511, 193}, {640, 1023, 1025}, {257, 511, 1930}})
      check<Large, T, RowMajor, RowMajor>(s);
    check<Large, T, RowMajor, RowMajor>(Size{301, 305, 509}, Places3{1, 1, 1, 1, 1, 1});
    using LargeFloat = MmaConfig<TileShape<128, 256, 32>, 64, 64, 4>;
    check<LargeFloat, float, RowMajor, ColumnMajor>(Size{257, 511, 193});
  }
#endif
}
