// SPDX-License-Identifier: Apache-2.0
// tests/core/view.cu - tests tweed/core/view.cuh
#include <tweed/core/view.cuh>

#include "support/device.cuh"

TEST_SUITE("MatrixView") {
  TEST_CASE("items of a row, or of a column, are neighbours") {
    int data[24];
    for (int i = 0; i < 24; ++i) data[i] = i;
    auto const byRows = tweed::rowMajor(data, 3, 5, 7);
    CHECK(byRows(0, 0) == 0);
    CHECK(byRows(0, 4) == 4);
    CHECK(byRows(2, 3) == 17);
    auto const byColumns = tweed::columnMajor(data, 5, 3, 7);
    CHECK(byColumns(0, 0) == 0);
    CHECK(byColumns(4, 0) == 4);
    CHECK(byColumns(3, 2) == 17);
  }
  TEST_CASE("dense without a leading dimension") {
    CHECK(tweed::rowMajor(static_cast<float*>(nullptr), 3, 5).leadingDimension == 5);
    CHECK(tweed::columnMajor(static_cast<float*>(nullptr), 3, 5).leadingDimension == 3);
  }
  TEST_CASE("matrices of a batch") {
    int data[24];
    for (int i = 0; i < 24; ++i) data[i] = i;
    auto const batch = tweed::rowMajor(data, 2, 3).batched(4, 6);
    CHECK(batch.batch == 4);
    CHECK(batch(1, 2, 3) == 23);
    CHECK(tweed::transposed(batch)(2, 1, 3) == 23);
    CHECK(batch.batched(9, 0)(1, 2, 8) == 5);
  }
  TEST_CASE("transposed twice is the same view") {
    int data[15] = {};
    auto const view = tweed::columnMajor(data, 3, 5);
    auto const turned = tweed::transposed(view);
    static_assert(turned.isRowMajor);
    CHECK(turned.rows == 5);
    CHECK(turned.columns == 3);
    CHECK(&turned(4, 1) == &view(1, 4));
    auto const again = tweed::transposed(turned);
    static_assert(tweed::isSame<decltype(again), decltype(view)>);
    CHECK(&again(1, 4) == &view(1, 4));
  }
  TEST_CASE("what all runs of neighbours are aligned to, up to 16 bytes") {
    alignas(16) short data[8] = {};
    auto const alignment = [&](int shift, int rows, int pitch, int batch, int stride) {
      auto const view = tweed::rowMajor(data + shift, rows, 3, pitch).batched(batch, stride);
      CHECK(tweed::runAlignment(tweed::transposed(view)) == tweed::runAlignment(view));
      return tweed::runAlignment(view);
    };
    CHECK(alignment(0, 2, 64, 1, 0) == 16);
    CHECK(alignment(4, 2, 64, 1, 0) == 8);
    CHECK(alignment(0, 2, 6, 1, 0) == 4);
    CHECK(alignment(0, 2, 7, 1, 0) == 2);
    CHECK(alignment(0, 1, 7, 1, 7) == 16);  // one run, one matrix
    CHECK(alignment(2, 1, 7, 1, 7) == 4);
    CHECK(alignment(0, 2, 8, 2, 20) == 8);
    CHECK(alignment(0, 2, 8, 2, -22) == 4);
    CHECK(alignment(0, 2, 8, 2, 0) == 16);
  }
  TEST_CASE("offsets beyond 32 bits") {
    auto const huge = tweed::rowMajor(static_cast<char*>(nullptr), 1 << 20, 1 << 20);
    CHECK(huge.offset((1 << 20) - 1, (1 << 20) - 1) == (1ll << 40) - 1);
  }
}
