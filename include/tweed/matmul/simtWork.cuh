// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/simtWork.cuh - how the blocks of a launch share the tiles of a product.
#pragma once

#include <tweed/matmul/tileOrder.cuh>
#include <tweed/matmul/tileShape.cuh>

namespace tweed {

/// Instead of a number of blocks that share each tile: all blocks do the same number of steps. Most
/// of their tiles are whole, one after the other; what is left over is shared among all of them.
inline constexpr int balanced = 0;

namespace detail {

/// What a block does at a time: the items kBegin..kEnd-1 of the sum of a tile.
struct SimtPiece {
  TileIndex tile;
  int kBegin;
  int kEnd;
  // Of a shared tile, when the work is balanced:
  int part;    // this piece's number among its pieces,
  int parts;   // how many there are, 1 for a whole tile,
  int first;   // the block that has the first one; the others follow it
  int ticket;  // and the number of the tile among those that are shared
};

/// Calls f(piece) for each piece of this block. With Split > 1, so many neighbouring blocks share
/// each tile.
template <class Tile, int Split, class F>
TWEED_DEVICE void forEachPiece(TileOrder const& order, int k, F f) {
  long long const tiles = order.count();
  int const steps = larger(1, ceilDiv(k, Tile::k));
  // To divide 32 bits is cheaper. Of tiles wider than the 16 rows of a group no group has more.
  using InGroup = typename Conditional<(Tile::n > 16), int, long long>::Type;
  auto const at = [&](long long t) {
    return tiles <= 0x7fffffff ? order.at(int(t)) : order.template at<long long, InGroup>(t);
  };
  if constexpr (Split == balanced) {
    int const blocks = int(gridDim.x);
    int const block = int(blockIdx.x);
    // At least one tile for each block is shared, so that what is left over is in no hurry.
    long long const whole = tiles % blocks == 0 ? tiles : larger(0ll, tiles / blocks - 1) * blocks;
    long long const all = (tiles - whole) * steps;
    long long const sharers = smaller<long long>(blocks, all);  // each has a step or more
    auto const blockOf = [&](long long step) { return int(((step + 1) * sharers - 1) / all); };
    long long step = block < sharers ? all * block / sharers : 0;
    long long const end = block < sharers ? all * (block + 1) / sharers : 0;
    long long t = block;
#pragma unroll 1
    while (t < whole || step < end) {
      SimtPiece piece{{}, 0, k, 0, 1, 0, 0};
      long long tile = t;
      if (t < whole) {
        t += blocks;
      } else {
        piece.ticket = int(step / steps);
        int const begin = int(step - 1ll * piece.ticket * steps);
        int const some = int(smaller(end - step, 1ll * steps - begin));
        piece.kBegin = begin * Tile::k;
        if (begin + some < steps) piece.kEnd = (begin + some) * Tile::k;
        piece.first = blockOf(1ll * piece.ticket * steps);
        piece.part = block - piece.first;
        piece.parts = blockOf((piece.ticket + 1ll) * steps - 1) - piece.first + 1;
        tile = whole + piece.ticket;
        step += some;
      }
      piece.tile = at(tile);
      f(piece);
    }
  } else {
    int const part = int(blockIdx.x) % Split;
    int const kBegin = int(1ll * steps * part / Split) * Tile::k;
    int const kEnd = part + 1 == Split ? k : int(1ll * steps * (part + 1) / Split) * Tile::k;
#pragma unroll 1
    for (long long t = blockIdx.x / Split; t < tiles; t += gridDim.x / Split)
      f(SimtPiece{at(t), kBegin, kEnd, 0, 1, 0, 0});
  }
}

}  // namespace detail
}  // namespace tweed
