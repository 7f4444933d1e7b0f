// SPDX-License-Identifier: Apache-2.0
// tests/codegen/wgmma.cu - the kernels of products by wgmma, for what ptxas says of them.
#include <tweed/matmul/wgmmaBlockMatmul.cuh>
#include <tweed/matmul/wgmmaProduct.cuh>
#include <tweed/memory/dynamicShared.cuh>

namespace {

using tweed::ColumnMajor;
using tweed::Identity;
using tweed::RowMajor;
using tweed::WgmmaConfig;

struct BiasGelu {
  float const* bias;
  TWEED_DEVICE float operator()(float value, tweed::Coord at) const {
    value += bias[at.column];
    return 0.5f * value * (1.0f + erff(value * 0.70710678f));
  }
};
struct Residual {
  static constexpr bool needsC = true;
  float alpha, beta;
  TWEED_DEVICE float operator()(float value, float c, tweed::Coord) const {
    return alpha * value + beta * c;
  }
};

template <class Config, class T, class LayoutA, class LayoutB, class Item, class Epilogue>
void use(cudaStream_t stream) {
  using Task =
      tweed::MatmulTask<tweed::MatrixView<T const, LayoutA>, tweed::MatrixView<T const, LayoutB>,
                        tweed::MatrixView<Item, RowMajor>, Epilogue>;
  tweed::WgmmaProduct<Config, Task>(Task{}).launch(stream);
}

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
template <class Config, class LoaderA, class LoaderB>
void useBlock(cudaStream_t stream, LoaderA const& a = {}, LoaderB const& b = {}) {
  using Product = tweed::BlockMatmul<Config, LoaderA, LoaderB, float>;
  tweed::launch(multiplyTile<Config, LoaderA, LoaderB>,
                {1, Product::threads, Product::sharedBytes, stream}, a, b, nullptr, 64);
}

}  // namespace

void everyKind(cudaStream_t stream) {
  using Large = WgmmaConfig<128, 256, 2, 4, 2>;
  using Bf = __nv_bfloat16;
  use<Large, Bf, RowMajor, ColumnMajor, Bf, Identity>(stream);
  use<Large, __half, RowMajor, RowMajor, __half, BiasGelu>(stream);
  use<Large, Bf, ColumnMajor, ColumnMajor, Bf, Residual>(stream);
  use<Large, Bf, ColumnMajor, RowMajor, float, Identity>(stream);
  use<Large, float, RowMajor, ColumnMajor, float, Identity>(stream);
  use<WgmmaConfig<256, 128, 2, 3>, Bf, RowMajor, ColumnMajor, Bf, Residual>(stream);
  use<WgmmaConfig<128, 128, 2, 5, 1, 4>, Bf, RowMajor, ColumnMajor, Bf, BiasGelu>(stream);
  use<WgmmaConfig<64, 64, 1, 8>, Bf, RowMajor, ColumnMajor, Bf, BiasGelu>(stream);

  using tweed::Major;
  using tweed::MatrixLoader;
  useBlock<WgmmaConfig<128, 128, 2, 4>, MatrixLoader<Bf, Major::K>, MatrixLoader<Bf, Major::K>>(
      stream);
  useBlock<WgmmaConfig<128, 256, 2, 4>, MatrixLoader<Bf, Major::Mn>, MatrixLoader<Bf, Major::Mn>>(
      stream);
  useBlock<WgmmaConfig<128, 256, 2, 4>, MatrixLoader<float, Major::K>,
           MatrixLoader<float, Major::K>>(stream);
  useBlock<WgmmaConfig<256, 128, 2, 4>, tweed::GatherLoader<__half>,
           MatrixLoader<__half, Major::Mn>>(stream);
  useBlock<WgmmaConfig<128, 128, 2, 2>, MatrixLoader<Bf, Major::K>, MatrixLoader<Bf, Major::Mn>>(
      stream);
  tweed::MatrixLoader<__half, Major::K> const none{};
  tweed::launch(multiplyTwice<WgmmaConfig<128, 128, 2, 3>>, {1, 256, 200000, stream}, none, none,
                tweed::MatrixLoader<__half, Major::Mn>{}, nullptr);
}
