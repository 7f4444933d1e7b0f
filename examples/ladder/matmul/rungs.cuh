// SPDX-License-Identifier: Apache-2.0
// examples/ladder/matmul/rungs.cuh - all rungs of the product ladder in one program. cuBLAS is
// among them with LADDER_CUBLAS alone, which whoever links it defines; tweed::matmul, which takes
// the longest to compile, unless LADDER_WITHOUT_TWEED is.
#pragma once

#define LADDER_WITHOUT_MAIN
#include "m1_naive.cu"
#include "m2_sharedTile.cu"
#include "m3_padded.cu"
#include "m4_vectorised.cu"
#include "m5_registerTile.cu"
#include "m6b_asyncMma.cu"
#if !defined(TWEED_LOOM)
#include "m6a_wmma.cu"
#include "m6c_wgmma.cu"
#endif
#if !defined(LADDER_WITHOUT_TWEED)
#include "m7_tweed.cu"
#endif
#if defined(LADDER_CUBLAS)
#include "m8_cublas.cu"
#endif

#include <utility>

namespace ladder {

/// From the lowest up; those of floats and of halves are ladders of their own.
inline std::vector<ProductRung> productRungs() {
  std::vector<ProductRung> rungs = {m1::rung,     m2::rung,     m3::rungs[0],
                                    m3::rungs[1], m3::rungs[2], m4::rung,
                                    m5::rungs[0], m5::rungs[1], m5::rungs[2]};
#if !defined(TWEED_LOOM)
  rungs.push_back(m6a::rung);
#endif
  rungs.push_back(m6b::rung);
#if !defined(TWEED_LOOM)
  rungs.push_back(m6c::rung);
#endif
#if !defined(LADDER_WITHOUT_TWEED)
  rungs.insert(rungs.end(), std::begin(m7::rungs), std::end(m7::rungs));
#endif
#if defined(LADDER_CUBLAS)
  rungs.insert(rungs.end(), std::begin(m8::rungs), std::end(m8::rungs));
#endif
  return rungs;
}

/// Rungs of the GPU alone that this program does not have, by name and type of their items.
inline std::vector<std::pair<char const*, char const*>> otherProductRungs() {
  return {
#if defined(TWEED_LOOM)
    {"m6a wmma", "half"}, {"m6c wgmma", "half"},
#endif
#if !defined(LADDER_CUBLAS)
        {"m8 cuBLAS", "float"}, {"m8 cuBLAS", "half"},
#endif
  };
}

}  // namespace ladder
