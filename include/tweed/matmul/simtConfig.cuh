// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/simtConfig.cuh - how a block of CUDA cores shares a tile of a product.
#pragma once

#include <tweed/core/thread.cuh>
#include <tweed/matmul/tileShape.cuh>

namespace tweed {

/// Who brings the operands to shared memory.
enum class Loading {
  ByAll,        ///< all threads, between multiplying; one block barrier for each step along K
  ByWarpgroup,  ///< 128 more threads that do nothing else and give their registers to the others;
                ///< needs sm_90a, and items of 4, 8 or 16 bytes in global memory
};

/// In which order a thread multiplies its items: as a snake along its rows, or along its columns.
/// It changes nothing but how well registers are placed.
enum class Snake { Rows, Columns };

/// A configuration of BlockMatmul for the multiply-adds of CUDA cores.
///
///     using Config = tweed::SimtConfig<tweed::TileShape<128, 128, 16>, 8, 8, 3>;
///
/// Shape    each thread computes ThreadM x ThreadN items. A warp is 8 x 4 threads, or 4 x 8 if
///          ThreadM is the larger; Tile is whole warps, at most 32 of them. Stages steps of Tile::k
///          are in shared memory at a time: one of them makes the plain tiled kernel, that loads,
///          waits and multiplies. Unroll items along K are multiplied without a loop; it divides
///          Tile::k. KGroups groups of threads have a share of each step; the first adds them up.
/// Result   `threads` of a block, of which mathThreads multiply: the others load (ByWarpgroup).
/// Needs    any number type. Loading::ByWarpgroup: 2 stages, sm_90a.
/// Cost     a thread has ThreadM * ThreadN accumulators and reads ThreadM + ThreadN items for each
///          k; a block Stages * Tile::k * (Tile::m + Tile::n) items of shared memory, and padding.
/// Errors   compile time: what does not divide, more than 1024 threads.
/// Source   V. Volkov, Better Performance at Lower Occupancy.
template <class Tile_, int ThreadM, int ThreadN, int Stages, Loading Loading_ = Loading::ByAll,
          int KGroups = 1, int Unroll = 8, Snake Snake_ = Snake::Rows>
struct SimtConfig {
  using Tile = Tile_;
  static constexpr Path path = Path::Simt;
  static constexpr Loading loading = Loading_;
  static constexpr Snake snake = Snake_;
  static constexpr int threadM = ThreadM;
  static constexpr int threadN = ThreadN;
  static constexpr int stages = Stages;
  static constexpr int kGroups = KGroups;
  static constexpr int groupK = Tile::k / KGroups;
  static constexpr int unroll = smaller(Unroll, groupK);
  static constexpr bool hasProducers = loading == Loading::ByWarpgroup;

  static_assert(ThreadM >= 1 && ThreadN >= 1 && Stages >= 1 && KGroups >= 1 && Unroll >= 1,
                "tweed::SimtConfig: ThreadM, ThreadN, Stages, KGroups and Unroll are at least 1");
  static_assert(Tile::k % KGroups == 0 && groupK % unroll == 0,
                "tweed::SimtConfig: KGroups divides Tile::k, and Unroll divides Tile::k / KGroups");
  static_assert(!hasProducers || Stages >= 2,
                "tweed::SimtConfig: Loading::ByWarpgroup needs 2 stages or more");

  static constexpr int lanesM = ThreadM > ThreadN ? 4 : 8;
  static constexpr int lanesN = warpThreads / lanesM;
  static constexpr int warpM = lanesM * ThreadM;
  static constexpr int warpN = lanesN * ThreadN;
  static_assert(Tile::m % warpM == 0 && Tile::n % warpN == 0,
                "tweed::SimtConfig: Tile::m is a multiple of the lanes' 8 (4 if ThreadM > ThreadN) "
                "* ThreadM, and Tile::n of their 4 (8) * ThreadN");
  static constexpr int warpsN = Tile::n / warpN;
  static constexpr int groupThreads = Tile::m / warpM * warpsN * warpThreads;
  static constexpr int mathThreads = groupThreads * kGroups;
  static constexpr int producers = hasProducers ? 128 : 0;
  static constexpr int threads = mathThreads + producers;
  static_assert(threads <= maxBlockThreads,
                "tweed::SimtConfig: the tile makes a block of more than 1024 threads");
  static_assert(!hasProducers || mathThreads % 128 == 0,
                "tweed::SimtConfig: with Loading::ByWarpgroup those who multiply are whole "
                "warpgroups, multiples of 128 threads");
};

namespace detail {

// Neighbours along one edge of the tile that a thread reads at a time, at most 16 bytes.
template <class Staged, int Items>
inline constexpr int fragmentItems = Items % 2 != 0 || !isPow2(sizeof(Staged)) ||
                                             2 * sizeof(Staged) > 16
                                         ? 1
                                         : (Items % 4 == 0 && 4 * sizeof(Staged) <= 16 ? 4 : 2);

// Where the items of a thread stand in the tile. A thread has runs of RunM rows and of RunN
// columns; those of a warp's threads stand side by side, so that a warp reads without bank
// conflicts. In groups of eight lanes, which 16-byte loads are made of, pairs of neighbours share
// addresses.
template <class Config, int RunM, int RunN>
struct SimtPlace {
  int row;  // of the thread's first item
  int column;
  int group;  // along K

  static TWEED_HOST_DEVICE constexpr int laneM(int lane) {
    return Config::lanesM == 8 ? 2 * (lane / 8) + lane % 2 : lane / 2 % 4;
  }
  static TWEED_HOST_DEVICE constexpr int laneN(int lane) {
    return Config::lanesM == 8 ? lane / 2 % 4 : 2 * (lane / 8) + lane % 2;
  }

  static TWEED_DEVICE SimtPlace of(int rank) {
    int const inGroup = Config::kGroups == 1 ? rank : rank % Config::groupThreads;
    int const warp = inGroup / warpThreads;
    int const lane = rank % warpThreads;
    return {warp / Config::warpsN * Config::warpM + laneM(lane) * RunM,
            warp % Config::warpsN * Config::warpN + laneN(lane) * RunN,
            rank / Config::groupThreads};
  }
  TWEED_DEVICE int rowOf(int i) const {
    return row + i / RunM * (Config::lanesM * RunM) + i % RunM;
  }
  TWEED_DEVICE int columnOf(int j) const {
    return column + j / RunN * (Config::lanesN * RunN) + j % RunN;
  }
};

}  // namespace detail
}  // namespace tweed
