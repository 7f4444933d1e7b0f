// SPDX-License-Identifier: Apache-2.0
// tests/matmul/blockTile.cu - tests tweed/matmul/blockTile.cuh, and the forms of BlockMatmul in
// kernels that do something else too: each kernel is one text for all of them. Operands are small
// integers, so that all sums are exact.
#include <tweed/matmul/blockTile.cuh>
#include <tweed/matmul/epiloguePieces.cuh>
#include <tweed/matmul/wgmmaKernel.cuh>
#include <tweed/memory/dynamicShared.cuh>
#include <tweed/warp/warpReduce.cuh>

#include <algorithm>

#include "support/hopper.cuh"
#include "support/matmul.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::Coord;
using tweed::Loading;
using tweed::Major;
using tweed::MatrixView;
using tweed::RowMajor;
using tweed::TileShape;

using Simt = tweed::SimtConfig<TileShape<32, 32, 8>, 4, 4, 2>;
// Runs of one item, tiles without powers of two, two groups of threads along K.
using Odd = tweed::SimtConfig<TileShape<24, 12, 4>, 3, 3, 3, Loading::ByAll, 2, 2>;
using Mma = tweed::MmaConfig<TileShape<64, 64, 64>, 32, 32, 3>;
using Wgmma = tweed::WgmmaConfig<128, 64, 1, 3>;
#if defined(TWEED_LOOM)
#define CONFIGURATIONS Simt, Odd, Mma
#else
#define CONFIGURATIONS Simt, Odd, Mma, Wgmma
#endif

template <class Config>
bool canRun() {
  return Config::path != tweed::Path::Wgmma || hasWgmmaHere();
}
template <class Config>
inline constexpr bool isBuilt =
    Config::path != tweed::Path::Wgmma || tweed::detail::isWgmmaTarget<Config>;

template <class Config, class A, class B>
using ProductOf = tweed::BlockMatmul<Config, decltype(tweed::loadRows(A(), 0)),
                                     decltype(tweed::loadColumns(B(), 0)), float>;

template <class Layout>
using In = MatrixView<__half const, Layout>;
template <class T, class Layout>
using Out = MatrixView<T, Layout>;

std::vector<__half> integers(int rows, int columns, std::uint64_t seed) {
  std::vector<__half> items;
  for (std::size_t i = 0; i < std::size_t(rows) * std::size_t(columns); ++i)
    items.push_back(__half(float(int(noise(seed * 7919 + i) % 9) - 4)));
  return items;
}
float toFloat(float x) { return x; }
float toFloat(__half x) { return __half2float(x); }

// m x k by k x n, row by row.
template <class A, class B>
std::vector<float> multiplied(std::vector<A> const& a, std::vector<B> const& b, int m, int n,
                              int k) {
  std::vector<float> c(std::size_t(m) * std::size_t(n), 0.f);
  for (std::size_t i = 0; i < std::size_t(m); ++i)
    for (std::size_t l = 0; l < std::size_t(k); ++l)
      for (std::size_t j = 0; j < std::size_t(n); ++j)
        c[i * std::size_t(n) + j] +=
            toFloat(a[i * std::size_t(k) + l]) * toFloat(b[l * std::size_t(n) + j]);
  return c;
}

// Of places and of the old C.
struct Mixed {
  static constexpr bool needsC = true;
  TWEED_HOST_DEVICE float operator()(float x, float old, Coord at) const {
    return x + 2 * old + float(at.row * 3 - at.column);
  }
};

// C from item `at` on, by an epilogue, and then D, which is by columns and of another type.
template <class Config, class A, class B, class C, class D>
TWEED_KERNEL void multiply(A a, B b, C c, D d, Coord at) {
  if constexpr (isBuilt<Config>) {
    using Product = ProductOf<Config, A, B>;
    int const row = int(blockIdx.x) * Config::Tile::m, column = int(blockIdx.y) * Config::Tile::n;
    auto tile = tweed::blockMatmul<Config>(*tweed::dynamicShared<typename Product::Shared>(1),
                                           tweed::loadRows(a, row), tweed::loadColumns(b, column));
    tile.store(c, {at.row + row, at.column + column, 0}, Mixed{});
    tile.forEach([](float& x, int, int) { x *= 2; });
    tile.store(d, {row, column, 0});
  } else {
    tweed::arch::stopWithoutTarget();
  }
}

template <class Config, class LayoutA, class LayoutB>
void checkStores(int m, int n, int k, Coord at, int gap) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  CAPTURE(at.column);
  CAPTURE(gap);
  auto const hostA = integers(m, k, 1), hostB = integers(k, n, 2);
  int const rows = m + at.row, columns = n + at.column;
  std::vector<float> old;
  for (int i = 0; i < rows * columns; ++i) old.push_back(float(i % 11));
  DeviceMatrix<__half, LayoutA> const a(m, k, hostA, gap);
  DeviceMatrix<__half, LayoutB> const b(k, n, hostB, gap);
  DeviceMatrix<float, RowMajor> const c(rows, columns, old, gap);
  DeviceMatrix<__half, ColumnMajor> const d(m, n, gap);
  using P = ProductOf<Config, In<LayoutA>, In<LayoutB>>;
  unsigned const tilesM = unsigned(tweed::ceilDiv(m, Config::Tile::m));
  unsigned const tilesN = unsigned(tweed::ceilDiv(n, Config::Tile::n));
  tweed::launch(
      multiply<Config, In<LayoutA>, In<LayoutB>, Out<float, RowMajor>, Out<__half, ColumnMajor>>,
      {{tilesM, tilesN}, P::threads, P::sharedBytes}, a.in(), b.in(), c.view(), d.view(), at);
  auto const products = multiplied(hostA, hostB, m, n, k);
  auto const gotC = c.host();
  auto const gotD = d.host();
  int wrong = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      auto const place = std::size_t(i * columns + j);
      if (i < at.row || j < at.column) {
        wrong += gotC[place] != old[place];
      } else {
        auto const from = std::size_t((i - at.row) * n + j - at.column);
        wrong += gotC[place] != Mixed{}(products[from], old[place], {i, j, 0});
        wrong += toFloat(gotD[from]) != 2 * products[from];
      }
    }
  CHECK(wrong == 0);
}

// A matrix of a batch, whose rows are aligned for whole runs to be stored.
template <class Config>
TWEED_KERNEL void multiplyBatch(In<RowMajor> a, In<RowMajor> b, Out<float, RowMajor> c,
                                float const* bias) {
  if constexpr (isBuilt<Config>) {
    using Product = ProductOf<Config, In<RowMajor>, In<RowMajor>>;
    int const matrix = int(blockIdx.x);
    auto& shared = *tweed::dynamicShared<typename Product::Shared>(1);
    for (int row = 0; row < a.rows; row += Config::Tile::m)
      for (int column = 0; column < b.columns; column += Config::Tile::n)
        tweed::blockMatmul<Config>(shared, tweed::loadRows(a, row, matrix),
                                   tweed::loadColumns(b, column, matrix))
            .store(c, {row, column, matrix}, tweed::biasPerColumn(bias) | tweed::scale(0.5f));
  } else {
    tweed::arch::stopWithoutTarget();
  }
}

// The softmax of each row of (A * B) / 8. What the tile is kept in is the product's memory.
template <class Config>
union SoftmaxMemory {
  typename ProductOf<Config, In<RowMajor>, In<ColumnMajor>>::Shared product;
  float tile[Config::Tile::m][Config::Tile::n + 1];
};
template <class Config>
TWEED_KERNEL void softmaxRows(In<RowMajor> a, In<ColumnMajor> b, Out<float, RowMajor> c) {
  if constexpr (isBuilt<Config>) {
    using Product = ProductOf<Config, In<RowMajor>, In<ColumnMajor>>;
    auto& memory = *tweed::dynamicShared<SoftmaxMemory<Config>>(1);
    int const lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, columns = int(c.columns);
    for (int row = 0; row < a.rows; row += Config::Tile::m) {
      auto tile =
          tweed::blockMatmul<Config>(memory, tweed::loadRows(a, row), tweed::loadColumns(b, 0));
      tile.forEach([&](float x, int i, int j) { memory.tile[i][j] = x / 8; });
      tweed::arch::syncBlock();
      for (int i = warp; i < Config::Tile::m && row + i < a.rows; i += Product::threads / 32) {
        float most = tweed::Limits<float>::least(), sum = 0;
        for (int j = lane; j < columns; j += 32) most = fmaxf(most, memory.tile[i][j]);
        most = tweed::warpReduce(most, tweed::Max{});
        for (int j = lane; j < columns; j += 32) sum += expf(memory.tile[i][j] - most);
        sum = tweed::warpReduce(sum);
        for (int j = lane; j < columns; j += 32)
          c(row + i, j) = expf(memory.tile[i][j] - most) / sum;
      }
      tweed::arch::syncBlock();
    }
  } else {
    tweed::arch::stopWithoutTarget();
  }
}

// D = (A * B) * C of a tile of rows of A: the first product stays in shared memory.
template <class Config>
TWEED_KERNEL void multiplyTwice(In<RowMajor> a, In<ColumnMajor> b, In<RowMajor> c,
                                Out<float, RowMajor> d) {
  if constexpr (isBuilt<Config>) {
    constexpr int m = Config::Tile::m, n = Config::Tile::n, pitch = n + 2;
    using First = ProductOf<Config, In<RowMajor>, In<ColumnMajor>>;
    struct Memory {
      typename First::Shared product;
      __half between[m * pitch];
    };
    auto& memory = *tweed::dynamicShared<Memory>(1);
    int const row = int(blockIdx.x) * m;
    auto first = tweed::blockMatmul<Config>(memory.product, tweed::loadRows(a, row),
                                            tweed::loadColumns(b, 0));
    first.forEach([&](float x, int i, int j) { memory.between[i * pitch + j] = __half(x); });
    tweed::arch::syncBlock();
    __half const* const between = memory.between;
    auto const rows = tweed::loadItems<Major::K>(
        [=](int i, int k) { return between[i * pitch + k]; }, m, int(b.columns));
    for (int column = 0; column < c.columns; column += n)
      tweed::blockMatmul<Config>(memory.product, rows, tweed::loadColumns(c, column))
          .store(d, {row, column, 0});
  } else {
    tweed::arch::stopWithoutTarget();
  }
}

// Rows of A that numbers pick.
template <class Config>
TWEED_KERNEL void multiplyPicked(In<RowMajor> a, int const* index, In<RowMajor> b,
                                 Out<float, RowMajor> c) {
  if constexpr (isBuilt<Config>) {
    using Product = ProductOf<Config, In<RowMajor>, In<RowMajor>>;
    int const row = int(blockIdx.x) * Config::Tile::m, column = int(blockIdx.y) * Config::Tile::n;
    tweed::GatherLoader<__half> const rows{a.data, a.leadingDimension, index + row,
                                           int(c.rows) - row, int(a.columns)};
    // Its Shared is as large, whatever loads.
    tweed::blockMatmul<Config>(*tweed::dynamicShared<typename Product::Shared>(1), rows,
                               tweed::loadColumns(b, column))
        .store(c, {row, column, 0});
  } else {
    tweed::arch::stopWithoutTarget();
  }
}

}  // namespace

TEST_SUITE("blockTile") {
  TEST_CASE_TEMPLATE("each item of C is stored, and no other", Config, CONFIGURATIONS) {
    if (!canRun<Config>()) return;
    constexpr int m = Config::Tile::m, n = Config::Tile::n;
    checkStores<Config, RowMajor, ColumnMajor>(m, n, 64, {0, 0, 0}, 0);
    checkStores<Config, RowMajor, ColumnMajor>(m + 1, n - 1, 67, {3, 5, 0}, 0);
    checkStores<Config, ColumnMajor, RowMajor>(1, 1, 1, {0, 1, 0}, 1);
    checkStores<Config, ColumnMajor, RowMajor>(m - 1, n + 8, 1, {1, 4, 0}, 8);
    checkStores<Config, RowMajor, ColumnMajor>(5, 7, 0, {2, 2, 0}, 3);
  }

  TEST_CASE_TEMPLATE("a batch, and an epilogue that is long", Config, CONFIGURATIONS) {
    if (!canRun<Config>()) return;
    constexpr int m = 37, n = 72, k = 40, batch = 3;
    auto const hostA = integers(m * batch, k, 3), hostB = integers(k, n, 4);
    std::vector<float> hostBias;
    for (int j = 0; j < n; ++j) hostBias.push_back(float(j % 6) - 2);
    DeviceMatrix<__half, RowMajor> const a(m * batch, k, hostA), b(k, n, hostB);
    DeviceMatrix<float, RowMajor> const c(m * batch, n);
    DeviceArray<float> const bias(hostBias);
    auto views = [](auto view, int rows, int stride) {
      view.rows = rows;
      return view.batched(batch, stride);
    };
    using P = ProductOf<Config, In<RowMajor>, In<RowMajor>>;
    tweed::launch(multiplyBatch<Config>, {batch, P::threads, P::sharedBytes},
                  views(a.in(), m, m * k), views(b.in(), k, 0), views(c.view(), m, m * n),
                  static_cast<float const*>(bias.data()));
    auto expected = multiplied(hostA, hostB, m * batch, n, k);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = (expected[i] + hostBias[i % n]) / 2;
    CHECK((c.host() == expected));
  }

  TEST_CASE_TEMPLATE("softmax of the rows of a product", Config, CONFIGURATIONS) {
    if (!canRun<Config>()) return;
    int const m = Config::Tile::m + 5, n = Config::Tile::n - 1, k = 75;
    auto const hostA = integers(m, k, 5), hostB = integers(k, n, 6);
    DeviceMatrix<__half, RowMajor> const a(m, k, hostA, 5);
    DeviceMatrix<__half, ColumnMajor> const b(k, n, hostB);
    DeviceMatrix<float, RowMajor> const c(m, n, 1);
    using P = ProductOf<Config, In<RowMajor>, In<ColumnMajor>>;
    tweed::launch(softmaxRows<Config>, {1, P::threads, sizeof(SoftmaxMemory<Config>)}, a.in(),
                  b.in(), c.view());
    auto const got = c.host();
    auto const products = multiplied(hostA, hostB, m, n, k);
    double worst = 0;
    for (int i = 0; i < m; ++i) {
      float const* const row = products.data() + i * n;
      double const most = double(*std::max_element(row, row + n)) / 8;
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += std::exp(double(row[j]) / 8 - most);
      for (int j = 0; j < n; ++j) {
        double const expected = std::exp(double(row[j]) / 8 - most) / sum;
        double const error = std::fabs(double(got[std::size_t(i * n + j)]) - expected) / expected;
        if (!(error <= worst)) worst = error;
      }
    }
    CHECK(worst < 1e-4);
  }

  TEST_CASE_TEMPLATE("two products of one block, one after the other", Config, CONFIGURATIONS) {
    if (!canRun<Config>()) return;
    constexpr int tileM = Config::Tile::m, tileN = Config::Tile::n;
    for (int const less : {0, 3}) {
      int const m = 2 * tileM - less, between = tileN - less, n = tileN + 5, k = 41;
      auto const hostA = integers(m, k, 7), hostB = integers(k, between, 8);
      auto const hostC = integers(between, n, 9);
      DeviceMatrix<__half, RowMajor> const a(m, k, hostA), c(between, n, hostC, 3);
      DeviceMatrix<__half, ColumnMajor> const b(k, between, hostB, 1);
      DeviceMatrix<float, RowMajor> const d(m, n);
      using P = ProductOf<Config, In<RowMajor>, In<ColumnMajor>>;
      tweed::launch(multiplyTwice<Config>,
                    {2, P::threads,
                     sizeof(typename P::Shared) +
                         tweed::roundUp(tileM * (tileN + 2) * int(sizeof(__half)), 128)},
                    a.in(), b.in(), c.in(), d.view());
      auto const first = multiplied(hostA, hostB, m, between, k);
      CHECK((d.host() == multiplied(first, hostC, m, n, between)));
    }
  }

  TEST_CASE_TEMPLATE("rows that an index picks", Config, CONFIGURATIONS) {
    if (!canRun<Config>()) return;
    int const m = Config::Tile::m + 3, n = Config::Tile::n + 1, k = 50, tokens = 19;
    auto const hostA = integers(tokens, k, 10), hostB = integers(k, n, 11);
    std::vector<int> index;
    std::vector<__half> picked;
    for (int i = 0; i < m; ++i) {
      index.push_back(int(noise(std::uint64_t(i)) % unsigned(tokens)));
      picked.insert(picked.end(), hostA.begin() + index.back() * k,
                    hostA.begin() + (index.back() + 1) * k);
    }
    DeviceMatrix<__half, RowMajor> const a(tokens, k, hostA, 7), b(k, n, hostB);
    DeviceMatrix<float, RowMajor> const c(m, n);
    DeviceArray<int> const numbers(index);
    using P = ProductOf<Config, In<RowMajor>, In<RowMajor>>;
    tweed::launch(multiplyPicked<Config>, {{2, 2}, P::threads, P::sharedBytes}, a.in(),
                  static_cast<int const*>(numbers.data()), b.in(), c.view());
    CHECK((c.host() == multiplied(picked, hostB, m, n, k)));
  }
}
