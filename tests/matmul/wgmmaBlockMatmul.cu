// SPDX-License-Identifier: Apache-2.0
// tests/matmul/wgmmaBlockMatmul.cu - tests tweed/matmul/wgmmaBlockMatmul.cuh. The loom, which has
// no wgmma, runs the same kernels and checks by mma.sync.
#include <tweed/matmul/wgmmaBlockMatmul.cuh>
#include <tweed/matmul/wgmmaKernel.cuh>
#include <tweed/memory/dynamicShared.cuh>
#include <tweed/warp/warpReduce.cuh>

#include "support/hopper.cuh"
#include "support/mma.cuh"

#if defined(TWEED_LOOM)
#include <tweed/matmul/mmaMatmul.cuh>
#endif

namespace tweedTest {

// A B whose rows are read back to front.
struct Backwards {
  using Item = __nv_bfloat16;
  static constexpr tweed::Major major = tweed::Major::Mn;
  static constexpr bool isRegular = false;
  __nv_bfloat16 const* data;
  long long leadingDimension;
  int extent, depth;
  TWEED_HOST_DEVICE __nv_bfloat16 const* at(int i, int k) const {
    return data + (depth - 1 - k) * leadingDimension + i;
  }
  TWEED_HOST_DEVICE bool isAligned(int bytes) const {
    return (reinterpret_cast<unsigned long long>(data) | (leadingDimension * 2)) %
               unsigned(bytes) ==
           0;
  }
};

}  // namespace tweedTest

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::FunctionLoader;
using tweed::GatherLoader;
using tweed::Major;
using tweed::MatrixView;
using tweed::RowMajor;
using tweed::WgmmaConfig;

using Bf = __nv_bfloat16;
template <class T>
inline constexpr int stepItems = 128 / int(sizeof(T));

#if defined(TWEED_LOOM)
template <class T, class Wgmma>
using ConfigFor = tweed::MmaConfig<tweed::TileShape<64, 64, stepItems<T>>, 32, 32, Wgmma::stages>;
template <class>
inline constexpr bool runsHere = true;
bool canRun() { return true; }
#else
template <class T, class Wgmma>
using ConfigFor = Wgmma;
template <class Product>
inline constexpr bool runsHere = tweed::detail::isWgmmaTarget<Product>;
bool canRun() { return hasWgmmaHere(); }
#endif

template <class Wgmma, class LoaderA, class LoaderB>
using ProductOf =
    tweed::BlockMatmul<ConfigFor<typename LoaderA::Item, Wgmma>, tweed::RemoveConst<LoaderA>,
                       tweed::RemoveConst<LoaderB>, float>;
template <class View>
using RowLoader = decltype(tweed::loadRows(View{}, 0));
template <class View>
using ColumnLoader = decltype(tweed::loadColumns(View{}, 0));
template <class Product>
inline constexpr int rowsOf = Product::Config::Tile::m;
template <class Product>
inline constexpr int columnsOf = Product::Config::Tile::n;

// Two and more fragments, consumers and stages; with a step under way at the barriers and without.
using Square = WgmmaConfig<128, 128, 2, 3>;
using Waiting = WgmmaConfig<128, 128, 2, 4, 1, 1, 1, 16, 0>;
using Small = WgmmaConfig<64, 64, 1, 2>;
using Flat = WgmmaConfig<64, 256, 1, 5>;
using Wide = WgmmaConfig<128, 256, 2, 4>;
using Tall = WgmmaConfig<256, 128, 2, 3>;
using Three = WgmmaConfig<192, 192, 3, 4>;

// What wgmma, or on the loom mma.sync, sees of an item.
template <class T>
double taken(T x) {
  if constexpr (sizeof(T) == 4 && !isLoom) {
    unsigned bits;
    std::memcpy(&bits, &x, sizeof bits);
    bits &= ~0x1fffu;
    std::memcpy(&x, &bits, sizeof bits);
    return double(x);
  } else {
    return seen(x);
  }
}

TWEED_HOST_DEVICE float startOf(int i, int j) { return float(i % 5) - 0.25f * float(j % 7); }

// A run that ends at `cut` and one that ends at `end`: the second goes on with the sums of the
// first, which began with startOf(), or begins with zeros, when the block has used the memory for
// something else.
template <class Wgmma, class LoaderA, class LoaderB>
TWEED_KERNEL void __launch_bounds__(ProductOf<Wgmma, LoaderA, LoaderB>::threads,
                                    ProductOf<Wgmma, LoaderA, LoaderB>::minBlocks)
    runParts(LoaderA a, LoaderB b, int cut, int end, bool goesOn, float* out) {
  using P = ProductOf<Wgmma, LoaderA, LoaderB>;
  if constexpr (runsHere<P>) {
    auto& shared = *tweed::dynamicShared<typename P::Shared>(1);
    P product(shared);
    typename P::Accumulator acc{};
    P::forEach(acc, [](float& value, int i, int j) { value = startOf(i, j); });
    product.run(a, b, 0, cut, acc);
    if (!goesOn) {
      for (int i = int(threadIdx.x); i < P::sharedBytes; i += P::threads) shared.bytes[i] = 0xEE;
      tweed::arch::syncBlock();
      acc = {};
    }
    product.run(a, b, cut, end, acc);
    auto const store = [&](float const(&run)[P::runItems], int i, int j) {
      for (int n = 0; n < P::runItems; ++n) out[i * columnsOf<P> + j + n] = run[n];
    };
    if (goesOn)
      P::forEachRun(acc, store);
    else
      P::useUpRuns(acc, store);
  } else {
    tweed::arch::stopWithoutTarget();
  }
}

// Whether the tile is what the items of the sum from `begin` to `end` give, added to startOf() or
// to zeros; `rows` x `columns` of it exist.
template <class T, class Product, class ItemA, class ItemB>
void checkTile(std::vector<float> const& got, int rows, int columns, int begin, int end,
               bool fromStart, ItemA itemA, ItemB itemB) {
  constexpr int m = rowsOf<Product>, n = columnsOf<Product>;
  rows = tweed::smaller(rows, m), columns = tweed::smaller(columns, n);
  std::size_t const k = std::size_t(tweed::larger(0, end - begin));
  std::vector<double> a(std::size_t(m) * k), b(std::size_t(n) * k);
  for (std::size_t l = 0; l < k; ++l) {
    for (int i = 0; i < rows; ++i) a[std::size_t(i) * k + l] = taken(itemA(i, begin + int(l)));
    for (int j = 0; j < columns; ++j) b[std::size_t(j) * k + l] = taken(itemB(begin + int(l), j));
  }
  int wrong = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double const start = fromStart ? double(startOf(i, j)) : 0;
      Exact exact{start, std::fabs(start)};
      bool const exists = i < rows && j < columns && k > 0;
      if (exists) {
        double const* const x = a.data() + std::size_t(i) * k;
        double const* const y = b.data() + std::size_t(j) * k;
        for (std::size_t l = 0; l < k; ++l) {
          double const term = x[l] * y[l];
          exact.sum += term, exact.size += std::fabs(term);
        }
      }
      double const have = double(got[std::size_t(i * n + j)]);
      double const bound = exists ? accumulatorBound<T>(exact, int(k) + 32) : 0;
      if (!(std::fabs(have - exact.sum) <= bound) && ++wrong == 1)
        MESSAGE("item (", i, ", ", j, ") is ", have, ", not ", exact.sum, "; allowed is ", bound);
    }
  CHECK(wrong == 0);
}

struct Case {
  int m, n, k, cut = 0;
  bool goesOn = true;
  int padding = 0, shift = 0, missing = 0;
};

template <class Wgmma, class T, class LayoutA, class LayoutB>
void checkParts(Case const& c) {
  INFO("m ", c.m, ", n ", c.n, ", k ", c.k, ", cut ", c.cut, ", goes on ", c.goesOn, ", padding ",
       c.padding, ", shift ", c.shift, ", missing ", c.missing);
  Operand<T, LayoutA> a(c.m, c.k, 1, {c.padding, c.shift, 1});
  Operand<T, LayoutB> b(c.k, c.n, 2, {c.padding, c.shift, 1});
  auto loadA = tweed::loadRows(a.upload(), 0);
  auto loadB = tweed::loadColumns(b.upload(), 0);
  // The last of the sum count as 0, although the memory holds some.
  int const depth = c.k - c.missing;
  (c.missing % 2 == 0 ? loadA.depth : loadB.depth) = depth;
  using P = ProductOf<Wgmma, decltype(loadA), decltype(loadB)>;
  DeviceArray<float> const out(rowsOf<P> * columnsOf<P>);
  tweed::launch(runParts<Wgmma, decltype(loadA), decltype(loadB)>, {1, P::threads, P::sharedBytes},
                loadA, loadB, c.cut, c.k, c.goesOn, out.data());
  tweed::synchronize();
  checkTile<T, P>(
      out.host(), c.m, c.n, c.goesOn ? 0 : c.cut, depth, c.goesOn,
      [&](int i, int l) { return a.at(i, l); }, [&](int l, int j) { return b.at(l, j); });
}

// Every edge of the tile with every edge of the steps and of the ring; aligned to 16 bytes where
// the sizes are, and not.
template <class Wgmma, class T, class LayoutA, class LayoutB>
void checkEdges() {
  using C = ConfigFor<T, Wgmma>;
  constexpr int m = C::Tile::m, n = C::Tile::n, step = stepItems<T>, ring = Wgmma::stages * step;
  int const depths[] = {0, 1, step - 1, step, step + 1, ring - 1, ring, ring + 1, 2 * ring + step};
  int turn = 0;
  for (int const k : depths)
    for (int const edge : {-1, 0, 1}) {
      ++turn;
      if (isLoom && (turn + Wgmma::stages) % (isShort() ? 9 : 4) != 0) continue;
      Case c{m + edge, n + (edge + turn) % 2, k, turn % 3 == 0 ? k / 2 : 0};
      c.padding = turn % 4 == 0 ? 8 - k % 8 : turn % 4 == 1 ? 0 : turn;
      c.shift = turn % 4 < 2 ? 0 : turn % 8;
      checkParts<Wgmma, T, LayoutA, LayoutB>(c);
    }
  Case whole{m, n, 2 * ring, ring};
  whole.padding = 8;
  checkParts<Wgmma, T, LayoutA, LayoutB>(whole);
  if (isLoom && isShort()) return;
  checkParts<Wgmma, T, LayoutA, LayoutB>({1, n, ring, step + 3, false});
  checkParts<Wgmma, T, LayoutA, LayoutB>({m, 1, ring + 5, ring, false, 3, 1});
}

// Rows of A that numbers pick.
void checkGather(int padding, int k) {
  CAPTURE(padding);
  CAPTURE(k);
  using P = ProductOf<Square, GatherLoader<Bf>, Backwards>;
  int const rows = 50, m = rowsOf<P> - 3, n = columnsOf<P> - 11;
  Operand<Bf, RowMajor> a(rows, k, 1, {padding, 0, 1}), b(k, n, 2, {padding + 2, 0, 1});
  std::vector<int> index;
  for (int i = 0; i < m; ++i) index.push_back(int(noise(std::uint64_t(i)) % unsigned(rows)));
  ExactArray<int> const dIndex(index);
  auto const viewA = a.upload();
  auto const viewB = b.upload();
  GatherLoader<Bf> const loadA{viewA.data, viewA.leadingDimension, dIndex.data(), m, k};
  Backwards const loadB{viewB.data, viewB.leadingDimension, n, k};
  DeviceArray<float> const out(rowsOf<P> * columnsOf<P>);
  tweed::launch(runParts<Square, GatherLoader<Bf>, Backwards>, {1, P::threads, P::sharedBytes},
                loadA, loadB, 64, k, true, out.data());
  tweed::synchronize();
  checkTile<Bf, P>(
      out.host(), m, n, 0, k, true, [&](int i, int l) { return a.at(index[std::size_t(i)], l); },
      [&](int l, int j) { return b.at(k - 1 - l, j); });
}

// Items that functions make, of both layouts.
template <class T, Major MajorA, Major MajorB>
struct Made {
  struct A {
    T const* data;
    int rows;
    TWEED_HOST_DEVICE T operator()(int i, int k) const {
      return T(float(data[k * rows + i]) * float(k % 3 - 1));
    }
  };
  struct B {
    T const* data;
    int columns;
    TWEED_HOST_DEVICE T operator()(int j, int k) const {
      return T(float(data[k * columns + j]) + float(j % 2));
    }
  };
  using LoaderA = FunctionLoader<A, T, MajorA>;
  using LoaderB = FunctionLoader<B, T, MajorB>;
};
template <class Wgmma, class T, Major MajorA, Major MajorB>
void checkMade(int lessRows, int lessColumns, int k) {
  CAPTURE(k);
  using M = Made<T, MajorA, MajorB>;
  using P = ProductOf<Wgmma, typename M::LoaderA, typename M::LoaderB>;
  int const m = rowsOf<P> - lessRows, n = columnsOf<P> - lessColumns;
  Operand<T, ColumnMajor> a(m, k, 5, {});
  Operand<T, RowMajor> b(k, n, 6, {});
  typename M::LoaderA const loadA{{a.upload().data, m}, m, k};
  typename M::LoaderB const loadB{{b.upload().data, n}, n, k};
  DeviceArray<float> const out(rowsOf<P> * columnsOf<P>);
  tweed::launch(runParts<Wgmma, typename M::LoaderA, typename M::LoaderB>,
                {1, P::threads, P::sharedBytes}, loadA, loadB, 9, k, true, out.data());
  tweed::synchronize();
  checkTile<T, P>(
      out.host(), m, n, 0, k, true,
      [&](int i, int l) { return item<T>(number(a.at(i, l)) * double(l % 3 - 1)); },
      [&](int l, int j) { return item<T>(double(float(number(b.at(l, j))) + float(j % 2))); });
}

// The softmax of each row of A * B, whose sums use the memory of the stages; a block takes several
// tiles of rows, one after the other.
template <class Wgmma, class A, class B>
TWEED_KERNEL void softmaxRows(A a, B b, int n, float* out) {
  using P = ProductOf<Wgmma, RowLoader<A>, ColumnLoader<B>>;
  if constexpr (runsHere<P>) {
    constexpr int m = rowsOf<P>, pitch = columnsOf<P> + 4;
    static_assert(m * pitch * 4 <= P::sharedBytes);
    float* const tile = tweed::dynamicShared<float>(m * pitch);
    P product(*tweed::dynamicShared<typename P::Shared>(1));
    int const lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    for (long long row = int(blockIdx.x) * m; row < a.rows; row += int(gridDim.x) * m) {
      typename P::Accumulator acc{};
      product.run(tweed::loadRows(a, row), tweed::loadColumns(b, 0), 0, int(a.columns), acc);
      P::forEach(acc, [&](float value, int i, int j) { tile[i * pitch + j] = value; });
      tweed::arch::syncBlock();
      for (int i = warp; i < m && row + i < a.rows; i += P::threads / 32) {
        float most = -INFINITY, sum = 0;
        for (int j = lane; j < n; j += 32) most = fmaxf(most, tile[i * pitch + j]);
        most = tweed::warpReduce(most, tweed::Max{});
        for (int j = lane; j < n; j += 32) sum += expf(tile[i * pitch + j] - most);
        sum = tweed::warpReduce(sum);
        for (int j = lane; j < n; j += 32)
          out[(row + i) * n + j] = expf(tile[i * pitch + j] - most) / sum;
      }
      tweed::arch::syncBlock();
    }
  } else {
    tweed::arch::stopWithoutTarget();
  }
}

void checkSoftmax(int rows, int n, int k) {
  CAPTURE(rows);
  CAPTURE(n);
  CAPTURE(k);
  Operand<Bf, RowMajor> a(rows, k, 11, {}), b(k, n, 12, {});
  using View = MatrixView<Bf const, RowMajor>;
  using P = ProductOf<Square, RowLoader<View>, ColumnLoader<View>>;
  REQUIRE(n <= columnsOf<P>);
  DeviceArray<float> const out(std::size_t(rows) * std::size_t(n));
  tweed::launch(softmaxRows<Square, View, View>, {2, P::threads, P::sharedBytes}, a.upload(),
                b.upload(), n, out.data());
  tweed::synchronize();
  auto const found = out.host();
  double worst = 0;
  for (int i = 0; i < rows; i += 1 + i % 7) {
    std::vector<double> values;
    double most = -INFINITY, total = 0;
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += number(a.at(i, l)) * number(b.at(l, j));
      values.push_back(sum);
      most = std::fmax(most, sum);
    }
    for (double& value : values) total += value = std::exp(value - most);
    for (int j = 0; j < n; ++j) {
      double const expected = values[std::size_t(j)] / total;
      double const error = std::fabs(double(found[std::size_t(i * n + j)]) / expected - 1);
      if (!(error <= worst)) worst = error;
    }
  }
  CHECK(worst < 1e-4);
}

// D = (A * B) * C of a tile of rows: the first product, rounded to T, stays in shared memory, and
// both take the same stages.
template <class Wgmma, class T>
TWEED_KERNEL void multiplyTwice(MatrixView<T const, RowMajor> a, MatrixView<T const, ColumnMajor> b,
                                MatrixView<T const, RowMajor> c, T* between, float* d) {
  using A = MatrixView<T const, RowMajor>;
  using B = MatrixView<T const, ColumnMajor>;
  using First = ProductOf<Wgmma, RowLoader<A>, ColumnLoader<B>>;
  if constexpr (runsHere<First>) {
    constexpr int m = rowsOf<First>, n = columnsOf<First>, pitch = n + 8;
    unsigned char* const memory =
        tweed::dynamicShared<unsigned char>(First::sharedBytes + m * pitch * sizeof(T));
    T* const kept = reinterpret_cast<T*>(memory + First::sharedBytes);
    auto const rows =
        tweed::loadItems<Major::K>([=](int i, int k) { return kept[i * pitch + k]; }, m, n);
    using Second = ProductOf<Wgmma, decltype(rows), ColumnLoader<A>>;
    static_assert(sizeof(typename First::Shared) == sizeof(typename Second::Shared));
    First first(*reinterpret_cast<typename First::Shared*>(memory));
    typename First::Accumulator acc{};
    first.run(tweed::loadRows(a, 0), tweed::loadColumns(b, 0), 0, int(a.columns), acc);
    First::forEach(acc, [&](float value, int i, int j) {
      kept[i * pitch + j] = T(value);
      between[i * n + j] = T(value);
    });
    tweed::arch::syncBlock();
    Second second(*reinterpret_cast<typename Second::Shared*>(memory));
    typename Second::Accumulator sums{};
    Second::forEach(sums, [](float& value, int i, int j) { value = startOf(i, j); });
    second.run(rows, tweed::loadColumns(c, 0), 0, int(c.rows), sums);
    Second::forEach(sums, [&](float value, int i, int j) { d[i * n + j] = value; });
  } else {
    tweed::arch::stopWithoutTarget();
  }
}

template <class Wgmma, class T>
void checkTwice(int lessRows, int k, int lessBetween, int lessColumns) {
  using P = ProductOf<Wgmma, tweed::MatrixLoader<T, Major::K>, tweed::MatrixLoader<T, Major::K>>;
  constexpr int m = rowsOf<P>, n = columnsOf<P>;
  int const rows = m - lessRows, depth = n - lessBetween, columns = n - lessColumns;
  Operand<T, RowMajor> a(rows, k, 21, {}), c(depth, columns, 23, {});
  Operand<T, ColumnMajor> b(k, depth, 22, {});
  DeviceArray<T> const between(m * n);
  DeviceArray<float> const out(m * n);
  tweed::launch(multiplyTwice<Wgmma, T>,
                {1, P::threads, P::sharedBytes + std::size_t(m) * (n + 8) * sizeof(T)}, a.upload(),
                b.upload(), c.upload(), between.data(), out.data());
  tweed::synchronize();
  std::vector<T> const first = between.host();
  int wrong = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < depth; ++j) {
      Exact exact;
      for (int l = 0; l < k; ++l) {
        double const term = taken(a.at(i, l)) * taken(b.at(l, j));
        exact.sum += term, exact.size += std::fabs(term);
      }
      double const have = number(first[std::size_t(i * n + j)]);
      wrong += !(std::fabs(have - exact.sum) <=
                 accumulatorBound<T>(exact, k) + 1.01 * rounding<T> * std::fabs(exact.sum) + 1e-7);
    }
  CHECK(wrong == 0);
  checkTile<T, P>(
      out.host(), rows, columns, 0, depth, true,
      [&](int i, int l) { return first[std::size_t(i * n + l)]; },
      [&](int l, int j) { return c.at(l, j); });
}

}  // namespace

TEST_SUITE("wgmmaBlockMatmul") {
  TEST_CASE("sizes are known at compile time") {
    using Loader = tweed::MatrixLoader<Bf, Major::K>;
    using P = tweed::BlockMatmul<Square, Loader, Loader, float>;
    CHECK(P::path == tweed::Path::Wgmma);
    CHECK(P::threads == 256);
    CHECK(P::k == 64);
    CHECK(P::runItems == 2);
    CHECK(P::sharedBytes == 3 * 2 * 128 * 128 + 896);
    CHECK(sizeof(P::Shared) == P::sharedBytes);
    CHECK(P::minBlocks == 2);
    CHECK(sizeof(P::Accumulator) == 64 * 4);
    CHECK(tweed::BlockMatmul<Wide, Loader, Loader, float>::minBlocks == 1);
    CHECK(tweed::BlockMatmul<Three, Loader, Loader, float>::threads == 384);
  }
  TEST_CASE("every edge, all layouts") {
    if (!canRun()) return;
    checkEdges<Square, Bf, RowMajor, ColumnMajor>();
    checkEdges<Square, Bf, RowMajor, RowMajor>();
    checkEdges<Square, Bf, ColumnMajor, ColumnMajor>();
    checkEdges<Square, Bf, ColumnMajor, RowMajor>();
  }
  TEST_CASE("half and TF32") {
    if (!canRun()) return;
    checkEdges<Square, __half, ColumnMajor, RowMajor>();
    checkEdges<Square, float, RowMajor, ColumnMajor>();
  }
#if !defined(TWEED_LOOM)
  TEST_CASE("other tiles, stages and numbers of threads") {
    if (!canRun()) return;
    checkEdges<Waiting, Bf, RowMajor, RowMajor>();
    checkEdges<Small, Bf, RowMajor, ColumnMajor>();
    checkEdges<Small, __half, ColumnMajor, RowMajor>();
    checkEdges<Flat, Bf, ColumnMajor, RowMajor>();
    checkEdges<Wide, Bf, RowMajor, RowMajor>();
    checkEdges<Wide, float, RowMajor, ColumnMajor>();
    checkEdges<Tall, Bf, ColumnMajor, ColumnMajor>();
    checkEdges<Tall, float, RowMajor, ColumnMajor>();
    checkEdges<Three, Bf, ColumnMajor, RowMajor>();
    checkEdges<Three, Bf, RowMajor, ColumnMajor>();
  }
#endif
  TEST_CASE("runs that are cut anywhere, operands that end before kEnd") {
    if (!canRun()) return;
    for (int const cut : {1, 8, 64, 67, 200}) {  // 1 and 67: the second run begins off 16 bytes
      checkParts<Square, Bf, RowMajor, ColumnMajor>({64, 64, 200, cut});
      checkParts<Square, Bf, ColumnMajor, RowMajor>({50, 33, 200, cut, false, 6});
      if (isLoom) break;
    }
    for (int const missing : {1, 2, 63, 64, 72}) {
      checkParts<Square, Bf, RowMajor, ColumnMajor>({64, 64, 200, 67, true, 0, 0, missing});
      checkParts<Square, Bf, ColumnMajor, RowMajor>({50, 33, 200, 0, false, 6, 0, missing});
      if (isLoom) break;
    }
  }
  TEST_CASE("addresses that a loader computes") {
    if (!canRun()) return;
    checkGather(5, 107);
    checkGather(1, 300);
    checkGather(0, 64 * 4);
  }
  TEST_CASE("items that a function makes") {
    if (!canRun()) return;
    checkMade<Square, Bf, Major::K, Major::Mn>(0, 1, 203);
    checkMade<Square, Bf, Major::K, Major::Mn>(5, 0, 64);
    checkMade<Square, __half, Major::Mn, Major::K>(3, 2, 130);
    checkMade<Square, float, Major::K, Major::K>(1, 3, 97);
  }
  TEST_CASE("softmax of the rows of a product") {
    if (!canRun()) return;
    checkSoftmax(300, 61, 200);
    checkSoftmax(1, 1, 8);
    if (!isLoom) checkSoftmax(1000, 128, 520);
  }
  TEST_CASE("two products, one after the other, in one block") {
    if (!canRun()) return;
    checkTwice<Square, Bf>(0, 200, 0, 0);
    checkTwice<Square, __half>(3, 65, 5, 9);
    if (!isLoom) checkTwice<Tall, Bf>(1, 300, 7, 2);
  }
}
