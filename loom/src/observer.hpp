// SPDX-License-Identifier: Apache-2.0
/// Who hears what a run does: the recorder (trace/), while it records.
#pragma once
#include <cstddef>

#include "state.hpp"

namespace tweed::loom {

class Engine;

/// Each `caller` is the return address of the call in the kernel's code.
class Observer {
 public:
  virtual void launchStarts(detail::LaunchDescription const& description) = 0;
  virtual void blockStarts(Engine& engine) = 0;
  virtual void blockEnds(bool failed) = 0;
  virtual void threadEnds() = 0;
  virtual void warpCall(detail::WarpOp op, unsigned mask, void const* caller) = 0;
  virtual void activeMask(void const* caller) = 0;
  virtual void barrier(bool isNamed, void const* caller) = 0;
  virtual void copy(void const* to, void const* from, unsigned bytes, unsigned fromBytes,
                    void const* caller) = 0;
  virtual void fence(void const* caller) = 0;
  virtual void atomic(void const* p, unsigned bytes, detail::AtomicUse use, void const* caller) = 0;

 protected:
  ~Observer() = default;
};

/// Null unless someone records.
inline Observer* observer __attribute__((visibility("hidden"))) = nullptr;
/// All that other runs pay.
inline bool isObserved() { return __builtin_expect(observer != nullptr, 0); }

/// Whether p lies in memory that the runtime's functions have allocated; then fills in its bounds.
bool isAllocated(void const* p, std::size_t& low, std::size_t& high);

}  // namespace tweed::loom
