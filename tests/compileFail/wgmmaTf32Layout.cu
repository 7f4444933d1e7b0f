// SPDX-License-Identifier: Apache-2.0
// expect: wgmma takes TF32 from A row-major and B column-major alone
#include <tweed/matmul/wgmmaMatmul.cuh>

using Matmul = tweed::WgmmaMatmul<tweed::WgmmaConfig<128, 128, 2, 4>, float, tweed::Major::Mn,
                                  tweed::Major::K, float>;
static_assert(Matmul::threads == 384);
