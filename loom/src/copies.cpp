// SPDX-License-Identifier: Apache-2.0
/// Asynchronous copies to shared memory.
#include <cstring>

#include "engine.hpp"

namespace tweed::loom {

// The sanitizers see both writes through their own memset and memcpy, so no Quiet lives around
// them: a race with a write that comes early is one, and so is a race with one that comes late.
void Engine::copyAsync(void* to, void const* from, unsigned bytes, unsigned fromBytes, Site site) {
  if (bytes > sizeof(PendingCopy::data) || fromBytes > bytes)
    trap("copyAsync: more than 16 bytes, or more from than to", site);
  PendingCopy copy{to, bytes, 0, {}};
  std::memcpy(copy.data, from, fromBytes);
  std::memset(to, 0xFF, bytes);
  Quiet quiet;
  if (copies_.size() < blockThreads_) copies_.resize(blockThreads_);
  copy.group = copies_[current_].groups;
  copies_[current_].copies.push_back(copy);
}

void Engine::commitCopies() {
  if (current_ < copies_.size()) ++copies_[current_].groups;
}

void Engine::waitForCopies(unsigned groupsLeft, bool ofAll) {
  if (current_ >= copies_.size()) return;
  PendingCopies& mine = copies_[current_];
  std::size_t done = 0;
  while (done < mine.copies.size() &&
         (ofAll || mine.copies[done].group + groupsLeft < mine.groups)) {
    PendingCopy const& copy = mine.copies[done++];
    std::memcpy(copy.to, copy.data, copy.bytes);
  }
  Quiet quiet;
  mine.copies.erase(mine.copies.begin(), mine.copies.begin() + std::ptrdiff_t(done));
}

}  // namespace tweed::loom
