// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -Itweed/include -Itweed/examples bankConflicts.cu && ./a.out
//
// Shared memory has 32 banks of 4 bytes. A warp's access takes one pass where its lanes want words
// of different banks (or the same word), and as many as the worst bank has words to give where not.
//
// A stride of s words meets gcd(s, 32) words in a bank: odd strides are free, 32 is the worst. A
// column of a [32][32] tile is that stride; [32][33] turns it into 33. A swizzle keeps [32][32] and
// exchanges places within a row: of words, which frees columns of words, or of pieces of 16 bytes
// as the hardware's copies do, which frees columns of pieces and leaves words 4 passes. (The length
// of a 1-D array changes nothing: the bank of word 2 * t is the same in an array of 32 words and of
// 33.) All of it is known before the program runs: bankPasses<Layout, Access>() is a constant.
//
// One warp loads a chain, each item being the place of the next, so that a turn takes the latency
// of one load: that of a free one and some cycles for each pass more. Strides 1 and 32 give the two
// ends of the line, on which the cycles of all others are read as passes.

#include <executionModel/experiment.cuh>
#include <tweed/memory/bankConflicts.cuh>
#include <tweed/memory/paddedTile.cuh>
#include <tweed/memory/swizzle.cuh>

namespace bankConflicts {

constexpr int turns = 256;

// Item (row, column) stands at column ^ row of its row: a layout of one's own is these members.
struct WordSwizzle {
  using Item = int;
  static TWEED_HOST_DEVICE constexpr int offset(int row, int column) {
    return 4 * (32 * row + (column ^ row));
  }
  Item items[32 * 32];
};

// Every item holds its own place, so that a lane stays where its access begins.
template <class Layout, class Access>
__global__ void loadChain(int* ends, long long* cycles) {
  __shared__ Layout tile;
  auto* const bytes = reinterpret_cast<unsigned char*>(&tile);
  auto const word = [=](int at) { return reinterpret_cast<int*>(bytes + at); };
  int const lane = int(threadIdx.x);
  for (int at = 4 * lane; at < int(sizeof tile); at += 4 * 32) *word(at) = at;
  __syncwarp();
  int at = Layout::offset(Access::row(lane), Access::column(lane));
  long long const start = clock64();
#pragma unroll 16
  for (int turn = 0; turn < turns; ++turn) at = *word(at);
  long long const end = clock64();
  ends[lane] = at;
  if (lane == 0) *cycles = end - start;
}

struct Finding {
  std::string access;
  int passes;     ///< as predicted
  double cycles;  ///< a load
};

template <class Layout, class Access>
Finding find(model::Report& report, std::string const& access) {
  model::Array<int> ends(32);
  model::Array<long long> cycles(1);
  double least = model::notMeasured;
  for (int run = 0; run < (report.device.isLoom ? 1 : 5); ++run) {
    tweed::launch(loadChain<Layout, Access>, {1, 32}, ends.data(), cycles.data());
    double const found = double(cycles.host()[0]) / turns;
    if (!report.device.isLoom && !(least <= found)) least = found;
  }
  std::vector<int> const last = ends.host();
  bool isRight = true;
  for (int lane = 0; lane < 32; ++lane)
    isRight = isRight && last[lane] == Layout::offset(Access::row(lane), Access::column(lane));
  report.expect(isRight, access + ": a lane ended at another item than its own");
  return {access, tweed::bankPasses<Layout, Access>().passes, least};
}

template <int... Stride>
std::vector<Finding> findStrides(model::Report& report, std::integer_sequence<int, Stride...>) {
  return {find<tweed::PaddedTile<int, 1, 1024>, tweed::RowAccess<1, Stride + 1>>(
      report, "stride " + std::to_string(Stride + 1))...};
}

void run(model::Report& report) {
  std::vector<Finding> findings = findStrides(report, std::make_integer_sequence<int, 32>());
  double const free = findings.front().cycles, each = (findings.back().cycles - free) / 31;
  using Plain = tweed::PaddedTile<int, 32, 32>;
  using Padded = tweed::PaddedTile<int, 32, 32, 1>;
  using Swizzled = tweed::SwizzledTile<int, 32, 32>;
  using Column = tweed::ColumnAccess<>;
  findings.push_back(find<Plain, tweed::RowAccess<>>(report, "row of [32][32]"));
  findings.push_back(find<Plain, Column>(report, "column of [32][32]"));
  findings.push_back(find<Padded, tweed::RowAccess<>>(report, "row of [32][33]"));
  findings.push_back(find<Padded, Column>(report, "column of [32][33]"));
  findings.push_back(find<Swizzled, tweed::RowAccess<>>(report, "row, pieces swizzled"));
  findings.push_back(find<Swizzled, Column>(report, "column, pieces swizzled"));
  findings.push_back(find<WordSwizzle, tweed::RowAccess<>>(report, "row, words swizzled"));
  findings.push_back(find<WordSwizzle, Column>(report, "column, words swizzled"));
  for (Finding const& finding : findings)
    report.row({{"access", finding.access},
                {"predicted passes", finding.passes},
                {"cycles a load", finding.cycles},
                {"passes from cycles", 1 + (finding.cycles - free) / each}});
  report.lookAt(
      "predicted passes beside passes from cycles: the compiler knew what the clock says");
}

constexpr model::Experiment experiment{"bankConflicts",
                                       "what strides and tiles cost in shared memory", run};

}  // namespace bankConflicts

#if !defined(MODEL_WITHOUT_MAIN)
int main(int argc, char** argv) { return model::program(bankConflicts::experiment, argc, argv); }
#endif
