// SPDX-License-Identifier: Apache-2.0
/// Groups what the threads do into requests of warps, and sums them up by place in the code.
#pragma once
#include <tweed/loom/recording.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "cost.hpp"
#include "observer.hpp"

namespace tweed::loom {

/// A place in the code, and what it does there.
struct Place {
  std::uintptr_t caller;
  Event event;
  bool isWhole;
  unsigned bytes;

  auto key() const { return std::tie(caller, event, isWhole, bytes); }
  bool operator<(Place const& other) const { return key() < other.key(); }
  bool operator==(Place const& other) const { return key() == other.key(); }
};

/// One kernel, before its lines are known.
struct KernelTotals {
  void const* kernel = nullptr;
  std::uint64_t launches = 0, blocks = 0, warps = 0, threads = 0;
  std::map<Place, Counts> places;
};

/// The block that one OS thread runs.
class BlockTrace {
 public:
  explicit BlockTrace(Engine& engine);
  void access(std::uintptr_t address, unsigned bytes, bool isWhole, bool isStore,
              std::uintptr_t caller);
  void atomic(std::uintptr_t address, unsigned bytes, detail::AtomicUse use, std::uintptr_t caller);
  void call(Event event, bool meets, std::uintptr_t caller);
  void blockBarrier(std::uintptr_t caller);
  void threadEnds();
  /// Adds all to the kernel's totals.
  void finish(KernelTotals& totals);

 private:
  enum class Space : unsigned char { none, shared, global };
  struct PlaceHash {
    std::size_t operator()(Place const& place) const {
      return (place.caller * 64 + place.bytes * 16 + unsigned(place.event)) * 0x9E3779B97F4A7C15u >>
             16;
    }
  };
  /// What a warp does at a place. `open` holds its requests that lanes may still join.
  struct Stream {
    std::array<unsigned, 32> times{};  ///< that each lane has come since the lanes last met
    unsigned closed = 0;               ///< requests before the first of `open`
    std::deque<Request> open;
    Counts counts;
  };
  struct Warp {
    std::uint32_t exists = 0, live = 0, exited = 0;
    unsigned meetings = 0;
    std::unordered_map<Place, Stream, PlaceHash> streams;
  };

  Space spaceOf(std::uintptr_t address);
  void note(Place const& place, std::uintptr_t address);
  void close(Warp& warp, Place const& place, Stream& stream);
  void lanesMet(Warp& warp, unsigned warpIndex, unsigned meetings);

  Engine& engine_;
  std::vector<Warp> warps_;
  std::vector<unsigned> meetings_;  ///< that each thread has passed
  std::vector<unsigned> barriers_;  ///< the same of the block's barriers alone
  unsigned barriersSeen_ = 0;
  std::map<Place, Counts> barrierPlaces_;
  std::uintptr_t dynamicLow_, dynamicHigh_, threadLocalLow_;
  std::size_t allocatedLow_ = 0, allocatedHigh_ = 0;  ///< the allocation seen last
};

/// What the hooks see: null unless the calling OS thread runs a block that is recorded.
inline thread_local BlockTrace* currentTrace = nullptr;

class Recorder final : public Observer {
 public:
  void launchStarts(detail::LaunchDescription const& description) override;
  void blockStarts(Engine& engine) override;
  void blockEnds(bool failed) override;
  void threadEnds() override;
  void warpCall(detail::WarpOp op, unsigned mask, void const* caller) override;
  void activeMask(void const* caller) override;
  void barrier(bool isNamed, void const* caller) override;
  void copy(void const* to, void const* from, unsigned bytes, unsigned fromBytes,
            void const* caller) override;
  void fence(void const* caller) override;
  void atomic(void const* p, unsigned bytes, detail::AtomicUse use, void const* caller) override;

  std::vector<KernelTotals> const& kernels() const { return kernels_; }

 private:
  KernelTotals& totalsOf(void const* kernel);

  std::mutex mutex_;  // blocks may run in parallel
  std::vector<KernelTotals> kernels_;
};

/// The recording of these totals, with lines in place of addresses.
Recording resolve(std::vector<KernelTotals> const& kernels);

}  // namespace tweed::loom
