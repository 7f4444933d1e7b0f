// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/wgmmaStore.cuh - finishes the sums of a tile and writes them to C.
#pragma once

#include <tweed/arch/stmatrix.cuh>
#include <tweed/matmul/tileReduce.cuh>
#include <tweed/matmul/wgmmaMatmul.cuh>

namespace tweed {

namespace detail {

// Two items in a word, the first in its low half.
template <class Item>
TWEED_DEVICE unsigned packed(float first, float second) {
  Item const pair[2] = {Item(first), Item(second)};
  unsigned word;
  memcpy(&word, pair, 4);
  return word;
}

// The barrier of the 128 threads of a consumer; WgmmaMatmul has those of 1 and 2.
TWEED_DEVICE void syncWarpgroup(int consumer) {
  if (consumer == 0) {
    arch::syncNamed<3, 128>();
  } else if (consumer == 1) {
    arch::syncNamed<4, 128>();
  } else {
    arch::syncNamed<5, 128>();
  }
}

}  // namespace detail

/// What a kernel's `consume` does with a tile: the task's epilogue on each item inside of C, then C
/// by way of shared memory, where a warp's pieces of rows become whole rows.
///
/// Shape    `map` is that of C for boxes of boxItems x boxRows; null where the copy engine cannot
///          store C, and each warp stores items along its rows.
/// Sync     each warp for itself; asynchronous: the copies of this tile run on into the next, and
///          finish() comes before the kernel ends.
/// Needs    C of __half, __nv_bfloat16 or float.
template <class Matmul, class Task>
class WgmmaStore {
 public:
  using Item = typename Task::C::Item;
  using Config = typename Matmul::Config;
  using Memory = typename Matmul::Memory;
  static_assert(detail::isWgmmaType<Item>,
                "tweed::WgmmaStore: C holds __half, __nv_bfloat16 or float");

  static constexpr int boxRows = 16;
  static constexpr int boxItems = detail::wgmmaRow / int(sizeof(Item));

  TWEED_DEVICE WgmmaStore(Matmul const& matmul, Task const& task, arch::TensorMap const* map)
      : matmul_(matmul), task_(task), map_(map) {}

  /// `sums` are then as Task::store() returns them, if the epilogue has reductions.
  TWEED_DEVICE void operator()(typename Matmul::Accumulator& sums, WgmmaTile const& tile) {
    bool const isInside =
        detail::isIdentity<typename Task::Epilogue> ||
        (tile.row + Config::m <= task_.m() && tile.column + Config::n <= task_.n());
    if (isInside) {
#pragma unroll
      for (int pass = 0; pass < passes; ++pass) {
        finishSums<true>(sums, pass, tile, pass);
        storeSums(sums, pass, tile, pass);
      }
    } else {
      // One piece of code for all passes: each finds its sums in the same registers.
#pragma unroll 1
      for (int pass = 0; pass < passes; ++pass) {
        finishSums<false>(sums, 0, tile, pass);
        storeSums(sums, 0, tile, pass);
        rotate(sums);
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
  static constexpr int passItems = passColumns * boxItems;
  static constexpr int passBytes = passColumns * Config::fragments * Memory::boxBytes;
  static_assert(
      columns % passes == 0 && (passes == 1 || passes % 2 == 0),
      "tweed::WgmmaStore: StoreColumns makes all of C's columns of 128 bytes one pass, or "
      "an even number of equal ones");

  // Where item `column` of row `row` of a warp's boxes stands.
  static TWEED_DEVICE unsigned place(int row, int column) {
    int const piece = column % boxItems * int(sizeof(Item)) / 16;
    return unsigned(column / boxItems * Memory::boxBytes + row * detail::wgmmaRow +
                    (piece ^ row % 8) * 16 + column * int(sizeof(Item)) % 16);
  }

  static constexpr bool hasReductions = detail::hasReductions<typename Task::Epilogue>;

  // What this consumer adds to the reductions, by way of its warps' memory.
  TWEED_DEVICE void reduce(typename Matmul::Accumulator& sums, WgmmaTile const& tile) const {
    constexpr int rows = 64 * Config::fragments;
    constexpr int bytes = 4 * Memory::template warpBytes<Item>;
    int const consumer = matmul_.consumer();
    int const t = int(threadIdx.x) % 128;
    if (t % 32 == 0) arch::bulkWaitRead<0>();
    int const firstRow = consumer * rows;
    if (tile.row + firstRow >= task_.m()) return;
    reduceTile<TileShape<rows, Config::n, 1>, 128, bytes>(
        task_, TileIndex{tile.row / rows + consumer, tile.column / Config::n, tile.matrix},
        matmul_.shared() + Memory::staging + consumer * bytes, t,
        [=] { detail::syncWarpgroup(consumer); },
        [&](auto put) {
          sums.forEach([&](float& value, int i, int j) { put(value, i - firstRow, j); });
        });
  }

  // The sums of a pass are those of the registers' part `part`.
  //
  // The epilogue, on all sums of a pass before one is stored, since no load of the epilogue's moves
  // up over a store. Without a branch where the whole tile is inside of C, as nearly all are: so
  // one sum is computed while another waits.
  template <bool IsInside>
  TWEED_DEVICE void finishSums(typename Matmul::Accumulator& sums, int part, WgmmaTile const& tile,
                               int pass) const {
    if constexpr (!detail::isIdentity<typename Task::Epilogue>) {
      int const firstColumn = tile.column + (pass - part) * passItems;
#pragma unroll
      for (int fragment = 0; fragment < Config::fragments; ++fragment)
#pragma unroll
        for (int j = 0; j < passItems / 2; ++j) {
          int const i = part * (passItems / 2) + j;
          Coord const at{tile.row + sums.rowOf(fragment, i), firstColumn + sums.columnOf(i),
                         tile.matrix};
          float& value = sums.value[fragment][i];
          if (IsInside || (at.row < task_.m() && at.column < task_.n()))
            value = detail::finish(task_.epilogue, value, at,
                                   [&] { return task_.c(at.row, at.column, at.matrix); });
        }
    }
  }

  TWEED_DEVICE void storeSums(typename Matmul::Accumulator const& sums, int part,
                              WgmmaTile const& tile, int pass) const {
    int const warp = int(threadIdx.x) / 32 - 4;
    int const lane = int(threadIdx.x) % 32;
    int const firstRow = tile.row + warp / 4 * 64 * Config::fragments + warp % 4 * 16;
    unsigned const at = unsigned(Memory::staging + warp * Memory::template warpBytes<Item> +
                                 pass % buffers * passBytes);
    if (map_ != nullptr && lane == 0) arch::bulkWaitRead<buffers - 1>();
    arch::syncWarp();
#pragma unroll
    for (int fragment = 0; fragment < Config::fragments; ++fragment)
#pragma unroll
      for (int column = 0; column < passItems; column += 16)
        stage(sums, fragment, part * passItems + column,
              at + unsigned(fragment * passColumns * Memory::boxBytes), column);
    if (map_ != nullptr) arch::fenceAsyncProxy();
    arch::syncWarp();
#pragma unroll
    for (int fragment = 0; fragment < Config::fragments; ++fragment)
      send(tile, firstRow + fragment * 64, tile.column + pass * passItems,
           at + unsigned(fragment * passColumns * Memory::boxBytes), lane);
    if (map_ != nullptr && lane == 0) arch::bulkCommit();
  }

  // Each part of the registers to the place of the one before: `passes` times, and all is as it
  // was.
  static TWEED_DEVICE void rotate(typename Matmul::Accumulator& sums) {
    constexpr int count = passItems / 2;
#pragma unroll
    for (int fragment = 0; fragment < Config::fragments; ++fragment)
#pragma unroll
      for (int j = 0; j < count; ++j) {
        float* const value = &sums.value[fragment][j];
        float const first = value[0];
#pragma unroll
        for (int part = 0; part + 1 < passes; ++part)
          value[part * count] = value[(part + 1) * count];
        value[(passes - 1) * count] = first;
      }
  }

  // 16 columns of the tile from `first` on, to the columns from `column` on of the boxes at `at`.
  TWEED_DEVICE void stage(typename Matmul::Accumulator const& sums, int fragment, int first,
                          unsigned at, int column) const {
    int const lane = int(threadIdx.x) % 32;
    float const* const value = &sums.value[fragment][first / 2];
    if constexpr (sizeof(Item) == 2) {
      unsigned const word[4] = {
          detail::packed<Item>(value[0], value[1]), detail::packed<Item>(value[2], value[3]),
          detail::packed<Item>(value[4], value[5]), detail::packed<Item>(value[6], value[7])};
      arch::storeMatrices(matmul_.address() + at + place(lane % 16, column + lane / 16 * 8), word);
    } else {
#pragma unroll
      for (int i = 0; i < 8; i += 2) {
        float2 const pair = {value[i], value[i + 1]};
        *reinterpret_cast<float2*>(
            matmul_.shared() + at +
            place(lane / 4 + i / 2 % 2 * 8, column + i / 4 * 8 + lane % 4 * 2)) = pair;
      }
    }
  }

  // The boxes at `at` to C from (row, column) on.
  TWEED_DEVICE void send(WgmmaTile const& tile, int row, int column, unsigned at, int lane) const {
    if (map_ == nullptr) {
      for (int i = 0; i < boxRows && row + i < task_.m(); ++i)
        for (int j = lane; j < passItems && column + j < task_.n(); j += 32)
          task_.c(row + i, column + j, tile.matrix) =
              *reinterpret_cast<Item const*>(matmul_.shared() + at + place(i, j));
    } else if (lane == 0 && row < task_.m()) {
#pragma unroll
      for (int box = 0; box < passColumns; ++box)
        arch::tensorStore(map_, matmul_.address() + at + unsigned(box * Memory::boxBytes),
                          column + box * boxItems, row, tile.matrix);
    }
  }

  Matmul const& matmul_;
  Task const& task_;
  arch::TensorMap const* map_;
};

}  // namespace tweed
