// SPDX-License-Identifier: Apache-2.0
/// The text of a fault: what happened, where each thread of the block is, how to repeat it.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "engine.hpp"
#include "symbols.hpp"

namespace tweed::loom {

std::string format(char const* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  va_list again;
  va_copy(again, arguments);
  int const length = std::vsnprintf(nullptr, 0, text, arguments);
  va_end(arguments);
  std::string result(std::size_t(length), '\0');
  std::vsnprintf(result.data(), result.size() + 1, text, again);
  va_end(again);
  return result;
}

std::string show(Site site) {
  char const* const slash = std::strrchr(site.file, '/');
  return format("%s:%u", slash ? slash + 1 : site.file, site.line);
}

std::string showThread(unsigned index) {
  return format("thread %u (warp %u lane %u)", index, index / 32, index % 32);
}

namespace {

std::string showOrder(Options const& options) {
  switch (options.schedule) {
    case Order::forward:
      return "forward";
    case Order::reverse:
      return "reverse";
    default:
      return format("random:%llu", static_cast<unsigned long long>(options.seed));
  }
}

// 0-15,48,50-63; `threads` is sorted.
std::string showRanges(std::vector<unsigned> const& threads) {
  std::string text;
  for (std::size_t first = 0, next; first < threads.size(); first = next) {
    if (text.size() > 200) return text + ",...";
    next = first + 1;
    while (next < threads.size() && threads[next] == threads[next - 1] + 1) ++next;
    if (!text.empty()) text += ',';
    text += std::to_string(threads[first]);
    if (next - first > 1) text += '-' + std::to_string(threads[next - 1]);
  }
  return text;
}

}  // namespace

void Engine::note(FaultKind kind, std::string const& text) {
  Quiet quiet;
  std::lock_guard<std::mutex> lock(launch_->faultMutex);
  if (launch_->failed) return;  // the first fault is the one to report
  std::string all = format("tweed loom: %s, grid (%u,%u,%u), block (%u,%u,%u) of %u threads\n  ",
                           Symbols::get().nameOf(launch_->description->kernel).c_str(), gridDim.x,
                           gridDim.y, gridDim.z, blockIdx.x, blockIdx.y, blockIdx.z, blockThreads_);
  all += text + "\n  schedule " + showOrder(options_);
  if (launch_->slots > 1) all += format(", %u blocks resident", launch_->slots);
  launch_->faultText = std::move(all);
  launch_->faultKind = kind;
  launch_->failed = true;
}

void Engine::abandon() {
  dead_ = true;
  swap(currentFiber_, &mainFiber_, tsanMain_);
  std::abort();  // nothing switches back
}

void Engine::stuck() {
  note(FaultKind::deadlock, "deadlock: no thread of the block can run" + whereAllWait());
  abandon();
}

void Engine::trap(char const* text, Site site) {
  note(FaultKind::trap,
       format("%s at %s by %s", text, show(site).c_str(), showThread(current_).c_str()));
  abandon();
}

void Engine::nestedLaunch() {
  note(FaultKind::launch, "a kernel launches a kernel: " + showThread(current_));
  abandon();
}

std::string Engine::whatItWaitsFor(unsigned i) {
  Thread const& thread = threads_[i];
  switch (thread.state) {
    case State::done:
      return "have exited";
    case State::fresh:
      return "have not started";
    case State::ready:
    case State::running:
      return "can run";
    case State::namedWait:
      return format("wait in named barrier %u at %s", thread.namedBarrier,
                    show(thread.site).c_str());
    case State::warpWait:
      break;
    default:
      return format("wait in %s at %s", thread.waitsIn, show(thread.site).c_str());
  }
  Warp const& warp = warps_[i / 32];
  unsigned arrived = 0;
  for (Group const& g : warp.pending)
    if (g.mask == thread.mask && (g.arrived >> (i % 32) & 1)) arrived = g.arrived;
  std::vector<unsigned> missing;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((thread.mask & ~arrived & ~warp.gone) >> lane & 1) missing.push_back(i / 32 * 32 + lane);
  return format("wait in %s(0x%08x) at %s for threads %s", thread.waitsIn, thread.mask,
                show(thread.site).c_str(), showRanges(missing).c_str());
}

std::string Engine::whereAllWait() {
  struct Row {
    std::string what;
    std::vector<unsigned> threads;
  };
  std::vector<Row> rows;
  for (unsigned i = 0; i < blockThreads_; ++i) {
    std::string what = whatItWaitsFor(i);
    auto const row =
        std::find_if(rows.begin(), rows.end(), [&](Row const& r) { return r.what == what; });
    if (row == rows.end())
      rows.push_back({std::move(what), {i}});
    else
      row->threads.push_back(i);
  }
  std::string text;
  for (Row const& row : rows) text += "\n    threads " + showRanges(row.threads) + " " + row.what;
  return text;
}

}  // namespace tweed::loom
