// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -Itweed/include -Itweed/examples divergence.cu && ./a.out
//
// A warp whose lanes take both sides of a branch runs one side after the other, each with a part of
// its lanes. Half of all items take exponentials here and half take logarithms; what differs is
// only which half: whole warps, half warps, every other lane, at random. All but the first cost
// both sides, whether the branch is an if with an else or two ifs. The last of the long rows are
// the random items, sorted so that warps agree: reordering data is the cure where the data decide.
//
// The short rows choose between one multiplication and one addition. They cost the same however the
// lanes are split: the compiler makes no branch of so little, but computes both and selects one
// (predication). A profiler calls the share of branches that do not split a warp branch efficiency.

#include <executionModel/experiment.cuh>
#include <tweed/core/math.cuh>

#include <cstdint>

namespace divergence {

constexpr int turns = 32;
constexpr int threads = 256;

TWEED_HOST_DEVICE float exponentials(float x) {
  float sum = 0;
  for (int turn = 0; turn < turns; ++turn) sum += expf(-x * float(turn));
  return sum;
}
TWEED_HOST_DEVICE float logarithms(float x) {
  float sum = 0;
  for (int turn = 0; turn < turns; ++turn) sum += logf(x + float(turn + 2));
  return sum;
}
TWEED_HOST_DEVICE float valueOf(long long i) { return float(i % 64 + 1) / 64; }

enum class Form { IfElse, TwoIfs, Short };

template <Form How>
TWEED_DEVICE float resultOf(bool isFirst, float x) {
  float result = 0;
  if constexpr (How == Form::IfElse) {
    if (isFirst)
      result = exponentials(x);
    else
      result = logarithms(x);
  } else if constexpr (How == Form::TwoIfs) {
    if (isFirst) result = exponentials(x);
    if (!isFirst) result = logarithms(x);
  } else {
    if (isFirst)
      result = x * 3;
    else
      result = x + 3;
  }
  return result;
}

// Which side an item takes is data, so that all rows run the same code.
template <Form How>
__global__ void branch(unsigned char const* isFirst, long long n, float* out) {
  long long const i = 1ll * blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = resultOf<How>(isFirst[i] != 0, valueOf(i));
}

/// Sides that a warp takes, on average.
inline double sidesOf(std::vector<unsigned char> const& isFirst) {
  double sides = 0, warps = 0;
  for (std::size_t first = 0; first < isFirst.size(); first += 32) {
    auto const begin = isFirst.begin() + std::ptrdiff_t(first);
    auto const end = isFirst.begin() + std::ptrdiff_t(std::min(first + 32, isFirst.size()));
    sides += (std::count(begin, end, 0) > 0) + (std::count(begin, end, 1) > 0);
    warps += 1;
  }
  return sides / warps;
}

template <Form How>
double timeOf(model::Report& report, std::vector<unsigned char> const& isFirst) {
  auto const n = static_cast<long long>(isFirst.size());
  model::Array<unsigned char> const sides(isFirst);
  model::Array<float> out(isFirst.size());
  double const time = model::microsecondsOf([&] {
    tweed::launch(branch<How>, {tweed::ceilDiv(n, 1ll * threads), threads}, sides.data(), n,
                  out.data());
  });
  std::vector<float> const results = out.host();
  float expected[2][64];  // values repeat, and so do results
  for (int i = 0; i < 64; ++i) {
    float const x = valueOf(i);
    expected[0][i] = How == Form::Short ? x + 3 : logarithms(x);
    expected[1][i] = How == Form::Short ? x * 3 : exponentials(x);
  }
  bool isRight = true;
  for (std::size_t i = 0; i < results.size(); ++i) {
    float const should = expected[isFirst[i]][i % 64];
    isRight = isRight && std::fabs(results[i] - should) <= 1e-5f * should;
  }
  report.expect(isRight, "a result differs from the host's");
  return time;
}

template <Form How>
void rows(model::Report& report, char const* work, long long n) {
  struct Split {
    char const* name;
    std::vector<unsigned char> isFirst;
  };
  std::vector<Split> splits = {{"by warp", {}},
                               {"by half warp", {}},
                               {"by lane", {}},
                               {"random, sorted", {}},
                               {"random", {}}};
  std::uint64_t state = 1;
  for (long long i = 0; i < n; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    splits[0].isFirst.push_back(i / 32 % 2 == 0);
    splits[1].isFirst.push_back(i / 16 % 2 == 0);
    splits[2].isFirst.push_back(i % 2 == 0);
    splits[4].isFirst.push_back((state >> 40) % 2 == 0);
  }
  splits[3].isFirst = splits[4].isFirst;
  std::sort(splits[3].isFirst.begin(), splits[3].isFirst.end());
  double byWarp = model::notMeasured;
  for (Split const& split : splits) {
    double const time = timeOf<How>(report, split.isFirst);
    if (&split == &splits[0]) byWarp = time;
    report.row({{"work", work},
                {"split", split.name},
                {"sides a warp", sidesOf(split.isFirst)},
                {"us", time},
                {"times by warp", time / byWarp}});
  }
}

void run(model::Report& report) {
  long long const n = report.isSmall ? 2000 : 1 << 22;
  rows<Form::IfElse>(report, "long, if and else", n);
  rows<Form::TwoIfs>(report, "long, two ifs", n);
  rows<Form::Short>(report, "short", n);
  report.lookAt(
      "long work takes about as many times longer as a warp takes sides; short work none");
}

constexpr model::Experiment experiment{"divergence", "branches that split warps", run};

}  // namespace divergence

#if !defined(MODEL_WITHOUT_MAIN)
int main(int argc, char** argv) { return model::program(divergence::experiment, argc, argv); }
#endif
