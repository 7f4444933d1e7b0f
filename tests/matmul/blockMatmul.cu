// SPDX-License-Identifier: Apache-2.0
// tests/matmul/blockMatmul.cu - tests tweed/matmul/blockMatmul.cuh
#include <tweed/core/half.cuh>
#include <tweed/matmul/blockMatmul.cuh>
#include <tweed/memory/dynamicShared.cuh>

#include <algorithm>

#include "support/matmul.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::Loading;
using tweed::Major;
using tweed::RowMajor;
using tweed::SimtConfig;
using tweed::TileShape;

template <class Config, class A, class B, class Acc>
using ProductOf = tweed::BlockMatmul<Config, decltype(tweed::loadRows(A{}, 0)),
                                     decltype(tweed::loadColumns(B{}, 0)), Acc>;

// C by one block a tile; the sum in pieces of `piece` items, each a call of run().
template <class Config, class Acc, class A, class B, class C>
TWEED_KERNEL void __launch_bounds__(Config::threads) multiply(A a, B b, C c, int piece) {
  using Product = ProductOf<Config, A, B, Acc>;
  Product product(*tweed::dynamicShared<typename Product::Shared>(1));
  int const row = int(blockIdx.x) * Config::Tile::m;
  int const column = int(blockIdx.y) * Config::Tile::n;
  auto const rows = tweed::loadRows(a, row);
  auto const columns = tweed::loadColumns(b, column);
  typename Product::Accumulator acc{};
  int const k = int(a.columns);
  for (int begin = 0; begin < k; begin += piece)
    product.run(rows, columns, begin, tweed::smaller(k, begin + piece), acc);
  product.forEach(acc, [&](Acc value, int i, int j) {
    if (row + i < c.rows && column + j < c.columns)
      c(row + i, column + j) = typename C::Item(value);
  });
}

template <class Config, class Acc, class T, class LayoutA, class LayoutB>
std::vector<Acc> productOf(Product<T> const& p, int gap, int shift, int piece = 1 << 30) {
  DeviceMatrix<T, LayoutA> const a(p.m, p.k, p.a, gap, shift);
  DeviceMatrix<T, LayoutB> const b(p.k, p.n, p.b, gap, shift);
  DeviceMatrix<Acc, RowMajor> const c(p.m, p.n, gap, shift);
  using P = ProductOf<Config, decltype(a.in()), decltype(b.in()), Acc>;
  auto const kernel = multiply<Config, Acc, decltype(a.in()), decltype(b.in()), decltype(c.view())>;
  tweed::launch(kernel,
                {{tweed::ceilDiv(p.m, Config::Tile::m), tweed::ceilDiv(p.n, Config::Tile::n)},
                 P::threads,
                 P::sharedBytes},
                a.in(), b.in(), c.view(), piece);
  tweed::synchronize();
  return c.host();
}

template <class Config, class Acc, class T, class LayoutA, class LayoutB>
void checkLayout(Product<T> const& p) {
  CAPTURE(p.m);
  CAPTURE(p.n);
  CAPTURE(p.k);
  // Runs that are aligned to 16 bytes where the sizes are; that are not; from an odd item on.
  auto const aligned = productOf<Config, Acc, T, LayoutA, LayoutB>(p, 0, 0);
  p.check(aligned, roundoff<Acc>, p.k);
  auto const spread = productOf<Config, Acc, T, LayoutA, LayoutB>(p, 3, 1);
  CHECK((aligned == spread));
  if (isShort()) return;
  int const gap = 16 - p.k % 16;  // aligned though the sizes are not
  CHECK((aligned == productOf<Config, Acc, T, LayoutA, LayoutB>(p, gap, 0)));
}
template <class Config, class T, class Acc = tweed::AccumulatorOf<T>>
void checkLayouts(Product<T> const& p) {
  checkLayout<Config, Acc, T, RowMajor, RowMajor>(p);
  checkLayout<Config, Acc, T, RowMajor, ColumnMajor>(p);
  checkLayout<Config, Acc, T, ColumnMajor, RowMajor>(p);
  checkLayout<Config, Acc, T, ColumnMajor, ColumnMajor>(p);
}

// Small tiles, since the loom runs them; all kinds of threads' tiles.
using Plain = SimtConfig<TileShape<16, 16, 8>, 2, 2, 1>;  // the tiled kernel of textbooks
using Three = SimtConfig<TileShape<16, 32, 8>, 2, 4, 3>;  // 8 x 4 lanes, runs of 2 and 4
using Tall = SimtConfig<TileShape<64, 32, 16>, 8, 4, 2, Loading::ByAll, 1, 4>;  // 4 x 8 lanes
using Odd = SimtConfig<TileShape<24, 12, 3>, 3, 3, 4, Loading::ByAll, 1, 3, tweed::Snake::Columns>;
// Two groups of threads, and four, that share each step along K.
using Halves = SimtConfig<TileShape<16, 16, 8>, 2, 2, 2, Loading::ByAll, 2>;
using Quarters = SimtConfig<TileShape<32, 16, 16>, 4, 4, 1, Loading::ByAll, 4>;

template <class Config>
void checkEdges() {
  constexpr int m = Config::Tile::m, n = Config::Tile::n, k = Config::Tile::k;
  int seed = 0;
  for (int dm = -1; dm <= 1; ++dm)
    for (int dn = -1; dn <= 1; ++dn)
      for (int dk = -1; dk <= 1; ++dk) {
        if (isShort() && dm * dn * dk != 1) continue;
        int const steps = Config::stages + dm;  // one step less and more than there are stages
        checkLayouts<Config, float>(Product<float>(m + dm, n + dn, tweed::larger(0, steps * k + dk),
                                                   std::uint64_t(++seed)));
      }
}

// D = (A * B) * C, of a tile of rows of A: the first product stays in shared memory.
template <class Config>
TWEED_KERNEL void multiplyTwice(tweed::MatrixView<float const, RowMajor> a,
                                tweed::MatrixView<float const, ColumnMajor> b,
                                tweed::MatrixView<float const, RowMajor> c,
                                tweed::MatrixView<float, RowMajor> d) {
  constexpr int m = Config::Tile::m, n = Config::Tile::n;
  __shared__ float between[m][n + 1];
  auto const rows = tweed::loadItems<Major::K>([&](int i, int k) { return between[i][k]; }, m, n);
  using First = ProductOf<Config, decltype(a), decltype(b), float>;
  using Second = tweed::BlockMatmul<Config, tweed::RemoveConst<decltype(rows)>,
                                    decltype(tweed::loadColumns(c, 0))>;
  __shared__ typename First::Shared first;
  __shared__ typename Second::Shared second;
  int const row = int(blockIdx.x) * m;
  {
    First product(first);
    typename First::Accumulator acc{};
    product.run(tweed::loadRows(a, row), tweed::loadColumns(b, 0), 0, int(a.columns), acc);
    product.forEach(acc, [&](float value, int i, int j) { between[i][j] = value; });
  }
  tweed::arch::syncBlock();
  Second product(second);
  typename Second::Accumulator acc{};
  product.run(rows, tweed::loadColumns(c, 0), 0, int(c.rows), acc);
  product.forEach(acc, [&](float value, int i, int j) {
    if (row + i < d.rows && j < d.columns) d(row + i, j) = value;
  });
}

template <class Config>
TWEED_KERNEL void multiplyPicked(tweed::MatrixView<float const, RowMajor> a, int const* index,
                                 int count, tweed::MatrixView<float const, RowMajor> b,
                                 tweed::MatrixView<float, RowMajor> c) {
  using LoadA = tweed::GatherLoader<float>;
  using Product = tweed::BlockMatmul<Config, LoadA, decltype(tweed::loadColumns(b, 0))>;
  Product product(*tweed::dynamicShared<typename Product::Shared>(1));
  int const row = int(blockIdx.x) * Config::Tile::m;
  typename Product::Accumulator acc{};
  product.run(LoadA{a.data, a.leadingDimension, index + row, count - row, int(a.columns)},
              tweed::loadColumns(b, 0), 0, int(a.columns), acc);
  product.forEach(acc, [&](float value, int i, int j) {
    if (row + i < count && j < c.columns) c(row + i, j) = value;
  });
}

// One tile, of the items kBegin..kEnd-1 of operands that say how deep they are, added to ones.
template <class Config>
TWEED_KERNEL void multiplySome(tweed::MatrixView<float const, RowMajor> a,
                               tweed::MatrixView<float const, ColumnMajor> b,
                               tweed::MatrixView<float, RowMajor> c, int depthA, int depthB,
                               int kBegin, int kEnd) {
  using Product = ProductOf<Config, decltype(a), decltype(b), float>;
  Product product(*tweed::dynamicShared<typename Product::Shared>(1));
  auto rows = tweed::loadRows(a, 0);
  auto columns = tweed::loadColumns(b, 0);
  rows.depth = depthA, columns.depth = depthB;
  typename Product::Accumulator acc{};
  product.forEach(acc, [](float& value, int, int) { value = 1; });
  product.run(rows, columns, kBegin, kEnd, acc);
  product.forEach(acc, [&](float value, int i, int j) {
    if (i < c.rows && j < c.columns) c(i, j) = value;
  });
}

// The memory ends with the operands: nothing behind it may be touched.
template <class Config>
void checkSome(int depthA, int depthB, int kBegin, int kEnd) {
  CAPTURE(depthA);
  CAPTURE(depthB);
  CAPTURE(kBegin);
  CAPTURE(kEnd);
  constexpr int m = 11, n = 13, k = 37;
  Product<int> const p(m, n, k, 5);  // small integers: floats are exact
  std::vector<float> const fa(p.a.begin(), p.a.end()), fb(p.b.begin(), p.b.end());
  DeviceMatrix<float, RowMajor> const a(m, k, fa), c(m, n);
  DeviceMatrix<float, ColumnMajor> const b(k, n, fb);
  using P = ProductOf<Config, decltype(a.in()), decltype(b.in()), float>;
  tweed::launch(multiplySome<Config>, {1, P::threads, P::sharedBytes}, a.in(), b.in(), c.view(),
                depthA, depthB, kBegin, kEnd);
  std::vector<float> expected(std::size_t(m * n), 1.f);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (int l = kBegin; l < std::min({depthA, depthB, kEnd}); ++l)
        expected[i * n + j] += fa[i * k + std::size_t(l)] * fb[std::size_t(l) * n + j];
  CHECK((c.host() == expected));
}

template <class T>
struct alignas(2 * sizeof(T)) Complex {
  T re, im;
  friend TWEED_HOST_DEVICE Complex operator+(Complex a, Complex b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend TWEED_HOST_DEVICE Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
};

}  // namespace

TEST_SUITE("blockMatmul") {
  TEST_CASE("every edge of the tile, all layouts: one stage") { checkEdges<Plain>(); }
  TEST_CASE("every edge of the tile, all layouts: three stages") { checkEdges<Three>(); }
  TEST_CASE("every edge of the tile, all layouts: 4 x 8 lanes") { checkEdges<Tall>(); }
  TEST_CASE("every edge of the tile, all layouts: tiles without powers of two") {
    checkEdges<Odd>();
  }

  TEST_CASE("every edge of the tile, all layouts: groups along K") {
    checkEdges<Halves>();
    checkEdges<Quarters>();
  }

  TEST_CASE("small and thin shapes") {
    int const shapes[][3] = {{1, 1, 1},  {1, 1, 0},  {3, 5, 0},   {1, 40, 7},
                             {40, 1, 7}, {2, 3, 90}, {33, 65, 1}, {70, 35, 41}};
    for (auto const& s : shapes) {
      Product<float> const p(s[0], s[1], s[2], 5);
      checkLayouts<Three, float>(p);
      checkLayouts<Plain, float>(p);
      checkLayouts<Halves, float>(p);
    }
  }

  TEST_CASE_TEMPLATE("number types", T, double, int, long long, __half, __nv_bfloat16) {
    Product<T> const p(37, 41, 43, 9);
    checkLayouts<Three, T>(p);
  }
  // Other threads' tiles read by what is staged: 4 bytes (floats, above), 8, or what is converted.
  TEST_CASE_TEMPLATE("number types in tiles of all kinds", T, double, __half) {
    Product<T> const p(37, 41, 43, 9);
    auto const check = [&](auto config) {
      using Config = decltype(config);
      checkLayout<Config, tweed::AccumulatorOf<T>, T, RowMajor, RowMajor>(p);
      checkLayout<Config, tweed::AccumulatorOf<T>, T, ColumnMajor, ColumnMajor>(p);
    };
    check(Tall{});
    check(Plain{});
    check(Odd{});
    check(Halves{});
  }
  TEST_CASE("integers of 8 bits added up in 32") {
    Product<signed char> const p(37, 41, 43, 9);
    checkLayouts<Three, signed char, int>(p);
  }

  TEST_CASE_TEMPLATE("numbers of the caller's, of 8 and 16 bytes", T, float, double) {
    using Number = Complex<T>;
    std::vector<Number> a(20 * 30), b(30 * 10);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = {T(noise(i) % 9), T(i % 7)};
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = {T(i % 5), T(noise(i) % 8)};
    std::vector<Number> expected(20 * 10);
    for (std::size_t i = 0; i < 20; ++i)
      for (std::size_t j = 0; j < 10; ++j)
        for (std::size_t l = 0; l < 30; ++l)
          expected[i * 10 + j] = expected[i * 10 + j] + a[i * 30 + l] * b[l * 10 + j];
    DeviceMatrix<Number, RowMajor> const da(20, 30, a, 1, 1), c(20, 10);
    DeviceMatrix<Number, ColumnMajor> const db(30, 10, b, 2);
    using P = ProductOf<Three, decltype(da.in()), decltype(db.in()), Number>;
    tweed::launch(multiply<Three, Number, decltype(da.in()), decltype(db.in()), decltype(c.view())>,
                  {{2, 1}, P::threads, P::sharedBytes}, da.in(), db.in(), c.view(), 1 << 30);
    CHECK((c.host() == expected));
  }

  TEST_CASE("the bits are those of one sum after the other, whatever the configuration") {
    Product<float> const p(35, 33, 67, 3);
    std::vector<float> expected(35 * 33, 0.f);
    for (std::size_t i = 0; i < 35; ++i)
      for (std::size_t j = 0; j < 33; ++j)
        for (std::size_t l = 0; l < 67; ++l) {
          float& sum = expected[i * 33 + j];
          float const x = p.a[i * 67 + l], y = p.b[l * 33 + j];
          if constexpr (isLoom) {
            float const product = x * y;
            sum += product;
          } else {
            sum = std::fmaf(x, y, sum);
          }
        }
    CHECK((productOf<Plain, float, float, RowMajor, RowMajor>(p, 0, 0) == expected));
    CHECK((productOf<Three, float, float, RowMajor, ColumnMajor>(p, 0, 0) == expected));
    CHECK((productOf<Tall, float, float, ColumnMajor, RowMajor>(p, 1, 1) == expected));
    CHECK((productOf<Odd, float, float, RowMajor, RowMajor>(p, 0, 0) == expected));
  }

  TEST_CASE("several calls of run() one after the other") {
    Product<float> const p(30, 31, 61, 4);
    auto const expected = productOf<Three, float, float, RowMajor, RowMajor>(p, 0, 0);
    for (int const piece : {1, 5, 8, 17, 24, 60})
      CHECK((productOf<Three, float, float, RowMajor, RowMajor>(p, 0, 0, piece) == expected));
    CHECK((productOf<Plain, float, float, RowMajor, RowMajor>(p, 0, 0, 7) == expected));
    p.check(productOf<Quarters, float, float, RowMajor, RowMajor>(p, 0, 0, 7), 0x1p-24, 61);
    CHECK((productOf<Tall, float, float, ColumnMajor, ColumnMajor>(p, 1, 0, 19) == expected));
  }

  TEST_CASE_TEMPLATE("run() stops where A or B ends", Config, Plain, Three, Quarters) {
    constexpr int most = 0x7fffffff;
    for (int const kEnd : {36, 37, 38, 40, 64, most}) {
      checkSome<Config>(37, 37, 0, kEnd);
      checkSome<Config>(37, 37, 35, kEnd);
      checkSome<Config>(37, 20, 3, kEnd);
      checkSome<Config>(16, 37, 0, kEnd);
    }
    for (int const kBegin : {37, 38, most}) checkSome<Config>(37, 37, kBegin, most);
    checkSome<Config>(0, 37, 0, most);
    checkSome<Config>(37, 37, 9, 9);
    checkSome<Config>(37, 37, 9, 5);
  }

  TEST_CASE("NaN and infinities reach the items that they belong to, and no others") {
    Product<float> p(20, 20, 20, 6);
    p.a[3 * 20 + 19] = tweed::Limits<float>::nan();
    p.b[0 * 20 + 7] = tweed::Limits<float>::greatest();
    auto const c = productOf<Three, float, float, RowMajor, RowMajor>(p, 0, 0);
    for (std::size_t i = 0; i < 20; ++i)
      for (std::size_t j = 0; j < 20; ++j)
        CHECK((i == 3   ? std::isnan(c[i * 20 + j])
               : j == 7 ? std::isinf(c[i * 20 + j]) || std::isnan(c[i * 20 + j])
                        : std::isfinite(c[i * 20 + j])));
  }

  TEST_CASE("two products, the first of which stays in shared memory") {
    Product<float> const first(37, 30, 21, 10);
    Product<float> second(37, 27, 30, 11);
    for (std::size_t i = 0; i < first.c.size(); ++i) second.a[i] = float(first.c[i]);
    second.multiply();
    DeviceMatrix<float, RowMajor> const a(37, 21, first.a), c(30, 27, second.b, 3, 1), d(37, 27, 1);
    DeviceMatrix<float, ColumnMajor> const b(21, 30, first.b);
    using Config = SimtConfig<TileShape<16, 32, 8>, 2, 2, 3>;
    tweed::launch(multiplyTwice<Config>, {3, Config::threads}, a.in(), b.in(), c.in(), d.view());
    second.check(d.host(), 0x1p-22, 51);
  }

  TEST_CASE("rows that an index picks") {
    Product<float> const p(40, 30, 35, 12);
    std::vector<int> index;
    for (int i = 0; i < 21; ++i) index.push_back(int(noise(std::uint64_t(i)) % 40));
    for (int const gap : {0, 5}) {
      DeviceMatrix<float, RowMajor> const a(p.m, p.k, p.a, gap), b(p.k, p.n, p.b), c(21, 30);
      DeviceArray<int> const picked(index);
      using Wide = SimtConfig<TileShape<16, 32, 8>, 2, 4, 3>;
      using P = tweed::BlockMatmul<Wide, tweed::GatherLoader<float>,
                                   decltype(tweed::loadColumns(b.in(), 0))>;
      tweed::launch(multiplyPicked<Wide>, {2, P::threads, P::sharedBytes}, a.in(), picked.data(),
                    21, b.in(), c.view());
      auto const got = c.host();
      auto const all = productOf<Wide, float, float, RowMajor, RowMajor>(p, 0, 0);
      for (std::size_t i = 0; i < 21; ++i)
        for (std::size_t j = 0; j < 30; ++j)
          CHECK(got[i * 30 + j] == all[std::size_t(index[i]) * 30 + j]);
    }
  }
}
