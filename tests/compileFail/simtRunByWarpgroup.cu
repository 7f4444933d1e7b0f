// SPDX-License-Identifier: Apache-2.0
// expect: tweed::BlockMatmul: with Loading::ByWarpgroup the kernel calls split
#include <tweed/matmul/blockMatmul.cuh>

using Loader = tweed::MatrixLoader<float, tweed::Major::K>;
using Product = tweed::BlockMatmul<
    tweed::SimtConfig<tweed::TileShape<64, 64, 8>, 4, 4, 2, tweed::Loading::ByWarpgroup>, Loader,
    Loader>;

__global__ void kernel(Product& product, Loader a, Product::Accumulator& acc) {
  product.run(a, a, 0, 8, acc);
}
