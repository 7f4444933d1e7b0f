// SPDX-License-Identifier: Apache-2.0
/// The loom's public interface: what tests set, catch and count. Kernels need nothing of it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace tweed::loom {

/// Which thread of a block runs next.
enum class Order : unsigned char {
  forward,  ///< lowest thread first
  reverse,  ///< highest thread first
  random    ///< by a generator seeded with Options::seed; a seed repeats its run
};

/// What the virtual device claims to be; by default the limits of compute capability 9.0.
struct Limits {
  unsigned computeCapabilityMajor = 9, computeCapabilityMinor = 0;
  std::size_t sharedBytesPerBlock = 48 * 1024;        ///< without opting in
  std::size_t sharedBytesPerBlockOptIn = 227 * 1024;  ///< after cudaFuncSetAttribute
  std::size_t sharedBytesPerMultiprocessor = 228 * 1024;
  std::size_t sharedBytesReservedPerBlock = 1024;
  unsigned threadsPerMultiprocessor = 2048;
  unsigned blocksPerMultiprocessor = 32;
  std::size_t globalBytes = std::size_t(8) << 30;  ///< more than this cannot be allocated
};

/// How the next launch runs.
struct Options {
  Order schedule = Order::forward;
  std::uint64_t seed = 1;          ///< for Order::random
  unsigned preempt = 0;            ///< one in `preempt` atomics and fences yields; 0: none
  unsigned residentBlocks = 1;     ///< blocks alive at a time, each on an OS thread of its own
  bool parallel = false;           ///< those OS threads run at once; false: one at a time
  bool readsMustBeDefined = true;  ///< a shuffle from an inactive lane is a fault; false: poison
  bool exitedMayMissBarrier =
      false;                       ///< false: a barrier that some thread exited before is a fault
  bool absentLanesInMask = false;  ///< false: a mask naming lanes the block lacks is a fault
  bool poisonShared = true;        ///< shared memory starts each block as 0xFF bytes
  std::size_t stackBytes = 128 * 1024;  ///< of each CUDA thread
  std::uint64_t spinLimit = 100000;     ///< rounds of one spinning thread without progress: a fault
  unsigned multiprocessors = 4;         ///< of the virtual device
  Limits limits;
};

/// Options as the environment sets them:
/// `TWEED_LOOM_SCHEDULE=forward|reverse|random|random:SEED` and `TWEED_LOOM_RESIDENT=K`, K >= 1.
/// random also sets `preempt` to 4.
/// Errors: std::invalid_argument, which says what is allowed, while a variable holds anything else.
Options optionsFromEnvironment();

/// The options of the next launch. They start as the environment's.
/// Errors: as optionsFromEnvironment, at each call until the variable is right.
Options& defaults();

/// Sets options for a scope.
class ScopedOptions {
 public:
  explicit ScopedOptions(Options const& options) : saved_(defaults()) { defaults() = options; }
  ~ScopedOptions() { defaults() = saved_; }
  ScopedOptions(ScopedOptions const&) = delete;
  ScopedOptions& operator=(ScopedOptions const&) = delete;

 private:
  Options saved_;
};

enum class FaultKind : unsigned char {
  launch,         ///< a device call outside a kernel, or a launch inside one
  barrier,        ///< a barrier that not all threads reach, or not the same one
  mask,           ///< a lane mask that is wrong by itself or against the other lanes'
  undefinedRead,  ///< a shuffle from a lane that takes no part
  deadlock,       ///< no thread of the block can run
  spin,           ///< a thread waits for a store that does not come
  exception,      ///< an exception left the kernel
  trap            ///< __trap() or device::trap()
};

/// Thrown out of the launch. The loom can be used after it; the kernel's frames were dropped, not
/// unwound.
class Fault : public std::runtime_error {
 public:
  Fault(FaultKind faultKind, std::string const& text) : std::runtime_error(text), kind(faultKind) {}
  FaultKind kind;
};

struct Counters {
  std::uint64_t switches;     ///< from one fiber to another
  std::uint64_t collectives;  ///< lanes that called a warp-wide intrinsic
  std::uint64_t barriers;     ///< threads that called a block-wide barrier
  std::uint64_t threads;      ///< CUDA threads run
  std::uint64_t blocks;       ///< blocks run
};
/// What all launches since the last call did.
Counters takeCounters();

}  // namespace tweed::loom
