// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/mmaConfig.cuh - how a block shares a tile of a product among its warps.
#pragma once

#include <tweed/arch/mma.cuh>
#include <tweed/core/half.cuh>
#include <tweed/core/thread.cuh>
#include <tweed/matmul/tileShape.cuh>

namespace tweed {

/// A configuration of BlockMatmul for mma.sync.
///
///     using Config = tweed::MmaConfig<tweed::TileShape<128, 256, 64>, 64, 64, 3>;
///
/// Shape    each warp computes WarpM x WarpN items: powers of two from 16 on, that divide the
///          tile's edges. Tile::k is 128 bytes: 64 items of 16 bits, 32 floats. Stages of them are
///          in shared memory at a time.
/// Result   `threads` of a block: a warp for each WarpM x WarpN of the tile.
/// Needs    half, bfloat16, or float as TF32; Tile::m of a column-major A and Tile::n of a
///          row-major B multiples of 64, of floats of 32. Compute capability 8.0.
/// Cost     a thread has WarpM * WarpN / 32 accumulators, a block 128 * (Tile::m + Tile::n) bytes
///          of shared memory for each stage.
/// Errors   compile time: what does not divide, fewer than 2 stages, more than 255 registers or
///          1024 threads.
/// Source   NVIDIA, CUTLASS: efficient GEMM in CUDA.
template <class Tile_, int WarpM, int WarpN, int Stages>
struct MmaConfig {
  using Tile = Tile_;
  static constexpr Path path = Path::Mma;
  static constexpr int warpM = WarpM;
  static constexpr int warpN = WarpN;
  static constexpr int stages = Stages;
  static_assert(isPow2(WarpM) && isPow2(WarpN) && WarpM >= 16 && WarpN >= 16,
                "tweed::MmaConfig: WarpM and WarpN are powers of two from 16 on");
  static_assert(Tile::m % WarpM == 0 && Tile::n % WarpN == 0,
                "tweed::MmaConfig: WarpM and WarpN divide the tile's M and N");
  static_assert(Stages >= 2, "tweed::MmaConfig: needs 2 stages or more");

  static constexpr int warpsM = Tile::m / WarpM;
  static constexpr int warpsN = Tile::n / WarpN;
  static constexpr int threads = warpsM * warpsN * warpThreads;
  static_assert(threads <= maxBlockThreads,
                "tweed::MmaConfig: the tile makes a block of more than 1024 threads");

  // A thread's accumulators, two sets of fragments, and what else it needs.
  static constexpr int registers = WarpM * WarpN / 32 + (WarpM + WarpN) / 2 + 63;
  static_assert(registers <= 255,
                "tweed::MmaConfig: a thread has at most 255 registers; take a smaller WarpM x "
                "WarpN, such as 64 x 64");
};

namespace detail {

template <class T>
inline constexpr bool isMmaType = isSame<T, __half> || isSame<T, __nv_bfloat16> || isSame<T, float>;

// What mma() calls the items.
template <class T>
inline constexpr arch::MmaInput mmaInput = isSame<T, __half>          ? arch::MmaInput::Half
                                           : isSame<T, __nv_bfloat16> ? arch::MmaInput::Bfloat16
                                                                      : arch::MmaInput::Tf32;

}  // namespace detail
}  // namespace tweed
