// SPDX-License-Identifier: Apache-2.0
// examples/ladder/runProduct.cuh - what the rungs of the product ladder share: the form of a
// product, and a program that checks one against the host and times it. README.md says how a rung
// is made.
#pragma once

#include <ladder/run.cuh>
#include <tweed/core/half.cuh>
#include <tweed/core/math.cuh>
#include <tweed/launch/deviceInfo.cuh>
#include <tweed/launch/launch.cuh>
#include <tweed/memory/workspace.cuh>

#include <cmath>
#include <exception>
#include <string>

namespace ladder {

/// C (m x k) = A (m x n) * B (n x k), all row-major and without gaps.
struct ProductShape {
  long long m, n, k;
};

/// Writes the product to c, all in device memory, in order of the workspace's stream; a and b are
/// only read. m, n, k >= 0; with n = 0 all of C is 0. The workspace has workspaceBytes(shape).
template <class T>
using Product = void (*)(T const* a, T const* b, float* c, ProductShape shape,
                         tweed::Workspace& workspace);

struct ProductRung {
  char const* name;
  char const* idea;
  Product<float> ofFloats;  ///< one of the two; the other is null
  Product<__half> ofHalves = nullptr;
  bool (*canRun)() = nullptr;  ///< on the current device; null: on all that the code is for

  char const* type() const { return ofFloats != nullptr ? "float" : "half"; }
};

/// For any rung: room for copies of half operands whose rows are longer than theirs.
inline std::size_t workspaceBytes(ProductShape s) {
  return tweed::larger(tweed::Workspace::defaultBytes,
                       2 * std::size_t(s.m * (s.n + 8) + s.n * (s.k + 8)) + 512);
}

// C in tiles of Edge x Edge, one a block, row by row. Grids are 1-D: in y they end at 65535.

template <int Edge>
long long tilesOf(ProductShape s) {
  return tweed::ceilDiv(s.m, 1ll * Edge) * tweed::ceilDiv(s.k, 1ll * Edge);
}

struct TilePlace {
  long long row, column;  ///< of its first item
};
/// This block's.
template <int Edge>
TWEED_DEVICE TilePlace tilePlace(ProductShape s) {
  unsigned const across = unsigned(tweed::ceilDiv(s.k, 1ll * Edge));
  return {1ll * (blockIdx.x / across) * Edge, 1ll * (blockIdx.x % across) * Edge};
}

/// What the operands of a product are. Results are checked with whole numbers up to 31, which all
/// types hold. Up to n = 16384 no sum passes 2^24: each is exact in a float in any order. Times are
/// taken with random ones in [-1, 1): a card may need less power for whole ones, and be faster.
enum class Numbers { Whole, Real };

/// The operands of a product, as each type, and its result, in device memory.
class ProductData {
 public:
  static constexpr long long most = 16384;

  explicit ProductData(ProductShape shape)
      : shape_(shape),
        hostA_(wholeNumbers(shape.m * shape.n, 31, 1)),
        hostB_(wholeNumbers(shape.n * shape.k, 31, 2)),
        workspace_(nullptr, workspaceBytes(shape)),
        floatA_(hostA_, 3),
        floatB_(hostB_, 4),
        halfA_(hostA_, 3),
        halfB_(hostB_, 4),
        c_(std::vector<float>(std::size_t(shape.m * shape.k))) {}

  /// From now on; whole ones at first. They are in the same places, since a rung may keep what it
  /// found out about its operands. Asynchronous, in the default stream.
  void use(Numbers numbers) {
    if (used_ == numbers) return;
    used_ = numbers;
    floatA_.use(numbers);
    floatB_.use(numbers);
    halfA_.use(numbers);
    halfB_.use(numbers);
  }

  /// Asynchronous, in the default stream.
  void call(ProductRung const& rung) {
    if (rung.ofFloats != nullptr)
      rung.ofFloats(floatA_.data(), floatB_.data(), c_.data, shape_, workspace_);
    else
      rung.ofHalves(halfA_.data(), halfB_.data(), c_.data, shape_, workspace_);
  }

  /// Calls it with whole numbers: what is wrong with the result; empty if nothing is.
  std::string check(ProductRung const& rung) {
    use(Numbers::Whole);
    forgetResult();
    call(rung);
    return complaint();
  }

  /// So that the next call has to write all of C.
  void forgetResult() { TWEED_CHECK(cudaMemset(c_.data, 0xFF, bytesOfC())); }

  /// What is wrong in C, of whole numbers; empty if nothing is. Each row of C times some vector is
  /// compared with A times (B times it), modulo 2^64: no item escapes, in a time that grows as the
  /// square.
  std::string complaint() const {
    std::size_t const m = std::size_t(shape_.m), n = std::size_t(shape_.n),
                      k = std::size_t(shape_.k);
    std::vector<float> c(m * k);
    TWEED_CHECK(cudaMemcpy(c.data(), c_.data, bytesOfC(), cudaMemcpyDeviceToHost));
    std::vector<unsigned long long> x(k), y(n);
    for (std::size_t j = 0; j < k; ++j) x[j] = (j + 1) * 0x9E3779B97F4A7C15ull | 1;
    auto const times = [](float const* row, std::vector<unsigned long long> const& vector) {
      unsigned long long sum = 0;
      for (std::size_t j = 0; j < vector.size(); ++j)
        sum += static_cast<unsigned long long>(wholeOf(row[j])) * vector[j];
      return sum;
    };
    for (std::size_t i = 0; i < n; ++i) y[i] = times(&hostB_[i * k], x);
    for (std::size_t i = 0; i < m; ++i)
      if (times(c.data() + i * k, x) != times(hostA_.data() + i * n, y)) return firstWrong(c, i);
    return "";
  }

 private:
  template <class T>
  struct DeviceMemory {
    T* data = nullptr;
    explicit DeviceMemory(std::vector<T> const& host) {
      TWEED_CHECK(cudaMalloc(&data, (host.size() + 1) * sizeof(T)));
      TWEED_CHECK(cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~DeviceMemory() { (void)cudaFree(data); }
    DeviceMemory(DeviceMemory const&) = delete;
    DeviceMemory& operator=(DeviceMemory const&) = delete;
  };

  // Both kinds of numbers, and a place for those in use.
  template <class T>
  class Operand {
   public:
    Operand(std::vector<float> const& whole, unsigned long long seed)
        : whole_(asItems(whole)),
          real_(asItems(realNumbers(static_cast<long long>(whole.size()), seed))),
          used_(asItems(whole)),
          bytes_(whole.size() * sizeof(T)) {}
    T const* data() const { return used_.data; }
    void use(Numbers numbers) {
      TWEED_CHECK(cudaMemcpyAsync(used_.data, numbers == Numbers::Whole ? whole_.data : real_.data,
                                  bytes_, cudaMemcpyDeviceToDevice));
    }

   private:
    static std::vector<T> asItems(std::vector<float> const& values) {
      return std::vector<T>(values.begin(), values.end());
    }
    DeviceMemory<T> whole_, real_, used_;
    std::size_t bytes_;
  };

  // A number that no sum can be, for what is no whole number of 32 bits.
  static long long wholeOf(float value) {
    return std::fabs(value) < 0x1p31f && value == std::floor(value) ? static_cast<long long>(value)
                                                                    : 1ll << 40;
  }

  std::size_t bytesOfC() const { return std::size_t(shape_.m * shape_.k) * sizeof(float); }

  std::string firstWrong(std::vector<float> const& c, std::size_t row) const {
    std::size_t const n = std::size_t(shape_.n), k = std::size_t(shape_.k);
    for (std::size_t j = 0; j < k; ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i)
        sum += double(hostA_[row * n + i]) * double(hostB_[i * k + j]);
      if (double(c[row * k + j]) != sum)
        return "C[" + std::to_string(row) + ", " + std::to_string(j) + "] is " +
               std::to_string(c[row * k + j]) + ", the host's is " + std::to_string(sum);
    }
    return "row " + std::to_string(row) + " of C is wrong";
  }

  ProductShape shape_;
  std::vector<float> hostA_, hostB_;
  tweed::Workspace workspace_;
  Operand<float> floatA_, floatB_;
  Operand<__half> halfA_, halfB_;
  DeviceMemory<float> c_;
  Numbers used_ = Numbers::Whole;
};

/// The program of a file with these rungs: its exit code.
inline int runProduct(std::vector<ProductRung> const& rungs, int argc, char** argv) try {
  constexpr char const* usage =
      "usage: PROGRAM [M N K]    multiplies M x N by N x K numbers, each 0 to 16384\n";
  long long sizes[3] = {};
  int const code = readSizes(rungs[0].name, usage, ProductData::most, argc, argv, sizes);
  if (code >= 0) return code;
  tweed::DeviceInfo const device = tweed::deviceInfo();
  if (argc == 1)
    for (long long& size : sizes) size = device.isLoom ? 136 : 4096;
  auto const [m, n, k] = sizes;

  ProductData data({m, n, k});
  std::printf("%lld x %lld by %lld x %lld on %s\n", m, n, n, k,
              device.isLoom ? "the loom (CPU)" : device.name.c_str());
  int wrong = 0;
  std::size_t skipped = 0;
  for (ProductRung const& rung : rungs) {
    if (rung.canRun != nullptr && !rung.canRun()) {
      std::printf("SKIP: %s: this device or this build does not have its instructions\n",
                  rung.name);
      ++skipped;
      continue;
    }
    std::string const complaint = data.check(rung);
    std::string time;
    if (!device.isLoom) {
      data.use(Numbers::Real);
      time = timed([&] { data.call(rung); }, 2 * double(m) * double(n) * double(k), "GFLOP/s");
    }
    std::printf("%-20s %-5s %s%s\n", rung.name, rung.type(), time.c_str(), rung.idea);
    if (complaint.empty()) continue;
    std::printf("FAIL: %s: %s\n", rung.name, complaint.c_str());
    ++wrong;
  }
  return wrong > 0 ? 1 : skipped == rungs.size() ? 77 : 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s: %s\n", rungs[0].name, error.what());
  return 1;
}

}  // namespace ladder
