// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -I tweed/include wordCount.cu -o count && ./count wordCount.cu
//
// Lines, words, bytes and the longest line of a file, by one deviceReduce. The text may be cut
// anywhere: a stretch of it knows what it is joined by, and deviceReduce keeps the order.

#include <tweed/device/deviceReduce.cuh>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

using Count = unsigned long long;

// Eight bytes of text, the first in the lowest bits.
using Piece = unsigned long long;

// A stretch of text, counted as if it were all of it, and what its neighbours must know.
struct TextStats {
  Count lines;               // newlines
  Count longest;             // bytes in the longest line, without its newline
  Count prefix;              // bytes before the first newline: all, if there is none
  Count suffix;              // bytes behind the last newline: all, if there is none
  Count words : 61;          // also those that touch the ends
  Count hasSpace : 1;        // else it may be the middle of a word
  Count startsWithWord : 1;  // a word touches the start
  Count endsWithWord : 1;    // a word touches the end

  TextStats() = default;

  // As `LC_ALL=C wc` has it, a word stands between the six white-space bytes and holds at least one
  // byte that can be printed.
  explicit TWEED_DEVICE TextStats(Piece piece) {
    // Eight comparisons by one addition: bit 7 of each byte says if its lower bits are at least so.
    Count const ones = 0x0101010101010101;
    Count const low = piece & 0x7F * ones;
    auto const atLeast = [&](Count least) { return low + (0x80 - least) * ones; };
    // Those bits side by side, the first byte's lowest; 0 for bytes above 0x7F.
    auto const gather = [&](Count flags) {
      return unsigned(((flags & ~piece) >> 7 & ones) * 0x0102040810204080 >> 56);
    };
    unsigned newline = gather(atLeast('\n') & ~atLeast('\n' + 1));
    unsigned const printed = gather(atLeast('!') & ~atLeast(0x7F));
    unsigned const space =
        gather((atLeast(' ') & ~atLeast('!')) | (atLeast('\t') & ~atLeast('\r' + 1)));

    // Adding a printed byte to a run of bytes that are not space carries into the bit behind it.
    unsigned const solid = ~space & 0xFF;
    unsigned const wordEnds = (solid + printed) & ~solid;
    words = __popc(wordEnds);
    hasSpace = space != 0;
    startsWithWord = __ffs(printed | 0x100) < __ffs(space | 0x100);
    endsWithWord = wordEnds >= 0x100;

    lines = __popc(newline);
    prefix = __ffs(newline | 0x100) - 1;
    suffix = __clz(newline << 24 | 0x800000);
    int most = tweed::larger(int(prefix), int(suffix));
    for (unsigned next; (next = newline & (newline - 1)) != 0; newline = next)
      most = tweed::larger(most, __ffs(next) - __ffs(newline) - 1);
    longest = most;
  }
};

// Puts two neighbours together. Associative; not commutative, and so it does not say that it is.
struct Join {
  static TWEED_HOST_DEVICE TextStats identity() { return {}; }
  TWEED_DEVICE TextStats operator()(TextStats const& a, TextStats const& b) const {
    TextStats both;
    both.lines = a.lines + b.lines;
    both.words = a.words + b.words - (a.endsWithWord && b.startsWithWord);
    both.longest = tweed::larger(tweed::larger(a.longest, b.longest), a.suffix + b.prefix);
    both.prefix = a.prefix + (a.lines == 0 ? b.prefix : 0);
    both.suffix = b.suffix + (b.lines == 0 ? a.suffix : 0);
    both.hasSpace = a.hasSpace || b.hasSpace;
    both.startsWithWord = a.startsWithWord || (!a.hasSpace && b.startsWithWord);
    both.endsWithWord = b.endsWithWord || (!b.hasSpace && a.endsWithWord);
    return both;
  }
};

// The same, one byte after the other.
TextStats countOnHost(unsigned char const* text, std::size_t bytes) {
  TextStats stats{};
  Count line = 0;
  bool inWord = false;
  for (std::size_t i = 0; i < bytes; ++i) {
    unsigned char const c = text[i];
    bool const isPrinted = c > ' ' && c < 0x7F;
    stats.words += isPrinted && !inWord;
    inWord = isPrinted || (inWord && c != ' ' && !(c >= '\t' && c <= '\r'));
    stats.lines += c == '\n';
    line = c == '\n' ? 0 : line + 1;
    stats.longest = std::max(stats.longest, line);
  }
  return stats;
}

// Reads a file of any kind. Newlines fill up its last piece: no word or line becomes another.
std::vector<Piece> readFile(char const* path, std::size_t& bytes) {
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) throw std::system_error(errno, std::generic_category(), path);
  std::vector<Piece> pieces;
  bytes = 0;
  std::size_t room;
  do {
    pieces.resize(pieces.size() * 2 + 8192);
    room = pieces.size() * sizeof(Piece);
    bytes += std::fread(reinterpret_cast<char*>(pieces.data()) + bytes, 1, room - bytes, file);
  } while (bytes == room);
  int const error = std::ferror(file) ? errno : 0;
  std::fclose(file);
  if (error != 0) throw std::system_error(error, std::generic_category(), path);
  pieces.resize(tweed::ceilDiv(bytes, sizeof(Piece)));
  std::memset(reinterpret_cast<char*>(pieces.data()) + bytes, '\n',
              pieces.size() * sizeof(Piece) - bytes);
  return pieces;
}

// The median of some runs on the device, after one that warms it up.
template <class Call>
double millisecondsOf(int runs, Call call) {
  cudaEvent_t start, stop;
  TWEED_CHECK(cudaEventCreate(&start));
  TWEED_CHECK(cudaEventCreate(&stop));
  std::vector<float> times(runs);
  call();
  for (float& time : times) {
    TWEED_CHECK(cudaEventRecord(start));
    call();
    TWEED_CHECK(cudaEventRecord(stop));
    TWEED_CHECK(cudaEventSynchronize(stop));
    TWEED_CHECK(cudaEventElapsedTime(&time, start, stop));
  }
  TWEED_CHECK(cudaEventDestroy(start));
  TWEED_CHECK(cudaEventDestroy(stop));
  std::sort(times.begin(), times.end());
  return times[runs / 2];
}

int main(int argc, char** argv) try {
  char const* const usage =
      "usage: wordCount [--check] FILE\n"
      "prints lines, words, bytes and the bytes of the longest line; --check counts on the host "
      "too\n";
  char const* path = nullptr;
  bool isChecked = false;
  for (int i = 1; i < argc; ++i) {
    std::string const argument = argv[i];
    if (argument == "--help") return std::fputs(usage, stdout), 0;
    if (argument == "--check") {
      isChecked = true;
    } else if (argument[0] == '-' || path != nullptr) {
      std::fprintf(stderr, "wordCount: unknown option '%s'\n%s", argv[i], usage);
      return 2;
    } else {
      path = argv[i];
    }
  }
  if (path == nullptr) return std::fprintf(stderr, "wordCount: no FILE\n%s", usage), 2;
  std::size_t bytes = 0;
  std::vector<Piece> const pieces = readFile(path, bytes);
  std::size_t const filled = pieces.size() * sizeof(Piece);

  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  tweed::DeviceInfo const device = tweed::deviceInfo();
  Piece* in = nullptr;
  TextStats* out = nullptr;
  TWEED_CHECK(cudaMalloc(&in, filled));
  TWEED_CHECK(cudaMalloc(&out, sizeof(TextStats)));
  TWEED_CHECK(cudaMemcpy(in, pieces.data(), filled, cudaMemcpyHostToDevice));

  tweed::Workspace workspace;
  double const time = millisecondsOf(device.isLoom ? 1 : 9, [&] {
    tweed::deviceReduce(in, pieces.size(), out, Join{}, workspace);
  });

  TextStats stats;
  TWEED_CHECK(cudaMemcpy(&stats, out, sizeof(stats), cudaMemcpyDeviceToHost));
  TWEED_CHECK(cudaFree(in));
  TWEED_CHECK(cudaFree(out));
  stats.lines -= filled - bytes;

  std::printf("%llu %llu %zu %llu %s\n", stats.lines, stats.words, bytes, stats.longest, path);
  std::printf("%s: %.3f ms, %.1f GB/s, without reading and copying the file\n",
              device.isLoom ? "loom (CPU)" : device.name.c_str(), time,
              double(bytes) / time * 1e-6);
  if (isChecked) {
    auto const host = countOnHost(reinterpret_cast<unsigned char const*>(pieces.data()), bytes);
    if (stats.lines != host.lines || stats.words != host.words || stats.longest != host.longest) {
      std::printf("FAIL: the host counts %llu %llu %zu %llu\n", host.lines, host.words, bytes,
                  host.longest);
      return 1;
    }
    std::puts("the host counts the same");
  }
  return 0;
} catch (std::system_error const& error) {
  std::fprintf(stderr, "wordCount: %s\n", error.what());
  return 2;
} catch (std::exception const& error) {
  std::fprintf(stderr, "wordCount: %s\n", error.what());
  return 1;
}
