// SPDX-License-Identifier: Apache-2.0
#include "cost.hpp"

#include <algorithm>

namespace tweed::loom {
namespace {

constexpr unsigned wordBytes = 4, banks = 32, sectorBytes = 32;

bool isShared(Event event) { return event <= Event::sharedAtomic; }
bool isGlobal(Event event) { return !isShared(event) && event <= Event::globalAtomic; }

template <class Use>
void forEachLane(std::uint32_t lanes, Use use) {
  for (; lanes; lanes &= lanes - 1) use(unsigned(__builtin_ctz(lanes)));
}

// How wide the accesses are that a GPU would make.
unsigned pieceOf(Request const& request, unsigned bytes, bool isWhole) {
  // A power of two that is not one access is aligned to less than its size.
  bool const isPower = bytes <= 16 && (bytes & (bytes - 1)) == 0;
  unsigned piece = isWhole ? bytes : isPower ? std::min(bytes, wordBytes) : 16;
  std::uintptr_t all = bytes;
  forEachLane(request.lanes, [&](unsigned lane) { all |= request.address[lane]; });
  while (all % piece != 0) piece /= 2;
  return piece;
}

void addPasses(Counts& counts, Request const& request, unsigned offset, unsigned bytes,
               bool isAtomic) {
  unsigned const groupLanes = bytes <= wordBytes ? 32 : 128 / bytes;
  std::uint64_t passes = 0;
  for (unsigned first = 0; first < 32; first += groupLanes) {
    std::uint32_t const group = groupLanes == 32 ? ~0u : ((1u << groupLanes) - 1) << first;
    std::array<std::uintptr_t, 32> words;
    unsigned count = 0;
    forEachLane(request.lanes & group, [&](unsigned lane) {
      words[count++] = (request.address[lane] + offset) / wordBytes;  // aligned: so for the rest
    });
    if (count == 0) continue;
    std::sort(words.begin(), words.begin() + count);
    std::array<unsigned, banks> uses{};
    for (unsigned i = 0; i < count; ++i)
      if (isAtomic || i == 0 || words[i] != words[i - 1]) ++uses[words[i] % banks];
    passes += *std::max_element(uses.begin(), uses.end());
    ++counts.idealPasses;
  }
  counts.passes += passes;
  counts.worstPasses = std::max(counts.worstPasses, passes);
}

void addSectors(Counts& counts, Request const& request, unsigned offset, unsigned bytes) {
  std::array<std::uintptr_t, 32> begins;
  unsigned count = 0;
  forEachLane(request.lanes,
              [&](unsigned lane) { begins[count++] = request.address[lane] + offset; });
  std::sort(begins.begin(), begins.begin() + count);
  std::uintptr_t end = 0, nextSector = 0;
  std::uint64_t distinct = 0, sectors = 0;
  for (unsigned i = 0; i < count; ++i) {
    std::uintptr_t const begin = begins[i], last = begin + bytes - 1;
    distinct += std::max(end, begin + bytes) - std::max(end, begin);
    end = std::max(end, begin + bytes);
    sectors += last / sectorBytes + 1 -
               std::min(std::max(nextSector, begin / sectorBytes), last / sectorBytes + 1);
    nextSector = last / sectorBytes + 1;
  }
  counts.sectors += sectors;
  counts.worstSectors = std::max(counts.worstSectors, sectors);
  counts.idealSectors += (distinct + sectorBytes - 1) / sectorBytes;
}

}  // namespace

void addCost(Counts& counts, Event event, Request const& request, unsigned bytes, bool isWhole,
             bool isDivergent) {
  unsigned const piece = bytes ? pieceOf(request, bytes, isWhole) : 0;
  unsigned const pieces = bytes ? bytes / piece : 1;
  counts.requests += pieces;
  counts.divergent += isDivergent ? pieces : 0;
  counts.lanes += unsigned(__builtin_popcount(request.lanes)) * pieces;
  for (unsigned i = 0; i < pieces; ++i) {
    if (isShared(event)) addPasses(counts, request, i * piece, piece, event == Event::sharedAtomic);
    if (isGlobal(event)) addSectors(counts, request, i * piece, piece);
  }
}

}  // namespace tweed::loom
