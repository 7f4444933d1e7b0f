// SPDX-License-Identifier: Apache-2.0
// tests/launch/launch.graph.cu - all that tweed puts into a stream, captured into graphs that are
// replayed with other input: launch, Workspace, deviceReduce.
#include <tweed/device/deviceReduce.cuh>
#include <tweed/grid/gridStride.cuh>
#include <tweed/launch/launch.cuh>
#include <tweed/launch/occupancy.cuh>
#include <tweed/memory/dynamicShared.cuh>
#include <tweed/memory/workspace.cuh>

#include <numeric>
#include <optional>

#include "support/device.cuh"

#if defined(TWEED_LOOM)

TEST_SUITE("graphs") {
  TEST_CASE("skipped: graphs, which the loom has not") {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    CHECK(cudaStreamIsCapturing(nullptr, &status) == cudaSuccess);
    CHECK(status == cudaStreamCaptureStatusNone);
  }
}

#else

namespace {

using namespace tweedTest;

constexpr int replays = 4;

// A stream, and the graph of what a call puts into it.
class Captured {
 public:
  explicit Captured(unsigned flags = cudaStreamNonBlocking) {
    TWEED_CHECK(cudaStreamCreateWithFlags(&stream_, flags));
  }
  ~Captured() {
    if (executable_ != nullptr) (void)cudaGraphExecDestroy(executable_);
    if (graph_ != nullptr) (void)cudaGraphDestroy(graph_);
    (void)cudaStreamDestroy(stream_);
  }
  Captured(Captured const&) = delete;
  Captured& operator=(Captured const&) = delete;

  cudaStream_t stream() const { return stream_; }

  template <class Call>
  void capture(Call call) {
    TWEED_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    call();
    REQUIRE(cudaStreamEndCapture(stream_, &graph_) == cudaSuccess);
    REQUIRE(graph_ != nullptr);
    TWEED_CHECK(cudaGraphInstantiate(&executable_, graph_, 0));
  }
  std::size_t nodes() const {
    std::size_t count = 0;
    TWEED_CHECK(cudaGraphGetNodes(graph_, nullptr, &count));
    return count;
  }
  void replay() const {
    TWEED_CHECK(cudaGraphLaunch(executable_, stream_));
    tweed::synchronize(stream_);
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

template <class T>
void write(DeviceArray<T> const& to, std::vector<T> const& values) {
  TWEED_CHECK(
      cudaMemcpy(to.data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  TWEED_CHECK(cudaDeviceSynchronize());
}

template <class T>
T sumOf(std::vector<T> const& values) {
  return std::accumulate(values.begin(), values.end(), T(0));
}

__global__ void timesSeven(int const* in, int* out, int n) {
  for (auto const i : tweed::gridStride(n)) out[i] = 7 * in[i];
}
// Reverses each block's items, through shared memory that has to be opted in to.
__global__ void reverse(int* items, unsigned bytes) {
  int* const shared = tweed::dynamicShared<int>() + bytes / sizeof(int) - blockDim.x;
  shared[threadIdx.x] = items[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  items[blockIdx.x * blockDim.x + threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}
__global__ void addOne(int* items) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  ++items[blockIdx.x * blockDim.x + threadIdx.x];
}

// Captures what `reduce` puts into a stream and replays it, each time with other values. What needs
// a workspace for as long as the graph lives puts it into `workspace`.
template <class Reduce>
void checkReduce(std::size_t n, std::size_t shift, Reduce reduce) {
  CAPTURE(n);
  DeviceArray<float> const in(smallIntegers<float>(n, 1), shift);
  DeviceArray<float> const out(1);
  Captured graph;
  std::optional<tweed::Workspace> workspace;
  reduce(graph, in, out, workspace);
  CHECK(out.host()[0] != sumOf(in.host()));  // nothing ran yet
  for (int i = 0; i < replays; ++i) {
    std::vector<float> const values = smallIntegers<float>(n, 100 + std::uint64_t(i));
    write(in, values);
    graph.replay();
    CHECK(out.host()[0] == sumOf(values));
  }
}
std::size_t const sizes[] = {1000, 100003, 1 << 20};  // one block; one and several rounds of a grid

}  // namespace

TEST_SUITE("graphs") {
  TEST_CASE("launches: with opted-in shared memory, a grid from gridFor, one after the other") {
    int const blocks = 5, threads = 128, n = blocks * threads;
    unsigned const bytes = 100 * 1024;
    DeviceArray<int> const in(std::size_t(n), 0), out(std::size_t(n), 3);
    Captured graph;
    graph.capture([&] {
      unsigned const grid = tweed::gridFor(n, timesSeven, threads);
      tweed::launch(timesSeven, {grid, threads, 0, graph.stream()}, in.data(), out.data(), n);
      tweed::launch(reverse, {blocks, threads, bytes, graph.stream()}, out.data(), bytes);
      tweed::launch(addOne, {0, threads, 0, graph.stream()}, out.data());
      tweed::LaunchConfig config{blocks, threads, 0, graph.stream()};
      config.overlapPrevious = true;
      tweed::launch(addOne, config, out.data());
    });
    CHECK(graph.nodes() == 3);
    for (int i = 0; i < replays; ++i) {
      std::vector<int> const values = smallIntegers<int>(std::size_t(n), std::uint64_t(i));
      write(in, values);
      graph.replay();
      std::vector<int> const got = out.host();
      for (int k = 0; k < n; ++k) {
        int const from = k / threads * threads + threads - 1 - k % threads;
        REQUIRE(got[std::size_t(k)] == 7 * values[std::size_t(from)] + 1);
      }
    }
  }
  TEST_CASE("a launch with a cluster") {
    if (tweed::deviceAttribute(cudaDevAttrClusterLaunch, tweed::currentDevice()) == 0) {
      MESSAGE("skipped: this device has no clusters");
      return;
    }
    DeviceArray<int> const items(std::vector<int>(256, 5));
    Captured graph;
    graph.capture([&] {
      tweed::LaunchConfig config{8, 32, 0, graph.stream()};
      config.cluster = 4;
      tweed::launch(addOne, config, items.data());
    });
    for (int i = 1; i <= replays; ++i) {
      graph.replay();
      CHECK(items.host() == std::vector<int>(256, 5 + i));
    }
  }
  TEST_CASE("deviceReduce with a workspace from before the capture") {
    for (std::size_t const n : sizes)
      for (std::size_t const shift : {0, 1})
        checkReduce(n, shift, [&](auto& graph, auto& in, auto& out, auto& workspace) {
          workspace.emplace(graph.stream());
          graph.capture(
              [&] { tweed::deviceReduce(in.data(), n, out.data(), tweed::Sum{}, *workspace); });
        });
  }
  TEST_CASE("calls outside share the workspace with the graph") {
    std::size_t const n = 300001;
    DeviceArray<float> const in(smallIntegers<float>(n, 1)), out(1), other(1);
    Captured graph;
    tweed::Workspace workspace(graph.stream());
    graph.capture([&] {  // two in one graph as well
      tweed::deviceReduce(in.data(), n, out.data(), tweed::Sum{}, workspace);
      tweed::deviceReduce(in.data() + 1, n - 1, out.data(), tweed::Sum{}, 1000.f, workspace);
    });
    CHECK(graph.nodes() == 2);
    for (int i = 0; i < replays; ++i) {
      std::vector<float> const values = smallIntegers<float>(n, 50 + std::uint64_t(i));
      write(in, values);
      graph.replay();
      tweed::deviceReduce(in.data(), n, other.data(), tweed::Sum{}, workspace);
      graph.replay();
      CHECK(out.host()[0] == 1000 + sumOf(values) - values[0]);
      CHECK(other.host()[0] == sumOf(values));
    }
  }
  TEST_CASE("deviceReduce with a stream: its memory is the graph's") {
    for (std::size_t const n : sizes)
      checkReduce(n, 0, [&](auto& graph, auto& in, auto& out, auto&) {
        graph.capture(
            [&] { tweed::deviceReduce(in.data(), n, out.data(), tweed::Sum{}, graph.stream()); });
      });
  }
  TEST_CASE("a workspace that is made and gone within the capture") {
    for (std::size_t const n : sizes)
      checkReduce(n, 0, [&](auto& graph, auto& in, auto& out, auto&) {
        graph.capture([&] {
          tweed::Workspace workspace(graph.stream());
          tweed::deviceReduce(in.data(), n, out.data(), tweed::Sum{}, workspace);
          tweed::deviceReduce(in.data(), n, out.data(), tweed::Sum{}, workspace);
        });
      });
  }
  TEST_CASE("a workspace made in a capture that outlives it leaves no error behind") {
    DeviceArray<float> const in(smallIntegers<float>(300001, 1)), out(1);
    std::optional<tweed::Workspace> workspace;
    Captured graph;
    graph.capture([&] {
      workspace.emplace(graph.stream());
      tweed::deviceReduce(in.data(), in.size(), out.data(), tweed::Sum{}, *workspace);
    });
    workspace.reset();
    CHECK(cudaGetLastError() == cudaSuccess);
  }
  TEST_CASE("synchronize() in a capture throws, and the capture goes on") {
    DeviceArray<int> const items(std::vector<int>(32, 5));
    Captured graph;
    graph.capture([&] {
      tweed::launch(addOne, {1, 32, 0, graph.stream()}, items.data());
      std::string const text = refusal([&] { tweed::synchronize(graph.stream()); });
      CAPTURE(text);
      CHECK(contains(text, "tweed::synchronize: the stream is being captured into a graph"));
      CHECK(contains(text, "cudaErrorStreamCaptureUnsupported"));
      tweed::launch(addOne, {1, 32, 0, graph.stream()}, items.data());
    });
    CHECK(graph.nodes() == 2);
    graph.replay();
    CHECK(items.host() == std::vector<int>(32, 7));
  }
  TEST_CASE("synchronize() on the default stream while one that waits for it is captured throws") {
    DeviceArray<int> const items(std::vector<int>(32, 5));
    Captured graph(cudaStreamDefault);
    graph.capture([&] {
      tweed::launch(addOne, {1, 32, 0, graph.stream()}, items.data());
      std::string const text = refusal([] { tweed::synchronize(); });
      CAPTURE(text);
      CHECK(contains(text, "tweed::synchronize: the default stream cannot be used"));
    });
    graph.replay();
    CHECK(items.host() == std::vector<int>(32, 6));
  }
  TEST_CASE("synchronize() says when a capture failed before") {
    cudaStream_t stream = nullptr;
    TWEED_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    TWEED_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaStreamSynchronize(stream) != cudaSuccess);  // what tweed's does not do
    (void)cudaGetLastError();
    CHECK(contains(refusal([&] { tweed::synchronize(stream); }), "capture failed at an earlier"));
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
    (void)cudaGetLastError();
    TWEED_CHECK(cudaStreamDestroy(stream));
  }
  TEST_CASE("C38: a launch that is refused does not end the capture") {
    DeviceArray<int> const items(std::vector<int>(32, 5));
    Captured graph;
    graph.capture([&] {
      cudaStream_t const s = graph.stream();
      int* const p = items.data();
      CHECK(!refusal([&] { tweed::launch(addOne, {1, 1025, 0, s}, p); }).empty());
      CHECK(!refusal([&] { tweed::launch(addOne, {1, 32, 300 * 1024, s}, p); }).empty());
      tweed::launch(addOne, {1, 32, 0, s}, p);
    });
    CHECK(graph.nodes() == 1);
    graph.replay();
    CHECK(items.host() == std::vector<int>(32, 6));
  }
}

#endif
