// SPDX-License-Identifier: Apache-2.0
// examples/ladder/bar.cuh - what a ladder is made of, and what is found of it.
#pragma once

#include <tweed/launch/deviceInfo.cuh>
#include <tweed/launch/launch.cuh>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ladder {

/// A rung that was given its data.
struct Ready {
  std::function<void()> call;           ///< enqueues one call, in the default stream
  std::function<std::string()> verify;  ///< calls once: what is wrong with the result, if anything
};

/// One bar of the picture.
struct Bar {
  std::string name, idea;
  std::string type;                       ///< of the items; only bars of one type are compared
  char const* kind;                       ///< "rung", "peer" (a library's) or "ceiling"
  std::function<double(long long)> work;  ///< what a call does: bytes or operations at a size
  std::function<Ready(long long)> make;   ///< for a size up to that of the data
  std::string skipped = {};               ///< why it cannot run here, if so
};

/// What was found of one.
struct Figures {
  long long n = 0;              ///< smaller than asked for where a rung is too slow
  int calls = 0;                ///< in one round
  std::vector<double> seconds;  ///< of a call, by round
  std::vector<std::pair<char const*, unsigned long long>> counts;
  std::string error;
};

struct Ladder {
  char const* name;
  char const* unit;
  std::vector<long long> sizes;
  long long most;                                   ///< the largest size
  long long pilot;                                  ///< a size at which any rung takes little time
  std::function<std::vector<Bar>(long long)> bars;  ///< with data of a size
};

}  // namespace ladder
