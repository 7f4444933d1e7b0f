// SPDX-License-Identifier: Apache-2.0
// expect: tweed::WgmmaMatmul: a block has 227 KiB of shared memory
#include <tweed/matmul/wgmmaMatmul.cuh>

using Matmul = tweed::WgmmaMatmul<tweed::WgmmaConfig<128, 256, 2, 5>, __half, tweed::Major::K,
                                  tweed::Major::K, __half>;
static_assert(Matmul::threads == 384);
