// SPDX-License-Identifier: Apache-2.0
// examples/executionModel/littlesLaw.hpp - how much must be under way at once to keep a pipe full:
// J. Little, "A proof for the queuing formula L = lambda W", 1961.
#pragma once

namespace model {

/// What is under way in a pipe of this latency (cycles) that takes in so much a cycle.
constexpr double inFlight(double latency, double eachCycle) { return latency * eachCycle; }

/// What a pipe takes in a cycle while so much is under way; never more than it can.
constexpr double eachCycle(double inFlight, double latency, double most) {
  return inFlight / latency < most ? inFlight / latency : most;
}

constexpr double bytesEachCycle(double bytesEachSecond, double cyclesEachSecond) {
  return bytesEachSecond / cyclesEachSecond;
}

/// Whole threads, and whole warps, that have so many items under way with so many in each thread.
constexpr long long threadsFor(double items, double itemsOfThread) {
  double const threads = items / itemsOfThread;
  auto const whole = static_cast<long long>(threads);
  return whole + (double(whole) < threads);
}
constexpr long long warpsFor(double items, double itemsOfThread) {
  return (threadsFor(items, itemsOfThread) + 31) / 32;
}

}  // namespace model
