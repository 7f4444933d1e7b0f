// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/timing.cuh - device time between events, and calls captured in a graph.
#pragma once

#include <tweed/core/error.cuh>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bench {

/// The stream of all work that is measured. It does not wait for the default stream.
inline cudaStream_t stream() {
  static cudaStream_t const only = [] {
    cudaStream_t made = nullptr;
    TWEED_CHECK(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    return made;
  }();
  return only;
}

inline void wait() { TWEED_CHECK(cudaStreamSynchronize(stream())); }

/// Device memory for count items of T.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count = 0) : count_(count) {
    if (count > 0) TWEED_CHECK(cudaMalloc(&data_, count * sizeof(T)));
  }
  ~DeviceArray() { (void)cudaFree(data_); }
  DeviceArray(DeviceArray const&) = delete;
  DeviceArray& operator=(DeviceArray const&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  void fillBytes(int byte) const { TWEED_CHECK(cudaMemsetAsync(data_, byte, bytes(), stream())); }
  void assign(std::vector<T> const& from) const {
    TWEED_CHECK(cudaMemcpyAsync(data_, from.data(), std::min(bytes(), from.size() * sizeof(T)),
                                cudaMemcpyHostToDevice, stream()));
    wait();
  }
  std::vector<T> toHost() const {
    std::vector<T> host(count_);
    TWEED_CHECK(cudaMemcpyAsync(host.data(), data_, bytes(), cudaMemcpyDeviceToHost, stream()));
    wait();
    return host;
  }

 private:
  std::size_t count_;
  T* data_ = nullptr;
};

/// Device time of what `work` enqueues in a stream, in seconds. Waits for it.
class EventTimer {
 public:
  explicit EventTimer(cudaStream_t on = stream()) : stream_(on) {
    TWEED_CHECK(cudaEventCreate(&start_));
    TWEED_CHECK(cudaEventCreate(&stop_));
  }
  ~EventTimer() {
    (void)cudaEventDestroy(start_);
    (void)cudaEventDestroy(stop_);
  }
  EventTimer(EventTimer const&) = delete;
  EventTimer& operator=(EventTimer const&) = delete;

  template <class Work>
  double seconds(Work&& work) {
    TWEED_CHECK(cudaEventRecord(start_, stream_));
    work();
    TWEED_CHECK(cudaEventRecord(stop_, stream_));
    TWEED_CHECK(cudaEventSynchronize(stop_));
    float milliseconds = 0;
    TWEED_CHECK(cudaEventElapsedTime(&milliseconds, start_, stop_));
    return milliseconds * 1e-3;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

/// What `work` enqueues in the stream, captured once and replayed.
class Graph {
 public:
  template <class Work>
  explicit Graph(Work&& work) {
    cudaGraph_t graph = nullptr;
    TWEED_CHECK(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
    try {
      work();
    } catch (...) {
      (void)cudaStreamEndCapture(stream(), &graph);
      throw;
    }
    TWEED_CHECK(cudaStreamEndCapture(stream(), &graph));
    cudaError_t const code = cudaGraphInstantiate(&executable_, graph, 0);
    (void)cudaGraphDestroy(graph);
    TWEED_CHECK(code);
    TWEED_CHECK(cudaGraphUpload(executable_, stream()));
  }
  ~Graph() { (void)cudaGraphExecDestroy(executable_); }
  Graph(Graph const&) = delete;
  Graph& operator=(Graph const&) = delete;

  void replay() const { TWEED_CHECK(cudaGraphLaunch(executable_, stream())); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  std::size_t const half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// The median of so many values of measure().
template <class Measure>
double medianOf(int times, Measure&& measure) {
  std::vector<double> values;
  for (int i = 0; i < times; ++i) values.push_back(measure());
  return median(values);
}

}  // namespace bench
