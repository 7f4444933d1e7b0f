// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/stageTile.cuh - bring a tile of an operand to shared memory, from any layout.
#pragma once

#include <tweed/arch/copyAsync.cuh>
#include <tweed/core/thread.cuh>
#include <tweed/matmul/loader.cuh>
#include <tweed/memory/bankConflicts.cuh>
#include <tweed/memory/paddedTile.cuh>

namespace tweed::detail {

// What cp.async moves in one piece.
template <class Item>
inline constexpr bool isCopiedItem = isTriviallyCopyable<Item> && alignof(Item) == sizeof(Item) &&
                                     (sizeof(Item) == 4 || sizeof(Item) == 8 || sizeof(Item) == 16);

/// How Threads threads bring Depth x Extent items of an operand to shared memory, and how they
/// stand there: row k holds the items of the Extent rows of A (columns of B), whatever the layout
/// of the memory they come from, since who multiplies reads neighbours of a row.
///
/// Result   items that do not exist are 0. Items of 4, 8 and 16 bytes in global memory are copied
///          asynchronously, so the thread waits for its copies; others are loaded, and converted to
///          Acc.
/// Sync     none.
/// Cost     no bank conflicts if Extent is a multiple of 32 and Depth of 8. Runs along Extent are
///          read whole, 16 bytes at a time where they are aligned; runs along Depth as pieces of 32
///          bytes, if Depth is a multiple of 8.
template <class Loader, class Acc, int Extent, int Depth, int Threads>
struct TileStage {
  using Item = typename Loader::Item;
  static constexpr bool isCopied = hasAddresses<Loader> && isCopiedItem<Item>;
  using Staged = typename Conditional<isCopied, Item, Acc>::Type;
  static constexpr bool isTransposed = Loader::major == Major::K;
  static constexpr bool isByStrides = isRegular<Loader>;
  // 16 bytes of padding: the lanes of a copy along K write to different banks.
  static constexpr int padding = isTransposed ? larger(1, int(16 / sizeof(Staged))) : 0;
  static constexpr int pitch = Extent + padding;
  static constexpr int items = pitch * Depth;

  using Layout = PaddedTile<Staged, Depth, Extent, padding>;
  struct TransposingAccess {  // 8 lanes along K, in each of 4 rows of the operand
    static constexpr int items = 1;
    static TWEED_HOST_DEVICE constexpr int row(int lane) { return lane % 8; }
    static TWEED_HOST_DEVICE constexpr int column(int lane) { return lane / 8; }
  };

  /// The items [k, k + Depth), those below kEnd; by the threads `rank` = 0..Threads-1.
  static TWEED_DEVICE void load(Staged* to, Loader const& from, int k, int kEnd, int rank) {
    int const end = smaller(kEnd, from.depth);
    if (from.extent >= Extent && end - k >= Depth)
      load<true>(to, from, k, end, rank);
    else
      load<false>(to, from, k, end, rank);
  }

 private:
  template <bool IsWhole>
  static TWEED_DEVICE void load(Staged* to, Loader const& from, int k, int end, int rank) {
    if constexpr (isTransposed) {
      if constexpr (Extent % 32 == 0 && Depth % 8 == 0 && isPow2(sizeof(Staged)) &&
                    sizeof(Staged) <= 16)
        static_assert(bankConflicts<Layout, TransposingAccess>() == 0);
      constexpr int lanesK = Depth % 8 == 0 ? 8 : Depth % 4 == 0 ? 4 : Depth % 2 == 0 ? 2 : 1;
      constexpr int acrossI = smaller(Threads / lanesK, Extent);
      constexpr int acrossK = Threads / lanesK / acrossI * lanesK;
      int const rest = rank / lanesK;
      copy<IsWhole, 1, acrossI, acrossK>(to, from, k, end, rest % acrossI,
                                         rest / acrossI * lanesK + rank % lanesK);
    } else {
      constexpr int wide = isCopied ? int(16 / sizeof(Item)) : 1;
      if constexpr (wide > 1 && Extent % wide == 0 && isByStrides) {
        if (from.isAligned(16)) return copyRuns<IsWhole, wide>(to, from, k, end, rank);
      }
      copyRuns<IsWhole, 1>(to, from, k, end, rank);
    }
  }
  template <bool IsWhole, int Wide>
  static TWEED_DEVICE void copyRuns(Staged* to, Loader const& from, int k, int end, int rank) {
    constexpr int acrossI = smaller(Threads, Extent / Wide);
    copy<IsWhole, Wide, acrossI, Threads / acrossI>(to, from, k, end, rank % acrossI,
                                                    rank / acrossI);
  }

  // The threads stand as AcrossK x AcrossI over the tile, each with Wide neighbours, and move on by
  // so much until they have covered it. Those that do not fit in stand outside along K. Runs of
  // neighbours in memory are the inner loop, so that its offsets are constants.
  template <bool IsWhole, int Wide, int AcrossI, int AcrossK>
  static TWEED_DEVICE void copy(Staged* to, Loader const& from, int k, int end, int inI, int inK) {
    constexpr int stepI = AcrossI * Wide;
    constexpr int runs = isTransposed ? ceilDiv(Extent, stepI) : ceilDiv(Depth, AcrossK);
    constexpr int alongRun = isTransposed ? ceilDiv(Depth, AcrossK) : ceilDiv(Extent, stepI);
    int const firstI = inI * Wide;
    if ((AcrossI * AcrossK != Threads && inK >= AcrossK) || (Depth < AcrossK && inK >= Depth))
      return;
    [[maybe_unused]] Item const* run = nullptr;
    if constexpr (isByStrides) run = from.at(firstI, k + inK);
#pragma unroll(isByStrides ? runs : 1)
    for (int r = 0; r < runs; ++r) {
#pragma unroll(isByStrides ? alongRun : 1)
      for (int s = 0; s < alongRun; ++s) {
        int const nextI = (isTransposed ? r : s) * stepI;
        int const nextK = (isTransposed ? s : r) * AcrossK;
        if (Extent % stepI != 0 && firstI + nextI >= Extent) continue;
        if (Depth % AcrossK != 0 && inK + nextK >= Depth) continue;
        Staged* const place = to + (inK + nextK) * pitch + firstI + nextI;
        int const left = IsWhole ? Wide : inK + nextK < end - k ? from.extent - firstI - nextI : 0;
        if constexpr (isByStrides) {
          move<IsWhole, Wide>(place, run + (isTransposed ? nextK : nextI), left);
        } else {
          moveOne(place, from, firstI + nextI, k + inK + nextK, left);
        }
      }
      // Added up step by step, or the compiler keeps all multiples in registers.
      if constexpr (isByStrides)
        if (r + 1 < runs) run += (isTransposed ? stepI : AcrossK) * from.leadingDimension;
    }
  }

  // The `left` items that there are, of Wide; zeros for the others.
  template <bool IsWhole, int Wide>
  static TWEED_DEVICE void move(Staged* to, Item const* from, int left) {
    if constexpr (isCopied) {
      constexpr int size = int(sizeof(Item));
      if constexpr (IsWhole) {
        arch::copyAsync<Wide * size>(to, from);
      } else if constexpr (Wide == 1) {
        arch::copyAsync<size>(to, from, left > 0 ? size : 0);
      } else if (left <= 0 || left >= Wide) {
        arch::copyAsync<Wide * size>(to, from, left > 0 ? Wide * size : 0);
      } else {
#pragma unroll
        for (int j = 0; j < Wide; ++j) arch::copyAsync<size>(to + j, from + j, j < left ? size : 0);
      }
    } else {
      *to = left > 0 ? Staged(*from) : Staged{};
    }
  }
  static TWEED_DEVICE void moveOne(Staged* to, Loader const& from, int i, int k, int left) {
    if constexpr (isCopied) {
      constexpr int size = int(sizeof(Item));
      arch::copyAsync<size>(to, left > 0 ? from.at(i, k) : nullptr, left > 0 ? size : 0);
    } else if constexpr (hasAddresses<Loader>) {
      *to = left > 0 ? Staged(*from.at(i, k)) : Staged{};
    } else {
      *to = left > 0 ? Staged(from.item(i, k)) : Staged{};
    }
  }
};

}  // namespace tweed::detail
