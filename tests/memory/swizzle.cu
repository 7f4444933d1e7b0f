// SPDX-License-Identifier: Apache-2.0
// tests/memory/swizzle.cu - tests tweed/memory/swizzle.cuh
#include <tweed/memory/bankConflicts.cuh>
#include <tweed/memory/swizzle.cuh>

#include <algorithm>

#include "support/device.cuh"

namespace {

using namespace tweedTest;
using tweed::SwizzledTile;

// As the driver's documentation draws them: piece j of row i, rows of 128 bytes.
static_assert(tweed::swizzle<128>(0) == 0);
static_assert(tweed::swizzle<128>(128) == 128 + 16);
static_assert(tweed::swizzle<128>(7 * 128 + 5 * 16 + 3) == 7 * 128 + 2 * 16 + 3);
static_assert(tweed::swizzle<128>(8 * 128) == 8 * 128);
static_assert(tweed::swizzle<64>(128) == 128 + 16);
static_assert(tweed::swizzle<64>(3 * 128 + 64) == 3 * 128 + 64 + 48);
static_assert(tweed::swizzle<32>(128 + 96) == 128 + 96 + 16);
static_assert(tweed::swizzle<32>(256) == 256);

using Deep = SwizzledTile<unsigned short, 64, 64>;
using Wide = SwizzledTile<unsigned short, 16, 256>;
static_assert(sizeof(Wide) == 16 * 512);
static_assert(Wide::offset(3, 64) == 16 * 128 + Wide::offset(3, 0));  // the second panel
// Eight rows of 16 bytes, as a matrix load takes them; without the swizzle 8 ways.
static_assert(tweed::bankConflicts<Deep, tweed::ColumnAccess<8>>() == 0);

template <class Tile>
__global__ void transpose(typename Tile::Item const* in, typename Tile::Item* out) {
  __shared__ Tile tile;
  for (int i = int(threadIdx.x); i < Tile::rows * Tile::columns; i += int(blockDim.x))
    tile(i / Tile::columns, i % Tile::columns) = in[i];
  __syncthreads();
  auto const& seen = tile;
  for (int i = int(threadIdx.x); i < Tile::rows * Tile::columns; i += int(blockDim.x))
    out[i] = seen(i % Tile::rows, i / Tile::rows);
}

template <class Tile>
void checkTile() {
  using T = typename Tile::Item;
  std::size_t const rows = Tile::rows, columns = Tile::columns;
  auto const items = smallIntegers<T>(rows * columns, 7);
  DeviceArray<T> const in(items), out(items.size());
  tweed::launch(transpose<Tile>, {1, 96}, in.data(), out.data());
  tweed::synchronize();
  auto const got = out.host();
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      REQUIRE(got[column * rows + row] == items[row * columns + column]);
}

template <int Bytes>
void checkSwizzle() {
  std::vector<unsigned> places;
  for (unsigned i = 0; i < 4096; ++i) {
    unsigned const to = tweed::swizzle<Bytes>(i);
    unsigned const pieces = Bytes / 16;
    REQUIRE(to / 128 == i / 128);
    REQUIRE(to % 16 == i % 16);
    REQUIRE(to / 16 % pieces == ((i / 16) ^ (i / 128)) % pieces);
    REQUIRE(to / Bytes == i / Bytes);
    places.push_back(to);
  }
  std::sort(places.begin(), places.end());
  for (unsigned i = 0; i < places.size(); ++i) REQUIRE(places[i] == i);
}

#if defined(TWEED_LOOM)
__global__ void askOutside(int row, int column) {
  __shared__ SwizzledTile<int, 3, 32> tile;
  tile(row, column) = 1;
}
#endif

}  // namespace

TEST_SUITE("swizzle") {
  TEST_CASE("pieces of 16 bytes change places by row; nothing leaves its row or comes twice") {
    checkSwizzle<32>(), checkSwizzle<64>(), checkSwizzle<128>();
  }
  TEST_CASE("what is written by rows is read by columns") {
    checkTile<Deep>(), checkTile<Wide>();
    checkTile<SwizzledTile<float, 5, 32>>();
    checkTile<SwizzledTile<double, 9, 16, 32>>();
    checkTile<SwizzledTile<float, 8, 64, 64>>();
    checkTile<SwizzledTile<unsigned char, 1, 128>>();
  }
#if defined(TWEED_LOOM)
  TEST_CASE("an item outside of the tile is named") {
    auto const run = [](int row, int column) {
      return fault([&] { tweed::launch(askOutside, {1, 1}, row, column); });
    };
    CHECK(run(2, 31).empty());
    CHECK(contains(run(3, 0), "item (3, 0) is asked for, the tile has 3 x 32"));
    CHECK(contains(run(0, 32), "item (0, 32)"));
    CHECK(contains(run(-1, 0), "item (-1, 0)"));
  }
#endif
}
