// SPDX-License-Identifier: Apache-2.0
// tests/memory/bankConflicts.cu - tests tweed/memory/bankConflicts.cuh; its twin in tests/trace
// compares it with the recorder.
#include <tweed/memory/bankConflicts.cuh>
#include <tweed/memory/paddedTile.cuh>
#include <tweed/memory/swizzle.cuh>

#include <numeric>
#include <utility>

#include "support/device.cuh"

namespace {

using tweed::bankConflicts;
using tweed::bankPasses;
using tweed::BlockAccess;
using tweed::ColumnAccess;
using tweed::PaddedTile;
using tweed::RowAccess;
using tweed::SwizzledTile;

template <class T>
using Row = PaddedTile<T, 1, 4096>;

// The cases that every guide has.
using Plain = PaddedTile<float, 32, 32>;
static_assert(bankConflicts<Plain, RowAccess<>>() == 0);
static_assert(bankConflicts<Plain, ColumnAccess<>>() == 31);
static_assert(bankConflicts<PaddedTile<float, 32, 32, 1>, RowAccess<>>() == 0);
static_assert(bankConflicts<PaddedTile<float, 32, 32, 1>, ColumnAccess<>>() == 0);
static_assert(bankConflicts<PaddedTile<float, 32, 32, 2>, ColumnAccess<>>() == 1);
static_assert(bankConflicts<Plain, RowAccess<1, 0>>() == 0);  // all the same item
// Bytes and halves of one word are one word.
static_assert(bankConflicts<Row<char>, RowAccess<>>() == 0);
static_assert(bankConflicts<Row<short>, RowAccess<1, 2>>() == 0);
static_assert(bankConflicts<Row<short>, RowAccess<1, 4>>() == 1);
// 8 and 16 bytes a lane pass by halves and quarters of the warp.
static_assert(bankPasses<Row<float>, RowAccess<4>>().passes == 4);
static_assert(bankPasses<Row<float>, RowAccess<4>>().ideal == 4);
static_assert(bankPasses<Row<float>, RowAccess<2>>().ideal == 2);
static_assert(bankConflicts<Row<float>, RowAccess<2>>() == 0);
static_assert(bankConflicts<Row<double>, RowAccess<1, 2>>() == 2);
static_assert(bankConflicts<Row<double>, RowAccess<1, 16>>() == 30);
static_assert(bankConflicts<Row<float>, RowAccess<4, 8>>() == 4);
// Vectors down a column: 16 bytes of padding free them, and so does a swizzle.
static_assert(bankConflicts<PaddedTile<short, 64, 64>, ColumnAccess<8>>() == 28);
static_assert(bankConflicts<PaddedTile<short, 64, 64, 8>, ColumnAccess<8>>() == 0);
static_assert(bankConflicts<SwizzledTile<short, 64, 64>, ColumnAccess<8>>() == 0);
static_assert(bankConflicts<SwizzledTile<short, 64, 32, 64>, ColumnAccess<8>>() == 0);
static_assert(bankConflicts<SwizzledTile<short, 64, 16, 32>, ColumnAccess<8>>() == 0);
// Two rows of 16 floats; four rows of 8 in a tile of 8 + 1 columns.
static_assert(bankConflicts<PaddedTile<float, 16, 16>, BlockAccess<16>>() == 0);
static_assert(bankConflicts<PaddedTile<float, 8, 32>, BlockAccess<8>>() == 3);
static_assert(bankConflicts<PaddedTile<float, 8, 32, 8>, BlockAccess<8>>() == 0);

template <int Stride>
void checkStride() {
  CAPTURE(Stride);
  // gcd(stride, banks) lanes in each bank that is used at all.
  CHECK(bankPasses<Row<float>, RowAccess<1, Stride>>().passes == std::gcd(Stride, 32));
  CHECK(bankPasses<Row<double>, RowAccess<1, Stride>>().passes == 2 * std::gcd(Stride, 16));
  CHECK(bankPasses<Row<float>, RowAccess<4, 4 * Stride>>().passes == 4 * std::gcd(Stride, 8));
}

template <int... Stride>
void checkStrides(std::integer_sequence<int, Stride...>) {
  (checkStride<Stride + 1>(), ...);
}

}  // namespace

TEST_SUITE("bankConflicts") {
  TEST_CASE("strides share as many ways as they and the banks have in common") {
    checkStrides(std::make_integer_sequence<int, 64>());
  }
}
