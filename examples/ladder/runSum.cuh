// SPDX-License-Identifier: Apache-2.0
// examples/ladder/runSum.cuh - what the rungs of the reduction ladder share: the form of a sum, and
// a program that checks one against the host and times it. README.md says how a rung is made.
#pragma once

#include <ladder/run.cuh>
#include <tweed/core/math.cuh>
#include <tweed/launch/deviceInfo.cuh>
#include <tweed/launch/launch.cuh>
#include <tweed/memory/workspace.cuh>

#include <exception>

namespace ladder {

/// Writes in[0] + ... + in[n - 1] to *out, all in device memory, in order of the workspace's
/// stream; in is only read. n >= 0; 0 gives 0. The workspace has workspaceBytes(n).
using Sum = void (*)(float const* in, long long n, float* out, tweed::Workspace& workspace);

struct SumRung {
  char const* name;
  char const* idea;
  Sum sum;
  bool isRepeatable;  ///< same bits on every run, for any values
};

/// For any rung: room for a copy of the input, and for the sums of blocks of 256 values or more.
inline std::size_t workspaceBytes(long long n) {
  return std::max(tweed::Workspace::defaultBytes,
                  std::size_t(n + n / 128 + 2 * 1024) * sizeof(float));
}

/// For kernels that leave a sum for each block, of up to blockItems values, and work in workItems
/// floats a block: calls level(from, n, blocks, work, sums) for the values, then for their sums,
/// and so on until one block has written its sum to *out.
template <class Level>
void addInLevels(char const* name, long long blockItems, long long workItems, float const* in,
                 long long n, float* out, tweed::Workspace& workspace, Level level) {
  if (n == 0) TWEED_CHECK(cudaMemsetAsync(out, 0, sizeof(float), workspace.stream()));
  long long const workSize = tweed::ceilDiv(n, blockItems) * workItems;
  long long const sumsSize = n / (blockItems - 1) + 8;  // a geometric series, rounded up each time
  auto* const work = static_cast<float*>(workspace.takeScratch(
      name, std::size_t(workSize + sumsSize) * sizeof(float), workspace.stream()));
  float* sums = work + workSize;
  while (n > 0) {
    long long const blocks = tweed::ceilDiv(n, blockItems);
    level(in, n, blocks, work, blocks > 1 ? sums : out);
    in = sums;
    sums += blocks;
    n = blocks > 1 ? blocks : 0;
  }
}

/// Whole numbers from -4 to 4. Sums of up to 2^22 of them are exact in a float in any order, and of
/// far more in practice, since they cancel: results compare with ==.
inline std::vector<float> sumData(long long n) { return wholeNumbers(n, 4); }

/// The program of a file with these rungs: its exit code.
inline int runSum(std::vector<SumRung> const& rungs, int argc, char** argv) try {
  constexpr char const* usage = "usage: PROGRAM [N]    adds N floats, 0 to 1073741824\n";
  long long sizes[1] = {-1};
  int const code = readSizes(rungs[0].name, usage, 1ll << 30, argc, argv, sizes);
  if (code >= 0) return code;
  tweed::DeviceInfo const device = tweed::deviceInfo();
  long long const n = argc > 1 ? sizes[0] : device.isLoom ? 1 << 16 : 1 << 24;

  std::vector<float> const values = sumData(n);
  double expected = 0;
  for (float const value : values) expected += value;

  float *in, *out;
  TWEED_CHECK(cudaMalloc(&in, values.size() * sizeof(float)));
  TWEED_CHECK(cudaMalloc(&out, sizeof(float)));
  TWEED_CHECK(cudaMemcpy(in, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
  std::printf("%lld floats on %s\n", n, device.isLoom ? "the loom (CPU)" : device.name.c_str());
  int wrong = 0;
  for (SumRung const& rung : rungs) {
    tweed::Workspace workspace(nullptr, workspaceBytes(n));
    TWEED_CHECK(cudaMemset(out, 0xFF, sizeof(float)));
    std::string const time =
        timed([&] { rung.sum(in, n, out, workspace); }, double(n) * sizeof(float), "GB/s");
    float sum = 0;
    TWEED_CHECK(cudaMemcpy(&sum, out, sizeof(float), cudaMemcpyDeviceToHost));
    std::printf("%-20s %ssum %g  %s\n", rung.name, time.c_str(), sum, rung.idea);
    if (sum == float(expected)) continue;
    std::printf("FAIL: %s: the host's sum is %g\n", rung.name, expected);
    ++wrong;
  }
  TWEED_CHECK(cudaFree(in));
  TWEED_CHECK(cudaFree(out));
  return wrong > 0 ? 1 : 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s: %s\n", rungs[0].name, error.what());
  return 1;
}

}  // namespace ladder
