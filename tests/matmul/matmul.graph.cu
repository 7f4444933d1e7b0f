// SPDX-License-Identifier: Apache-2.0
// tests/matmul/matmul.graph.cu - tests tweed/matmul/matmul.cuh in graphs, and with items that are
// more than 2^31 apart: what only a GPU has.
#include <tweed/matmul/tune.cuh>

#include "support/product.cuh"

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::RowMajor;

#if defined(TWEED_LOOM)

TEST_SUITE("matmul") {
  TEST_CASE("skipped: graphs and much memory, which the loom has not") {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    CHECK(cudaStreamIsCapturing(nullptr, &status) == cudaSuccess);
    CHECK(status == cudaStreamCaptureStatusNone);
  }
}

#else

namespace {

// Captures what `call` puts into a stream, and replays it after `change`, twice.
template <class Call, class Change, class Check>
void replay(cudaStream_t stream, Call call, Change change, Check check) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  TWEED_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  call();
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  TWEED_CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 2; ++i) {
    change();
    TWEED_CHECK(cudaDeviceSynchronize());
    TWEED_CHECK(cudaGraphLaunch(executable, stream));
    tweed::synchronize(stream);
    check();
  }
  TWEED_CHECK(cudaGraphExecDestroy(executable));
  TWEED_CHECK(cudaGraphDestroy(graph));
}

struct Stream {
  cudaStream_t handle = nullptr;
  Stream() { TWEED_CHECK(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
  ~Stream() { (void)cudaStreamDestroy(handle); }
};

using tweed::SimtConfiguration, tweed::SimtConfig, tweed::TileShape;

// Kernels that put different nodes into a graph: one that clears tickets first, clusters, tensor
// maps as parameters, copies of operands before those, and one launch alone. Those that reduce add
// one for each reduction.
using Little = SimtConfig<TileShape<64, 64, 32>, 4, 4, 3>;
constexpr auto balanced = tweed::among<SimtConfiguration<Little, tweed::balanced, 130> >;
constexpr auto clusters =
    tweed::among<SimtConfiguration<SimtConfig<TileShape<32, 32, 64>, 2, 4, 4>, 2, 60> >;
constexpr auto one = tweed::among<SimtConfiguration<Little, 1, 140> >;
constexpr auto tensorCores = tweed::among<
    tweed::WgmmaConfiguration<tweed::WgmmaConfig<64, 64, 1, 8> >,
    tweed::MmaConfiguration<tweed::MmaConfig<TileShape<64, 64, 64>, 32, 32, 3>, 1000> >;
constexpr auto copies = tweed::among<
    tweed::PackedConfiguration<tweed::WgmmaConfiguration<tweed::WgmmaConfig<64, 64, 1, 8> > > >;

template <class T, class Options, class Reducing>
void checkGraph(Options options, Reducing reducing, Placing placing = {}) {
  Stream const stream;
  Matrix<T, RowMajor> const a(200, 96, 1, placing);
  Matrix<T, ColumnMajor> const b(96, 136, 2, placing);
  auto const c = Matrix<T, RowMajor>::poison(200, 136);
  DeviceArray<float> sums(200);
  std::vector<float> expected(200, 0);
  for (int i = 0; i < 200; ++i)
    for (int j = 0; j < 136; ++j) expected[std::size_t(i)] += float(2 * productOf(a, b, i, j, 0));
  auto const change = [&] {
    c.restore();
    TWEED_CHECK(cudaMemset(sums.data(), 0, 800));
  };
  auto const isRight = [&] {
    CHECK(
        c.holds([&](long long i, long long j, long long) { return 2 * productOf(a, b, i, j, 0); }));
  };
  auto const epilogue = tweed::scale(2) | tweed::rowSum(sums.data());
  replay(
      stream.handle,
      [&] { tweed::matmul(stream.handle, a.view(), b.view(), c.view(), tweed::scale(2), options); },
      change, isRight);
  replay(
      stream.handle,
      [&] { tweed::matmul(stream.handle, a.view(), b.view(), c.view(), epilogue, reducing); },
      change,
      [&] {
        isRight();
        CHECK(sums.host() == expected);
      });
  tweed::MatmulPlan const plan(a.view(), b.view(), c.view(), epilogue, reducing);
  tweed::Workspace workspace(stream.handle, plan.workspaceBytes());
  replay(
      stream.handle, [&] { plan(workspace); }, change,
      [&] {
        isRight();
        CHECK(sums.host() == expected);
      });
}

}  // namespace

TEST_SUITE("matmul") {
  TEST_CASE("in graphs: alone, with a workspace of its own, and as a plan") {
    checkGraph<float>(balanced, one);
    if (tweed::matmulDevice().computeCapability >= 90) checkGraph<float>(clusters, one);
    checkGraph<__nv_bfloat16>(tensorCores, tensorCores);
    if (tweed::imageHasWgmma()) checkGraph<__nv_bfloat16>(copies, copies, {3, 1});
  }
  TEST_CASE("tune refuses a stream that is being captured, and the capture goes on") {
    Stream const stream;
    Matrix<float, RowMajor> const a(20, 30, 1), b(30, 35, 2), c(20, 35, 3);
    tweed::MatmulPlan plan(a.view(), b.view(), c.view(), tweed::Identity{}, few);
    cudaGraph_t graph = nullptr;
    TWEED_CHECK(cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeRelaxed));
    CHECK(contains(refusal([&] { tweed::tune(plan, stream.handle); }),
                   "tweed::tune: the stream is being captured into a graph"));
    CHECK(cudaStreamEndCapture(stream.handle, &graph) == cudaSuccess);
    TWEED_CHECK(cudaGraphDestroy(graph));
  }
  TEST_CASE("items more than 2^31 from the first") {
    constexpr long long pitch = (1ll << 30) + 32, rows = 3, n = 40;
    std::size_t free = 0, total = 0;
    TWEED_CHECK(cudaMemGetInfo(&free, &total));
    auto const bytes = std::size_t(rows * pitch) * sizeof(float);
    if (free < 3 * bytes) {
      MESSAGE("skipped: needs ", 3 * bytes, " bytes of memory, ", free, " are free");
      return;
    }
    float* memory[3];
    for (float*& each : memory) TWEED_CHECK(cudaMalloc(reinterpret_cast<void**>(&each), bytes));
    // The three rows of each operand are 4 GiB apart.
    Matrix<float, RowMajor> const a(rows, rows, 1), b(rows, n, 2);
    auto const far = [&](float* to, Matrix<float, RowMajor> const& from, long long columns) {
      TWEED_CHECK(cudaMemcpy2D(to, std::size_t(pitch) * 4, from.view().data,
                               std::size_t(columns) * 4, std::size_t(columns) * 4, rows,
                               cudaMemcpyDeviceToDevice));
    };
    far(memory[0], a, rows);
    far(memory[1], b, n);
    auto const c = Matrix<float, RowMajor>::poison(rows, n);
    auto const check = [&](auto options) {
      tweed::matmul(nullptr, tweed::rowMajor(memory[0], rows, rows, pitch),
                    tweed::rowMajor(memory[1], rows, n, pitch),
                    tweed::rowMajor(memory[2], rows, n, pitch), tweed::Identity{}, options);
      TWEED_CHECK(cudaMemcpy2D(c.view().data, n * 4, memory[2], std::size_t(pitch) * 4, n * 4, rows,
                               cudaMemcpyDeviceToDevice));
      CHECK(c.holds([&](long long i, long long j, long long) { return productOf(a, b, i, j, 0); }));
      TWEED_CHECK(cudaMemset2D(memory[2], std::size_t(pitch) * 4, 0xff, n * 4, rows));
    };
    check(one);
    check(tweed::among<tweed::PlainConfiguration>);
    for (float* each : memory) TWEED_CHECK(cudaFree(each));
  }
}

#endif
