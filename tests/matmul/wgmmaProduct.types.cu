// SPDX-License-Identifier: Apache-2.0
// tests/matmul/wgmmaProduct.types.cu - types and epilogues of tweed/matmul/wgmmaProduct.cuh
#include <tweed/matmul/wgmmaProduct.cuh>

#include "support/wgmma.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::RowMajor;
using tweed::WgmmaConfig;

using Bf = __nv_bfloat16;
using Large = WgmmaConfig<128, 256, 2, 4, 2>;
using Middle = WgmmaConfig<128, 128, 2, 5>;

template <class Config, class T, class LayoutA, class LayoutB, class Item, class Epilogue>
void checkSizes(Epilogue epilogue) {
  for (int const k : {0, 1, 31, 32, 33, 200})
    checkProduct<Config, T, LayoutA, LayoutB, Item>({70, 260, k}, epilogue);
  checkProduct<Config, T, LayoutA, LayoutB, Item>({257, 129, 95, 1, 3}, epilogue);
  checkProduct<Config, T, LayoutA, LayoutB, Item>({67, 140, 64, 0, 0, 1, 2}, epilogue);
}

}  // namespace

TEST_SUITE("wgmmaProductTypes") {
  TEST_CASE("wgmma is for the GPU alone") { CHECK(!(isLoom && tweed::imageHasWgmma())); }
#if !defined(TWEED_LOOM)
  TEST_CASE("half") {
    if (!hasWgmmaHere()) return;
    checkSizes<Large, __half, RowMajor, ColumnMajor, __half>(tweed::Identity{});
    checkSizes<Middle, __half, ColumnMajor, RowMajor, float>(AddPlace{});
  }
  TEST_CASE("float as TF32") {
    if (!hasWgmmaHere()) return;
    checkSizes<Large, float, RowMajor, ColumnMajor, float>(tweed::Identity{});
    checkSizes<Middle, float, RowMajor, ColumnMajor, Bf>(AddPlace{});
  }
  TEST_CASE("C of float, and an epilogue that knows where it is") {
    if (!hasWgmmaHere()) return;
    checkSizes<Large, Bf, RowMajor, ColumnMajor, float>(AddPlace{});
  }
  TEST_CASE("the old C is read where the epilogue needs it") {
    if (!hasWgmmaHere()) return;
    checkSizes<Large, Bf, RowMajor, ColumnMajor, Bf>(tweed::scale(.37f) | tweed::addC(-.5f));
    checkSizes<Middle, Bf, RowMajor, RowMajor, float>(tweed::scale(-1.f) | tweed::addC(1.f));
  }
  TEST_CASE("where beta is 0 the old C is not read: it is NaN") {
    if (!hasWgmmaHere()) return;
    checkSizes<Large, Bf, RowMajor, ColumnMajor, Bf>(tweed::scale(2.f) | tweed::addC(0.f));
    checkSizes<Middle, Bf, RowMajor, RowMajor, float>(tweed::scale(1.f) | tweed::addC(0.f));
  }
#endif
}
