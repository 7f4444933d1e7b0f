// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/arrayCase.cuh - how kernels that write arrays are timed and verified.
#pragma once

#include "bench.cuh"
#include "input.cuh"

#include <cstdint>
#include <functional>
#include <string>

namespace bench {

/// Where the arrays of one call lie.
template <class T>
struct Arrays {
  T const* x;
  T const* y;
  T* out;
};
template <class T>
using ArrayCall = std::function<void(Arrays<T> const&)>;
/// Enqueues what counts the wrong items of a call's output.
template <class T>
using ArrayCheck = std::function<void(Arrays<T> const&, unsigned long long* wrong)>;

/// Pools that the calls of a case walk through, as far apart as their arrays of n items are long;
/// inputs and outputs are so many items off a 256-byte boundary.
struct Pools {
  Input<float> const& input;
  DeviceArray<float> const& target;
  std::uint64_t n;
  int shiftIn = 0, shiftOut = 0;
};

namespace detail {

template <class T>
class ArrayProbe {
 public:
  ArrayProbe(Pools const& pools, bool isGraph, double bytes, ArrayCall<T> call, ArrayCheck<T> check)
      : pools_(pools),
        bytes_(bytes),
        call_(std::move(call)),
        check_(std::move(check)),
        calls_(pools.n * sizeof(T) >= 1u << 28 ? 4 : 24),
        wrong_(1) {
    if (isGraph) graph_ = std::make_unique<Graph>([this] { enqueue(0); });
  }

  std::string verify() {
    wrong_.fillBytes(0);
    for (int i = 0; i < std::min(calls_, 2); ++i) {
      Arrays<T> const arrays = at(std::uint64_t(i));
      TWEED_CHECK(cudaMemsetAsync(arrays.out, 0xff, pools_.n * sizeof(T), stream()));
      call_(arrays);
      check_(arrays, wrong_.data());
    }
    auto const wrong = wrong_.toHost()[0];
    return wrong == 0 ? "" : std::to_string(wrong) + " items are wrong";
  }

  Sample measure() {
    Sample sample;
    sample.seconds = medianOf(3, [this] {
      wait();
      return timer_.seconds([this] {
        if (graph_ != nullptr) {
          graph_->replay();
        } else {
          enqueue(0);
        }
      }) / calls_;
    });
    sample.counters["n"] = double(pools_.n);
    sample.counters["calls"] = calls_;
    sample.counters["GBps"] = 1e-9 * bytes_ / sample.seconds;
    return sample;
  }

 private:
  Arrays<T> at(std::uint64_t call) const {
    // An array of n items, shifted, has its room to itself.
    std::uint64_t const room = pools_.n + 256 / sizeof(T);
    std::uint64_t const slots = pools_.input.bytes() / sizeof(T) / room;
    auto const* const from = reinterpret_cast<T const*>(pools_.input.data()) + pools_.shiftIn;
    auto* const to = reinterpret_cast<T*>(pools_.target.data()) + pools_.shiftOut;
    return {from + 2 * call % slots * room, from + (2 * call + 1) % slots * room,
            to + call % slots * room};
  }
  void enqueue(std::uint64_t first) {
    for (int i = 0; i < calls_; ++i) call_(at(first + std::uint64_t(i)));
  }

  Pools pools_;
  double bytes_;
  ArrayCall<T> call_;
  ArrayCheck<T> check_;
  int calls_;
  DeviceArray<unsigned long long> wrong_;
  EventTimer timer_;
  std::unique_ptr<Graph> graph_;
};

}  // namespace detail

/// Adds a peer to a case of arrays; `bytes` is what a call moves.
template <class T>
void addArrayPeer(Case& to, std::string name, Pools const& pools, bool isGraph, double bytes,
                  ArrayCall<T> call, ArrayCheck<T> check) {
  to.add(std::move(name), [=] {
    auto const probe = std::make_shared<detail::ArrayProbe<T>>(pools, isGraph, bytes, call, check);
    return Probe{[probe] { return probe->verify(); }, [probe] { return probe->measure(); }};
  });
}

}  // namespace bench
