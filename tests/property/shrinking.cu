// SPDX-License-Identifier: Apache-2.0
// tests/property/shrinking.cu - tests support/property.cuh: what is drawn, and how it is shrunk
#include <set>

#include "support/property.cuh"

using namespace tweedTest;

namespace {

Space const space{
    {1, 1, 0, 0, 0, 0}, {1024, 70, 4096, 15, 4, 9999}, [](Case const& c) { return 4 * c.threads; }};

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("cases are within their space, of every magnitude, and repeat by their seed") {
    std::set<unsigned> sizes, counts;
    for (std::uint64_t seed = 0; seed < 20000; ++seed) {
      Case const c = drawCase(space, seed);
      for (CaseMember const member : caseMembers) {
        REQUIRE(c.*member >= space.least.*member);
        REQUIRE(c.*member <= space.most.*member);
      }
      REQUIRE(c.count <= 4 * c.threads);
      REQUIRE(describe(c) == describe(drawCase(space, seed)));
      sizes.insert(c.threads);
      counts.insert(c.count);
    }
    CHECK(sizes.size() > 900);
    CHECK(counts.size() > 800);
    for (unsigned const edge : {1u, 31u, 32u, 33u, 64u, 65u, 1024u}) CHECK(sizes.count(edge) == 1);
    for (unsigned const edge : {0u, 1u, 32u, 33u, 1024u, 4096u}) CHECK(counts.count(edge) == 1);
  }
  TEST_CASE("a case that fails is shrunk to the least of its kind") {
    auto const fails = [](Case const& c) { return c.threads > 32 && c.count >= 37 && c.kind > 1; };
    int runs = 0, failing = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      Case const drawn = drawCase(space, seed);
      if (!fails(drawn)) continue;
      ++failing;
      Case const least = shrink(drawn, space, [&](Case const& c) { return ++runs, fails(c); });
      REQUIRE(describe(least) == "threads=33 blocks=1 count=37 shift=0 kind=2 seed=0");
    }
    CHECK(failing > 50);
    CHECK(runs < 300 * failing);
  }
}
