// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/wgmmaStore.cuh - finishes the sums of a tile and writes them to C.
#pragma once

#include <tweed/arch/stmatrix.cuh>
#include <tweed/matmul/tileReduce.cuh>
#include <tweed/matmul/wgmmaMatmul.cuh>

namespace tweed {

namespace detail {

// Two items in a word, the first in its low half.
TWEED_DEVICE unsigned packed(float first, float second, __half) {
  __half2 const pair = __floats2half2_rn(first, second);
  unsigned word;
  memcpy(&word, &pair, 4);
  return word;
}
TWEED_DEVICE unsigned packed(float first, float second, __nv_bfloat16) {
  __nv_bfloat162 const pair = __floats2bfloat162_rn(first, second);
  unsigned word;
  memcpy(&word, &pair, 4);
  return word;
}

}  // namespace detail

/// What a kernel's `consume` does with a tile: the task's epilogue on each item inside of C, then C
/// by way of shared memory, where a warp's pieces of rows become whole rows.
///
/// Shape    `columns` is the map of C for boxes of 128 bytes x boxRows; null where C is not aligned
///          to 16 bytes, and each thread stores items.
/// Sync     the threads of one consumer; asynchronous: the copies of this tile run on into the
///          next, and finish() comes before the kernel ends.
/// Needs    C of __half, __nv_bfloat16 or float.
template <class Matmul, class Task>
class WgmmaStore {
 public:
  using Item = typename Task::C::Item;
  using Config = typename Matmul::Config;
  using Memory = typename Matmul::Memory;
  static_assert(detail::isWgmmaType<Item>,
                "tweed::WgmmaStore: C holds __half, __nv_bfloat16 or float");

  static constexpr int boxRows = 64 * Config::fragments;
  static constexpr int columnItems = detail::wgmmaRow / int(sizeof(Item));

  TWEED_DEVICE WgmmaStore(Matmul const& matmul, Task const& task, arch::TensorMap const* columns)
      : matmul_(matmul), task_(task), map_(columns) {}

  /// `sums` are then as Task::store() returns them, if the epilogue has reductions.
  TWEED_DEVICE void operator()(typename Matmul::Accumulator& sums, WgmmaTile const& tile) {
    int const consumer = matmul_.consumer();
    int const t = int(threadIdx.x) % 128;
#pragma unroll
    for (int pass = 0; pass < passes; ++pass) {
      unsigned const at =
          unsigned(Memory::staging + consumer * Memory::template consumerBytes<Item> +
                   pass % buffers * passBytes);
      if (map_ != nullptr && t == 0) arch::bulkWaitRead<buffers - 1>();
      detail::syncWarpgroup(consumer);
      stage(sums, tile, pass, at);
      if (map_ != nullptr) arch::fenceAsyncProxy();
      detail::syncWarpgroup(consumer);
      if (map_ == nullptr) {
        copy(tile, pass, at);
      } else if (t == 0) {
#pragma unroll
        for (int column = 0; column < passColumns; ++column)
          arch::tensorStore(map_, matmul_.address() + at + unsigned(column * Memory::columnBytes),
                            tile.column + (pass * passColumns + column) * columnItems,
                            tile.row + consumer * boxRows, tile.matrix);
        arch::bulkCommit();
      }
    }
    if constexpr (hasReductions) reduce(sums, tile);
  }

  /// Waits for the copies that this thread has started.
  TWEED_DEVICE void finish() const { arch::bulkWait<0>(); }

 private:
  static constexpr int columns = Memory::template columns<Item>;
  static constexpr int passes = Memory::template passes<Item>;
  static constexpr int buffers = Memory::template buffers<Item>;
  static constexpr int passColumns = columns / passes;
  static constexpr int passBytes = passColumns * Memory::columnBytes;
  static_assert(
      columns % passes == 0 && (passes == 1 || passes % 2 == 0),
      "tweed::WgmmaStore: StoreColumns makes all of C's columns of 128 bytes one pass, or "
      "an even number of equal ones");

  static constexpr bool hasReductions = detail::hasReductions<typename Task::Epilogue>;

  // What this consumer adds to the reductions, by way of its columns' memory.
  TWEED_DEVICE void reduce(typename Matmul::Accumulator& sums, WgmmaTile const& tile) const {
    using Part = TileShape<boxRows, Config::n, 1>;
    constexpr int bytes = Memory::template consumerBytes<Item>;
    int const consumer = matmul_.consumer();
    int const t = int(threadIdx.x) % 128;
    if (t == 0) arch::bulkWaitRead<0>();
    int const row = consumer * boxRows;
    if (tile.row + row >= task_.m()) return;
    reduceTile<Part, 128, bytes>(
        task_, TileIndex{tile.row / boxRows + consumer, tile.column / Config::n, tile.matrix},
        matmul_.shared() + Memory::staging + consumer * bytes, t,
        [=] { detail::syncWarpgroup(consumer); },
        [&](auto put) {
          sums.forEach([&](float& value, int i, int j) { put(value, i - row, j); });
        });
  }

  // Sum i of a fragment as it is stored.
  TWEED_DEVICE float finished(typename Matmul::Accumulator& sums, WgmmaTile const& tile,
                              int fragment, int i) const {
    Coord const at{tile.row + sums.rowOf(fragment, i), tile.column + sums.columnOf(i), tile.matrix};
    float value = sums.value[fragment][i];
    if constexpr (!isSame<typename Task::Epilogue, Identity>) {
      if (at.row < task_.m() && at.column < task_.n())
        value = detail::finish(task_.epilogue, value, at,
                               [&] { return task_.c(at.row, at.column, at.matrix); });
    }
    if constexpr (hasReductions) sums.value[fragment][i] = value;
    return value;
  }

  // Where item `column` of the pass in a row of this consumer's stands in shared memory.
  static TWEED_DEVICE unsigned place(int row, int column) {
    int const piece = column % columnItems * int(sizeof(Item)) / 16;
    return unsigned(column / columnItems * Memory::columnBytes + row * detail::wgmmaRow +
                    (piece ^ row % 8) * 16 + column * int(sizeof(Item)) % 16);
  }

  TWEED_DEVICE void stage(typename Matmul::Accumulator& sums, WgmmaTile const& tile, int pass,
                          unsigned at) const {
    constexpr int passItems = passColumns * columnItems;
    int const lane = int(threadIdx.x) % 32;
    int const firstRow = int(threadIdx.x) % 128 / 32 * 16;
#pragma unroll
    for (int fragment = 0; fragment < Config::fragments; ++fragment)
#pragma unroll
      for (int column = 0; column < passItems; column += 16) {
        int const first = (pass * passItems + column) / 2;  // of 8 sums for 16 columns
        float value[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) value[i] = finished(sums, tile, fragment, first + i);
        if constexpr (sizeof(Item) == 2) {
          unsigned const word[4] = {detail::packed(value[0], value[1], Item()),
                                    detail::packed(value[2], value[3], Item()),
                                    detail::packed(value[4], value[5], Item()),
                                    detail::packed(value[6], value[7], Item())};
          int const row = 64 * fragment + firstRow + lane % 16;
          arch::storeMatrices(matmul_.address() + at + place(row, column + lane / 16 * 8), word);
        } else {
#pragma unroll
          for (int i = 0; i < 8; i += 2) {
            int const row = 64 * fragment + firstRow + lane / 4 + i / 2 % 2 * 8;
            float2 const pair = {value[i], value[i + 1]};
            *reinterpret_cast<float2*>(matmul_.shared() + at +
                                       place(row, column + i / 4 * 8 + lane % 4 * 2)) = pair;
          }
        }
      }
  }

  // Item by item, a warp along a row.
  TWEED_DEVICE void copy(WgmmaTile const& tile, int pass, unsigned at) const {
    constexpr int passItems = passColumns * columnItems;
    int const lane = int(threadIdx.x) % 32;
    int const firstRow = tile.row + matmul_.consumer() * boxRows;
    int const firstColumn = tile.column + pass * passItems;
    for (int row = int(threadIdx.x) % 128 / 32; row < boxRows && firstRow + row < task_.m();
         row += 4)
      for (int column = lane; column < passItems && firstColumn + column < task_.n(); column += 32)
        task_.c(firstRow + row, firstColumn + column, tile.matrix) =
            *reinterpret_cast<Item const*>(matmul_.shared() + at + place(row, column));
  }

  Matmul const& matmul_;
  Task const& task_;
  arch::TensorMap const* map_;
};

}  // namespace tweed
