// SPDX-License-Identifier: Apache-2.0
/// Sums of a recording, and its two forms as text.
#include <tweed/loom/recording.hpp>

#include <algorithm>
#include <cstdio>

#include "engine.hpp"

namespace tweed::loom {
namespace {

struct Names {
  char const *json, *table;
};
constexpr Names names[eventCount] = {{"sharedLoad", "shared load"},
                                     {"sharedStore", "shared store"},
                                     {"sharedAtomic", "shared atomic"},
                                     {"globalLoad", "global load"},
                                     {"globalStore", "global store"},
                                     {"globalAtomic", "global atomic"},
                                     {"barrier", "barrier"},
                                     {"warpBarrier", "warp barrier"},
                                     {"shuffle", "shuffle"},
                                     {"vote", "vote"},
                                     {"reduce", "warp reduce"},
                                     {"exchange", "exchange"},
                                     {"fence", "fence"}};

template <class Use>
void forEachEvent(Use use) {
  for (int i = 0; i < eventCount; ++i) use(Event(i));
}

unsigned long long wide(std::uint64_t value) { return value; }

std::string baseName(std::string const& path) { return path.substr(path.rfind('/') + 1); }

std::string place(Frame const& frame) {
  return frame.line ? format("%s:%u", baseName(frame.file).c_str(), frame.line) : frame.file;
}

// Whether `path` is `end`, or has it as its last folders and name.
bool endsWith(std::string const& path, std::string const& end) {
  if (path.size() < end.size() || path.compare(path.size() - end.size(), end.size(), end) != 0)
    return false;
  return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
}

using Row = std::vector<std::string>;

// "4", "4.03"
std::string average(std::uint64_t sum, std::uint64_t count) {
  if (sum % count == 0) return std::to_string(sum / count);
  return format("%.2f", double(sum) / double(count));
}

void addNumbers(Row& row, Event event, Counts const& counts) {
  row.push_back(std::to_string(counts.requests));
  row.push_back(std::to_string(counts.divergent));
  if (event <= Event::sharedAtomic) {
    row.push_back(average(counts.passes, counts.requests) + " passes");
    row.push_back(average(counts.idealPasses, counts.requests));
    row.push_back(std::to_string(counts.worstPasses));
  } else if (event <= Event::globalAtomic) {
    row.push_back(average(counts.sectors, counts.requests) + " sectors");
    row.push_back(average(counts.idealSectors, counts.requests));
    row.push_back(std::to_string(counts.worstSectors));
  } else {
    row.insert(row.end(), 3, "");
  }
}

std::string align(std::vector<Row> const& rows, std::size_t textColumns) {
  std::vector<std::size_t> widths(rows[0].size());
  for (Row const& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (Row const& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string const blanks(widths[i] - row[i].size(), ' ');
      line += "  " + (i < textColumns ? row[i] + blanks : blanks + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string quote(std::string const& text) {
  std::string quoted = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? std::string("?") : std::string(1, c);
  }
  return quoted + '"';
}

std::string toJson(Event event, Counts const& c) {
  std::string text = format("\"requests\": %llu, \"divergent\": %llu, \"lanes\": %llu",
                            wide(c.requests), wide(c.divergent), wide(c.lanes));
  if (event <= Event::sharedAtomic)
    text += format(", \"passes\": %llu, \"idealPasses\": %llu, \"worstPasses\": %llu",
                   wide(c.passes), wide(c.idealPasses), wide(c.worstPasses));
  else if (event <= Event::globalAtomic)
    text += format(", \"sectors\": %llu, \"idealSectors\": %llu, \"worstSectors\": %llu",
                   wide(c.sectors), wide(c.idealSectors), wide(c.worstSectors));
  return text;
}

std::string toJson(RecordedLine const& line) {
  Frame const& user = line.frames[line.user];
  std::string text = format("{\"event\": \"%s\", \"bytes\": %u, \"file\": %s, \"line\": %u,\n",
                            nameOf(line.event), line.bytes, quote(user.file).c_str(), user.line);
  text += "         " + toJson(line.event, line.counts) + ",\n         \"frames\": [";
  char const* separator = "";
  for (Frame const& frame : line.frames) {
    text += separator;
    text += "{\"file\": " + quote(frame.file) + format(", \"line\": %u}", frame.line);
    separator = ",\n           ";
  }
  return text + "]}";
}

}  // namespace

char const* nameOf(Event event) { return names[int(event)].json; }

Counts& Counts::operator+=(Counts const& other) {
  requests += other.requests;
  divergent += other.divergent;
  lanes += other.lanes;
  passes += other.passes;
  idealPasses += other.idealPasses;
  worstPasses = std::max(worstPasses, other.worstPasses);
  sectors += other.sectors;
  idealSectors += other.idealSectors;
  worstSectors = std::max(worstSectors, other.worstSectors);
  return *this;
}

Counts RecordedKernel::total(Event event) const {
  Counts sum;
  for (RecordedLine const& line : lines)
    if (line.event == event) sum += line.counts;
  return sum;
}

Counts Recording::total(Event event) const {
  Counts sum;
  for (RecordedKernel const& kernel : kernels) sum += kernel.total(event);
  return sum;
}

Counts Recording::at(Event event, std::string const& file, unsigned line) const {
  Counts sum;
  for (RecordedKernel const& kernel : kernels)
    for (RecordedLine const& l : kernel.lines)
      if (l.event == event &&
          std::any_of(l.frames.begin(), l.frames.end(), [&](Frame const& frame) {
            return frame.line == line && endsWith(frame.file, file);
          }))
        sum += l.counts;
  return sum;
}

std::string Recording::table() const {
  std::string text;
  for (RecordedKernel const& kernel : kernels) {
    constexpr std::size_t longest = 98;
    std::string name = kernel.name;
    if (name.compare(0, 5, "void ") == 0) name.erase(0, 5);
    if (name.size() > longest) name = name.substr(0, longest - 3) + "...";
    text += name + format("\n  launches %llu, blocks %llu, warps %llu, threads %llu\n",
                          wide(kernel.launches), wide(kernel.blocks), wide(kernel.warps),
                          wide(kernel.threads));
    std::vector<Row> rows = {
        {"line", "in", "what", "bytes", "requests", "divergent", "a request", "ideal", "worst"}};
    struct Sum {
      Row texts;
      Event event;
      Counts counts;
    };
    std::vector<Sum> sums;  // what reads the same is one row
    for (RecordedLine const& line : kernel.lines) {
      Row texts = {place(line.frames[line.user]), line.user ? place(line.frames[line.inner]) : "",
                   names[int(line.event)].table, line.bytes ? std::to_string(line.bytes) : ""};
      auto const same = std::find_if(sums.begin(), sums.end(),
                                     [&](Sum const& sum) { return sum.texts == texts; });
      if (same == sums.end())
        sums.push_back({std::move(texts), line.event, line.counts});
      else
        same->counts += line.counts;
    }
    for (Sum& sum : sums) {
      addNumbers(sum.texts, sum.event, sum.counts);
      rows.push_back(std::move(sum.texts));
    }
    forEachEvent([&](Event event) {
      Counts const sum = kernel.total(event);
      if (sum.requests == 0) return;
      Row row = {"all", "", names[int(event)].table, ""};
      addNumbers(row, event, sum);
      rows.push_back(std::move(row));
    });
    text += align(rows, 3) + '\n';
  }
  return text;
}

std::string Recording::json() const {
  std::string text = "{\"format\": \"tweed trace\", \"version\": 1, \"kernels\": [";
  char const* kernelSeparator = "\n";
  for (RecordedKernel const& kernel : kernels) {
    text += kernelSeparator;
    text += "  {\"name\": " + quote(kernel.name) +
            format(", \"launches\": %llu, \"blocks\": %llu, \"warps\": %llu, \"threads\": %llu,\n",
                   wide(kernel.launches), wide(kernel.blocks), wide(kernel.warps),
                   wide(kernel.threads));
    text += "   \"totals\": {";
    char const* separator = "\n";
    forEachEvent([&](Event event) {
      text += format("%s     \"%s\": {%s}", separator, nameOf(event),
                     toJson(event, kernel.total(event)).c_str());
      separator = ",\n";
    });
    text += "},\n   \"lines\": [";
    separator = "\n";
    for (RecordedLine const& line : kernel.lines) {
      text += separator;
      text += "        " + toJson(line);
      separator = ",\n";
    }
    text += "]}";
    kernelSeparator = ",\n";
  }
  return text + "\n]}\n";
}

}  // namespace tweed::loom
