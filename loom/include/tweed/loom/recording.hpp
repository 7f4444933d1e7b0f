// SPDX-License-Identifier: Apache-2.0
/// What kernels do to memory and to each other, counted by line as a warp's hardware would, with no
/// GPU: bank conflicts, sectors, divergence. For programs that link tweed::loomTrace.
#pragma once
#if !defined(TWEED_LOOM_TRACE)
#error "tweed::loom::record needs code that is compiled for it: link tweed::loomTrace"
#endif
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tweed::loom {

/// What is counted. A request is one instruction of a warp: the same place in the code, reached for
/// the same time by its lanes. Places are matched anew after each barrier of the block and each
/// warp intrinsic with a full mask.
enum class Event : unsigned char {
  sharedLoad,
  sharedStore,
  sharedAtomic,
  globalLoad,
  globalStore,
  globalAtomic,
  barrier,      ///< of the block, also a named one
  warpBarrier,  ///< __syncwarp
  shuffle,
  vote,      ///< ballot, any, all, match, active mask
  reduce,    ///< __reduce_..._sync
  exchange,  ///< what stands for a matrix instruction
  fence
};
inline constexpr int eventCount = 13;

/// Its name as the JSON has it: "sharedLoad".
char const* nameOf(Event event);

struct Counts {
  std::uint64_t requests = 0;   ///< of warps; barriers count once a block
  std::uint64_t divergent = 0;  ///< requests without some lane of the warp that had not left before
  std::uint64_t lanes = 0;      ///< lanes that took part, summed over the requests
  /// Shared memory: times that its 32 banks of 4 bytes are used, one after the other. A request of
  /// 8 bytes a lane takes a pass for each half of the warp, one of 16 bytes for each quarter, at
  /// the least: that is the ideal. Atomics pass once for each lane of a bank.
  std::uint64_t passes = 0, idealPasses = 0, worstPasses = 0;
  /// Global memory: aligned pieces of 32 bytes that a request touches; ideal is as few as could
  /// hold the bytes that its lanes ask for.
  std::uint64_t sectors = 0, idealSectors = 0, worstSectors = 0;

  Counts& operator+=(Counts const& other);
  bool isConflictFree() const { return passes == idealPasses; }
  bool isCoalesced() const { return sectors == idealSectors; }
};

/// A place in the source.
struct Frame {
  std::string file;  ///< relative to tweed's folder where it lies in there
  unsigned line = 0;
};

struct RecordedLine {
  Event event{};
  unsigned bytes = 0;         ///< that a lane asks for at a time; 0: touches no memory
  std::vector<Frame> frames;  ///< the access, then what it was inlined into, to the kernel
  std::size_t user = 0;       ///< index of the frame to show: the innermost outside of tweed
  std::size_t inner = 0;      ///< and where in tweed, if user is not 0
  Counts counts;
};

struct RecordedKernel {
  std::string name;
  std::uint64_t launches = 0, blocks = 0, warps = 0, threads = 0;
  std::vector<RecordedLine> lines;  ///< by file and line of the frame to show

  Counts total(Event event) const;
};

struct Recording {
  std::vector<RecordedKernel> kernels;  ///< in the order of their first launch

  /// Over all kernels.
  Counts total(Event event) const;
  /// Of the lines that `file`:`line` holds or has called; a file is named by its end.
  Counts at(Event event, std::string const& file, unsigned line) const;
  /// Aligned, for people.
  std::string table() const;
  /// For programs; loom/trace/README.md describes it.
  std::string json() const;
};

/// Runs `run` and records the kernels that it launches. Blocks that end in a fault are not counted.
/// Errors: std::logic_error inside another recording; what `run` throws.
Recording record(std::function<void()> const& run);

}  // namespace tweed::loom
