// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/tileShape.cuh - the part of a product that a block computes, and which kind does it.
#pragma once

#include <tweed/core/math.cuh>

namespace tweed {

/// Rows and columns of the product, and items of the sum that are loaded at a time.
template <int M_, int N_, int K_>
struct TileShape {
  static constexpr int m = M_;
  static constexpr int n = N_;
  static constexpr int k = K_;
  static_assert(m > 0 && n > 0 && k > 0, "tweed::TileShape: M, N and K are at least 1");
};

/// The instructions that multiply. Never chosen in silence: plans and collectives name theirs.
enum class Path {
  Simt,   ///< multiply-adds of CUDA cores; all number types, 16-bit floats in float
  Mma,    ///< mma.sync of tensor cores, compute capability 8.0 and later; 16-bit floats, TF32
  Wgmma,  ///< wgmma of tensor cores, compute capability 9.0a alone; 16-bit floats, TF32
};

TWEED_HOST_DEVICE constexpr char const* pathName(Path path) {
  return path == Path::Simt ? "simt" : path == Path::Mma ? "mma" : "wgmma";
}

}  // namespace tweed
