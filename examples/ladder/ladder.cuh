// SPDX-License-Identifier: Apache-2.0
// examples/ladder/ladder.cuh - the program that takes all rungs of a ladder on the same data: timed
// on a GPU (measure.cuh), counted on the loom (count.cuh).
#pragma once

#include "bar.cuh"

#include <canWrite.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>

#if defined(TWEED_LOOM_TRACE)
#include "count.cuh"
#else
#include "measure.cuh"
#endif

namespace ladder {

namespace detail {

inline std::string quote(std::string const& text) {
  std::string quoted = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + '"';
}

inline std::string now() {
  std::time_t const time = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%MZ", std::gmtime(&time));
  return text;
}

inline void writeBar(std::FILE* file, Bar const& bar, Figures const& figures) {
  std::fprintf(file,
               "  {\"name\": %s, \"idea\": %s, \"type\": %s, \"kind\": \"%s\", \"n\": %lld, "
               "\"work\": %.10g",
               quote(bar.name).c_str(), quote(bar.idea).c_str(), quote(bar.type).c_str(), bar.kind,
               figures.n, bar.work(figures.n));
  if (!figures.error.empty()) {
    std::fprintf(file, ", \"error\": %s}", quote(figures.error).c_str());
    return;
  }
  if (!bar.skipped.empty()) {
    std::fprintf(file, ", \"skipped\": %s}", quote(bar.skipped).c_str());
    return;
  }
  char const* separator = "";
  if (!figures.counts.empty()) {
    std::fprintf(file, ",\n   \"counts\": {");
    for (auto const& [name, count] : figures.counts) {
      std::fprintf(file, "%s\"%s\": %llu", separator, name, count);
      separator = ", ";
    }
    std::fprintf(file, "}}");
    return;
  }
  std::fprintf(file, ", \"calls\": %d,\n   \"seconds\": [", figures.calls);
  for (double const seconds : figures.seconds) {
    std::fprintf(file, "%s%.6g", separator, seconds);
    separator = ", ";
  }
  std::fprintf(file, "]}");
}

struct Case {
  long long n;
  std::vector<Bar> bars;
  std::vector<Figures> figures;
};

inline bool write(char const* path, Ladder const& ladder, std::vector<Case> const& cases) {
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return false;
  std::fprintf(file, "{\"format\": \"tweed ladder\", \"version\": 1, \"ladder\": \"%s\",\n",
               ladder.name);
  std::fprintf(file, " \"unit\": \"%s\", \"date\": \"%s\"", ladder.unit, now().c_str());
  for (auto const& [name, value] : machineFacts())
    std::fprintf(file, ",\n \"%s\": %s", name, quote(value).c_str());
  std::fprintf(file, ",\n \"cases\": [");
  char const* separator = "\n";
  for (Case const& one : cases) {
    std::fprintf(file, "%s {\"n\": %lld, \"bars\": [\n", separator, one.n);
    for (std::size_t i = 0; i < one.bars.size(); ++i) {
      if (i > 0) std::fprintf(file, ",\n");
      writeBar(file, one.bars[i], one.figures[i]);
    }
    std::fprintf(file, "]}");
    separator = ",\n";
  }
  std::fprintf(file, "]}\n");
  bool const isWritten = std::ferror(file) == 0;
  return std::fclose(file) == 0 && isWritten;
}

}  // namespace detail

/// The program of a ladder: its exit code.
inline int run(Ladder const& ladder, int argc, char** argv) try {
  auto const usage = [&](std::FILE* to) {
    std::fprintf(to,
                 "usage: PROGRAM [--size N]... [--rounds R] [--json FILE]\n"
                 "  N 1 to %lld, R %d to 1000 (of a GPU's times)\n",
                 ladder.most, leastRounds);
  };
  auto const refuse = [&](std::string const& what) {
    std::fprintf(stderr, "%s: %s\n", ladder.name, what.c_str());
    usage(stderr);
    return 2;
  };
  std::vector<long long> sizes;
  long long rounds = 12;
  char const* json = nullptr;
  for (int i = 1; i < argc; ++i) {
    std::string const option = argv[i];
    if (option == "--help") return usage(stdout), 0;
    bool const isSize = option == "--size", isRounds = option == "--rounds";
    if (!isSize && !isRounds && option != "--json") return refuse("'" + option + "' is unknown");
    if (++i == argc) return refuse(option + " takes a value");
    if (option == "--json") {
      json = argv[i];
      continue;
    }
    char* end = nullptr;
    long long const value = std::strtoll(argv[i], &end, 10);
    long long const least = isSize ? 1 : leastRounds, most = isSize ? ladder.most : 1000;
    if (end == argv[i] || *end != '\0' || value < least || value > most)
      return refuse(option + ": '" + argv[i] + "' is not a whole number from " +
                    std::to_string(least) + " to " + std::to_string(most));
    if (isSize)
      sizes.push_back(value);
    else
      rounds = value;
  }
  if (sizes.empty()) sizes = ladder.sizes;

  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  if (json != nullptr && !examples::canWrite(json))
    return refuse("--json: '" + std::string(json) + "' cannot be written");
  int wrong = 0;
  std::vector<detail::Case> cases;
  for (long long const n : sizes) {
    std::printf("%s, n = %lld\n", ladder.name, n);
    std::fflush(stdout);
    detail::Case one{n, ladder.bars(n), {}};
    one.figures = figuresOf(ladder, one.bars, n, int(rounds));
    for (std::size_t i = 0; i < one.bars.size(); ++i) {
      one.bars[i].make = nullptr;  // and the data with it
      if (one.figures[i].error.empty()) continue;
      std::printf("FAIL: %s: %s\n", one.bars[i].name.c_str(), one.figures[i].error.c_str());
      ++wrong;
    }
    cases.push_back(std::move(one));
  }
  if (json != nullptr && !detail::write(json, ladder, cases)) {
    std::fprintf(stderr, "%s: cannot write '%s'\n", ladder.name, json);
    return 1;
  }
  return wrong > 0 ? 1 : 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s: %s\n", ladder.name, error.what());
  return 1;
}

}  // namespace ladder
