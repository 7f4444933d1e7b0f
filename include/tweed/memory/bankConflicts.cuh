// SPDX-License-Identifier: Apache-2.0
// tweed/memory/bankConflicts.cuh - what an access to shared memory costs, known at compile time.
#pragma once

#include <tweed/core/math.cuh>

namespace tweed {

// What the lanes of a warp access, in one instruction: lane l `items` neighbours of a row from
// (row(l), column(l)) on. Any type with these three members is an access.

/// Lane l at row l / Across * RowStep and column l % Across * ColumnStep.
template <int Across, int RowStep, int ColumnStep, int Items = 1>
struct GridAccess {
  static constexpr int items = Items;
  static TWEED_HOST_DEVICE constexpr int row(int lane) { return lane / Across * RowStep; }
  static TWEED_HOST_DEVICE constexpr int column(int lane) { return lane % Across * ColumnStep; }
};

/// 32 neighbours of a row, or every Stride-th item.
template <int Items = 1, int Stride = Items>
using RowAccess = GridAccess<32, 0, Stride, Items>;

/// 32 neighbours of a column, or every Stride-th.
template <int Items = 1, int Stride = 1>
using ColumnAccess = GridAccess<1, Stride, 0, Items>;

/// Across lanes side by side, the others in the rows below.
template <int Across, int Items = 1>
using BlockAccess = GridAccess<Across, 1, Items, Items>;

/// Times that the 32 banks of 4 bytes are used one after the other.
struct BankPasses {
  int passes;  ///< of the access
  int ideal;   ///< the least for so many bytes a lane: 1; 2 for 8 bytes, 4 for 16
};

/// The passes of one access by a full warp.
///
/// Shape    Layout: `Item`, and `offset(row, column)` in bytes, as PaddedTile and SwizzledTile have
///          them. Access: as above. 1, 2, 4, 8 or 16 bytes a lane.
/// Result   lanes pass together up to 4 bytes; by half warps of 8 bytes and by quarters of 16, each
///          as often as its worst bank has different words to give. Lanes share a word. The tile's
///          base adds the same to all addresses and changes nothing. Two halves or quarters that
///          access the same words may share passes on the GPU; here they do not.
/// Cost     none at run time.
/// Errors   compile time: a lane's items are not neighbours, or not aligned to their size.
/// Source   CUDA C++ Programming Guide, shared memory; the recorder (loom/trace) counts the same.
template <class Layout, class Access>
TWEED_HOST_DEVICE constexpr BankPasses bankPasses() {
  constexpr int bytes = Access::items * int(sizeof(typename Layout::Item));
  static_assert(isPow2(bytes) && bytes <= 16,
                "tweed::bankPasses: a lane accesses 1, 2, 4, 8 or 16 bytes");
  constexpr int banks = 32, wordBytes = 4;
  constexpr int groupLanes = bytes <= wordBytes ? 32 : 128 / bytes;
  BankPasses result{0, 32 / groupLanes};
  for (int first = 0; first < 32; first += groupLanes) {
    int words[groupLanes] = {}, different = 0, most = 0;
    for (int i = 0; i < groupLanes; ++i) {
      int const lane = first + i;
      int const word = Layout::offset(Access::row(lane), Access::column(lane)) / wordBytes;
      bool isNew = true;
      int sameBank = 1;
      for (int other = 0; other < different; ++other) {
        isNew = isNew && words[other] != word;
        sameBank += words[other] % banks == word % banks;
      }
      if (isNew) words[different++] = word, most = larger(most, sameBank);
    }
    result.passes += most;
  }
  return result;
}

namespace detail {
template <class Layout, class Access>
TWEED_HOST_DEVICE constexpr bool areLanesAligned() {
  constexpr int size = int(sizeof(typename Layout::Item)), bytes = Access::items * size;
  for (int lane = 0; lane < 32; ++lane) {
    int const row = Access::row(lane), column = Access::column(lane);
    int const begin = Layout::offset(row, column);
    if (begin % bytes != 0) return false;
    for (int i = 1; i < Access::items; ++i)
      if (Layout::offset(row, column + i) != begin + i * size) return false;
  }
  return true;
}
}  // namespace detail

/// The passes of an access beyond the least possible: 0 if it is free of conflicts.
///
///     static_assert(tweed::bankConflicts<tweed::PaddedTile<float, 32, 32, 1>,
///                                        tweed::ColumnAccess<>>() == 0);
///     static_assert(tweed::bankConflicts<tweed::PaddedTile<float, 32, 32>,
///                                        tweed::ColumnAccess<>>() == 31);
///
/// Shape    and all else as bankPasses().
template <class Layout, class Access>
TWEED_HOST_DEVICE constexpr int bankConflicts() {
  static_assert(detail::areLanesAligned<Layout, Access>(),
                "tweed::bankConflicts: a lane's items are neighbours, aligned to their size");
  constexpr BankPasses found = bankPasses<Layout, Access>();
  return found.passes - found.ideal;
}

}  // namespace tweed
