// SPDX-License-Identifier: Apache-2.0
// examples/ladder/matmul/rungs.cuh - all rungs of the product ladder in one program.
#pragma once

#define LADDER_WITHOUT_MAIN
#include "m1_naive.cu"
#include "m2_sharedTile.cu"

namespace ladder {

/// From the lowest up.
inline std::vector<ProductRung> productRungs() { return {m1::rung, m2::rung}; }

}  // namespace ladder
