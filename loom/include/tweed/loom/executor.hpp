// SPDX-License-Identifier: Apache-2.0
/// What the built-ins call in the library. Not for users.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tweed::loom {

/// A place in the source. As a default argument, `Site::here()` is the caller's.
struct Site {
  char const* file;
  unsigned line;
  static constexpr Site here(char const* file = __builtin_FILE(),
                             unsigned line = __builtin_LINE()) {
    return {file, line};
  }
};

namespace detail {

struct LaunchDescription {
  unsigned grid[3], block[3];
  std::size_t dynamicSharedBytes;
  bool allResident;             ///< a cooperative launch
  void (*invoke)(void const*);  ///< runs the kernel for the current thread
  void const* context;          ///< its argument
  void const* kernel;           ///< the kernel's address, for its name
};
void launch(LaunchDescription const&);

enum class WarpOp : unsigned char {
  shuffleIndex,
  shuffleUp,
  shuffleDown,
  shuffleXor,
  ballot,
  any,
  all,
  sync,
  exchange,
  matchAny,
  matchAll,
  reduceAdd,
  reduceMinUnsigned,
  reduceMaxUnsigned,
  reduceMinSigned,
  reduceMaxSigned,
  reduceAnd,
  reduceOr,
  reduceXor
};
struct WarpResult {
  std::uint64_t value;
  bool predicate;
};
using Complete = void (*)(void* const* payloads, unsigned arrived);
WarpResult warpCollective(WarpOp, unsigned mask, std::uint64_t value, int argument, int width,
                          char const* name, Site);
void warpExchange(unsigned mask, void* payload, Complete, char const* name, Site);
unsigned activeMask(Site);

enum class BarrierOp : unsigned char { sync, count, all, any };
int barrier(BarrierOp, int predicate, char const* name, Site);
void namedBarrier(unsigned id, unsigned threads, Site);

void copyAsync(void* to, void const* from, unsigned bytes, unsigned fromBytes, Site);
void commitCopies();
void waitForCopies(unsigned groupsLeft, bool ofAll);

void spinPause(Site);
enum class AtomicUse : unsigned char { load, store, update };
void atomicPoint(void const*, unsigned bytes, AtomicUse, Site);  ///< before each atomic
void madeProgress();  ///< after an atomic that changed memory
void fence(Site);
void* dynamicShared();
std::size_t dynamicSharedBytes();
unsigned laneId();
[[noreturn]] void trap(char const* text, Site);
bool inKernel();

}  // namespace detail
}  // namespace tweed::loom
