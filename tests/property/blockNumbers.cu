// SPDX-License-Identifier: Apache-2.0
// tests/property/blockNumbers.cu - properties of block reductions and scans of numbers
#include "blocks.cuh"

using namespace tweedTest;

TEST_SUITE("properties of blocks") {
  TEST_CASE("sums") {
    checkBlocks<unsigned>("sums of unsigned", Extremes, 400, tweed::Sum{});
    checkBlocks<signed char>("sums of signed char", Extremes, 400, tweed::Sum{});
    checkBlocks<float>("sums of float", Random, 400, tweed::Sum{});
  }
  TEST_CASE("minima and maxima") {
    checkBlocks<float>("minima of float", Nans, 400, tweed::Min{});
    checkBlocks<double>("maxima of numbers among double", Nans, 400, tweed::MaxNumber{});
  }
  TEST_CASE("blocks of one shape") {
    checkShape<tweed::Block<33>, unsigned>("unsigned, 33", 33, Extremes, 900, tweed::Sum{});
    checkShape<tweed::Block<256>, float>("float, 256", 256, Nans, 300, tweed::Max{});
    checkShape<tweed::Block<1024>, double>("double, 1024", 1024, Random, 100, tweed::Sum{});
  }
}
