// SPDX-License-Identifier: Apache-2.0
/// Options from the environment.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "engine.hpp"

namespace tweed::loom {
namespace {

bool parseNumber(char const* text, std::uint64_t& value) {
  if (*text < '0' || *text > '9') return false;  // strtoull takes signs and blanks
  char* end = nullptr;
  errno = 0;
  value = std::strtoull(text, &end, 10);
  return errno == 0 && *end == '\0';
}

}  // namespace

Options optionsFromEnvironment() {
  Options options;
  if (char const* text = std::getenv("TWEED_LOOM_SCHEDULE")) {
    if (std::strcmp(text, "reverse") == 0) {
      options.schedule = Order::reverse;
    } else if (std::strncmp(text, "random", 6) == 0 &&
               (text[6] == '\0' || (text[6] == ':' && parseNumber(text + 7, options.seed)))) {
      options.schedule = Order::random;
      options.preempt = 4;
    } else if (std::strcmp(text, "forward") != 0) {
      throw std::invalid_argument(
          format("tweed loom: TWEED_LOOM_SCHEDULE=%s: allowed are forward, reverse, random and "
                 "random:SEED, SEED a decimal number",
                 text));
    }
  }
  if (char const* text = std::getenv("TWEED_LOOM_RESIDENT")) {
    std::uint64_t blocks = 0;
    if (!parseNumber(text, blocks) || blocks < 1 || blocks > 1024)
      throw std::invalid_argument(format(
          "tweed loom: TWEED_LOOM_RESIDENT=%s: allowed are whole numbers from 1 to 1024", text));
    options.residentBlocks = unsigned(blocks);
  }
  return options;
}

Options& defaults() {
  static Options options = optionsFromEnvironment();  // after an exception, tried again
  return options;
}

}  // namespace tweed::loom
