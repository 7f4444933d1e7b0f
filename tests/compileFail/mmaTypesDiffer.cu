// SPDX-License-Identifier: Apache-2.0
// expect: tweed::BlockMatmul: with MmaConfig both operands are of __half, of __nv_bfloat16 or of float
#include <tweed/matmul/loader.cuh>
#include <tweed/matmul/mmaMatmul.cuh>

using Config = tweed::MmaConfig<tweed::TileShape<64, 64, 64>, 32, 32, 3>;
using Product = tweed::BlockMatmul<Config, tweed::MatrixLoader<__half, tweed::Major::K>,
                                   tweed::MatrixLoader<__nv_bfloat16, tweed::Major::K>, float>;
constexpr int threads = Product::threads;
