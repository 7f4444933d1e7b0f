// SPDX-License-Identifier: Apache-2.0
// expect: with MmaConfig Tile::k is 128 bytes
#include <tweed/matmul/loader.cuh>
#include <tweed/matmul/mmaMatmul.cuh>

using Config = tweed::MmaConfig<tweed::TileShape<64, 64, 32>, 32, 32, 3>;
using Loader = tweed::MatrixLoader<__half, tweed::Major::K>;
constexpr int threads = tweed::BlockMatmul<Config, Loader, Loader, float>::threads;
