// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/deviceCase.cuh - how functions of whole arrays are timed and verified.
#pragma once

#include "bench.cuh"
#include "input.cuh"

#include <cstdint>
#include <string>

namespace bench {

/// Enqueues one call: combines n items from `in` on into *out.
template <class T, class Out>
using Call = std::function<void(T const* in, Out* out)>;
/// Makes the call ready for one size, with whatever memory it needs.
template <class T, class Out>
using MakeCall = std::function<Call<T, Out>(std::uint64_t n)>;

/// Stream: calls back to back in an idle stream, from the first call to the end of the last: what a
/// program sees, launch costs of the host included. Graph: a captured graph of calls replayed: what
/// the device needs. GraphCold: the same with the L2 cache full of other data before each replay.
enum class Mode { Stream, Graph, GraphCold };

inline char const* nameOf(Mode mode) {
  return mode == Mode::Stream ? "stream" : mode == Mode::Graph ? "graph" : "graphCold";
}

/// Calls in a batch of a stream, and nodes of a graph: one size for all peers.
inline int callsOf(Mode mode, std::uint64_t bytes) {
  if (bytes >= 1ull << 32) return 2;
  if (bytes >= 1ull << 30) return 4;
  if (bytes >= 1ull << 28) return 8;
  if (bytes >= 1ull << 26) return 16;
  return mode == Mode::Stream ? 64 : 32;
}

/// Graphs of small inputs find them in the L2 cache when replayed; these have a cold form too.
inline bool hasColdForm(std::uint64_t bytes) {
  return std::uint64_t(callsOf(Mode::Graph, bytes)) * bytes < 2 * l2Bytes();
}

namespace detail {

static __global__ void readAll(float4 const* in, std::uint64_t count, float* sink) {
  std::uint64_t const stride = std::uint64_t(gridDim.x) * blockDim.x;
  float sum = 0;
  for (std::uint64_t i = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    sum += in[i].x + in[i].y + in[i].z + in[i].w;
  if (sum == 1e30f) *sink = sum;
}

// What one peer needs in one case.
template <class T, class Out>
class DeviceProbe {
 public:
  static constexpr int batches = 5;  // of a stream, in each round

  DeviceProbe(Input<T> const& input, Mode mode, std::uint64_t n, Call<T, Out> call,
              Check<T, Out> check, double moved)
      : input_(input),
        mode_(mode),
        n_(n),
        call_(std::move(call)),
        check_(std::move(check)),
        moved_(moved),
        calls_(callsOf(mode, n * sizeof(T))),
        out_(std::size_t(calls_)) {
    double const guess = 2e-6 + double(n * sizeof(T)) / 4e12;  // seconds of one call
    replays_ = std::max(1, std::min(20, int(1e-3 / (guess * calls_))));
    if (mode != Mode::Stream) graph_ = std::make_unique<Graph>([this] { enqueue(0); });
  }

  std::string verify() {
    for (int pass = 0; check_ && pass < 3; ++pass) {
      out_.fillBytes(0xff);  // NaN
      std::uint64_t const first = mode_ == Mode::Stream ? std::uint64_t(pass) * 1001 : 0;
      if (graph_ != nullptr) {
        graph_->replay();
      } else {
        enqueue(first);
      }
      std::vector<Out> const found = out_.toHost();
      for (int i = 0; i < calls_; ++i) {
        std::string const fault =
            check_(input_.facts(n_, first + std::uint64_t(i)), n_, found[std::size_t(i)]);
        if (!fault.empty()) return fault + ", call " + std::to_string(i);
      }
    }
    return {};
  }

  Sample measure() {
    Sample sample;
    if (mode_ == Mode::Stream) {
      sample.seconds = medianOf(batches, [this] {
        std::uint64_t const first = cursor();
        cursor() += std::uint64_t(calls_);
        wait();
        return timer_.seconds([this, first] { enqueue(first); }) / calls_;
      });
    } else if (mode_ == Mode::Graph) {
      graph_->replay();
      sample.seconds = timer_.seconds([this] {
        for (int i = 0; i < replays_; ++i) graph_->replay();
      }) / (double(replays_) * calls_);
    } else {
      sample.seconds = medianOf(2 * batches, [this] {
        evict();
        return timer_.seconds([this] { graph_->replay(); }) / calls_;
      });
    }
    sample.counters["n"] = double(n_);
    sample.counters["calls"] = calls_;
    sample.counters["GBps"] = 1e-9 * moved_ / sample.seconds;
    return sample;
  }

 private:
  void enqueue(std::uint64_t first) {
    for (int i = 0; i < calls_; ++i)
      call_(input_.slot(n_, first + std::uint64_t(i)), out_.data() + i);
  }
  // Fills the L2 cache with the end of the pool, which small inputs do not reach. Takes longer than
  // the host needs to enqueue the replay behind it.
  void evict() {
    std::uint64_t const bytes = std::min<std::uint64_t>(4 * l2Bytes(), input_.bytes() / 2);
    char const* const end = reinterpret_cast<char const*>(input_.data()) + input_.bytes();
    readAll<<<4 * multiprocessors(), 512, 0, stream()>>>(
        reinterpret_cast<float4 const*>(end - bytes), bytes / sizeof(float4), sink_.data());
    TWEED_CHECK(cudaGetLastError());
  }
  // Where in the pool the next batch begins: one for all peers, so that none finds what another has
  // just left in the cache.
  static std::uint64_t& cursor() {
    static std::uint64_t next = 0;
    return next;
  }

  Input<T> const& input_;
  Mode mode_;
  std::uint64_t n_;
  Call<T, Out> call_;
  Check<T, Out> check_;
  double moved_;
  int calls_;
  int replays_;
  DeviceArray<Out> out_;
  DeviceArray<float> sink_{1};
  EventTimer timer_;
  std::unique_ptr<Graph> graph_;
};

}  // namespace detail

/// Adds a peer to a case of whole arrays. Without a `check` its results are not looked at; `bytes`
/// is what a call of n items moves, if that is not the items.
template <class T, class Out>
void addDevicePeer(Case& to, Input<T> const& input, Mode mode, std::uint64_t n, std::string name,
                   MakeCall<T, Out> make, Check<T, Out> check, double bytes = 0) {
  double const moved = bytes > 0 ? bytes : double(n) * sizeof(T);
  to.add(std::move(name), [=, &input] {
    auto const probe =
        std::make_shared<detail::DeviceProbe<T, Out>>(input, mode, n, make(n), check, moved);
    return Probe{[probe] { return probe->verify(); }, [probe] { return probe->measure(); }};
  });
}

/// The cases of one kind of work on items of T: `add(case, mode, n)` for every mode and every n,
/// given as powers of two.
template <class T, class Add>
void addDeviceCases(std::string const& kind, std::vector<int> const& sizes, Add&& add) {
  for (Mode const mode : {Mode::Stream, Mode::Graph, Mode::GraphCold}) {
    for (int const log2 : sizes) {
      std::uint64_t const n = 1ull << log2;
      if (mode == Mode::GraphCold && !hasColdForm(n * sizeof(T))) continue;
      add(addCase(kind + "/" + nameOf(mode) + "/n:" + std::to_string(n)), mode, n);
    }
  }
}

}  // namespace bench
