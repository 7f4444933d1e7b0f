// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/collective.cuh - how functions that threads of a block or warp call together
// are timed and verified.
//
// A Form is one way to do it:
//   using Value, Op;                    the type of the values, and the operator
//   static constexpr int threads;       of the block that is launched
//   static constexpr int group;         of those that work together: the block, or a warp
//   static constexpr int count;         how many of these, the first ones, hold data
//   static constexpr Answer answer;     what is checked, and where
//   static __device__ Value call(Value);  may be called again at once
// All but call() is in FormOf.
#pragma once

#include "affine.cuh"
#include "bench.cuh"

#include <tweed/core/ops.cuh>

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// Which threads get the reduction of their group, or that all get their inclusive prefix, or what
/// is before them behind neutral().
enum class Answer { First, Every, Prefix, Before };

template <class T, class Op_, int Threads, Answer Where, int Group = Threads, int Count = Group>
struct FormOf {
  using Value = T;
  using Op = Op_;
  static constexpr int threads = Threads;
  static constexpr int group = Group;
  static constexpr int count = Count;
  static constexpr Answer answer = Where;
};

/// What scans that leave out their own item begin with.
template <class T>
__host__ __device__ T neutral() {
  if constexpr (std::is_same_v<T, Affine>) {
    return {1, 0};
  } else {
    return T{};
  }
}

/// An affine map in 16 bytes, and a type of 16 bytes whose operator does not care for order.
struct Affine64 {
  double scale, shift;
  __host__ __device__ bool operator==(Affine64 const& other) const {
    return scale == other.scale && shift == other.shift;
  }
};
struct Compose64 {
  __host__ __device__ Affine64 operator()(Affine64 const& a, Affine64 const& b) const {
    return {a.scale * b.scale, b.scale * a.shift + b.shift};
  }
};
struct alignas(16) Pair {
  double first, second;
  __host__ __device__ bool operator==(Pair const& other) const {
    return first == other.first && second == other.second;
  }
};
struct AddPairs {
  static constexpr bool isCommutative = true;
  __host__ __device__ Pair operator()(Pair const& a, Pair const& b) const {
    return {a.first + b.first, a.second + b.second};
  }
};

/// What the loops need of a type: values for the timed loop that differ from lane to lane (of one
/// that is the same in all lanes the compiler makes shuffles vanish), and values whose folds are
/// exact for the check.
template <class T>
struct Values {
  static __device__ T start(int thread) { return T(thread) * T(0.25); }
  static __device__ T mix(T last, T own) {
    if constexpr (std::is_same_v<T, float>) {
      return fmaf(last, 1e-3f, own);
    } else {
      return fma(last, 1e-3, own);
    }
  }
  static __host__ __device__ T exact(std::uint32_t bits) { return T(bits & 1023); }
};
template <>
struct Values<int> {
  static __device__ int start(int thread) { return thread; }
  static __device__ int mix(int last, int own) { return last * 5 + own; }
  static __host__ __device__ int exact(std::uint32_t bits) { return int(bits & 0xffff); }
};
template <>
struct Values<Affine> {
  static __device__ Affine start(int thread) {
    return {1.f + float(thread) * 1e-4f, float(thread) * 0.25f};
  }
  static __device__ Affine mix(Affine last, Affine own) {
    return {fmaf(last.scale, 1e-3f, own.scale), fmaf(last.shift, 1e-3f, own.shift)};
  }
  static __host__ __device__ Affine exact(std::uint32_t bits) {
    return {(bits & 16) != 0 ? -1.f : 1.f, float(int(bits & 15) - 8)};
  }
};
template <>
struct Values<Affine64> {
  static __device__ Affine64 start(int thread) { return {1 + thread * 1e-4, thread * 0.25}; }
  static __device__ Affine64 mix(Affine64 last, Affine64 own) {
    return {fma(last.scale, 1e-3, own.scale), fma(last.shift, 1e-3, own.shift)};
  }
  static __host__ __device__ Affine64 exact(std::uint32_t bits) {
    return {(bits & 16) != 0 ? -1. : 1., double(int(bits & 15) - 8)};
  }
};
template <>
struct Values<Pair> {
  static __device__ Pair start(int thread) { return {thread * 0.25, thread * 0.5}; }
  static __device__ Pair mix(Pair last, Pair own) {
    return {fma(last.first, 1e-3, own.first), fma(last.second, 1e-3, own.second)};
  }
  static __host__ __device__ Pair exact(std::uint32_t bits) {
    return {double(bits & 1023), double(bits >> 8 & 255)};
  }
};

/// N items of a thread, whose fold is `value`: the others are zeros that the compiler cannot see.
template <int N, class T>
__device__ void spread(T value, T (&items)[N]) {
  items[0] = value;
#pragma unroll
  for (int i = 1; i < N; ++i) {
    int zero = 0;
    asm("" : "+r"(zero));
    items[i] = T(zero);
  }
}

namespace detail {

inline constexpr int loopCalls = 64;
inline constexpr int checkCalls = 64;

__host__ __device__ inline std::uint32_t mixBits(std::uint32_t call, std::uint32_t thread) {
  std::uint32_t bits = call * 0x9e3779b1u + thread * 0x85ebca77u + 1;
  bits ^= bits >> 15;
  bits *= 0x2c1b3c6du;
  bits ^= bits >> 13;
  return bits;
}

// 66 calls, each needing the one before; the last 64 are counted in cycles. Alone on the device
// this is latency; with as many threads as the multiprocessors hold it is throughput.
template <class Form>
__global__ void __launch_bounds__(Form::threads)
    timedCalls(long long* cycles, typename Form::Value* sink) {
  using Value = typename Form::Value;
  Value const own = Values<Value>::start(int(threadIdx.x));
  Value value = Form::call(own);
  value = Form::call(Values<Value>::mix(value, own));
  long long const start = clock64();
#pragma unroll 1
  for (int i = 0; i < loopCalls; ++i) value = Form::call(Values<Value>::mix(value, own));
  long long const stop = clock64();
  // Were all blocks to write to the same lines, that would be a third of the time or less, by where
  // they lie.
  if (blockIdx.x > 0) return;
  if (threadIdx.x == 0) *cycles = stop - start;
  sink[threadIdx.x] = value;
}

// Calls one after the other with warps delayed at random, so that a missing barrier shows.
// wanted: what thread t gets from call c, at c * threads + t.
template <class Form>
__global__ void __launch_bounds__(Form::threads)
    checkedCalls(typename Form::Value const* wanted, unsigned* wrong) {
  using Value = typename Form::Value;
  unsigned found = 0;
#pragma unroll 1
  for (int c = 0; c < checkCalls; ++c) {
    std::uint32_t const delay = mixBits(std::uint32_t(c), threadIdx.x / 32 + 977 * blockIdx.x);
    if ((delay & 7) == 0) __nanosleep(delay >> 24);
    Value const value = Form::call(Values<Value>::exact(mixBits(std::uint32_t(c), threadIdx.x)));
    bool const isAsked = Form::answer != Answer::First || threadIdx.x % Form::group == 0;
    if (isAsked && !(value == wanted[c * Form::threads + int(threadIdx.x)])) ++found;
  }
  if (found > 0) atomicAdd(wrong, found);
}

template <class Form>
std::string verifyForm() {
  using Value = typename Form::Value;
  typename Form::Op const op{};
  std::vector<Value> wanted(std::size_t(checkCalls) * Form::threads);
  for (int c = 0; c < checkCalls; ++c) {
    Value* const row = wanted.data() + c * Form::threads;
    for (int first = 0; first < Form::threads; first += Form::group) {
      auto const value = [&](int t) {
        return Values<Value>::exact(mixBits(std::uint32_t(c), std::uint32_t(t)));
      };
      Value fold = value(first);
      row[first] = fold;
      for (int t = first + 1; t < first + Form::count; ++t) row[t] = fold = op(fold, value(t));
      if constexpr (Form::answer == Answer::Before) {
        Value before = neutral<Value>();
        for (int t = first; t < first + Form::group; ++t) {
          row[t] = before;
          before = op(before, value(t));
        }
      } else if constexpr (Form::answer != Answer::Prefix) {
        for (int t = first; t < first + Form::group; ++t) row[t] = fold;
      }
    }
  }
  DeviceArray<Value> const onDevice(wanted.size());
  onDevice.assign(wanted);
  DeviceArray<unsigned> const wrong(1);
  wrong.fillBytes(0);
  checkedCalls<Form>
      <<<2 * multiprocessors(), Form::threads, 0, stream()>>>(onDevice.data(), wrong.data());
  TWEED_CHECK(cudaGetLastError());
  unsigned const count = wrong.toHost()[0];
  return count == 0 ? "" : std::to_string(count) + " wrong results";
}

template <class Form>
class FormProbe {
 public:
  FormProbe() : cycles_(1), sink_(1024), clockMHz_(measuredClockMHz()) {
    TWEED_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_, timedCalls<Form>,
                                                              Form::threads, 0));
    TWEED_CHECK(cudaFuncGetAttributes(&attributes_, timedCalls<Form>));
  }

  // Seconds are those of one call.
  Sample latency() {
    double const cycles = medianOf(5,
                                   [this] {
                                     launch(1);
                                     return double(cycles_.toHost()[0]);
                                   }) /
                          loopCalls;
    return sampleOf(cycles / (clockMHz_ * 1e6), {{"cycles", cycles}});
  }
  // Seconds are those of one launch: 66 calls in each of 2048 threads on each multiprocessor.
  Sample full() {
    constexpr int launches = 20;
    constexpr int threads = 2048;
    launch(multiprocessors() * (threads / Form::threads));
    double const seconds = timer_.seconds([this] {
      for (int i = 0; i < launches; ++i) launch(multiprocessors() * (threads / Form::threads));
    });
    return sampleOf(seconds / launches, {});
  }

 private:
  void launch(int blocks) {
    timedCalls<Form>
        <<<unsigned(blocks), Form::threads, 0, stream()>>>(cycles_.data(), sink_.data());
    TWEED_CHECK(cudaGetLastError());
  }
  Sample sampleOf(double seconds, std::map<std::string, double> counters) const {
    counters["registers"] = attributes_.numRegs;
    counters["sharedBytes"] = double(attributes_.sharedSizeBytes);
    counters["residentThreads"] = blocks_ * Form::threads;
    return {seconds, counters};
  }

  DeviceArray<long long> cycles_;
  DeviceArray<typename Form::Value> sink_;
  double clockMHz_;
  int blocks_ = 0;
  cudaFuncAttributes attributes_{};
  EventTimer timer_;
};

}  // namespace detail

enum class Load { Latency, Full };

inline char const* nameOf(Load load) { return load == Load::Latency ? "latency" : "full"; }

template <class Form>
void addForm(Case& to, Load load, std::string name) {
  to.add(std::move(name), [load] {
    auto const probe = std::make_shared<detail::FormProbe<Form>>();
    return Probe{detail::verifyForm<Form>,
                 [probe, load] { return load == Load::Full ? probe->full() : probe->latency(); }};
  });
}

/// Both loads of one set of forms: `add(case, load)` adds the peers. `what` is done with the type,
/// if the program does several things.
template <class Add>
void addLoads(std::string const& type, std::string const& what, int threads, Add&& add) {
  std::string const size = "/threads:" + std::to_string(threads);
  for (Load const load : {Load::Latency, Load::Full})
    add(addCase(type + "/" + nameOf(load) + (what.empty() ? "" : "/" + what) + size), load);
}
template <class Add>
void addLoads(std::string const& type, int threads, Add&& add) {
  addLoads(type, "", threads, add);
}

}  // namespace bench
