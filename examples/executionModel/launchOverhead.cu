// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -Itweed/include -Itweed/examples launchOverhead.cu && ./a.out
//
// The same work, one added to each of 409600 numbers, as one launch with a thread an item, as one
// launch of few threads that loop, as 100 launches of a hundredth each, and as a graph of those 100
// that is launched as one. A kernel of so little work costs what its launch costs, some
// microseconds each from the host; a graph's kernels are started by the device.

#include <executionModel/experiment.cuh>
#include <tweed/grid/gridStride.cuh>
#include <tweed/launch/occupancy.cuh>

namespace launchOverhead {

constexpr int threads = 256;
constexpr int pieces = 100;

__global__ void addOne(int* data, int n) {
  for (auto const i : tweed::gridStride(n)) data[i] += 1;
}

void run(model::Report& report) {
  int const piece = report.isSmall ? 40 : 4096, n = pieces * piece;
  model::Array<int> data(static_cast<std::size_t>(n));
  double oneLaunch = model::notMeasured;
  auto const row = [&](char const* form, int launches, auto call) {
    data.fill(0);
    call();
    std::vector<int> const host = data.host();
    report.expect(std::all_of(host.begin(), host.end(), [](int item) { return item == 1; }),
                  std::string(form) + ": a number was not added to once");
    double const time = model::microsecondsOf(call);
    if (std::isnan(oneLaunch)) oneLaunch = time;
    report.row({{"form", form},
                {"kernels", launches},
                {"us", time},
                {"us a kernel", time / launches},
                {"times one launch", time / oneLaunch}});
  };
  cudaStream_t stream;  // the default stream, whose events take the time, waits for it
  TWEED_CHECK(cudaStreamCreate(&stream));
  auto const inPieces = [&] {
    for (int k = 0; k < pieces; ++k)
      tweed::launch(addOne, {tweed::ceilDiv(piece, threads), threads, 0, stream},
                    data.data() + k * piece, piece);
  };
  row("a thread an item", 1, [&] {
    tweed::launch(addOne, {tweed::ceilDiv(n, threads), threads}, data.data(), n);
  });
  row("grid-stride loop", 1, [&] {
    tweed::launch(addOne, {tweed::gridFor(std::uint64_t(n) / 8, addOne, threads), threads},
                  data.data(), n);
  });
  row("100 launches", pieces, inPieces);
#if defined(TWEED_LOOM)
  report.row({{"form", "a graph of 100"},
              {"kernels", pieces},
              {"us", model::notMeasured},
              {"us a kernel", model::notMeasured},
              {"times one launch", model::notMeasured}});
#else
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  TWEED_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  inPieces();
  TWEED_CHECK(cudaStreamEndCapture(stream, &graph));
  TWEED_CHECK(cudaGraphInstantiate(&executable, graph, 0));
  row("a graph of 100", pieces, [&] { TWEED_CHECK(cudaGraphLaunch(executable, nullptr)); });
  TWEED_CHECK(cudaGraphExecDestroy(executable));
  TWEED_CHECK(cudaGraphDestroy(graph));
#endif
  TWEED_CHECK(cudaStreamDestroy(stream));
  report.lookAt("microseconds a kernel: from the host, and within a graph");
}

constexpr model::Experiment experiment{"launchOverhead", "what a launch costs", run};

}  // namespace launchOverhead

#if !defined(MODEL_WITHOUT_MAIN)
int main(int argc, char** argv) { return model::program(launchOverhead::experiment, argc, argv); }
#endif
