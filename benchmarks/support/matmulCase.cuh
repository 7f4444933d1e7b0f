// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/matmulCase.cuh - cases of products: random operands, what some of the results
// must be, and calls in a stream or a graph.
#pragma once

#include "bench.cuh"
#include "blas.cuh"
#include "input.cuh"
#if defined(TWEED_HAS_FAST_CU_MATMUL)
#include "fastCuMatmul.cuh"
#endif

#include <tweed/matmul/matmul.cuh>
#include <tweed/matmul/tune.cuh>

namespace bench {

namespace detail {

template <class T>
__global__ void fillOperand(T* data, std::uint64_t count, std::uint64_t seed) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < count;
       i += std::uint64_t(gridDim.x) * blockDim.x)
    data[i] = T(inputValue<T>(i + seed));
}
template <class T>
__global__ void gather(T const* data, std::uint64_t const* at, float* out, int count) {
  int const i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = float(data[at[i]]);
}

}  // namespace detail

/// Operands of one product of m x k by k x n, C row-major, with items uniform in [-1, 1), and a
/// sample of what C must be, in double. Leading dimensions are the least.
template <class T, class TC, class LayoutA, class LayoutB>
class Product {
 public:
  using A = tweed::MatrixView<T const, LayoutA>;
  using B = tweed::MatrixView<T const, LayoutB>;
  using C = tweed::MatrixView<TC, tweed::RowMajor>;

  Product(int m, int n, int k)
      : a_(std::size_t(m) * k),
        b_(std::size_t(k) * n),
        c_(std::size_t(m) * n),
        a{a_.data(), m, k, A::isRowMajor ? k : m},
        b{b_.data(), k, n, B::isRowMajor ? n : k},
        c{c_.data(), m, n, n} {
    fill(a_, seedA);
    fill(b_, seedB);
    std::vector<std::uint64_t> at(samples);
    for (std::size_t s = 0; s < samples; ++s) at[s] = randomBits(s + 77) % c_.size();
    at_.assign(at);
    for (std::uint64_t const place : at) {
      auto const row = (long long)(place / std::uint64_t(n));
      auto const column = (long long)(place % std::uint64_t(n));
      double sum = 0, size = 0;
      for (int l = 0; l < k; ++l) {
        double const term = double(inputValue<T>(std::uint64_t(a.offset(row, l)) + seedA)) *
                            double(inputValue<T>(std::uint64_t(b.offset(l, column)) + seedB));
        sum += term, size += std::fabs(term);
      }
      sums_.push_back({sum, size, column});
    }
  }

  void spoil() const { c_.fillBytes(0xff); }

  /// The largest error of the sampled items, of what `wanted` makes of sums and columns, in parts
  /// of the sum of sizes. More than `tolerance` of them, beside one rounding to TC, is a fault.
  template <class Wanted>
  std::string check(double tolerance, double& error, Wanted wanted) const {
    detail::gather<<<(samples + 255) / 256, 256, 0, stream()>>>(c_.data(), at_.data(), out_.data(),
                                                                int(samples));
    TWEED_CHECK(cudaGetLastError());
    std::vector<float> const found = out_.toHost();
    constexpr double rounding = tweed::isSame<TC, __half>          ? 0x1p-11
                                : tweed::isSame<TC, __nv_bfloat16> ? 0x1p-8
                                                                   : 0x1p-24;
    error = 0;
    for (std::size_t s = 0; s < samples; ++s) {
      double const want = wanted(sums_[s].sum, sums_[s].column);
      double const off = std::fabs(double(found[s]) - want);
      double const beyond = std::max(0.0, off - 1.01 * rounding * std::fabs(want));
      error = std::max(error, off / sums_[s].size);
      if (!(beyond <= tolerance * sums_[s].size))
        return "wrong result: " + std::to_string(found[s]) + " for " + std::to_string(want);
    }
    return {};
  }

 private:
  struct Sum {
    double sum, size;
    long long column;
  };
  static constexpr std::size_t samples = 1024;
  static constexpr std::uint64_t seedA = 0, seedB = std::uint64_t(1) << 40;

  void fill(DeviceArray<T> const& to, std::uint64_t seed) const {
    detail::fillOperand<<<8 * multiprocessors(), 512, 0, stream()>>>(to.data(), to.size(), seed);
    TWEED_CHECK(cudaGetLastError());
    wait();
  }

  DeviceArray<T> a_, b_;
  DeviceArray<TC> c_;
  DeviceArray<std::uint64_t> at_{samples};
  DeviceArray<float> out_{samples};
  std::vector<Sum> sums_;

 public:
  A const a;
  B const b;
  C const c;
};

/// Stream: calls back to back, host time and all. Graph: the same calls as one graph, replayed.
enum class MatmulMode { Stream, Graph };

/// Adds a peer: `make()` returns what enqueues one product, `check(error)` looks at C.
inline void addMatmulPeer(Case& to, MatmulMode mode, double flops, std::string name,
                          std::function<std::function<void()>()> make,
                          std::function<std::string(double& error)> check,
                          std::function<void()> spoil) {
  to.add(std::move(name), [=] {
    struct State {
      std::function<void()> call;
      EventTimer timer;
      std::unique_ptr<Graph> graph;
      int calls = 1;
      double error = 0;
    };
    auto const state = std::make_shared<State>();
    state->call = make();
    state->call();
    double const one = state->timer.seconds(state->call);
    state->calls = int(std::min(100.0, std::max(1.0, 3e-3 / one)));
    if (mode == MatmulMode::Graph)
      state->graph = std::make_unique<Graph>([&] {
        for (int i = 0; i < state->calls; ++i) state->call();
      });
    auto const verify = [=]() -> std::string {
      spoil();
      if (state->graph != nullptr) {
        state->graph->replay();
      } else {
        state->call();
      }
      return check(state->error);
    };
    auto const measure = [=] {
      wait();
      double const seconds = state->timer.seconds([&] {
        if (state->graph != nullptr) return state->graph->replay();
        for (int i = 0; i < state->calls; ++i) state->call();
      });
      Sample sample;
      sample.seconds = seconds / state->calls;
      sample.counters["calls"] = state->calls;
      sample.counters["TFLOPs"] = 1e-12 * flops / sample.seconds;
      sample.counters["error"] = state->error;
      return sample;
    };
    return Probe{verify, measure};
  });
}

inline std::string nameOf(MatmulMode mode) {
  return mode == MatmulMode::Stream ? "stream" : "graph";
}

/// How far a sum of k products may be off, in parts of the sum of their sizes.
template <class T>
double matmulTolerance(int k, Precision precision) {
  if (tweed::isSame<T, float> && precision == Precision::Pedantic)
    return 2 * std::sqrt(double(k)) * 0x1p-24;
  double const chain = (k / 8.0 + 2) * 0x1p-23;  // tensor cores truncate
  return chain + (tweed::isSame<T, float> ? 0x1p-9 : 0);
}

/// A case of tweed's and cuBLAS's calls for C = A * B of n x n matrices; in a graph too where the
/// host's share would be seen. `kind`: as bf16 or f32; `form`: the layouts.
template <class T, class TC, class LayoutA, class LayoutB, class Options>
void addMatmul(std::string const& kind, std::string const& form, int n, Precision precision,
               Options options) {
  using Operands = Product<T, TC, LayoutA, LayoutB>;
  double const flops = 2.0 * n * n * n;
  for (MatmulMode const mode : {MatmulMode::Stream, MatmulMode::Graph}) {
    if (mode == MatmulMode::Graph && n > 2048) continue;
    Case& each = addCase(kind + "/" + nameOf(mode) + "/" + form + "/n:" + std::to_string(n));
    auto const operands = std::make_shared<std::weak_ptr<Operands>>();
    auto const get = [=] {  // of all peers of the case, gone behind it
      auto made = operands->lock();
      if (made == nullptr) *operands = made = std::make_shared<Operands>(n, n, n);
      return made;
    };
    auto const add = [&](char const* name, auto makeCall) {
      // The operands live as long as a call that uses them.
      auto const held = std::make_shared<std::shared_ptr<Operands>>();
      addMatmulPeer(
          each, mode, flops, name,
          [=]() -> std::function<void()> {
            *held = get();
            return [owner = *held, call = std::function<void()>(makeCall(**held))] { call(); };
          },
          [=](double& error) {
            // cuBLAS splits sums of odd sizes in parts that it rounds to TC.
            double const tolerance =
                (std::string(name) == "cublas" ? 4 : 1) * matmulTolerance<T>(n, precision);
            return (*held)->check(tolerance, error, [](double sum, long long) { return sum; });
          },
          [=] { (*held)->spoil(); });
    };
    add("tweed", [=](Operands const& o) {
      return [a = o.a, b = o.b, c = o.c, options] {
        tweed::matmul(stream(), a, b, c, tweed::Identity{}, options);
      };
    });
    add("tweedPlan", [=](Operands const& o) {
      auto const plan =
          std::make_shared<tweed::MatmulPlan<typename Operands::A, typename Operands::B,
                                             typename Operands::C, tweed::Identity, Options>>(
              o.a, o.b, o.c, tweed::Identity{}, options);
      if (n <= 8192) {
        auto const times = tweed::tune(*plan, stream());
        std::printf("%-34s", "");
        for (auto const& time : times)
          std::printf(" | %s %.2f", time.name.c_str(), time.microseconds);
        std::printf("\n");
      }
      auto const workspace = std::make_shared<tweed::Workspace>(stream(), plan->workspaceBytes());
      return [plan, workspace] { (*plan)(*workspace); };
    });
    add("cublas", [=](Operands const& o) { return blasCall(o.a, o.b, o.c, precision); });
    add("cublasLt", [=](Operands const& o) { return blasLtCall(o.a, o.b, o.c, precision); });
#if defined(TWEED_HAS_FAST_CU_MATMUL)
    if constexpr (tweed::isSame<T, __nv_bfloat16> && Operands::A::isRowMajor &&
                  !Operands::B::isRowMajor)
      if (n % 256 == 0 && n >= 4096 && tweed::isSame<Options, tweed::AnyPath>)
        add("fastCu",
            [=](Operands const& o) { return fastCuMatmul(n, o.a.data, o.b.data, o.c.data); });
#endif
  }
}

template <class T, class LayoutA, class LayoutB>
void addMatmulSizes(std::string const& kind, std::string const& form,
                    std::vector<int> const& sizes) {
  for (int const n : sizes)
    addMatmul<T, T, LayoutA, LayoutB>(kind, form, n, Precision::Default, tweed::AnyPath{});
}

/// Cases of n x n matrices of 16-bit floats in all layouts.
template <class T>
void addMatmulLayouts(std::string const& kind) {
  using tweed::ColumnMajor, tweed::RowMajor;
  std::vector<int> const sizes{256, 512, 1024, 2048, 4096, 8192};
  std::vector<int> sizesAndOdd = sizes;
  sizesAndOdd.push_back(4097);  // odd leading dimensions
  addMatmulSizes<T, RowMajor, ColumnMajor>(kind, "rowColumn", sizesAndOdd);
  addMatmulSizes<T, RowMajor, RowMajor>(kind, "rowRow", sizes);
  addMatmulSizes<T, ColumnMajor, ColumnMajor>(kind, "columnColumn", sizes);
  addMatmulSizes<T, ColumnMajor, RowMajor>(kind, "columnRow", sizes);
}

}  // namespace bench
