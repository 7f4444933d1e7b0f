// SPDX-License-Identifier: Apache-2.0
// expect: tweed::blockMatmul: the scratch is smaller than BlockMatmul's Shared
#include <tweed/matmul/blockTile.cuh>

using Config = tweed::MmaConfig<tweed::TileShape<64, 64, 64>, 32, 32, 3>;
using Loader = tweed::MatrixLoader<__half, tweed::Major::K>;
struct alignas(128) Scratch {
  unsigned char bytes[1024];
};

__global__ void kernel(Loader a, Scratch& scratch) { tweed::blockMatmul<Config>(scratch, a, a); }
