// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/mmaTiles.cuh - tiles of the operands of mma.sync: into shared memory and out of it.
#pragma once

#include <tweed/arch/cache.cuh>
#include <tweed/arch/copyAsync.cuh>
#include <tweed/arch/ldmatrix.cuh>
#include <tweed/arch/mma.cuh>
#include <tweed/arch/shuffle.cuh>
#include <tweed/matmul/loader.cuh>
#include <tweed/memory/bankConflicts.cuh>
#include <tweed/memory/swizzle.cuh>

namespace tweed::detail {

// How Depth x Extent items of an operand stand in a stage: as in memory, runs of neighbours beside
// each other, in pieces of 16 bytes that are swizzled.
template <class T, Major Major_, int Extent, int Depth>
struct MmaTile {
  static constexpr bool isK = Major_ == Major::K;
  static constexpr int rows = isK ? Extent : Depth;
  static constexpr int columns = isK ? Depth : Extent;
  static_assert(
      columns * sizeof(T) % 128 == 0,
      "tweed::BlockMatmul: with MmaConfig Tile::k is 128 bytes, 64 items of 16 bits or 32 "
      "floats; Tile::m of a column-major A and Tile::n of a row-major B are multiples of "
      "as many");
  using Layout = SwizzledTile<T, rows, columns, 128>;
  static constexpr int bytes = int(sizeof(Layout));
};

// What Threads threads do to fill a stage with a tile of an operand.
//
// Result   items that do not exist are 0, and none of them is read. Copies of 16 bytes where base,
//          leading dimension and first k allow it, else of 8 or 4, else loads of single items.
// Sync     none; each thread waits for its copies.
// Cost     of whole tiles along k, with aligned runs: one copy for each 16 bytes, two additions,
//          and along K one comparison. Others take a loop that asks the loader for each piece.
template <class Loader, int Extent, int Depth, int Threads>
class MmaFill {
  using T = typename Loader::Item;
  using Tile = MmaTile<T, Loader::major, Extent, Depth>;
  using Layout = typename Tile::Layout;
  static constexpr bool isK = Tile::isK;
  static constexpr int pieceItems = 16 / int(sizeof(T));
  static constexpr int across = Tile::columns / pieceItems;  // pieces of a row
  static_assert(Threads % across == 0 && Tile::rows * across % Threads == 0,
                "tweed::BlockMatmul: the block has more threads than a stage has pieces of 16 "
                "bytes, or a number that does not divide them; take larger tiles for each warp");
  static constexpr int rowStep = Threads / across;
  static constexpr int pieces = Tile::rows / rowStep;  // of a thread

 public:
  TWEED_DEVICE MmaFill(Loader const& from, int kBegin, int kEnd, int rank)
      : row_(rank / across), column_(rank % across * pieceItems) {
    if constexpr (hasAddresses<Loader>)
      while (access_ > int(sizeof(T)) &&
             !(from.isAligned(access_) && (!isK || kBegin % (access_ / int(sizeof(T))) == 0)))
        access_ /= 2;
    int const left = larger(0, from.extent - (isK ? row_ : column_));
    existing_ = isK ? ceilDiv(left, rowStep) : smaller(left, pieceItems);
    if (!isK) access_ = accessOf(existing_);
    if constexpr (isRegular<Loader>) {
      // Addresses are affine, but asked for only where something is.
      if (from.extent <= 0) return;
      T const* const origin = from.at(0, kBegin);
      if (isK && from.extent > 1) run_ = from.at(1, kBegin) - origin;
      if (!isK && kBegin + 1 < kEnd) run_ = from.at(0, kBegin + 1) - origin;
      next_ = origin + row_ * run_ + column_;
    }
  }

  /// The items [kEnd - left, kEnd), at most Depth of them. Each call with the next ones, left > 0.
  TWEED_DEVICE void fill(unsigned char* stage, Loader const& from, int kEnd, int left) {
    if (isRegular<Loader> && access_ == 16 && left >= Depth)
      fillFast(stage);
    else
      fillAny(stage, from, kEnd, left);
    if constexpr (isRegular<Loader>) next_ += isK ? Depth : Depth * run_;
  }

 private:
  TWEED_DEVICE void fillFast(unsigned char* stage) {
    int const first = Layout::offset(row_, column_);
    T const* from = next_;
#pragma unroll
    for (int j = 0; j < pieces; ++j) {
      int const to = rowStep % 8 == 0 ? first + j * rowStep * 128
                                      : Layout::offset(row_ + j * rowStep, column_);
      arch::copyAsync<16>(stage + to, from, (isK ? j < existing_ : existing_ > 0) ? 16 : 0);
      from += rowStep * run_;
    }
  }

  TWEED_DEVICE void fillAny(unsigned char* stage, [[maybe_unused]] Loader const& from,
                            [[maybe_unused]] int kEnd, int left) {
#pragma unroll 1
    for (int j = 0; j < pieces; ++j) {
      int const row = row_ + j * rowStep;
      int const items = isK ? (j < existing_ ? smaller(left - column_, pieceItems) : 0)
                            : (row < left ? existing_ : 0);
      [[maybe_unused]] int const i = isK ? row : column_, k = kEnd - left + (isK ? column_ : row);
      unsigned char* const to = stage + Layout::offset(row, column_);
      if constexpr (!hasAddresses<Loader>) {
        storeItems(to, items, [&](int n) { return from.item(isK ? i : i + n, isK ? k + n : k); });
      } else {
        T const* piece = nullptr;
        if (items > 0) {
          if constexpr (isRegular<Loader>)
            piece = next_ + j * rowStep * run_;
          else
            piece = from.at(i, k);
        }
        copyPiece(to, piece, items);
      }
    }
  }

  // Bytes of the copies that a piece of `items` takes, each of them whole.
  TWEED_DEVICE int accessOf(int items) const {
    int access = access_;
    while (items * int(sizeof(T)) % access != 0) access /= 2;
    return access;
  }

  // `items` of a piece from `from` on, and zeros behind.
  TWEED_DEVICE void copyPiece(unsigned char* to, T const* from, int items) {
    int const access = accessOf(items);
    if (access == 16) {
      copyParts<16>(to, from, items);
    } else if (access == 8) {
      copyParts<8>(to, from, items);
    } else if (access == 4) {
      copyParts<4>(to, from, items);
    } else if constexpr (sizeof(T) == 2) {
      storeItems(to, items, [&](int n) { return from[n]; });
    }
  }
  template <class Get>
  TWEED_DEVICE static void storeItems(unsigned char* to, int items, Get get) {
    arch::Piece<16> piece{};
#pragma unroll
    for (int n = 0; n < pieceItems; ++n) {
      constexpr int size = int(sizeof(T));
      unsigned bits = 0;
      if (n < items) {
        T const item = get(n);
        memcpy(&bits, &item, size);
      }
      piece.word[n * size / 4] |= bits << (n * size % 4 * 8);
    }
    arch::store<Cache::Normal>(reinterpret_cast<arch::Piece<16>*>(to), piece);
  }
  template <int Bytes>
  TWEED_DEVICE static void copyParts(unsigned char* to, T const* from, int items) {
#pragma unroll
    for (int part = 0; part < 16 / Bytes; ++part) {
      int const first = part * Bytes / int(sizeof(T));
      arch::copyAsync<Bytes>(to + part * Bytes, first < items ? from + first : nullptr,
                             first < items ? Bytes : 0);
    }
  }

  T const* next_ = nullptr;  // this thread's first piece of the next tile
  long long run_ = 0;        // items from one run of neighbours to the next
  int row_, column_;         // where it goes, in the stage
  int existing_;             // how many of its pieces do; if Mn how many items of each
  int access_ = 16;          // bytes of a copy
};

// The fragments that a warp takes from a stage: of 16 items along the extent and 32 bytes along k
// four words each, as mma() takes them for A; for B two words of each of two n8 blocks.
template <class T, Major Major_, int Extent, int Depth, int WarpExtent, bool IsA>
class MmaRead {
  using Tile = MmaTile<T, Major_, Extent, Depth>;
  static constexpr bool isK = Tile::isK;
  static constexpr bool isByWord = !isK && sizeof(T) == 4;  // ldmatrix turns 16 bits alone
  static constexpr int panelBytes = Tile::Layout::panelBytes;

 public:
  static constexpr int blocks = WarpExtent / 16;
  static constexpr int steps = Depth * int(sizeof(T)) / 32;  // of k
  using Fragments = unsigned[blocks][4];

  /// For the warp whose items begin at `first`.
  TWEED_DEVICE MmaRead(int first, int lane) {
    // Lanes name rows of four matrices of 8 x 16 bytes; matrix q is the upper half in both
    // dimensions if its bits say so.
    int const q = lane / 8, r = lane % 8;
    int const upperExtent = IsA ? q % 2 : q / 2, upperK = IsA ? q / 2 : q % 2;
    if constexpr (isK) {
      base_ = (first + upperExtent * 8 + r) * 128 + (upperK ^ r) * 16;
    } else if constexpr (!isByWord) {
      int const piece = first / 8 + upperExtent;
      base_ = piece / 8 * panelBytes + (upperK * 8 + r) * 128 + (piece % 8 ^ r) * 16;
    } else {
      int const t = lane % 4, g = lane / 4;
      int const piece = first / 4 + g / 4;
      base_ = piece / 8 * panelBytes + t * 128 + (piece % 8 ^ t) * 16 + g % 4 * 4;
    }
  }

  /// Step `step` of k.
  TWEED_DEVICE void read(Fragments& word, unsigned char const* stage, int step) const {
#pragma unroll
    for (int block = 0; block < blocks; ++block) {
      if constexpr (isK) {
        arch::ldmatrix(word[block], stage + (base_ ^ step * 32) + block * 16 * 128);
      } else if constexpr (!isByWord) {
        arch::ldmatrix<4, true>(word[block], stage + (base_ ^ block % 4 * 32) +
                                                 block / 4 * panelBytes + step * 16 * 128);
      } else {
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          int const upperExtent = IsA ? q % 2 : q / 2, upperK = IsA ? q / 2 : q % 2;
          int const piece = (block % 2 * 4 + upperExtent * 2) ^ (upperK * 4);
          auto const* const at =
              stage + (base_ ^ piece * 16) + block / 2 * panelBytes + (step * 8 + upperK * 4) * 128;
          word[block][q] =
              arch::load<Cache::Normal>(reinterpret_cast<arch::Piece<4> const*>(at)).word[0];
        }
      }
    }
    if constexpr (sizeof(T) == 4)
#pragma unroll
      for (int block = 0; block < blocks; ++block)
#pragma unroll
        for (unsigned& w : word[block]) w = arch::toTf32(__builtin_bit_cast(float, w));
  }

 private:
  // Both matrices of a step lie in pieces that differ from the first one's by an XOR, since a
  // warp's items begin at a multiple of their number.
  int base_;

  // What the eight lanes of a quarter warp access: neighbouring rows of one column of pieces.
  static_assert(bankConflicts<typename MmaTile<T, Major::K, 32, Depth>::Layout,
                              ColumnAccess<16 / int(sizeof(T))>>() == 0);
};

}  // namespace tweed::detail
