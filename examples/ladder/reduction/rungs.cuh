// SPDX-License-Identifier: Apache-2.0
// examples/ladder/reduction/rungs.cuh - all rungs of the reduction ladder in one program.
#pragma once

#define LADDER_WITHOUT_MAIN
#include "r10_neighbouredLess.cu"
#include "r11_interleaved.cu"
#include "r12_unrolled.cu"
#include "r13a_unrolledWarp.cu"
#include "r13b_completeUnroll.cu"
#include "r13c_templated.cu"
#include "r15_tweed.cu"
#include "r1_serial.cu"
#include "r2_atomic.cu"
#include "r3_sharedTree.cu"
#include "r4_twoPerThread.cu"
#include "r5_gridStride.cu"
#include "r6_warpTail.cu"
#include "r7_warpFirst.cu"
#include "r8_twoPass.cu"
#include "r9_neighboured.cu"
#if !defined(TWEED_LOOM)
#include "r16_cub.cu"
#endif
#if defined(__CUDACC_RDC__)  // with -rdc=true alone
#include "r14_nested.cu"
#endif

#include <utility>

namespace ladder {

/// From the lowest up.
inline std::vector<SumRung> sumRungs() {
  std::vector<SumRung> rungs = {r1::rung,   r2::rung,      r3::rung,      r4::rung,      r5::rung,
                                r6::rung,   r7::rung,      r8::rung,      r9::rung,      r10::rung,
                                r11::rung,  r12::rungs[0], r12::rungs[1], r12::rungs[2], r13a::rung,
                                r13b::rung, r13c::rung};
#if defined(__CUDACC_RDC__)
  rungs.push_back(r14::rung);
#endif
  rungs.push_back(r15::rung);
#if !defined(TWEED_LOOM)
  rungs.push_back(r16::rung);
#endif
  return rungs;
}

/// Rungs of the GPU alone that this program does not have, and why.
inline std::vector<std::pair<char const*, char const*>> otherSumRungs() {
#if defined(TWEED_LOOM)
  return {{"r14 nested", "kernels launch kernels on a GPU alone"},
          {"r16 cub", "CUB's kernels run on a GPU alone"}};
#elif defined(__CUDACC_RDC__)
  return {};
#else
  return {{"r14 nested", "kernels launch kernels with -rdc=true alone"}};
#endif
}

}  // namespace ladder
