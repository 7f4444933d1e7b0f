// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -Itweed/include -Itweed/examples concurrency.cu && ./a.out
//
// Kernels of one stream run one after the other, those of several streams at once where there is
// room: 32 kernels of one block each leave most of a device idle in one stream, and share it in
// many. The second table is one kernel whose grid grows from one block to two for each
// multiprocessor, with all work shared among its blocks: as blocks spread over multiprocessors
// before they double up, it shows how the work scales with their number.

#include <executionModel/experiment.cuh>
#include <tweed/core/math.cuh>
#include <tweed/grid/gridStride.cuh>

namespace concurrency {

constexpr int threads = 1024;
constexpr int kernels = 32;

// x and 3 - x in turn; a is -1.
__global__ void turnOver(float* data, int n, float a, int turns) {
  for (auto const i : tweed::gridStride(n)) {
    float x = data[i];
#pragma unroll 4
    for (int turn = 0; turn < turns; ++turn) x = fmaf(a, x, 3.f);
    data[i] = x;
  }
}

// Starts from the numbers 0, 1, 2, ... and lets each launch turn all that it gets once over.
inline void fill(model::Array<float> const& data, int n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) values[std::size_t(i)] = float(i % 4096);
  TWEED_CHECK(cudaMemcpy(data.data(), values.data(), values.size() * sizeof(float),
                         cudaMemcpyHostToDevice));
}
inline bool isTurned(model::Array<float> const& data) {
  std::vector<float> const values = data.host();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != 3 - float(i % 4096)) return false;
  return true;
}

void streams(model::Report& report, std::vector<int> const& counts, int turns) {
  int const n = kernels * threads;
  model::Array<float> data(static_cast<std::size_t>(n));
  double one = model::notMeasured;
  for (int const count : counts) {
    std::vector<cudaStream_t> made(static_cast<std::size_t>(count));
    // The default stream, whose events take the time, waits for them and they for it.
    for (cudaStream_t& stream : made) TWEED_CHECK(cudaStreamCreate(&stream));
    auto const call = [&] {
      for (int k = 0; k < kernels; ++k)
        tweed::launch(turnOver, {1, threads, 0, made[std::size_t(k % count)]},
                      data.data() + k * threads, threads, -1.f, turns);
    };
    fill(data, n);
    call();
    TWEED_CHECK(cudaDeviceSynchronize());
    report.expect(isTurned(data), "kernels on streams: a number was not turned over once");
    double const time = model::microsecondsOf(call);
    if (count == 1) one = time;
    report.row({{"streams", count}, {"kernels", kernels}, {"us", time}, {"speedup", one / time}});
    for (cudaStream_t const stream : made) TWEED_CHECK(cudaStreamDestroy(stream));
  }
}

void scalability(model::Report& report, int n, int turns) {
  model::Array<float> data(static_cast<std::size_t>(n));
  int const most = 2 * report.device.multiprocessors;
  std::vector<int> grids;
  for (int blocks = 1; blocks < most / 2; blocks *= 2) grids.push_back(blocks);
  grids.push_back(most / 2);
  grids.push_back(most);
  double one = model::notMeasured;
  for (int const blocks : grids) {
    auto const call = [&] {
      tweed::launch(turnOver, {blocks, threads}, data.data(), n, -1.f, turns);
    };
    fill(data, n);
    call();
    report.expect(isTurned(data), "blocks: a number was not turned over once");
    double const time = model::microsecondsOf(call);
    if (blocks == 1) one = time;
    report.row({{"blocks", blocks},
                {"us", time},
                {"speedup", one / time},
                {"% of the number of multiprocessors",
                 100 * one / time / tweed::smaller(blocks, most / 2)}});
  }
}

void run(model::Report& report) {
  if (report.isSmall)
    streams(report, {1, 8}, 3);
  else
    streams(report, {1, 2, 4, 8, 16, 32}, 1 << 16 | 1);
  scalability(report, report.isSmall ? 20000 : 1 << 20, report.isSmall ? 3 : 1 << 10 | 1);
  report.lookAt("the speedup over streams, and over blocks up to the number of multiprocessors");
}

constexpr model::Experiment experiment{"concurrency", "kernels side by side, and work that spreads",
                                       run};

}  // namespace concurrency

#if !defined(MODEL_WITHOUT_MAIN)
int main(int argc, char** argv) { return model::program(concurrency::experiment, argc, argv); }
#endif
