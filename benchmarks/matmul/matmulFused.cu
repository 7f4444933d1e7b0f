// SPDX-License-Identifier: Apache-2.0
// benchmarks/matmul/matmulFused.cu - a product of bfloat16 with bias and GELU in its epilogue,
// against cuBLAS and a kernel behind it, and against cuBLASLt's epilogue.
#include "support/matmulCase.cuh"

namespace {

using T = __nv_bfloat16;
using Operands = bench::Product<T, T, tweed::RowMajor, tweed::ColumnMajor>;

struct alignas(16) Eight {
  T item[8];
};

// What a program does behind cuBLAS: C is read and written once more.
__global__ void biasGelu(Eight* c, Eight const* bias, int columns, long long count) {
  for (long long i = blockIdx.x * (long long)(blockDim.x) + threadIdx.x; i < count;
       i += (long long)(gridDim.x) * blockDim.x) {
    Eight x = c[i];
    Eight const b = bias[i % columns];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      float const v = float(x.item[j]) + float(b.item[j]);
      x.item[j] = T(0.5f * v * (1 + erff(v * 0.70710678f)));
    }
    c[i] = x;
  }
}

double biasOf(long long column) { return double(column % 17) / 8 - 1; }
double gelu(double x) { return 0.5 * x * (1 + std::erf(x * 0.70710678118654752)); }
double geluTanh(double x) {
  return 0.5 * x * (1 + std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
}

void addFused(int n) {
  bench::Case& each = bench::addCase("bf16/stream/biasGelu/n:" + std::to_string(n));
  auto const operands = std::make_shared<std::weak_ptr<Operands>>();
  auto const bias = std::make_shared<std::unique_ptr<bench::DeviceArray<T>>>();
  auto const add = [&](char const* name, double (*wanted)(double), bool isRoundedBetween,
                       auto makeCall) {
    auto const held = std::make_shared<std::shared_ptr<Operands>>();
    bench::addMatmulPeer(
        each, bench::MatmulMode::Stream, 2.0 * n * n * n, name,
        [=]() -> std::function<void()> {
          auto made = operands->lock();
          if (made == nullptr) *operands = made = std::make_shared<Operands>(n, n, n);
          *held = made;
          if (*bias == nullptr) {
            std::vector<T> values;
            for (long long j = 0; j < n; ++j) values.push_back(T(float(biasOf(j))));
            *bias = std::make_unique<bench::DeviceArray<T>>(values.size());
            (*bias)->assign(values);
          }
          return [owner = *held, call = std::function<void()>(makeCall(*made, (*bias)->data()))] {
            call();
          };
        },
        [=](bench::Counters& counters) {
          // The slope of both functions is at most 1.13; a product that is rounded before is off
          // by half a bfloat16 step of it.
          double const tolerance = 1.13 * bench::matmulTolerance<T>(n, bench::Precision::Default) +
                                   (isRoundedBetween ? 1.13 * 0x1p-8 : 0) + 1e-6;
          return (*held)->check(tolerance, counters, [wanted](double sum, long long column) {
            return wanted(sum + biasOf(column));
          });
        },
        [=] { (*held)->spoil(); });
  };
  auto const fused = [](auto activation) {
    return [activation](Operands const& o, T const* b) {
      auto const epilogue = tweed::biasPerColumn(b) | activation;
      using Plan = tweed::MatmulPlan<Operands::A, Operands::B, Operands::C, decltype(epilogue)>;
      auto const plan = std::make_shared<Plan>(o.a, o.b, o.c, epilogue);
      tweed::tune(*plan, bench::stream());
      return [plan] { (*plan)(bench::stream()); };
    };
  };
  add("tweed", gelu, false, fused(tweed::gelu()));
  add("tweedTanh", geluTanh, false, fused(tweed::geluTanh()));
  add("cublasKernel", gelu, true, [n](Operands const& o, T const* b) {
    auto const product = bench::blasLtCall(o.a, o.b, o.c, bench::Precision::Default);
    return [=, c = o.c.data] {
      product();
      biasGelu<<<8 * bench::multiprocessors(), 256, 0, bench::stream()>>>(
          reinterpret_cast<Eight*>(c), reinterpret_cast<Eight const*>(b), n / 8,
          (long long)(n)*n / 8);
      TWEED_CHECK(cudaGetLastError());
    };
  });
  add("cublasLtTanh", geluTanh, false, [](Operands const& o, T const* b) {
    return bench::blasLtCall(o.a, o.b, o.c, bench::Precision::Default, b);
  });
}

void addCases() {
  bench::addVersion("cublas", int(cublasLtGetVersion()));
  for (int const n : {1024, 2048, 4096, 8192}) addFused(n);
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "matmulFused", 12, addCases); }
