// SPDX-License-Identifier: Apache-2.0
// examples/ladder/productLadder.cu - all rungs of the product ladder on the same n x n matrices.
// ./tweed.sh ladder matmul
#include "ladder.cuh"

#include <ladder/matmul/rungs.cuh>

#include <algorithm>
#include <map>
#include <memory>

namespace {

/// The operands of each size that was asked for.
class Products {
 public:
  ladder::ProductData& ofSize(long long n) {
    auto& data = sizes_[n];
    if (data == nullptr)
      data = std::make_unique<ladder::ProductData>(ladder::ProductShape{n, n, n});
    return *data;
  }

 private:
  std::map<long long, std::unique_ptr<ladder::ProductData>> sizes_;
};

double operations(long long n) { return 2.0 * double(n) * double(n) * double(n); }

bool isPeer(std::string const& name) { return name.rfind("m8", 0) == 0; }

#if !defined(TWEED_LOOM)
constexpr int fmaThreads = 1024, fmaChains = 8;
constexpr long long fmaTurns = 4096;

// As many chains of dependent operations as hide the latency of one. `sink` is never written.
__global__ void __launch_bounds__(fmaThreads) multiplyAdd(float x, float* sink) {
  float sums[fmaChains];
  for (int i = 0; i < fmaChains; ++i) sums[i] = float(threadIdx.x + unsigned(i));
  for (long long turn = 0; turn < fmaTurns; ++turn) {
#pragma unroll
    for (int i = 0; i < fmaChains; ++i) sums[i] = fmaf(sums[i], x, 0.5f);
  }
  float all = 0;
  for (int i = 0; i < fmaChains; ++i) all += sums[i];
  if (all == -1.f) *sink = all;
}

// The arithmetic of CUDA cores without a load. It does not depend on the size: neither does `work`.
ladder::Bar arithmetic() {
  int const blocks = 2 * bench::multiprocessors();
  double const work = 2.0 * blocks * fmaThreads * fmaChains * double(fmaTurns);
  return {"arithmetic alone",
          "fused multiply-adds without a load",
          "float",
          "ceiling",
          [=](long long) { return work; },
          [=](long long) {
            return ladder::Ready{[=] {
                                   tweed::launch(multiplyAdd, {blocks, fmaThreads}, 0.999f,
                                                 static_cast<float*>(nullptr));
                                 },
                                 [] { return std::string(); }};
          }};
}
#endif

std::vector<ladder::Bar> bars(long long) {
  auto const products = std::make_shared<Products>();
  std::vector<ladder::Bar> all;
  for (ladder::ProductRung const& rung : ladder::productRungs()) {
    ladder::Bar& bar = all.emplace_back();
    bar = {rung.name,
           rung.idea,
           rung.type(),
           isPeer(rung.name) ? "peer" : "rung",
           operations,
           [=](long long n) {
             ladder::ProductData& data = products->ofSize(n);
             return ladder::Ready{[=, &data] {
                                    data.use(ladder::Numbers::Real);
                                    data.call(rung);
                                  },
                                  [=, &data] { return data.check(rung); }};
           }};
    if (rung.canRun != nullptr && !rung.canRun())
      bar.skipped = "this device or this build does not have its instructions";
#if defined(TWEED_LOOM)
    if (bar.name == "m7 tuned") bar.skipped = "a clock chooses, and nothing is timed on the loom";
#endif
  }
  for (auto const& other : ladder::otherProductRungs()) {
    std::string const name = other.first;
    auto const next =
        std::find_if(all.begin(), all.end(), [&](auto& bar) { return bar.name > name; });
    char const* const kind = isPeer(name) ? "peer" : "rung";
    char const* const why = tweed::deviceInfo().isLoom ? "runs on a GPU alone" : "is not linked";
    all.insert(next, {name, "", other.second, kind, operations, nullptr, why});
  }
#if !defined(TWEED_LOOM)
  all.push_back(arithmetic());
#endif
  return all;
}

}  // namespace

int main(int argc, char** argv) {
#if defined(TWEED_LOOM)
  return ladder::run({"matmul", "GFLOP/s", {128}, 256, 128, bars}, argc, argv);
#else
  return ladder::run({"matmul", "GFLOP/s", {4096}, ladder::ProductData::most, 512, bars}, argc,
                     argv);
#endif
}
