// SPDX-License-Identifier: Apache-2.0
// expect: tweed::BlockTile: rowSum, columnMax and their like are of whole products alone
#include <tweed/matmul/blockTile.cuh>

using Config = tweed::SimtConfig<tweed::TileShape<32, 32, 8>, 4, 4, 2>;
using Loader = tweed::MatrixLoader<float, tweed::Major::K>;

__global__ void kernel(Loader a, tweed::BlockMatmul<Config, Loader, Loader>::Shared& scratch,
                       tweed::MatrixView<float, tweed::RowMajor> c, float* sums) {
  tweed::blockMatmul<Config>(scratch, a, a).store(c, {0, 0, 0}, tweed::rowSum(sums));
}
