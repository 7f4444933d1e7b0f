// SPDX-License-Identifier: Apache-2.0
// tests/matmul/reductions.cu - tests tweed/matmul/reductions.cuh
#include <tweed/matmul/reductions.cuh>

#include "support/device.cuh"

namespace {

float sums[4], tops[4];
double sides[4];

template <class Epilogue>
constexpr int count = tweed::detail::Reductions<Epilogue>::count;

}  // namespace

TEST_SUITE("reductions") {
  TEST_CASE("those of a chain are found in their order") {
    auto const chain = tweed::Identity{} | tweed::Identity{} | tweed::rowSum(sums) |
                       (tweed::columnMax(tops) | tweed::rowMax(sides));
    using List = tweed::detail::Reductions<decltype(tweed::Identity{} | tweed::rowSum(sums) |
                                                    tweed::columnMax(tops))>;
    static_assert(List::count == 2 && !List::areAll);
    using All = tweed::detail::Reductions<std::decay_t<decltype(chain)>>;
    static_assert(All::count == 3);
    CHECK(All::at<0>(chain).out == sums);
    CHECK(All::at<1>(chain).out == tops);
    CHECK(All::at<2>(chain).out == sides);
    CHECK(All::at<0>(chain).isPerRow);
    CHECK(!All::at<1>(chain).isPerRow);
    CHECK(All::at<2>(chain).isPerRow);
  }
  TEST_CASE("the transposed product has them along the other axis") {
    auto const chain = tweed::rowSum(sums) | tweed::columnMax(tops);
    tweed::TransposedEpilogue<std::decay_t<decltype(chain)>> const turned{chain};
    using List = tweed::detail::Reductions<std::decay_t<decltype(turned)>>;
    static_assert(List::count == 2 && List::areAll);
    CHECK(!List::at<0>(turned).isPerRow);
    CHECK(List::at<0>(turned).out == sums);
    CHECK(List::at<1>(turned).isPerRow);
  }
  TEST_CASE("other epilogues have none") {
    static_assert(count<tweed::Identity> == 0);
    static_assert(!tweed::detail::hasReductions<decltype(tweed::Identity{} | tweed::Identity{})>);
    CHECK(tweed::rowSum(sums)(7.0f, tweed::Coord{0, 0, 0}) == 7);
  }
}
