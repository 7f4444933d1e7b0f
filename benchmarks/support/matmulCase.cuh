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

/// Item i of an operand: int in [-64, 64), so that float holds each sum of up to 4096 products.
template <class T>
__host__ __device__ auto operandValue(std::uint64_t i) {
  auto const value = inputValue<T>(i);
  return tweed::isSame<T, int> ? value / 128 : value;
}

template <class T>
__global__ void fillOperand(T* data, std::uint64_t count, std::uint64_t seed) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < count;
       i += std::uint64_t(gridDim.x) * blockDim.x)
    data[i] = T(operandValue<T>(i + seed));
}
template <class T>
__global__ void gather(T const* data, std::uint64_t const* at, double* out, int count) {
  int const i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = double(data[at[i]]);
}
template <class T>
__global__ void toDouble(T const* data, double* out, std::uint64_t count) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < count;
       i += std::uint64_t(gridDim.x) * blockDim.x)
    out[i] = double(data[i]);
}

}  // namespace detail

using Counters = std::map<std::string, double>;

/// A matrix of a batch alone.
template <class View>
View matrixOf(View const& batch, long long matrix) {
  return {batch.data + matrix * batch.batchStride, batch.rows, batch.columns,
          batch.leadingDimension};
}

/// Operands of a batch of products of m x k by k x n, C row-major, with items uniform in [-1, 1),
/// and a sample of what C must be, in double. Matrices are dense, one behind another.
template <class T, class TC, class LayoutA, class LayoutB>
class Product {
 public:
  using A = tweed::MatrixView<T const, LayoutA>;
  using B = tweed::MatrixView<T const, LayoutB>;
  using C = tweed::MatrixView<TC, tweed::RowMajor>;

  Product(int m, int n, int k, int batch = 1)
      : a_(std::size_t(m) * k * batch),
        b_(std::size_t(k) * n * batch),
        c_(std::size_t(m) * n * batch),
        a{a_.data(), m, k, A::isRowMajor ? k : m, batch, batch == 1 ? 0 : (long long)(m)*k},
        b{b_.data(), k, n, B::isRowMajor ? n : k, batch, batch == 1 ? 0 : (long long)(k)*n},
        c{c_.data(), m, n, n, batch, batch == 1 ? 0 : (long long)(m)*n} {
    fill(a_, seedA);
    fill(b_, seedB);
    std::vector<std::uint64_t> at(samples);
    for (std::size_t s = 0; s < samples; ++s) at[s] = randomBits(s + 77) % c_.size();
    at_.assign(at);
    for (std::uint64_t const place : at) {
      auto const matrix = (long long)(place / n / m);
      auto const row = (long long)(place / n % m);
      auto const column = (long long)(place % n);
      double sum = 0, size = 0;
      for (int l = 0; l < k; ++l) {
        auto const inA = std::uint64_t(a.offset(row, l, matrix));
        auto const inB = std::uint64_t(b.offset(l, column, matrix));
        double const term = double(detail::operandValue<T>(inA + seedA)) *
                            double(detail::operandValue<T>(inB + seedB));
        sum += term, size += std::fabs(term);
      }
      sums_.push_back({sum, size, column});
    }
  }

  void spoil() const { c_.fillBytes(0xff); }

  /// The largest error of the sampled items, of what `wanted` makes of sums and columns, in parts
  /// of the sum of sizes. More than `tolerance` of them, beside one rounding to TC, is a fault.
  template <class Wanted>
  std::string check(double tolerance, Counters& counters, Wanted wanted) const {
    detail::gather<<<(samples + 255) / 256, 256, 0, stream()>>>(c_.data(), at_.data(), out_.data(),
                                                                int(samples));
    TWEED_CHECK(cudaGetLastError());
    std::vector<double> const found = out_.toHost();
    constexpr double rounding = tweed::isSame<TC, __half>          ? 0x1p-11
                                : tweed::isSame<TC, __nv_bfloat16> ? 0x1p-8
                                : tweed::isSame<TC, double>        ? 0x1p-53
                                                                   : 0x1p-24;
    double& error = counters["error"];
    error = 0;
    for (std::size_t s = 0; s < samples; ++s) {
      double const want = wanted(sums_[s].sum, sums_[s].column);
      double const off = std::fabs(found[s] - want);
      double const beyond = std::max(0.0, off - 1.01 * rounding * std::fabs(want));
      error = std::max(error, off / sums_[s].size);
      if (!(beyond <= tolerance * sums_[s].size))
        return "wrong result: " + std::to_string(found[s]) + " for " + std::to_string(want);
    }
    return {};
  }

  /// The error of all of C in the Frobenius norm, in parts of C, against cuBLAS in double.
  double frobenius() const {
    if (exact_ == nullptr) {
      DeviceArray<double> const inA(a_.size()), inB(b_.size());
      toDouble(a_, inA);
      toDouble(b_, inB);
      exact_ = std::make_unique<DeviceArray<double>>(c_.size());
      blasCall(tweed::MatrixView<double const, LayoutA>{inA.data(), a.rows, a.columns,
                                                        a.leadingDimension},
               tweed::MatrixView<double const, LayoutB>{inB.data(), b.rows, b.columns,
                                                        b.leadingDimension},
               tweed::rowMajor(exact_->data(), c.rows, c.columns), Precision::Default)();
      wait();
    }
    DeviceArray<double> const found(c_.size());
    toDouble(c_, found);
    return relativeFrobenius(found, *exact_);
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

  template <class Item>
  static void toDouble(DeviceArray<Item> const& from, DeviceArray<double> const& to) {
    detail::toDouble<<<8 * multiprocessors(), 512, 0, stream()>>>(from.data(), to.data(),
                                                                  from.size());
    TWEED_CHECK(cudaGetLastError());
  }

  DeviceArray<T> a_, b_;
  DeviceArray<TC> c_;
  mutable std::unique_ptr<DeviceArray<double>> exact_;
  DeviceArray<std::uint64_t> at_{samples};
  DeviceArray<double> out_{samples};
  std::vector<Sum> sums_;

 public:
  A const a;
  B const b;
  C const c;
};

/// Stream: calls back to back, host time and all. Graph: the same calls as one graph, replayed.
/// GraphCold: each call in the graph has operands of its own, of more than the L2 cache twice.
enum class MatmulMode { Stream, Graph, GraphCold };

/// Adds a peer: `make()` returns what enqueues one product, `check(counters)` looks at C when so
/// many calls were made.
inline void addMatmulPeer(Case& to, MatmulMode mode, double flops, std::string name,
                          std::function<std::function<void()>()> make,
                          std::function<std::string(Counters& counters)> check,
                          std::function<void()> spoil, int callsToCheck = 1) {
  to.warmUp(flops > 1e11 ? 3 : 0.3);  // until the clock has settled
  to.add(std::move(name), [=] {
    struct State {
      std::function<void()> call;
      EventTimer timer;
      std::unique_ptr<Graph> graph;
      int calls = 1;
      Counters counters;
    };
    auto const state = std::make_shared<State>();
    state->call = make();
    state->call();
    double const one = state->timer.seconds(state->call);
    int const wanted = int(std::min(100.0, std::max(1.0, 3e-3 / one)));
    state->calls = tweed::ceilDiv(wanted, callsToCheck) * callsToCheck;
    if (mode != MatmulMode::Stream)
      state->graph = std::make_unique<Graph>([&] {
        for (int i = 0; i < state->calls; ++i) state->call();
      });
    auto const verify = [=]() -> std::string {
      spoil();
      if (state->graph != nullptr) {
        state->graph->replay();
      } else {
        for (int i = 0; i < callsToCheck; ++i) state->call();
      }
      return check(state->counters);
    };
    auto const measure = [=] {
      wait();
      double const seconds = state->timer.seconds([&] {
        if (state->graph != nullptr) return state->graph->replay();
        for (int i = 0; i < state->calls; ++i) state->call();
      });
      Sample sample;
      sample.counters = state->counters;
      sample.seconds = seconds / state->calls;
      sample.counters["calls"] = state->calls;
      sample.counters["TFLOPs"] = 1e-12 * flops / sample.seconds;
      return sample;
    };
    return Probe{verify, measure};
  });
}

inline std::string nameOf(MatmulMode mode) {
  return mode == MatmulMode::Stream ? "stream" : mode == MatmulMode::Graph ? "graph" : "graphCold";
}

/// How far a sum of k products may be off, in parts of the sum of their sizes.
template <class T>
double matmulTolerance(int k, Precision precision) {
  if (tweed::isSame<T, int>) return 0;
  if (tweed::isSame<T, double>) return 4 * std::sqrt(double(k)) * 0x1p-53;  // and the host's
  if (tweed::isSame<T, float> && precision == Precision::Pedantic)
    return 2 * std::sqrt(double(k)) * 0x1p-24;
  double const chain = (k / 8.0 + 2) * 0x1p-23;  // tensor cores truncate
  return chain + (tweed::isSame<T, float> ? 0x1p-9 : 0);
}

struct MatmulSize {
  int m, n, k, batch = 1;
};

/// A case of tweed's and cuBLAS's calls for C = A * B, of all of a batch at once. `kind`: as bf16
/// or f32; `form`: the layouts, and what else tells it from other cases.
template <class T, class TC, class LayoutA, class LayoutB, class Options>
void addProduct(std::string const& kind, MatmulMode mode, std::string const& form, MatmulSize size,
                Precision precision, Options options) {
  using Operands = Product<T, TC, LayoutA, LayoutB>;
  double const flops = 2.0 * size.m * size.n * size.k * size.batch;
  bool const isCold = mode == MatmulMode::GraphCold;
  if (isCold) {
    std::size_t const bytes = (std::size_t(size.m) + size.n) * size.k * sizeof(T) +
                              std::size_t(size.m) * size.n * sizeof(TC);
    size.batch = int(2 * l2Bytes() / bytes) + 1;
  }
  Case& each = addCase(kind + "/" + nameOf(mode) + "/" + form + "/n:" + std::to_string(size.n));
  auto const operands = std::make_shared<std::weak_ptr<Operands>>();
  auto const get = [=] {  // of all peers of the case, gone behind it
    auto made = operands->lock();
    if (made == nullptr)
      *operands = made = std::make_shared<Operands>(size.m, size.n, size.k, size.batch);
    return made;
  };
  // makeCall's result gets the number of a matrix: of the only one, unless it is to be cold.
  auto const add = [&](char const* name, auto makeCall) {
    // The operands live as long as a call that uses them.
    auto const held = std::make_shared<std::shared_ptr<Operands>>();
    addMatmulPeer(
        each, mode, flops, name,
        [=]() -> std::function<void()> {
          *held = get();
          return [=, owner = *held, call = makeCall(**held), next = 0]() mutable {
            call(next);
            if (isCold) next = (next + 1) % size.batch;
          };
        },
        [=](Counters& counters) {
          // cuBLAS splits sums of odd sizes in parts that it rounds to TC.
          double const tolerance =
              (std::string(name) == "cublas" ? 4 : 1) * matmulTolerance<T>(size.k, precision);
          if constexpr (!tweed::isSame<T, int> && !tweed::isSame<T, double>)
            if (size.batch == 1 && flops < 2e12) counters["frobenius"] = (*held)->frobenius();
          return (*held)->check(tolerance, counters, [](double sum, long long) { return sum; });
        },
        [=] { (*held)->spoil(); }, isCold ? size.batch : 1);
  };
  add("tweed", [=](Operands const& o) {
    return [=, a = o.a, b = o.b, c = o.c](long long i) {
      auto const of = [&](auto const& view) { return isCold ? matrixOf(view, i) : view; };
      tweed::matmul(stream(), of(a), of(b), of(c), tweed::Identity{}, options);
    };
  });
  if (!isCold)
    add("tweedPlan", [=](Operands const& o) {
      auto const plan =
          std::make_shared<tweed::MatmulPlan<typename Operands::A, typename Operands::B,
                                             typename Operands::C, tweed::Identity, Options>>(
              o.a, o.b, o.c, tweed::Identity{}, options);
      if (flops < 2e12) {
        auto const times = tweed::tune(*plan, stream());
        std::printf("%-34s", "");
        for (auto const& time : times)
          std::printf(" | %s %.2f", time.name.c_str(), time.microseconds);
        std::printf("\n");
      }
      auto const workspace = std::make_shared<tweed::Workspace>(stream(), plan->workspaceBytes());
      return [plan, workspace](long long) { (*plan)(*workspace); };
    });
  if constexpr (!tweed::isSame<T, int>) {  // cuBLAS has no int by int
    auto const forBlas = [=](auto const& view) {
      return isCold ? view.batched(1, view.batchStride) : view;
    };
    add("cublas", [=](Operands const& o) {
      return blasCall(forBlas(o.a), forBlas(o.b), forBlas(o.c), precision);
    });
    add("cublasLt", [=](Operands const& o) {
      return blasLtCall(forBlas(o.a), forBlas(o.b), forBlas(o.c), precision);
    });
  }
#if defined(TWEED_HAS_FAST_CU_MATMUL)
  if constexpr (tweed::isSame<T, __nv_bfloat16> && Operands::A::isRowMajor &&
                !Operands::B::isRowMajor && tweed::isSame<Options, tweed::AnyPath>)
    if (size.n % 256 == 0 && size.n >= 1024 && size.m == size.n && size.k == size.n)
      add("fastCu", [=](Operands const& o) {
        return [call = fastCuMatmul(size.n, o.a.data, o.b.data, o.c.data)](long long) { call(); };
      });
#endif
}

/// Cases of n x n matrices, in a graph too where the host's share would be seen.
template <class T, class TC, class LayoutA, class LayoutB, class Options>
void addMatmul(std::string const& kind, std::string const& form, int n, Precision precision,
               Options options) {
  for (MatmulMode const mode : {MatmulMode::Stream, MatmulMode::Graph})
    if (mode == MatmulMode::Stream || n <= 2048)
      addProduct<T, TC, LayoutA, LayoutB>(kind, mode, form, {n, n, n}, precision, options);
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
