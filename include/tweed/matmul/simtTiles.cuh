// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/simtTiles.cuh - the operands of a tile in shared memory, and a step along K.
#pragma once

#include <tweed/matmul/simtConfig.cuh>
#include <tweed/matmul/stageTile.cuh>
#include <tweed/memory/loadStore.cuh>

namespace tweed::detail {

/// What the threads of a SimtConfig do with one stage: load it, and multiply it.
template <class Config, class LoaderA, class LoaderB, class Acc>
struct SimtTiles {
  using Tile = typename Config::Tile;
  static constexpr int loadingThreads =
      Config::hasProducers ? Config::producers : Config::mathThreads;
  using StageA = TileStage<LoaderA, Acc, Tile::m, Tile::k, loadingThreads>;
  using StageB = TileStage<LoaderB, Acc, Tile::n, Tile::k, loadingThreads>;
  using StagedA = typename StageA::Staged;
  using StagedB = typename StageB::Staged;
  static constexpr int runM = fragmentItems<StagedA, Config::threadM>;
  static constexpr int runN = fragmentItems<StagedB, Config::threadN>;
  static constexpr int runs = Config::threadN / runN;
  using Place = SimtPlace<Config, runM, runN>;

  struct FragmentM {  // what the lanes of a warp read at a time
    static constexpr int items = runM;
    static TWEED_HOST_DEVICE constexpr int row(int) { return 0; }
    static TWEED_HOST_DEVICE constexpr int column(int lane) { return Place::laneM(lane) * runM; }
  };
  struct FragmentN {
    static constexpr int items = runN;
    static TWEED_HOST_DEVICE constexpr int row(int) { return 0; }
    static TWEED_HOST_DEVICE constexpr int column(int lane) { return Place::laneN(lane) * runN; }
  };

  struct Shared {
    alignas(128) unsigned char a[Config::stages][StageA::items * sizeof(StagedA)];
    alignas(128) unsigned char b[Config::stages][StageB::items * sizeof(StagedB)];
  };
  struct Accumulator {
    Acc item[Config::threadM][runs][runN];
  };

  // Over the first rows.
  template <int Rows>
  static TWEED_DEVICE void moveUp(Accumulator& acc) {
#pragma unroll
    for (int i = Rows; i < Config::threadM; ++i)
#pragma unroll
      for (int r = 0; r < runs; ++r)
#pragma unroll
        for (int j = 0; j < runN; ++j) acc.item[i - Rows][r][j] = acc.item[i][r][j];
  }

  static TWEED_DEVICE StagedA* tileA(Shared& shared, int stage) {
    return reinterpret_cast<StagedA*>(shared.a[stage]);
  }
  static TWEED_DEVICE StagedB* tileB(Shared& shared, int stage) {
    return reinterpret_cast<StagedB*>(shared.b[stage]);
  }

  static TWEED_DEVICE void load(Shared& shared, int stage, LoaderA const& a, LoaderB const& b,
                                int k, int kEnd, int rank) {
    StageA::load(tileA(shared, stage), a, k, kEnd, rank);
    StageB::load(tileB(shared, stage), b, k, kEnd, rank);
  }

  static TWEED_DEVICE void multiply(Shared& shared, int stage, Place place, Accumulator& acc) {
    if constexpr (isPow2(sizeof(StagedA)) && sizeof(StagedA) <= 16)
      static_assert(bankConflicts<typename StageA::Layout, FragmentM>() == 0);
    if constexpr (isPow2(sizeof(StagedB)) && sizeof(StagedB) <= 16)
      static_assert(bankConflicts<typename StageB::Layout, FragmentN>() == 0);
    int const begin = Config::kGroups == 1 ? 0 : place.group * Config::groupK;
    StagedA const* a = tileA(shared, stage) + begin * StageA::pitch + place.row;
    StagedB const* b = tileB(shared, stage) + begin * StageB::pitch + place.column;
#pragma unroll 1
    for (int done = 0; done < Config::groupK; done += Config::unroll) {
#pragma unroll
      for (int k = 0; k < Config::unroll; ++k) {
        Acc x[Config::threadM];
        Acc y[Config::threadN];
        fragment<runM, Config::lanesM>(x, a + k * StageA::pitch);
        fragment<runN, Config::lanesN>(y, b + k * StageB::pitch);
        multiply(x, y, acc);
      }
      a += Config::unroll * StageA::pitch;
      b += Config::unroll * StageB::pitch;
    }
  }

 private:
  template <int Run, int Lanes, class Staged, int Items>
  static TWEED_DEVICE void fragment(Acc (&to)[Items], Staged const* from) {
#pragma unroll
    for (int i = 0; i < Items; i += Run) {
      if constexpr (Run == 1) {
        to[i] = Acc(from[i * Lanes]);
      } else {
        auto const run = loadVector<Run>(from + i * Lanes);
#pragma unroll
        for (int r = 0; r < Run; ++r) to[i + r] = Acc(run.item[r]);
      }
    }
  }

  // As a snake: neighbours in time share an operand, which the register file then reads once.
  static TWEED_DEVICE void multiply(Acc const (&x)[Config::threadM],
                                    Acc const (&y)[Config::threadN], Accumulator& acc) {
    if constexpr (Config::snake == Snake::Rows) {
#pragma unroll
      for (int i = 0; i < Config::threadM; ++i)
#pragma unroll
        for (int step = 0; step < Config::threadN; ++step) {
          int const j = i % 2 == 0 ? step : Config::threadN - 1 - step;
          add(acc.item[i][j / runN][j % runN], x[i], y[j]);
        }
    } else {
#pragma unroll
      for (int j = 0; j < Config::threadN; ++j)
#pragma unroll
        for (int step = 0; step < Config::threadM; ++step) {
          int const i = j % 2 == 0 ? step : Config::threadM - 1 - step;
          add(acc.item[i][j / runN][j % runN], x[i], y[j]);
        }
    }
  }
  static TWEED_DEVICE void add(Acc& sum, Acc const& x, Acc const& y) { sum = sum + x * y; }
};

}  // namespace tweed::detail
