// SPDX-License-Identifier: Apache-2.0
// tests/support/property.cuh - properties over many drawn cases; one that fails is made smaller
// until nothing smaller fails.
//
//   TWEED_PROPERTY_CASES=N   cases of each property, in place of its own number
//   TWEED_PROPERTY_SEED=N    other cases than those of seed 1
//   TWEED_PROPERTY_CASE=...  this case alone, as a failure prints it
//
// Many cases of one block size run in a launch, so that 10^6 of them take seconds on a GPU. That is
// why this is not a library for one case at a time.
#pragma once

#include <algorithm>
#include <cstdio>
#include <exception>

#include "device.cuh"

namespace tweedTest {

/// What a property is tried with: numbers that a seed gave. What it has no use for is its least.
struct Case {
  unsigned threads = 1;  // of the block
  unsigned blocks = 1;   // of the grid
  unsigned count = 0;    // items that are data
  unsigned shift = 0;    // items that the data starts off a 256-byte boundary
  unsigned kind = 0;     // of data: 0 is the simplest
  unsigned seed = 0;     // of the data
};
using CaseMember = unsigned Case::*;
inline constexpr CaseMember caseMembers[] = {&Case::threads, &Case::blocks, &Case::count,
                                             &Case::shift,   &Case::kind,   &Case::seed};
inline constexpr char const* caseText = "threads=%u blocks=%u count=%u shift=%u kind=%u seed=%u";

/// The cases of a property: all from `least` to `most`, with at most capacity(case) items.
struct Space {
  Case least, most;
  unsigned (*capacity)(Case const&);

  Case fit(Case c) const {
    for (CaseMember const member : caseMembers)
      c.*member = std::clamp(c.*member, least.*member, most.*member);
    c.count = std::min(c.count, std::max(least.count, capacity(c)));
    return c;
  }
};

/// What a run of several cases found: one that fails, or the first if none is known, and how.
struct Verdict {
  int failing = -1;
  std::string text;
};

inline unsigned long long environmentNumber(char const* name, unsigned long long otherwise) {
  char const* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Numbers of every magnitude alike, and more often the ends and what is around a warp.
inline unsigned drawNumber(std::uint64_t random, unsigned least, unsigned most) {
  std::uint64_t const range = std::uint64_t(most) - least + 1;
  unsigned bits = 0;
  while (bits < 32 && std::uint64_t(1) << bits < range) ++bits;
  std::uint64_t const size = std::min(range, std::uint64_t(1) << (random % (bits + 1)));
  std::uint64_t const plain = least + noise(random) % size;
  switch (random >> 32 & 15) {
    case 0:
      return most;
    case 1:
      return unsigned(std::clamp<std::uint64_t>((plain + 16) / 32 * 32, least, most));
    case 2:
      return unsigned(std::clamp<std::uint64_t>(plain / 32 * 32 + 33, least, most));
    default:
      return unsigned(plain);
  }
}

inline Case drawCase(Space const& space, std::uint64_t seed) {
  Case c = space.most;
  for (CaseMember const member : caseMembers) {
    unsigned const most = member == &Case::count ? space.fit(c).count : space.most.*member;
    c.*member = drawNumber(seed = noise(seed), space.least.*member, most);
  }
  return space.fit(c);
}

/// The smallest case that is reached from one that fails by making one number smaller at a time.
template <class Fails>
Case shrink(Case failing, Space const& space, Fails fails) {
  for (bool isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (CaseMember const member : caseMembers)
      for (unsigned step = failing.*member - space.least.*member; step > 0; step /= 2)
        while (failing.*member >= space.least.*member + step) {
          Case next = failing;
          next.*member -= step;
          next = space.fit(next);
          if (!fails(next)) break;
          failing = next;
          isSmaller = true;
        }
  }
  return failing;
}

inline std::string describe(Case const& c) {
  char text[160];
  std::snprintf(text, sizeof text, caseText, c.threads, c.blocks, c.count, c.shift, c.kind, c.seed);
  return text;
}

/// Tries a property on `loomCases` drawn cases, in the short tests on a fiftieth, on a GPU on 30 or
/// 10 times as many; run(cases) takes up to `batch` that share threads and blocks, and gives a
/// Verdict.
template <class Run>
void checkProperty(char const* name, Space const& space, unsigned loomCases, Run run,
                   unsigned batch = isLoom ? 16 : 480) {
  auto const tried = [&](std::vector<Case> const& cases) {
    try {
      return run(cases);
    } catch (std::exception const& error) {  // a fault of the loom, or a launch that failed
      return Verdict{0, error.what()};
    }
  };
  std::uint64_t const seed = environmentNumber("TWEED_PROPERTY_SEED", 1);
  unsigned const some = isShort() ? loomCases / 50 + 1 : loomCases;
  unsigned const times = isLoom ? 1 : isShort() ? 10 : 30;
  std::uint64_t const all = environmentNumber("TWEED_PROPERTY_CASES", some * times);
  if (char const* const text = std::getenv("TWEED_PROPERTY_CASE")) {
    Case c;
    REQUIRE(std::sscanf(text, caseText, &c.threads, &c.blocks, &c.count, &c.shift, &c.kind,
                        &c.seed) == 6);
    CHECK_MESSAGE(tried({space.fit(c)}).failing < 0, name);
    return;
  }
  std::uint64_t random = noise(seed);
  for (char const* letter = name; *letter != '\0'; ++letter) random = noise(random ^ *letter);
  std::vector<Case> cases;
  for (std::uint64_t done = 0; done < all; done += cases.size()) {
    cases.clear();
    while (cases.size() < std::min<std::uint64_t>(batch, all - done)) {
      Case c = drawCase(space, random = noise(random));
      if (!cases.empty()) c.threads = cases[0].threads, c.blocks = cases[0].blocks;
      cases.push_back(space.fit(c));
    }
    Verdict const verdict = tried(cases);
    if (verdict.failing < 0) continue;
    auto const failsAlone = [&](Case const& c) { return tried({c}).failing >= 0; };
    auto const first = std::find_if(cases.begin() + verdict.failing, cases.end(), failsAlone);
    bool const isAlone = first != cases.end();  // else it takes several at once
    Case const drawn = isAlone ? *first : cases[std::size_t(verdict.failing)];
    Case const least = isAlone ? shrink(drawn, space, failsAlone) : drawn;
    std::string text = std::string(name) + ": " + (isAlone ? tried({least}).text : verdict.text);
    text += "\nTWEED_PROPERTY_CASE=\"" + describe(least) + "\"\nfrom TWEED_PROPERTY_SEED=";
    text += std::to_string(seed) + ", which drew " + describe(drawn);
    if (!isAlone) text += "; alone it does not fail";
    FAIL_CHECK(text);
    return;
  }
}

}  // namespace tweedTest
