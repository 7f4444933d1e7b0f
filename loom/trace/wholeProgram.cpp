// SPDX-License-Identifier: Apache-2.0
/// Linked into a program, it records all that the program does, and reports when it exits: a table
/// to standard output, and JSON to the file that TWEED_LOOM_TRACE_JSON names.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "recorder.hpp"
#include "symbols.hpp"

namespace tweed::loom {
namespace {

Recorder* const recorder = new Recorder;

[[noreturn]] void failToWrite(char const* path) {
  std::fflush(stdout);
  std::fprintf(stderr, "tweed loom: cannot write '%s'\n", path);
  _exit(1);
}

void report() {
  observer = nullptr;
  Recording const recording = resolve(recorder->kernels());
  if (recorder->kernels().empty())
    std::fprintf(stderr, "tweed loom: no kernel was launched: there is nothing to report\n");
  else
    std::printf("\n%s", recording.table().c_str());
  char const* const path = std::getenv("TWEED_LOOM_TRACE_JSON");
  if (!path || !*path) return;
  std::FILE* const file = std::fopen(path, "w");
  if (!file) failToWrite(path);
  bool const isWritten = std::fputs(recording.json().c_str(), file) >= 0;
  if (std::fclose(file) != 0 || !isWritten) failToWrite(path);
}

bool const isStarted = [] {
  Symbols::get();  // before atexit, so that it is still there when the report is made
  observer = recorder;
  return std::atexit(report) == 0;
}();

}  // namespace
}  // namespace tweed::loom
