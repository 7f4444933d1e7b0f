// SPDX-License-Identifier: Apache-2.0
/// From addresses to lines, by addr2line, and from there to a recording.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <link.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine.hpp"
#include "recorder.hpp"
#include "symbols.hpp"

extern char** environ;

namespace tweed::loom {
namespace {

using Frames = std::vector<Frame>;

std::uintptr_t programBase() {
  std::uintptr_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* p) {
        *static_cast<std::uintptr_t*>(p) = info->dlpi_addr;
        return 1;  // the first entry is the program
      },
      &base);
  return base;
}

// What addr2line prints about these addresses; empty if it cannot be run.
std::string askAddr2line(std::vector<std::string> const& addresses) {
  char program[4096];
  ssize_t const length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return "";
  program[length] = '\0';
  std::vector<char const*> words = {"addr2line", "-a", "-i", "-e", program};
  for (std::string const& address : addresses) words.push_back(address.c_str());
  words.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  int const error = posix_spawnp(&child, words[0], &actions, nullptr,
                                 const_cast<char* const*>(words.data()), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; error == 0 && (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, std::size_t(n));
  close(ends[0]);
  if (error == 0) waitpid(child, nullptr, 0);
  return text;
}

// Paths in tweed's folder without it.
std::string shorten(std::string path) {
  static std::string const root = TWEED_LOOM_ROOT "/";
  if (path.compare(0, root.size(), root) == 0) path.erase(0, root.size());
  return path;
}

bool holds(std::string const& text, char const* part) {
  return text.find(part) != std::string::npos;
}

// The built-ins are instructions of a GPU: what calls them is the place.
bool isBuiltIn(Frame const& frame) {
  return holds(frame.file, "tweed/loom/") || holds(frame.file, "loom/include/");
}
bool isTweed(Frame const& frame) {
  return holds(frame.file, "include/tweed/") || frame.file.compare(0, 5, "/usr/") == 0;
}

bool isLowLayer(Frame const& frame) {
  return holds(frame.file, "include/tweed/arch/") || holds(frame.file, "include/tweed/memory/") ||
         !holds(frame.file, "include/tweed/");
}

std::map<std::uintptr_t, Frames> framesOf(std::vector<std::uintptr_t> const& callers) {
  std::map<std::uintptr_t, Frames> found;
  std::uintptr_t const base = programBase();
  constexpr std::size_t most = 1000;  // a command line has its limits
  for (std::size_t first = 0; first < callers.size(); first += most) {
    std::vector<std::string> addresses;
    std::size_t const end = std::min(callers.size(), first + most);
    // A call returns behind itself, which may be another line.
    for (std::size_t i = first; i < end; ++i)
      addresses.push_back(format("0x%zx", std::size_t(callers[i] - base - 1)));
    std::string const text = askAddr2line(addresses);
    // A line with each address, then one, file:line, for each of its frames.
    Frames* frames = nullptr;
    std::size_t next = first;
    for (std::size_t at = 0, stop; (stop = text.find('\n', at)) != std::string::npos;
         at = stop + 1) {
      std::string const line = text.substr(at, stop - at);
      std::size_t const colon = line.rfind(':');
      if (line.compare(0, 2, "0x") == 0) {
        if (next == end) break;
        frames = &found[callers[next++]];
      } else if (frames && colon != std::string::npos && line[0] != '?') {
        frames->push_back({shorten(line.substr(0, colon)),
                           unsigned(std::strtoul(line.c_str() + colon + 1, nullptr, 10))});
      }
    }
    for (std::size_t i = first; i < end; ++i) {
      Frames& all = found[callers[i]];
      while (all.size() > 1 && isBuiltIn(all.front())) all.erase(all.begin());
      if (all.empty()) all.push_back({addresses[i - first], 0});  // no addr2line, or no -g
    }
  }
  return found;
}

bool isSamePlace(RecordedLine const& a, RecordedLine const& b) {
  return a.event == b.event && a.bytes == b.bytes && a.frames.size() == b.frames.size() &&
         std::equal(
             a.frames.begin(), a.frames.end(), b.frames.begin(),
             [](Frame const& x, Frame const& y) { return x.line == y.line && x.file == y.file; });
}

// From the frame to show inwards, as a reader would follow the calls.
bool isBefore(RecordedLine const& a, RecordedLine const& b) {
  for (std::size_t i = a.user, k = b.user;; --i, --k) {
    Frame const &x = a.frames[i], &y = b.frames[k];
    if (x.file != y.file) return x.file < y.file;
    if (x.line != y.line) return x.line < y.line;
    if (i == 0 || k == 0) return i < k || (i == k && a.event < b.event);
  }
}

}  // namespace

Recording resolve(std::vector<KernelTotals> const& kernels) {
  std::vector<std::uintptr_t> callers;
  for (KernelTotals const& totals : kernels)
    for (auto const& [place, counts] : totals.places) callers.push_back(place.caller);
  std::sort(callers.begin(), callers.end());
  callers.erase(std::unique(callers.begin(), callers.end()), callers.end());
  auto const frames = framesOf(callers);

  Recording recording;
  for (KernelTotals const& totals : kernels) {
    RecordedKernel kernel;
    kernel.name = Symbols::get().nameOf(totals.kernel);
    kernel.launches = totals.launches;
    kernel.blocks = totals.blocks;
    kernel.warps = totals.warps;
    kernel.threads = totals.threads;
    for (auto const& [place, counts] : totals.places) {
      RecordedLine line;
      line.event = place.event;
      line.bytes = place.bytes;
      line.frames = frames.at(place.caller);
      while (line.user < line.frames.size() && isTweed(line.frames[line.user])) ++line.user;
      if (line.user == line.frames.size()) --line.user;  // a kernel of tweed: its own line
      // Not down to the one load or barrier that everything ends in.
      while (line.inner < line.user && isLowLayer(line.frames[line.inner])) ++line.inner;
      if (line.inner == line.user) line.inner = 0;
      line.counts = counts;
      auto const same =
          std::find_if(kernel.lines.begin(), kernel.lines.end(),
                       [&](RecordedLine const& other) { return isSamePlace(line, other); });
      if (same == kernel.lines.end())
        kernel.lines.push_back(std::move(line));
      else
        same->counts += counts;
    }
    std::stable_sort(kernel.lines.begin(), kernel.lines.end(), isBefore);
    recording.kernels.push_back(std::move(kernel));
  }
  return recording;
}

}  // namespace tweed::loom
