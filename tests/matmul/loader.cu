// SPDX-License-Identifier: Apache-2.0
// tests/matmul/loader.cu - tests tweed/matmul/loader.cuh
#include <tweed/matmul/loader.cuh>

#include "support/device.cuh"

namespace {
alignas(16) float data[64];
}

TEST_SUITE("loader") {
  TEST_CASE("rows of A and columns of B, of either layout") {
    float const* const items = data;
    auto const rows = tweed::loadRows(tweed::rowMajor(items, 5, 7, 8), 2);
    static_assert(rows.major == tweed::Major::K);
    CHECK(rows.extent == 3);
    CHECK(rows.depth == 7);
    CHECK(rows.at(1, 4) == items + 3 * 8 + 4);
    auto const turnedRows = tweed::loadRows(tweed::columnMajor(items, 5, 7, 8), 2);
    static_assert(turnedRows.major == tweed::Major::Mn);
    CHECK(turnedRows.extent == 3);
    CHECK(turnedRows.at(1, 4) == items + 4 * 8 + 3);
    auto const columns = tweed::loadColumns(tweed::rowMajor(items, 7, 5, 8), 2);
    static_assert(columns.major == tweed::Major::Mn);
    CHECK(columns.extent == 3);
    CHECK(columns.depth == 7);
    CHECK(columns.at(1, 4) == items + 4 * 8 + 3);
    auto const turnedColumns = tweed::loadColumns(tweed::columnMajor(items, 7, 5, 8), 2);
    static_assert(turnedColumns.major == tweed::Major::K);
    CHECK(turnedColumns.at(1, 4) == items + 3 * 8 + 4);
  }
  TEST_CASE("a matrix of a batch") {
    float const* const items = data;
    auto const batch = tweed::rowMajor(items, 3, 4).batched(5, 12);
    CHECK(tweed::loadRows(batch, 1, 4).at(0, 2) == items + 48 + 4 + 2);
    CHECK(tweed::loadColumns(batch, 1, 4).at(0, 2) == items + 48 + 8 + 1);
  }
  TEST_CASE("a tile behind the last row has none") {
    float const* const items = data;
    CHECK(tweed::loadRows(tweed::rowMajor(items, 5, 7), 5).extent == 0);
    CHECK(tweed::loadRows(tweed::rowMajor(items, 5, 7), 6).extent == 0);
  }
  TEST_CASE("what a base and a leading dimension leave of an alignment") {
    float const* const items = data;
    CHECK(tweed::loadRows(tweed::rowMajor(items, 2, 8), 0).isAligned(16));
    CHECK(!tweed::loadRows(tweed::rowMajor(items, 2, 6), 0).isAligned(16));
    CHECK(tweed::loadRows(tweed::rowMajor(items, 2, 6), 0).isAligned(8));
    CHECK(!tweed::loadRows(tweed::rowMajor(items + 1, 2, 8), 0).isAligned(8));
    CHECK(tweed::loadRows(tweed::rowMajor(items + 1, 2, 8), 0).isAligned(4));
  }
  TEST_CASE("gathered rows") {
    int const index[] = {4, 0, 4};
    tweed::GatherLoader<float> const loader{data, 8, index, 3, 7};
    CHECK(loader.at(0, 3) == data + 35);
    CHECK(loader.at(1, 3) == data + 3);
    CHECK(loader.at(2, 0) == data + 32);
    CHECK(loader.isAligned(16));
  }
}
