// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/machine.cuh - what the figures were measured on, and at which clock.
#pragma once

#include "timing.cuh"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace bench {

inline int deviceAttribute(cudaDeviceAttr attribute) {
  int value = 0;
  TWEED_CHECK(cudaDeviceGetAttribute(&value, attribute, 0));
  return value;
}
inline int multiprocessors() { return deviceAttribute(cudaDevAttrMultiProcessorCount); }
inline std::size_t l2Bytes() { return std::size_t(deviceAttribute(cudaDevAttrL2CacheSize)); }

/// The first line that a command prints; empty if it fails.
inline std::string firstLineOf(std::string const& command) {
  std::string line;
  if (FILE* const pipe = popen((command + " 2>/dev/null").c_str(), "r")) {
    char text[512];
    if (std::fgets(text, sizeof text, pipe) != nullptr) line = text;
    if (pclose(pipe) != 0) line.clear();
  }
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  return line;
}

inline std::vector<std::string> split(std::string const& text, char separator) {
  std::vector<std::string> parts(1);
  for (char const c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else if (c != ' ' || !parts.back().empty()) {
      parts.back() += c;
    }
  }
  return parts;
}

namespace detail {

static __global__ void spin(long long cycles) {
  long long const start = clock64();
  while (clock64() - start < cycles) {
  }
}

// Keeps every multiprocessor at work; `sink` is never written.
static __global__ void busy(long long cycles, float* sink) {
  float x = float(threadIdx.x);
  long long const start = clock64();
  while (clock64() - start < cycles) {
#pragma unroll
    for (int i = 0; i < 64; ++i) x = fmaf(x, 0.999f, 0.5f);
  }
  if (x == -1.f) *sink = x;
}

}  // namespace detail

/// The clock of the multiprocessors now, in MHz: two loops of a known number of cycles, timed; the
/// difference leaves out what a launch costs.
inline double measuredClockMHz() {
  EventTimer timer;
  auto const time = [&timer](long long cycles) {
    return timer.seconds([cycles] { detail::spin<<<1, 1, 0, stream()>>>(cycles); });
  };
  (void)time(1000);
  return medianOf(3, [&time] {
    double const shorter = time(500000);
    return 1e-6 * 1000000 / (time(1500000) - shorter);
  });
}

/// Work for so long that the clock has settled.
inline void warmUp(double seconds) {
  DeviceArray<float> sink(1);
  detail::busy<<<2 * multiprocessors(), 1024, 0, stream()>>>((long long)(seconds * 1.9e9),
                                                             sink.data());
  TWEED_CHECK(cudaGetLastError());
  wait();
}

struct Reading {
  bool isThere = false;
  std::string card, driver;
  double smClockMHz = 0, memoryClockMHz = 0, powerWatts = 0, temperatureC = 0;
};

/// What nvidia-smi says of device 0 while it works.
inline Reading readUnderLoad() {
  DeviceArray<float> sink(1);
  detail::busy<<<2 * multiprocessors(), 1024, 0, stream()>>>(3000000000LL, sink.data());
  std::string const line = firstLineOf(
      "nvidia-smi --id=0 --format=csv,noheader,nounits "
      "--query-gpu=name,driver_version,clocks.sm,clocks.mem,power.draw,temperature.gpu");
  wait();
  Reading reading;
  auto const parts = split(line, ',');
  if (parts.size() != 6) return reading;
  reading.isThere = true;
  reading.card = parts[0];
  reading.driver = parts[1];
  reading.smClockMHz = std::atof(parts[2].c_str());
  reading.memoryClockMHz = std::atof(parts[3].c_str());
  reading.powerWatts = std::atof(parts[4].c_str());
  reading.temperatureC = std::atof(parts[5].c_str());
  return reading;
}

inline std::string gitRevision() {
  if (char const* const given = std::getenv("TWEED_REVISION")) return given;
#if defined(TWEED_SOURCE_DIR)
  std::string const found =
      firstLineOf("git -C '" TWEED_SOURCE_DIR "' describe --always --dirty --abbrev=12");
  if (!found.empty()) return found;
#endif
  return "unknown";
}

}  // namespace bench
