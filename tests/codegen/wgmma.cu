// SPDX-License-Identifier: Apache-2.0
// tests/codegen/wgmma.cu - the kernels of products by wgmma, for what ptxas says of them.
#include <tweed/matmul/blockTile.cuh>
#include <tweed/memory/dynamicShared.cuh>

#include "lists.cuh"

namespace {

// A tile that is multiplied twice, and what may lie between.
template <class Config, class LoaderA, class LoaderB>
TWEED_KERNEL void __launch_bounds__(tweed::BlockMatmul<Config, LoaderA, LoaderB, float>::threads,
                                    tweed::BlockMatmul<Config, LoaderA, LoaderB, float>::minBlocks)
    multiplyTile(LoaderA a, LoaderB b, float* c, int k) {
  using Product = tweed::BlockMatmul<Config, LoaderA, LoaderB, float>;
  if constexpr (tweed::detail::isWgmmaTarget<Product>) {
    Product product(*tweed::dynamicShared<typename Product::Shared>(1));
    typename Product::Accumulator acc{};
    product.run(a, b, 0, k / 2, acc);
    if (k % 3 == 0)
      product.forEach(acc, [](float& value, int, int j) { value *= 0.5f + float(j); });
    if (k % 5 == 0) acc = {};
    product.run(a, b, k / 2, k, acc);
    product.forEachRun(acc, [&](float(&two)[2], int i, int j) {
      if (i < a.extent && j < b.extent) c[i * Config::Tile::n + j] = two[0] + two[1];
    });
  }
}
// A tile of A * B that is then multiplied by C, out of shared memory.
template <class Config>
TWEED_KERNEL void multiplyTwice(tweed::MatrixLoader<__half, tweed::Major::K> a,
                                tweed::MatrixLoader<__half, tweed::Major::K> b,
                                tweed::MatrixLoader<__half, tweed::Major::Mn> c, float* out) {
  using First = tweed::BlockMatmul<Config, decltype(a), decltype(b), float>;
  if constexpr (tweed::detail::isWgmmaTarget<First>) {
    constexpr int m = Config::Tile::m, n = Config::Tile::n;
    unsigned char* const memory = tweed::dynamicShared<unsigned char>();
    __half* const kept = reinterpret_cast<__half*>(memory + First::sharedBytes);
    First first(*reinterpret_cast<typename First::Shared*>(memory));
    typename First::Accumulator acc{};
    first.run(a, b, 0, a.depth, acc);
    First::forEach(acc, [&](float value, int i, int j) { kept[i * n + j] = __half(value); });
    tweed::arch::syncBlock();
    auto const rows =
        tweed::loadItems<tweed::Major::K>([=](int i, int k) { return kept[i * n + k]; }, m, n);
    using Second =
        tweed::BlockMatmul<Config, tweed::RemoveConst<decltype(rows)>, decltype(c), float>;
    Second second(*reinterpret_cast<typename Second::Shared*>(memory));
    typename Second::Accumulator sums{};
    second.run(rows, c, 0, c.depth, sums);
    Second::forEach(sums, [&](float value, int i, int j) { out[i * n + j] = value; });
  }
}
// A tile in one call, stored by an epilogue.
template <class Config, class Loader>
TWEED_KERNEL void __launch_bounds__(tweed::BlockMatmul<Config, Loader, Loader, float>::threads,
                                    tweed::BlockMatmul<Config, Loader, Loader, float>::minBlocks)
    storeTile(Loader a, Loader b, tweed::MatrixView<float, RowMajor> c) {
  using Product = tweed::BlockMatmul<Config, Loader, Loader, float>;
  if constexpr (tweed::detail::isWgmmaTarget<Product>)
    tweed::blockMatmul<Config>(*tweed::dynamicShared<typename Product::Shared>(1), a, b)
        .store(c, {0, 0, 0}, tweed::scale(2.f) | tweed::addC(0.5f));
}

}  // namespace

void useKernels(void const** kernels) {
  constexpr auto wgmma = tweed::Path::Wgmma;
  useList<TaskOf<Bf, RowMajor, ColumnMajor>, wgmma>(kernels);
  useList<TaskOf<float, RowMajor, ColumnMajor>, wgmma>(kernels);
  // The largest, with other layouts and more to do at its end; split sums end in another way.
  using Large = tweed::WgmmaConfiguration<tweed::WgmmaConfig<128, 256, 2, 4, 2>>;
  using Split = tweed::WgmmaConfiguration<tweed::WgmmaConfig<64, 64, 1, 8, 1, 4>>;
  useOne<TaskOf<__half, RowMajor, RowMajor>, Large>(kernels);
  useOne<TaskOf<Bf, ColumnMajor, RowMajor, tweed::Identity, float>, Large>(kernels);
  useOne<TaskOf<Bf, ColumnMajor, ColumnMajor, ScaleAndC>, Large>(kernels);
  useOne<TaskOf<Bf, RowMajor, ColumnMajor, BiasAndGelu>, Large>(kernels);
  useOne<TaskOf<Bf, RowMajor, ColumnMajor, RowsAndColumns>, Large>(kernels);
  useOne<TaskOf<Bf, RowMajor, ColumnMajor, BiasAndGelu>, Split>(kernels);

  auto const add = [&](auto* kernel) { *kernels++ = reinterpret_cast<void const*>(kernel); };
  add(&tweed::detail::packRuns<4, unsigned short>);
  add(&tweed::detail::packRuns<2, unsigned short>);
  add(&tweed::detail::packRuns<1, unsigned short>);
  add(&tweed::detail::packRuns<2, unsigned>);
  add(&tweed::detail::packRuns<1, unsigned>);

  using tweed::Major, tweed::MatrixLoader, tweed::WgmmaConfig;
  using ByK = MatrixLoader<Bf, Major::K>;
  using ByN = MatrixLoader<Bf, Major::Mn>;
  using Single = MatrixLoader<float, Major::K>;
  add(&multiplyTile<WgmmaConfig<128, 128, 2, 4>, ByK, ByK>);
  add(&multiplyTile<WgmmaConfig<128, 256, 2, 4>, ByN, ByN>);
  add(&multiplyTile<WgmmaConfig<128, 256, 2, 4>, Single, Single>);
  add(&multiplyTile<WgmmaConfig<256, 128, 2, 4>, tweed::GatherLoader<__half>,
                    MatrixLoader<__half, Major::Mn>>);
  add(&multiplyTile<WgmmaConfig<128, 128, 2, 2>, ByK, ByN>);
  add(&multiplyTwice<WgmmaConfig<128, 128, 2, 3>>);
  add(&storeTile<WgmmaConfig<128, 256, 2, 4>, ByK>);
}
