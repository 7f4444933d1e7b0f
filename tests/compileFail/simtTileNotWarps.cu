// SPDX-License-Identifier: Apache-2.0
// expect: tweed::SimtConfig: Tile::m is a multiple of the lanes' 8
#include <tweed/matmul/blockMatmul.cuh>

using Config = tweed::SimtConfig<tweed::TileShape<60, 64, 8>, 4, 4, 2>;
constexpr int threads = Config::threads;
