// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -Itweed/include -Itweed/examples index2d.cu && ./a.out
//
// Rows and columns of a matrix from the indices of a 2-D grid: x, which is fastest, along a row, so
// that a warp writes neighbours. Three things go wrong in most printed forms, and nothing says so.
// The grid is rounded up, so that threads beyond an edge must do nothing. A grid has at most 65535
// blocks in y (and z), however many it has in x: tall matrices need a loop over rows, or the launch
// fails. And row * columns leaves 32 bits at 46341 x 46341: an offset is 64 bits wide.
//
// Each item gets a number that tells its row and column; a second kernel compares all of them.

#include <executionModel/experiment.cuh>
#include <tweed/grid/gridStride.cuh>
#include <tweed/grid/gridStride2D.cuh>
#include <tweed/launch/occupancy.cuh>

namespace index2d {

TWEED_HOST_DEVICE constexpr long long offsetOf(long long row, long long column, long long columns) {
  return row * columns + column;
}
TWEED_HOST_DEVICE unsigned char markOf(long long row, long long column) {
  return static_cast<unsigned char>((row * 2654435761u + column * 40503u) >> 8);
}

// One thread an item: needs as many blocks in y as there are rows for them.
__global__ void onePerThread(unsigned char* out, long long rows, long long columns) {
  long long const column = 1ll * blockIdx.x * blockDim.x + threadIdx.x;
  long long const row = 1ll * blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) out[offsetOf(row, column, columns)] = markOf(row, column);
}

// Any grid: what lies beyond it in y is done in further turns.
__global__ void loopOverRows(unsigned char* out, long long rows, long long columns) {
  long long const column = 1ll * blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  for (long long row = 1ll * blockIdx.y * blockDim.y + threadIdx.y; row < rows;
       row += 1ll * gridDim.y * blockDim.y)
    out[offsetOf(row, column, columns)] = markOf(row, column);
}

// The same in both directions.
__global__ void byGridStride2D(unsigned char* out, long long rows, long long columns) {
  for (auto const [row, column] : tweed::gridStride2D(rows, columns))
    out[offsetOf(row, column, columns)] = markOf(row, column);
}

__global__ void countWrong(unsigned char const* out, long long rows, long long columns,
                           unsigned long long* wrong) {
  unsigned long long mine = 0;
  for (auto const i : tweed::gridStride(rows * columns))
    mine += out[i] != markOf(i / columns, i % columns);
  if (mine > 0) atomicAdd(wrong, mine);
}

__global__ void lastOffset(long long rows, long long columns, long long* out) {
  *out = offsetOf(rows - 1, columns - 1, columns);
}

using Kernel = void (*)(unsigned char*, long long, long long);
constexpr long long enoughBlocksInY = 4096;  // for any device; a grid has at most 65535

/// Launches the kernel with an item for each thread, or fewer blocks for one that loops, and says
/// how many items are wrong.
inline unsigned long long wrongItems(Kernel kernel, bool mayLoop, tweed::Extent block,
                                     long long rows, long long columns) {
  model::Array<unsigned char> out(std::size_t(rows) * std::size_t(columns));
  out.fill(0x55);
  long long blocksInY = tweed::ceilDiv(rows, block.y);
  if (mayLoop) blocksInY = tweed::smaller(blocksInY, enoughBlocksInY);
  tweed::launch(kernel, {{tweed::ceilDiv(columns, block.x), blocksInY}, block}, out.data(), rows,
                columns);
  model::Array<unsigned long long> wrong(1);
  wrong.fill(0);
  unsigned const blocks = tweed::gridFor(std::uint64_t(rows * columns), countWrong, 256);
  tweed::launch(countWrong, {blocks, 256}, out.data(), rows, columns, wrong.data());
  return wrong.host()[0];
}

void run(model::Report& report) {
  struct Case {
    long long rows, columns;
    tweed::Extent block;
  };
  std::vector<Case> cases = {{1, 1, {32, 8}}, {37, 45, {32, 8}}, {9, 300, {32, 8}}};
  if (report.isSmall)
    cases.push_back({65537, 2, {2, 1}});
  else
    cases.push_back({524289, 33, {32, 8}});
  cases.push_back({65537, 65537, {32, 8}});
  for (Case const& at : cases) {
    long long const last = offsetOf(at.rows - 1, at.columns - 1, at.columns);
    std::size_t free = 0, total = 0;
    TWEED_CHECK(cudaMemGetInfo(&free, &total));
    auto const tryOut = [&](Kernel kernel, bool mayLoop) -> model::Cell {
      if (report.isSmall && last >> 20 > 0) return model::notMeasured;
      if (double(free) < 1.2 * double(last)) return "too little memory";
      try {
        unsigned long long const wrong = wrongItems(kernel, mayLoop, at.block, at.rows, at.columns);
        report.expect(wrong == 0, "an item differs from its row's and column's number");
        return wrong == 0 ? model::Cell("right") : model::Cell(std::to_string(wrong) + " wrong");
      } catch (tweed::Error const& error) {
        std::string const text = error.what();
        report.expect(!mayLoop && text.find("65535") != std::string::npos,
                      "a launch was refused for another reason than the rows: " + text);
        return "refused: " + text.substr(text.find("grid"), text.find(';') - text.find("grid"));
      }
    };
    model::Array<long long> offset(1);
    tweed::launch(lastOffset, {1, 1}, at.rows, at.columns, offset.data());
    report.expect(offset.host()[0] == last, "the device has another last offset than the host");
    report.row({{"rows", at.rows},
                {"columns", at.columns},
                {"last offset", last},
                {"in 32 bits", int(unsigned(last))},
                {"a thread an item", tryOut(onePerThread, false)},
                {"loop over rows", tryOut(loopOverRows, true)},
                {"gridStride2D", tryOut(byGridStride2D, true)}});
  }
  report.lookAt("tall matrices, which the plain form cannot launch, and the offset in 32 bits");
}

constexpr model::Experiment experiment{"index2d", "rows and columns from a 2-D grid", run};

}  // namespace index2d

#if !defined(MODEL_WITHOUT_MAIN)
int main(int argc, char** argv) { return model::program(index2d::experiment, argc, argv); }
#endif
