// SPDX-License-Identifier: Apache-2.0
// expect: a lane's items are neighbours, aligned to their size
#include <tweed/memory/bankConflicts.cuh>
#include <tweed/memory/paddedTile.cuh>

// 33 floats a row: a vector of the second row begins off its 16 bytes.
constexpr int conflicts =
    tweed::bankConflicts<tweed::PaddedTile<float, 32, 32, 1>, tweed::ColumnAccess<4>>();
