// SPDX-License-Identifier: Apache-2.0
// tests/support/graph.cuh - a stream, and work captured in it as a graph. For the GPU: the loom has
// no graphs.
#pragma once

#include <tweed/core/error.cuh>

#if !defined(TWEED_LOOM)
namespace tweedTest {

/// A stream that does not wait for the default one.
class Stream {
 public:
  Stream() { TWEED_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { (void)cudaStreamDestroy(stream_); }
  Stream(Stream const&) = delete;
  Stream& operator=(Stream const&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// What work() puts into the stream, run by launch() alone.
class Graph {
 public:
  template <class Work>
  Graph(cudaStream_t stream, Work work) : stream_(stream) {
    TWEED_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    work();
    TWEED_CHECK(cudaStreamEndCapture(stream, &graph_));
    TWEED_CHECK(cudaGraphInstantiate(&executable_, graph_, 0));
  }
  ~Graph() {
    (void)cudaGraphExecDestroy(executable_);
    (void)cudaGraphDestroy(graph_);
  }
  Graph(Graph const&) = delete;
  Graph& operator=(Graph const&) = delete;
  void launch() const { TWEED_CHECK(cudaGraphLaunch(executable_, stream_)); }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace tweedTest
#endif
