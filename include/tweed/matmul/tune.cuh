// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/tune.cuh - takes the kernel of a plan by the clock, not by the model.
#pragma once

#include <tweed/launch/launch.cuh>
#include <tweed/matmul/matmulPlan.cuh>

#if !defined(__CUDACC_RTC__)

#include <memory>

// Hidden, as in launch/launch.cuh.
#pragma GCC visibility push(hidden)
namespace tweed {

namespace detail {

// A pair of events, to time what lies between them in a stream.
class StreamTimer {
 public:
  StreamTimer() {
    TWEED_CHECK(cudaEventCreate(&begin_));
    cudaError_t const code = cudaEventCreate(&end_);
    if (code == cudaSuccess) return;
    (void)cudaEventDestroy(begin_);
    failCall(code, "cudaEventCreate", __FILE__, __LINE__);
  }
  ~StreamTimer() {
    (void)cudaEventDestroy(begin_);
    (void)cudaEventDestroy(end_);
  }
  StreamTimer(StreamTimer const&) = delete;
  StreamTimer& operator=(StreamTimer const&) = delete;

  template <class Call>
  double microseconds(cudaStream_t stream, Call call) {
    TWEED_CHECK(cudaEventRecord(begin_, stream));
    call(stream);
    TWEED_CHECK(cudaEventRecord(end_, stream));
    TWEED_CHECK(cudaEventSynchronize(end_));
    float milliseconds = 0;
    TWEED_CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return 1000.0 * milliseconds;
  }

 private:
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

// Memory of a stream for another C: as large as C, gaps included, and as aligned; it holds the same
// items, if the epilogue reads them.
class ScratchC {
 public:
  template <class Task>
  ScratchC(Task const& task, cudaStream_t stream)
      : runs_(runsOf(task.c)), memory_(bytes() + alignment, stream) {
    auto const begin = reinterpret_cast<char const*>(runs_.begin());
    char* const first =
        static_cast<char*>(memory_.data()) + reinterpret_cast<std::size_t>(begin) % alignment;
    shift_ = first - begin;
    if (readsC(task.epilogue))
      TWEED_CHECK(cudaMemcpyAsync(first, begin, bytes(), cudaMemcpyDeviceToDevice, stream));
  }

  template <class T>
  T* of(T* data) const {
    return reinterpret_cast<T*>(reinterpret_cast<char*>(data) + shift_);
  }

 private:
  static constexpr std::size_t alignment = 256;
  std::size_t bytes() const { return std::size_t(runs_.end() - runs_.begin()); }

  Runs runs_;
  StreamScratch memory_;
  std::ptrdiff_t shift_ = 0;
};

// Calls of a kernel as one graph: launched one by one, short kernels would all take what the host
// takes. The loom has no graphs, and no time either.
template <class Call>
class RepeatedCall {
 public:
  RepeatedCall(int times, Call const& call) : times_(times), call_(call) {
#if !defined(TWEED_LOOM)
    cudaStream_t stream = nullptr;  // the caller's may be the default one, which is not captured
    TWEED_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cudaGraph_t graph = nullptr;
    cudaError_t code = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    try {
      for (int i = 0; i < times && code == cudaSuccess; ++i) call(stream);
    } catch (...) {
      (void)cudaStreamEndCapture(stream, &graph);
      (void)cudaGraphDestroy(graph);
      (void)cudaStreamDestroy(stream);
      throw;
    }
    if (code == cudaSuccess) code = cudaStreamEndCapture(stream, &graph);
    if (code == cudaSuccess) code = cudaGraphInstantiate(&graph_, graph, 0);
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
    (void)cudaStreamDestroy(stream);
    if (code != cudaSuccess) failCall(code, "capturing a product", __FILE__, __LINE__);
#endif
  }
  RepeatedCall(RepeatedCall const&) = delete;
  RepeatedCall& operator=(RepeatedCall const&) = delete;
#if defined(TWEED_LOOM)
  void launch(cudaStream_t stream) const {
    for (int i = 0; i < times_; ++i) call_(stream);
  }
#else
  ~RepeatedCall() { (void)cudaGraphExecDestroy(graph_); }
  void launch(cudaStream_t stream) const { TWEED_CHECK(cudaGraphLaunch(graph_, stream)); }
#endif

  int times() const { return times_; }

 private:
  int times_;
  Call call_;
#if !defined(TWEED_LOOM)
  cudaGraphExec_t graph_ = nullptr;
#endif
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Times kernels in turns, so that a clock that changes meets all of them. Each is a plan's call.
template <class Run>
std::vector<double> timeInTurns(std::vector<Run> const& runs, cudaStream_t stream) {
  constexpr int rounds = 7;
  constexpr double roundMicroseconds = 300;
  StreamTimer timer;
  std::vector<std::unique_ptr<RepeatedCall<Run>>> calls;
  for (Run const& run : runs) {
    run(stream);  // the first call of a kernel loads it
    double const one = timer.microseconds(stream, run);
    int const times = int(smaller(100.0, larger(1.0, roundMicroseconds / larger(one, 0.1))));
    calls.push_back(std::make_unique<RepeatedCall<Run>>(times, run));
  }
  std::vector<std::vector<double>> all(runs.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < runs.size(); ++i) {
      auto const launch = [&](cudaStream_t on) { calls[i]->launch(on); };
      all[i].push_back(timer.microseconds(stream, launch) / calls[i]->times());
    }
  std::vector<double> medians;
  for (auto const& each : all) medians.push_back(median(each));
  return medians;
}

}  // namespace detail

/// Times the three kernels of a plan that are the fastest by the model, and lets it run the one
/// that is the fastest.
///
///     for (auto const& timing : tweed::tune(plan, stream))
///       std::printf("%s %.1f us\n", timing.name.c_str(), timing.microseconds);
///
/// Shape    a plan of any product, also where one kernel alone can do it.
/// Result   the times on the device, from graphs of up to 100 calls, the fastest first: medians of
///          7 rounds in turns. None, if nothing is multiplied.
/// Needs    operands that hold what they will hold, or numbers like it: A and B are read.
/// Sync     waits for the stream. C is not touched: the timed kernels write to memory of the same
///          size and alignment, taken and given back in order of the stream, which holds a copy of
///          C if the epilogue reads C. The outputs of reductions are written, and what an epilogue
///          of the caller's writes.
/// Cost     some milliseconds, or 22 runs of each kernel if they are long.
/// Errors   throws tweed::Error: the stream is being captured; no memory. The plan is as it was.
template <class A, class B, class C, class Epilogue, class Options>
std::vector<MatmulTiming> tune(MatmulPlan<A, B, C, Epilogue, Options>& plan,
                               cudaStream_t stream = nullptr) {
  if (detail::captureStatus("tweed::tune", stream) != cudaStreamCaptureStatusNone)
    detail::fail(cudaErrorStreamCaptureUnsupported,
                 "tweed::tune: the stream is being captured into a graph, so nothing can be timed");
  return plan.tuneOn(stream);
}

template <class A, class B, class C, class Epilogue, class Options>
std::vector<MatmulTiming> MatmulPlan<A, B, C, Epilogue, Options>::tuneOn(cudaStream_t stream) {
  constexpr std::size_t mostKernels = 3;
  if (isEmpty_) return {};
  std::vector<detail::MatmulChoice> choices = detail::describeAll(List{}, task_, device_);
  while (choices.size() > mostKernels || !choices.back().refusal.empty()) choices.pop_back();

  detail::ScratchC const scratch(task_, stream);
  std::vector<MatmulPlan> plans(choices.size(), *this);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    plans[i].task_.c.data = scratch.of(task_.c.data);
    plans[i].select(List{}, choices[i].index);
    bytes = larger(bytes, plans[i].bytes_);
  }
  detail::StreamScratch const workspace(bytes, stream);
  std::vector<std::function<void(cudaStream_t)>> runs;
  for (MatmulPlan const& plan : plans)
    runs.push_back([&](cudaStream_t on) { plan.run_(plan.task_, device_, workspace.data(), on); });
  std::vector<double> const times = detail::timeInTurns(runs, stream);

  std::vector<MatmulTiming> timings;
  std::size_t best = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    timings.push_back({choices[i].name, times[i]});
    if (times[i] < times[best]) best = i;
  }
  select(List{}, choices[best].index);
  std::sort(timings.begin(), timings.end(), [](MatmulTiming const& a, MatmulTiming const& b) {
    return a.microseconds < b.microseconds;
  });
  return timings;
}

}  // namespace tweed
#pragma GCC visibility pop

#endif  // !defined(__CUDACC_RTC__)
