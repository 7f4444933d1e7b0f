// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -Itweed/include -Itweed/examples blockShape.cu && ./a.out
//
// The sum of two matrices, an item a thread, by blocks of ten shapes. Two rules of thumb are put to
// the test. "The innermost dimension is a multiple of 32": a warp's request is paid in sectors of
// 32 bytes, 8 floats, so that 16 threads side by side, or 8, waste nothing; 4 waste half of all
// they fetch. "The highest occupancy is the fastest": blocks that fill a multiprocessor equally are
// not equally fast. A block of (256, 8) has 2048 threads, which no device takes; the launch says so
// and starts nothing.

#include <executionModel/experiment.cuh>
#include <tweed/launch/occupancy.cuh>

namespace blockShape {

__global__ void add(float const* a, float const* b, float* sum, int rows, int columns) {
  int const column = int(blockIdx.x * blockDim.x + threadIdx.x);
  int const row = int(blockIdx.y * blockDim.y + threadIdx.y);
  if (row >= rows || column >= columns) return;
  long long const at = 1ll * row * columns + column;
  sum[at] = a[at] + b[at];
}

struct Shape {
  int x, y;
};
constexpr Shape shapes[] = {{32, 32}, {32, 16}, {16, 32}, {16, 16}, {64, 2},
                            {64, 4},  {128, 2}, {256, 2}, {8, 32},  {4, 64}};

/// Sectors that the first warp of such a block touches with an item of 4 bytes a lane, in rows that
/// begin at a multiple of 32 bytes. No two rows share one.
constexpr int sectorsOfRequest(Shape block) {
  int sectors = 0, lastRow = -1, lastSector = -1;
  for (int lane = 0; lane < 32; ++lane) {
    int const row = lane / block.x, sector = lane % block.x * 4 / 32;
    sectors += row != lastRow || sector != lastSector;
    lastRow = row, lastSector = sector;
  }
  return sectors;
}

inline std::string text(Shape block) {
  return "(" + std::to_string(block.x) + ", " + std::to_string(block.y) + ")";
}

inline void launch(Shape block, float const* a, float const* b, float* sum, int rows, int columns) {
  tweed::launch(
      add, {{tweed::ceilDiv(columns, block.x), tweed::ceilDiv(rows, block.y)}, {block.x, block.y}},
      a, b, sum, rows, columns);
}

void run(model::Report& report) {
  int const rows = report.isSmall ? 33 : 4096, columns = report.isSmall ? 72 : 8192;
  auto const items = std::size_t(rows) * std::size_t(columns);
  std::vector<float> hostA(items), hostB(items);
  for (std::size_t i = 0; i < items; ++i) hostA[i] = float(i % 1021), hostB[i] = float(i % 509);
  model::Array<float> const a(hostA), b(hostB);
  model::Array<float> sum(items);
  for (Shape const block : shapes) {
    sum.fill(0xFF);
    double const time = model::microsecondsOf(
        [&] { launch(block, a.data(), b.data(), sum.data(), rows, columns); });
    std::vector<float> const host = sum.host();
    bool isRight = true;
    for (std::size_t i = 0; i < items; ++i) isRight = isRight && host[i] == hostA[i] + hostB[i];
    report.expect(isRight, "block " + text(block) + ": the sum differs from the host's");
    int const sectors = sectorsOfRequest(block);
    report.row({{"block", text(block)},
                {"threads", block.x * block.y},
                {"occupancy %", 100 * tweed::occupancy(add, block.x * block.y).fraction},
                {"sectors a request", sectors},
                {"bytes used %", 100 * 128.0 / (32 * sectors)},
                {"us", time},
                {"GB/s", 12e-3 * double(items) / time}});
  }
  Shape const illegal{256, 8};
  std::string refusal = "it was launched";
  try {
    launch(illegal, a.data(), b.data(), sum.data(), rows, columns);
  } catch (tweed::Error const& error) {
    refusal = error.what();
  }
  report.expect(
      refusal.find("2048") != std::string::npos && refusal.find("1024") != std::string::npos,
      "block " + text(illegal) + " is not refused with its threads and the limit");
  report.row({{"block", text(illegal)}, {"refused", refusal}});
  report.lookAt(
      "(16, 16) and (8, 32) waste no bytes, (4, 64) half of them; and whether the same occupancy "
      "takes the same time");
}

constexpr model::Experiment experiment{"blockShape", "a sum of matrices by blocks of ten shapes",
                                       run};

}  // namespace blockShape

#if !defined(MODEL_WITHOUT_MAIN)
int main(int argc, char** argv) { return model::program(blockShape::experiment, argc, argv); }
#endif
