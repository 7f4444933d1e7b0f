// SPDX-License-Identifier: Apache-2.0
// tests/codegen/wgmma.cu - the kernels of products by wgmma, for what ptxas says of them.
#include <tweed/matmul/wgmmaProduct.cuh>

namespace {

using tweed::ColumnMajor;
using tweed::Identity;
using tweed::RowMajor;
using tweed::WgmmaConfig;

struct BiasGelu {
  float const* bias;
  TWEED_DEVICE float operator()(float value, tweed::Coord at) const {
    value += bias[at.column];
    return 0.5f * value * (1.0f + erff(value * 0.70710678f));
  }
};
struct Residual {
  static constexpr bool needsC = true;
  float alpha, beta;
  TWEED_DEVICE float operator()(float value, float c, tweed::Coord) const {
    return alpha * value + beta * c;
  }
};

template <class Config, class T, class LayoutA, class LayoutB, class Item, class Epilogue>
void use(cudaStream_t stream) {
  using Task =
      tweed::MatmulTask<tweed::MatrixView<T const, LayoutA>, tweed::MatrixView<T const, LayoutB>,
                        tweed::MatrixView<Item, RowMajor>, Epilogue>;
  tweed::WgmmaProduct<Config, Task>(Task{}).launch(stream);
}

}  // namespace

void everyKind(cudaStream_t stream) {
  using Large = WgmmaConfig<128, 256, 2, 4, 2>;
  using Bf = __nv_bfloat16;
  use<Large, Bf, RowMajor, ColumnMajor, Bf, Identity>(stream);
  use<Large, __half, RowMajor, RowMajor, __half, BiasGelu>(stream);
  use<Large, Bf, ColumnMajor, ColumnMajor, Bf, Residual>(stream);
  use<Large, Bf, ColumnMajor, RowMajor, float, Identity>(stream);
  use<Large, float, RowMajor, ColumnMajor, float, Identity>(stream);
  use<WgmmaConfig<256, 128, 2, 3>, Bf, RowMajor, ColumnMajor, Bf, Residual>(stream);
  use<WgmmaConfig<128, 128, 2, 5, 1, 4>, Bf, RowMajor, ColumnMajor, Bf, BiasGelu>(stream);
  use<WgmmaConfig<64, 64, 1, 8>, Bf, RowMajor, ColumnMajor, Bf, BiasGelu>(stream);
}
