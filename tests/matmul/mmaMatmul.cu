// SPDX-License-Identifier: Apache-2.0
// tests/matmul/mmaMatmul.cu - tests tweed/matmul/mmaMatmul.cuh
#include <tweed/arch/barrier.cuh>
#include <tweed/matmul/mmaMatmul.cuh>
#include <tweed/memory/dynamicShared.cuh>

#include "support/mma.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::Major;
using tweed::RowMajor;

template <class T>
using Config = tweed::MmaConfig<tweed::TileShape<64, 64, 128 / int(sizeof(T))>, 32, 32, 3>;
template <class LoaderA, class LoaderB>
using Product = tweed::BlockMatmul<Config<typename LoaderA::Item>, LoaderA, LoaderB, float>;

static_assert(
    Product<tweed::MatrixLoader<__half, Major::K>, tweed::MatrixLoader<__half, Major::Mn>>::path ==
    tweed::Path::Mma);
static_assert(sizeof(Product<tweed::MatrixLoader<__half, Major::K>,
                             tweed::MatrixLoader<__half, Major::Mn>>::Shared) == 3 * 16 * 1024);

// A run that ends at `cut` and one that ends at `end`, one after the other, with accumulators of
// their own or going on; between them the block uses the memory for something else.
template <class LoaderA, class LoaderB>
__global__ void runParts(LoaderA a, LoaderB b, int cut, int end, bool goesOn, float* out) {
  using P = Product<LoaderA, LoaderB>;
  auto& shared = *tweed::dynamicShared<typename P::Shared>(1);
  P product(shared);
  typename P::Accumulator acc{};
  product.run(a, b, 0, cut, acc);
  if (!goesOn) {
    shared.bytes[threadIdx.x] = 0xEE;
    tweed::arch::syncBlock();
    acc = {};
  }
  product.run(a, b, cut, end, acc);
  product.forEach(acc, [](float& value, int row, int) { value += float(row); });
  product.forEachRun(acc, [&](float const(&two)[2], int row, int column) {
    out[row * 64 + column] = two[0];
    out[row * 64 + column + 1] = two[1];
  });
}

template <class T, class LayoutA, class LayoutB>
void checkParts(int m, int n, int k, int cut, bool goesOn, int padding, int missing = 0) {
  CAPTURE(k);
  CAPTURE(cut);
  CAPTURE(goesOn);
  Operand<T, LayoutA> a(m, k, 1, {padding, 0, 1});
  Operand<T, LayoutB> b(k, n, 2, {padding, 0, 1});
  auto loadA = tweed::loadRows(a.upload(), 0);
  auto loadB = tweed::loadColumns(b.upload(), 0);
  // The last of the sum count as 0, although the memory holds some.
  int const depth = k - missing;
  (missing % 2 == 0 ? loadA.depth : loadB.depth) = depth;
  using P = Product<tweed::RemoveConst<decltype(loadA)>, tweed::RemoveConst<decltype(loadB)>>;
  DeviceArray<float> const out(64 * 64);
  tweed::launch(runParts<tweed::RemoveConst<decltype(loadA)>, tweed::RemoveConst<decltype(loadB)>>,
                {1, P::threads, P::sharedBytes}, loadA, loadB, cut, k, goesOn, out.data());
  tweed::synchronize();
  auto const got = out.host();
  Factors const factors(a, b, m, n, k);
  int wrong = 0;
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j) {
      bool const exists = i < m && j < n;
      auto const exact = exists ? factors.sum(i, j, goesOn ? 0 : cut, depth) : Exact{};
      double const want = exact.sum + i, have = number(got[std::size_t(i * 64 + j)]);
      if (!(std::fabs(have - want) <=
            accumulatorBound<T>(exact, k + 32) + 0x1p-24 * (std::fabs(want) + 64 * !exists)))
        if (++wrong == 1) MESSAGE("item (", i, ", ", j, ") is ", have, ", not ", want);
    }
  CHECK(wrong == 0);
}

// A loader that computes where the items stand: rows picked by numbers, or columns back to front.
struct Backwards {
  using Item = __half;
  static constexpr Major major = Major::Mn;
  static constexpr bool isRegular = false;
  __half const* data;
  long long leadingDimension;
  int extent, depth;
  TWEED_HOST_DEVICE __half const* at(int i, int k) const {
    return data + (depth - 1 - k) * leadingDimension + i;
  }
  TWEED_HOST_DEVICE bool isAligned(int bytes) const {
    return (reinterpret_cast<unsigned long long>(data) | (leadingDimension * 2)) %
               unsigned(bytes) ==
           0;
  }
};

void checkGather(int padding) {
  using T = __half;
  int const rows = 50, n = 41, k = 107;
  Operand<T, RowMajor> a(rows, k, 1, {padding, 0, 1}), b(k, n, 2, {padding + 2, 0, 1});
  std::vector<int> index;
  for (int i = 0; i < 60; ++i) index.push_back(int(noise(std::uint64_t(i)) % unsigned(rows)));
  ExactArray<int> const dIndex(index);
  auto const viewA = a.upload();
  auto const viewB = b.upload();
  tweed::GatherLoader<T> const loadA{viewA.data, viewA.leadingDimension, dIndex.data(), 60, k};
  Backwards const loadB{viewB.data, viewB.leadingDimension, n, k};
  using P = Product<tweed::GatherLoader<T>, Backwards>;
  DeviceArray<float> const out(64 * 64);
  tweed::launch(runParts<tweed::GatherLoader<T>, Backwards>, {1, P::threads, P::sharedBytes}, loadA,
                loadB, 64, k, true, out.data());
  tweed::synchronize();
  auto const got = out.host();
  int wrong = 0;
  for (int i = 0; i < 60; ++i)
    for (int j = 0; j < n; ++j) {
      Exact exact;
      for (int l = 0; l < k; ++l) {
        double const term = number(a.at(index[std::size_t(i)], l)) * number(b.at(k - 1 - l, j));
        exact.sum += term, exact.size += std::fabs(term);
      }
      double const want = exact.sum + i;
      wrong += !(std::fabs(number(got[std::size_t(i * 64 + j)]) - want) <=
                 accumulatorBound<T>(exact, k) + 0x1p-23 * std::fabs(want));
    }
  CHECK(wrong == 0);
}

// Items that a function makes, side by side in pairs of opposite sign along k.
template <class T, Major Major_>
struct Signed {
  T const* data;
  int extent;
  TWEED_HOST_DEVICE T operator()(int i, int k) const {
    return T(float(data[k * extent + i]) * (k % 2 == 0 ? 1.f : -1.f));
  }
};
template <class T, Major MajorA, Major MajorB>
void checkMade(int m, int n, int k) {
  using LoaderA = tweed::FunctionLoader<Signed<T, MajorA>, T, MajorA>;
  using LoaderB = tweed::FunctionLoader<Signed<T, MajorB>, T, MajorB>;
  using P = Product<LoaderA, LoaderB>;
  Operand<T, ColumnMajor> a(m, k, 5, {});
  Operand<T, RowMajor> b(k, n, 6, {});
  LoaderA const loadA{{a.upload().data, m}, m, k};
  LoaderB const loadB{{b.upload().data, n}, n, k};
  DeviceArray<float> const out(64 * 64);
  tweed::launch(runParts<LoaderA, LoaderB>, {1, P::threads, P::sharedBytes}, loadA, loadB, 13, k,
                true, out.data());
  tweed::synchronize();
  auto const got = out.host();
  Factors const factors(a, b, m, n, k);  // the signs of both sides cancel out
  int wrong = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      auto const exact = factors.sum(i, j);
      double const want = exact.sum + i;
      wrong += !(std::fabs(number(got[std::size_t(i * 64 + j)]) - want) <=
                 accumulatorBound<T>(exact, k + 32) + 0x1p-23 * std::fabs(want));
    }
  CHECK(wrong == 0);
}

}  // namespace

TEST_SUITE("mmaMatmul") {
  TEST_CASE("runs one after the other: going on, or anew after other uses of the memory") {
    using T = __nv_bfloat16;
    for (bool goesOn : {true, false})
      for (int cut : {0, 1, 8, 64, 67, 200}) {  // 1 and 67: the second run begins off 16 bytes
        checkParts<T, RowMajor, ColumnMajor>(64, 64, 200, cut, goesOn, 0);
        if (isShort() && cut > 1) break;
        checkParts<T, ColumnMajor, RowMajor>(50, 33, 200, cut, goesOn, 6);
        checkParts<T, RowMajor, RowMajor>(33, 50, 201, cut, goesOn, 7);
      }
    checkParts<float, RowMajor, RowMajor>(33, 50, 101, 37, true, 3);
    for (int missing : {1, 2, 63, 64, 72}) {
      checkParts<T, RowMajor, ColumnMajor>(64, 64, 200, 67, true, 0, missing);
      checkParts<T, ColumnMajor, RowMajor>(50, 33, 200, 0, false, 6, missing);
    }
  }
  TEST_CASE("addresses that a loader computes") { checkGather(0), checkGather(5), checkGather(1); }
  TEST_CASE("items that a function makes") {
    checkMade<__half, Major::K, Major::Mn>(64, 61, 203);
    checkMade<__nv_bfloat16, Major::Mn, Major::K>(57, 64, 64);
    checkMade<float, Major::K, Major::Mn>(63, 62, 97);
  }
#if defined(TWEED_LOOM)
  TEST_CASE("another block than the configuration's is named") {
    Operand<__half, RowMajor> a(8, 8, 1, {});
    Operand<__half, ColumnMajor> b(8, 8, 1, {});
    auto const loadA = tweed::loadRows(a.upload(), 0);
    auto const loadB = tweed::loadColumns(b.upload(), 0);
    using Loader = tweed::RemoveConst<decltype(loadA)>;
    DeviceArray<float> const out(64 * 64);
    auto const text = fault([&] {
      tweed::launch(runParts<Loader, Loader>, {1, 64, Product<Loader, Loader>::sharedBytes}, loadA,
                    loadB, 0, 8, true, out.data());
    });
    CHECK(contains(text, "BlockMatmul: written for a block of (128, 1, 1) threads"));
  }
#endif
}
