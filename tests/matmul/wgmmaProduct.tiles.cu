// SPDX-License-Identifier: Apache-2.0
// tests/matmul/wgmmaProduct.tiles.cu - tile shapes and split k of tweed/matmul/wgmmaProduct.cuh
#include <tweed/matmul/wgmmaProduct.cuh>

#include "support/wgmma.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::RowMajor;
using tweed::WgmmaConfig;

using Bf = __nv_bfloat16;

template <class Config, class LayoutA = RowMajor, class LayoutB = ColumnMajor,
          class Epilogue = tweed::Identity>
void checkTile(Epilogue epilogue = {}) {
  for (int const k : {0, 1, 64, 65, 500})
    checkProduct<Config, Bf, LayoutA, LayoutB, Bf>({65, 129, k}, epilogue);
  checkProduct<Config, Bf, LayoutA, LayoutB, Bf>({1, 1, 1000}, epilogue);
  checkProduct<Config, Bf, LayoutA, LayoutB, Bf>({200, 264, 1031, 1, 5}, epilogue);
  checkProduct<Config, Bf, LayoutA, LayoutB, Bf>({128, 256, 512, 0, 0, 0, 3}, epilogue);
}

}  // namespace

TEST_SUITE("wgmmaProductTiles") {
  TEST_CASE("wgmma is for the GPU alone") { CHECK(!(isLoom && tweed::imageHasWgmma())); }
#if !defined(TWEED_LOOM)
  TEST_CASE("64 x 64") {
    if (!hasWgmmaHere()) return;
    checkTile<WgmmaConfig<64, 64, 1, 8>, ColumnMajor, RowMajor>();
  }
  TEST_CASE("64 x 128, and 64 x 256 with all of C staged at once") {
    if (!hasWgmmaHere()) return;
    checkTile<WgmmaConfig<64, 128, 1, 6>>(AddPlace{});
    checkTile<WgmmaConfig<64, 256, 1, 4, 1, 1, 4, 16, 0>>();
  }
  TEST_CASE("128 x 64 and 128 x 128") {
    if (!hasWgmmaHere()) return;
    checkTile<WgmmaConfig<128, 64, 2, 8>>();
    checkTile<WgmmaConfig<128, 128, 2, 6, 2>, RowMajor, RowMajor>();
  }
  TEST_CASE("256 x 128: two fragments a consumer") {
    if (!hasWgmmaHere()) return;
    checkTile<WgmmaConfig<256, 128, 2, 3>, ColumnMajor, ColumnMajor>(AddPlace{});
  }
  TEST_CASE("192 x 192 of three consumers") {
    if (!hasWgmmaHere()) return;
    checkTile<WgmmaConfig<192, 192, 3, 3, 1, 1, 3>>();
  }
  TEST_CASE("384 x 64: more rows than a box of the copy engine has") {
    if (!hasWgmmaHere()) return;
    checkTile<WgmmaConfig<384, 64, 3, 3>>();
  }
  TEST_CASE("k split over the blocks of a cluster") {
    if (!hasWgmmaHere()) return;
    checkTile<WgmmaConfig<64, 64, 1, 8, 1, 2>>(AddPlace{});
    checkTile<WgmmaConfig<64, 64, 1, 4, 1, 8>, RowMajor, RowMajor>();
    checkTile<WgmmaConfig<128, 128, 2, 5, 1, 4>>(tweed::scale(1.f) | tweed::addC(.5f));
    checkTile<WgmmaConfig<128, 128, 2, 5, 1, 4>>(tweed::scale(2.f) | tweed::addC(0.f));  // C is NaN
    checkTile<WgmmaConfig<64, 128, 1, 6, 1, 3>>();
  }
  TEST_CASE("split k: the same bits every time") {
    if (!hasWgmmaHere()) return;
    checkSameBits<WgmmaConfig<64, 128, 1, 6, 1, 3>, ColumnMajor>();
    checkSameBits<WgmmaConfig<64, 64, 1, 4, 1, 8>, RowMajor>();
  }
#endif
}
