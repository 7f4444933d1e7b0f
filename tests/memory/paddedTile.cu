// SPDX-License-Identifier: Apache-2.0
// tests/memory/paddedTile.cu - tests tweed/memory/paddedTile.cuh
#include <tweed/memory/bankConflicts.cuh>
#include <tweed/memory/paddedTile.cuh>

#include "support/device.cuh"

namespace {

using namespace tweedTest;
using tweed::PaddedTile;

struct Three {
  unsigned char x, y, z;
};

static_assert(sizeof(PaddedTile<float, 32, 32, 1>) == 32 * 33 * 4);
static_assert(alignof(PaddedTile<char, 3, 5>) == 16);
static_assert(PaddedTile<double, 4, 6, 2>::offset(3, 5) == (3 * 8 + 5) * 8);
static_assert(tweed::bankConflicts<PaddedTile<float, 32, 32, 1>, tweed::ColumnAccess<>>() == 0);

template <class T, int Rows, int Columns, int Pad>
__global__ void transpose(T const* in, T* out) {
  __shared__ PaddedTile<T, Rows, Columns, Pad> tile;
  for (int i = int(threadIdx.x); i < Rows * Columns; i += int(blockDim.x))
    tile(i / Columns, i % Columns) = in[i];
  __syncthreads();
  auto const& seen = tile;
  for (int i = int(threadIdx.x); i < Rows * Columns; i += int(blockDim.x))
    out[i] = seen(i % Rows, i / Rows);
}

template <class T, int Rows, int Columns, int Pad>
void checkTranspose() {
  std::vector<T> items(Rows * Columns);
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::uint64_t const bits = noise(i);
    std::memcpy(static_cast<void*>(&items[i]), &bits, tweed::smaller(sizeof(T), sizeof bits));
  }
  DeviceArray<T> const in(items), out(items.size());
  tweed::launch(transpose<T, Rows, Columns, Pad>, {1, 96}, in.data(), out.data());
  tweed::synchronize();
  auto const got = out.host();
  for (std::size_t row = 0; row < Rows; ++row)
    for (std::size_t column = 0; column < Columns; ++column)
      REQUIRE(sameBits(got[column * Rows + row], items[row * Columns + column]));
}

#if defined(TWEED_LOOM)
__global__ void askOutside(int row, int column) {
  __shared__ PaddedTile<int, 3, 5, 1> tile;
  tile(row, column) = 1;
}
#endif

}  // namespace

TEST_SUITE("paddedTile") {
  TEST_CASE("what is written by rows is read by columns") {
    checkTranspose<float, 32, 32, 1>();
    checkTranspose<float, 1, 1, 0>();
    checkTranspose<double, 7, 19, 3>();
    checkTranspose<Three, 9, 5, 2>();
    checkTranspose<unsigned short, 33, 2, 0>();
  }
#if defined(TWEED_LOOM)
  TEST_CASE("an item outside of the tile is named, also in the padding") {
    auto const run = [](int row, int column) {
      return fault([&] { tweed::launch(askOutside, {1, 1}, row, column); });
    };
    CHECK(run(2, 4).empty());
    CHECK(contains(run(2, 5), "item (2, 5) is asked for, the tile has 3 x 5"));
    CHECK(contains(run(3, 0), "item (3, 0)"));
    CHECK(contains(run(-1, 0), "item (-1, 0)"));
    CHECK(contains(run(0, -1), "item (0, -1)"));
  }
#endif
}
