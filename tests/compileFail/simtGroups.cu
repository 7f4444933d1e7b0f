// SPDX-License-Identifier: Apache-2.0
// expect: tweed::SimtConfig: KGroups divides Tile::k
#include <tweed/matmul/blockMatmul.cuh>

using Config = tweed::SimtConfig<tweed::TileShape<64, 64, 8>, 4, 4, 2, tweed::Loading::ByAll, 3>;
constexpr int threads = Config::threads;
