// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/wgmmaConfig.cuh - the choices of a product by wgmma, and the memory they take.
#pragma once

#include <tweed/arch/wgmma.cuh>
#include <tweed/core/half.cuh>
#include <tweed/matmul/loader.cuh>
#include <tweed/matmul/tileShape.cuh>

namespace tweed {

/// How a block computes a tile of M x N: for WgmmaMatmul and WgmmaProduct, and for BlockMatmul as
/// wgmmaBlockMatmul.cuh says.
///
/// Shape    M is 64 times Consumers or twice that: each consumer, a warpgroup, has as many rows.
///          One more warpgroup loads. N is 64, 128, 192 or 256.
///          Stages: pieces of 128 bytes of k of both operands that are under way or in use.
///          ClusterRows: 2 makes pairs of blocks, one tile row below the other, that load half of
///          B each for both.
///          SplitK: 2 to 8 makes clusters whose blocks add up a part of k each; the parts are added
///          in a fixed order, so the bits are the same every time.
///          StoreColumns: how many 128-byte columns of C are staged at a time. Fewer leave room for
///          a stage more.
///          GroupRows: see TileOrder. LeftInFlight: steps under way while the next is waited for.
/// Result   `threads` of a block, the warpgroup that loads counted in.
/// Needs    half, bfloat16, or float as TF32 of a row-major A and a column-major B. sm_90a.
/// Cost     a thread that multiplies has M / Consumers * N / 128 accumulators, at most 128; a stage
///          is 128 * (M + N) bytes of shared memory.
/// Errors   compile time: other numbers, clusters that would do both; where it is used, more than
///          227 KiB of shared memory.
/// Source   PTX ISA, wgmma; NVIDIA, CUTLASS: efficient GEMM in CUDA.
template <int M_, int N_, int Consumers_, int Stages_, int ClusterRows_ = 1, int SplitK_ = 1,
          int StoreColumns_ = 1, int GroupRows_ = 16, int LeftInFlight_ = 1>
struct WgmmaConfig {
  static constexpr Path path = Path::Wgmma;
  static constexpr int m = M_;
  static constexpr int n = N_;
  /// As other configurations have it; k is 128 bytes, whatever the items.
  struct Tile {
    static constexpr int m = M_;
    static constexpr int n = N_;
  };
  static constexpr int consumers = Consumers_;
  static constexpr int stages = Stages_;
  static constexpr int clusterRows = ClusterRows_;
  static constexpr int splitK = SplitK_;
  static constexpr int clusterBlocks = clusterRows * splitK;
  static constexpr int storeColumns = StoreColumns_;
  static constexpr int groupRows = GroupRows_;
  static constexpr int leftInFlight = LeftInFlight_;
  static_assert(consumers >= 1 && consumers <= 3,
                "tweed::WgmmaConfig: 1, 2 or 3 warpgroups of consumers");
  static_assert(m == 64 * consumers || m == 128 * consumers,
                "tweed::WgmmaConfig: M is 64 or 128 times the consumers");
  static_assert(n == 64 || n == 128 || n == 192 || n == 256,
                "tweed::WgmmaConfig: N is 64, 128, 192 or 256");
  static_assert(stages >= 2, "tweed::WgmmaConfig: at least 2 stages");
  static_assert(clusterRows == 1 || clusterRows == 2, "tweed::WgmmaConfig: ClusterRows is 1 or 2");
  static_assert(splitK >= 1 && splitK <= 8, "tweed::WgmmaConfig: SplitK is 1 to 8");
  static_assert(clusterRows == 1 || splitK == 1,
                "tweed::WgmmaConfig: a cluster shares B or splits k, not both");
  static_assert(leftInFlight == 0 || leftInFlight == 1,
                "tweed::WgmmaConfig: LeftInFlight is 0 or 1");

  static constexpr int threads = 128 * (consumers + 1);
  static constexpr int fragments = m / consumers / 64;  // of 64 rows, a consumer
  static constexpr int registers = n / 2;               // accumulators of a fragment, a thread
  static_assert(fragments * registers <= 128,
                "tweed::WgmmaConfig: a thread has at most 128 accumulators; take a smaller tile or "
                "more consumers");

  // Registers a thread at the start, which __launch_bounds__ gives, and of each role.
  static constexpr bool movesRegisters = fragments * registers > 64 && consumers > 1;
  static constexpr int startRegisters = 65536 / threads / 8 * 8;
  static constexpr int producerRegisters = consumers == 3 ? 32 : 40;
  static constexpr int consumerRegisters = consumers == 3 ? 160 : 232;
  static_assert(!movesRegisters || producerRegisters + consumers * consumerRegisters <=
                                       (consumers + 1) * startRegisters);
};

namespace detail {

// The operand types, by what wgmma calls them.
template <class T>
struct WgmmaTypeOf;
template <>
struct WgmmaTypeOf<__half> {
  using Type = arch::WgmmaHalf;
};
template <>
struct WgmmaTypeOf<__nv_bfloat16> {
  using Type = arch::WgmmaBfloat16;
};
template <>
struct WgmmaTypeOf<float> {
  using Type = arch::WgmmaTf32;
};
template <class T>
inline constexpr bool isWgmmaType =
    isSame<T, __half> || isSame<T, __nv_bfloat16> || isSame<T, float>;

inline constexpr int wgmmaRow = arch::wgmmaRowBytes;

// Where things stand in a block's shared memory, in bytes from a multiple of 1024.
template <class Config>
struct WgmmaMemory {
  static constexpr int aBytes = Config::m * wgmmaRow;  // of a stage
  static constexpr int bBytes = Config::n * wgmmaRow;
  static constexpr int ring = Config::stages * (aBytes + bBytes);
  static constexpr int b = Config::stages * aBytes;
  // C on its way out: boxes of 16 rows of a warp and 128 bytes, each warp's apart.
  static constexpr int boxBytes = 16 * wgmmaRow;
  template <class T>
  static constexpr int columns = Config::n* int(sizeof(T)) / wgmmaRow;
  template <class T>
  static constexpr int passes = ceilDiv(columns<T>, Config::storeColumns);
  template <class T>
  static constexpr int buffers = passes<T> > 1 ? 2 : 1;
  template <class T>
  static constexpr int warpBytes =
      buffers<T>* smaller(Config::storeColumns, columns<T>) * Config::fragments* boxBytes;
  static constexpr int staging = ring;
  template <class T>
  static constexpr int barriers = staging + 4 * Config::consumers*(warpBytes<T>);
  template <class T>
  static constexpr int total = barriers<T> + 16 * Config::stages;
};

inline constexpr int wgmmaAlignment = 1024;         // of the ring; dynamic shared memory has less
inline constexpr int wgmmaMostShared = 227 * 1024;  // of a block of compute capability 9.0

}  // namespace detail
}  // namespace tweed
