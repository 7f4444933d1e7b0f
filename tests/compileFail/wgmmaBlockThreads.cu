// SPDX-License-Identifier: Apache-2.0
// expect: the threads of a WgmmaConfig share a stage evenly: with 3 consumers N is 192
#include <tweed/matmul/wgmmaBlockMatmul.cuh>

using Loader = tweed::MatrixLoader<__half, tweed::Major::K>;
using Product = tweed::BlockMatmul<tweed::WgmmaConfig<192, 128, 3, 4>, Loader, Loader, float>;
static_assert(Product::threads == 384);
