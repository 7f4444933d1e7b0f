// SPDX-License-Identifier: Apache-2.0
// examples/executionModel/experiment.cuh - what the experiments share: their program, the clock,
// arrays on the device. README.md says how one is made.
#pragma once

#include <canWrite.hpp>
#include <executionModel/table.hpp>
#include <tweed/launch/deviceInfo.cuh>
#include <tweed/launch/launch.cuh>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <exception>

namespace model {

/// What a run of an experiment says.
class Report {
 public:
  explicit Report(tweed::DeviceInfo const& about) : device(about), isSmall(about.isLoom) {}
  tweed::DeviceInfo const device;
  bool isSmall;  ///< few and small sizes, which are enough to see that results are right

  void row(Row cells) { rows_.push_back(std::move(cells)); }
  /// What to look at, in a line.
  void lookAt(std::string const& text) { lookAt_ = text; }
  /// A result that must hold on every device.
  void expect(bool holds, std::string const& what) {
    if (!holds) failures_.push_back(what);
  }
  /// It cannot be shown here.
  void skip(std::string const& why) { skipped_ = why; }

  std::vector<Row> const& rows() const { return rows_; }
  std::vector<std::string> const& failures() const { return failures_; }
  std::string const& skipped() const { return skipped_; }
  std::string const& toLookAt() const { return lookAt_; }

 private:
  std::vector<Row> rows_;
  std::vector<std::string> failures_;
  std::string lookAt_, skipped_;
};

struct Experiment {
  char const* name;
  char const* shows;
  void (*run)(Report& report);
};

/// The time of what `call` does on the device: the median of nine runs after one that warms it up,
/// in microseconds. On the loom it runs once and has no time, since that of a CPU says nothing.
template <class Call>
double microsecondsOf(Call call) {
  call();
#if defined(TWEED_LOOM)
  return notMeasured;
#else
  cudaEvent_t start, stop;
  TWEED_CHECK(cudaEventCreate(&start));
  TWEED_CHECK(cudaEventCreate(&stop));
  float times[9];
  for (float& time : times) {
    TWEED_CHECK(cudaDeviceSynchronize());
    TWEED_CHECK(cudaEventRecord(start));
    call();
    TWEED_CHECK(cudaEventRecord(stop));
    TWEED_CHECK(cudaEventSynchronize(stop));
    TWEED_CHECK(cudaEventElapsedTime(&time, start, stop));
  }
  TWEED_CHECK(cudaEventDestroy(start));
  TWEED_CHECK(cudaEventDestroy(stop));
  std::sort(times, times + 9);
  return 1000.0 * times[4];
#endif
}

/// Bytes a second that the memory's bus can move: its width, twice a cycle, since data move on both
/// edges of the clock. NaN where the driver does not say.
inline double peakBandwidth() {
  int const device = tweed::currentDevice();
  double const kilohertz = tweed::deviceAttribute(cudaDevAttrMemoryClockRate, device);
  double const bits = tweed::deviceAttribute(cudaDevAttrGlobalMemoryBusWidth, device);
  return kilohertz > 0 && bits > 0 ? 2e3 * kilohertz * bits / 8 : notMeasured;
}

/// Cycles a second of the multiprocessors at their highest clock; NaN where it is not told.
inline double clockRate() {
  int const kilohertz = tweed::deviceAttribute(cudaDevAttrClockRate, tweed::currentDevice());
  return kilohertz > 0 ? 1e3 * kilohertz : notMeasured;
}

/// n items on the device.
template <class T>
class Array {
 public:
  explicit Array(std::size_t n) : n_(n) {
    if (n > 0) TWEED_CHECK(cudaMalloc(reinterpret_cast<void**>(&data_), n * sizeof(T)));
  }
  explicit Array(std::vector<T> const& values) : Array(values.size()) {
    if (n_ > 0)
      TWEED_CHECK(cudaMemcpy(data_, values.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Array() { (void)cudaFree(data_); }
  Array(Array const&) = delete;
  Array& operator=(Array const&) = delete;

  T* data() const { return data_; }
  void fill(int byte) {
    if (n_ > 0) TWEED_CHECK(cudaMemset(data_, byte, n_ * sizeof(T)));
  }
  std::vector<T> host() const {
    std::vector<T> values(n_);
    if (n_ > 0)
      TWEED_CHECK(cudaMemcpy(values.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t n_;
};

/// What the JSON says of a run besides its rows.
inline Row facts(std::string const& device) {
  std::time_t const now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%MZ", std::gmtime(&now));
  int driver = 0, runtime = 0;  // 1000 for a version, 10 for one behind its point
  TWEED_CHECK(cudaDriverGetVersion(&driver));
  TWEED_CHECK(cudaRuntimeGetVersion(&runtime));
  return {{"device", device}, {"date", date}, {"driverCuda", driver}, {"runtimeCuda", runtime}};
}

/// The program of one experiment: its exit code.
inline int program(Experiment const& experiment, int argc, char** argv) try {
  std::string const usage =
      std::string("usage: ") + experiment.name + " [--json FILE]    " + experiment.shows + "\n";
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(usage.c_str(), stdout), 0;
  bool const hasJson = argc == 3 && std::strcmp(argv[1], "--json") == 0;
  if (argc != 1 && !hasJson) {
    if (argc == 2 && std::strcmp(argv[1], "--json") == 0)
      std::fprintf(stderr, "%s: --json takes a FILE\n%s", experiment.name, usage.c_str());
    else
      std::fprintf(stderr, "%s: '%s' is not allowed\n%s", experiment.name,
                   argv[argc == 3 ? 1 : argc - 1], usage.c_str());
    return 2;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  if (hasJson && !examples::canWrite(argv[2])) {
    std::fprintf(stderr, "%s: --json: '%s' cannot be written\n%s", experiment.name, argv[2],
                 usage.c_str());
    return 2;
  }
  Report report(tweed::deviceInfo());
  std::string const device = report.device.isLoom ? "the loom (CPU)" : report.device.name;
  experiment.run(report);
  if (!report.skipped().empty()) {
    std::printf("SKIP: %s\n", report.skipped().c_str());
    return 77;
  }
  std::string const table = tableOf(report.rows());
  std::printf("%s on %s: %s\n\n%s\nLook at: %s\n", experiment.name, device.c_str(),
              experiment.shows, table.c_str(), report.toLookAt().c_str());
  bool const hasGaps =
      table.find(" -\n") != std::string::npos || table.find(" - ") != std::string::npos;
  if (report.device.isLoom && hasGaps) std::puts("What shows as - needs a GPU.");
  for (std::string const& failure : report.failures()) std::printf("FAIL: %s\n", failure.c_str());
  if (hasJson) {
    std::FILE* const file = std::fopen(argv[2], "w");
    std::string const json = jsonOf(experiment.name, facts(device), report.rows());
    bool isWritten = file != nullptr && std::fputs(json.c_str(), file) >= 0;
    if (file != nullptr) isWritten = std::fclose(file) == 0 && isWritten;
    if (!isWritten) {
      std::fprintf(stderr, "%s: '%s' cannot be written\n", experiment.name, argv[2]);
      return 1;
    }
  }
  return report.failures().empty() ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s: %s\n", experiment.name, error.what());
  return 1;
}

}  // namespace model
