// SPDX-License-Identifier: Apache-2.0
// examples/ladder/sumLadder.cu - all rungs of the reduction ladder on the same floats.
// ./tweed.sh ladder reduction
#include "ladder.cuh"

#include <ladder/reduction/rungs.cuh>

#include <map>
#include <memory>

#if !defined(TWEED_LOOM)
#include <support/readOnly.cuh>
#endif
#if defined(__NVCC__) && !defined(__CUDACC_RDC__)
#error "without -rdc=true the ladder lacks r14"
#endif

namespace {

std::shared_ptr<float> deviceFloats(std::size_t count) {
  float* data = nullptr;
  TWEED_CHECK(cudaMalloc(&data, count * sizeof(float)));
  return {data, [](float* p) { (void)cudaFree(p); }};
}

/// The same n floats, as often as calls take to find none of theirs in the cache.
class SumData {
 public:
  explicit SumData(long long n)
      : values_(ladder::sumData(n)),
        pitch_((n + 63) / 64 * 64),
        copies_(copiesOf(pitch_)),
        in_(deviceFloats(std::size_t(pitch_ * copies_))),
        out_(deviceFloats(1)),
        scratch_(nullptr, ladder::workspaceBytes(n)) {
    std::size_t const bytes = values_.size() * sizeof(float);
    for (long long copy = 0; copy < copies_; ++copy)
      TWEED_CHECK(
          cudaMemcpy(in_.get() + copy * pitch_, values_.data(), bytes, cudaMemcpyHostToDevice));
  }

  void call(ladder::SumRung const& rung, long long n) {
    rung.sum(next(), n, out_.get(), rung.sum == r15::sum ? tweedsOwn_ : scratch_);
  }
  std::string verify(ladder::SumRung const& rung, long long n) {
    TWEED_CHECK(cudaMemsetAsync(out_.get(), 0xFF, sizeof(float)));
    call(rung, n);
    float sum = 0;
    TWEED_CHECK(cudaMemcpy(&sum, out_.get(), sizeof(float), cudaMemcpyDeviceToHost));
    double const expected = expectedOf(n);
    if (sum == float(expected)) return {};
    return "the sum is " + std::to_string(sum) + ", the host's is " + std::to_string(expected);
  }
#if !defined(TWEED_LOOM)
  void read(long long n) {
    tweed::launch(bench::detail::readOnly<512, 4>, {4 * bench::multiprocessors(), 512},
                  reinterpret_cast<float4 const*>(next()), static_cast<unsigned long long>(n) / 4,
                  static_cast<void*>(out_.get()));
  }
  void copy(long long n) {
    std::size_t const bytes = std::size_t(n) * sizeof(float);
    TWEED_CHECK(cudaMemcpyAsync(scratch_.takeScratch("copy", bytes, nullptr), next(), bytes,
                                cudaMemcpyDeviceToDevice));
  }
#endif

 private:
  double expectedOf(long long n) {
    auto const [place, isNew] = expected_.try_emplace(n, 0.);
    for (long long i = 0; isNew && i < n; ++i) place->second += values_[std::size_t(i)];
    return place->second;
  }
  float const* next() { return in_.get() + calls_++ % copies_ * pitch_; }
  static long long copiesOf(long long pitch) {
    tweed::DeviceInfo const device = tweed::deviceInfo();
    if (device.isLoom) return 1;
    long long const floatsOfCache = static_cast<long long>(device.l2Bytes / sizeof(float));
    return std::min(1024ll, 1 + 4 * floatsOfCache / pitch);
  }

  std::vector<float> values_;
  std::map<long long, double> expected_;
  long long pitch_, copies_, calls_ = 0;
  std::shared_ptr<float> in_, out_;
  tweed::Workspace scratch_, tweedsOwn_;
};

#if !defined(TWEED_LOOM)
double bytesCopied(long long n) { return 2.0 * double(n) * sizeof(float); }
#endif
double bytesRead(long long n) { return double(n) * sizeof(float); }

std::vector<ladder::Bar> bars(long long n) {
  auto const data = std::make_shared<SumData>(n);
  std::vector<ladder::Bar> all;
  for (ladder::SumRung const& rung : ladder::sumRungs()) {
    bool const isPeer = std::string(rung.name).rfind("r16", 0) == 0;
    all.push_back(
        {rung.name, rung.idea, "float", isPeer ? "peer" : "rung", bytesRead, [=](long long count) {
           return ladder::Ready{[=] { data->call(rung, count); },
                                [=] { return data->verify(rung, count); }};
         }});
  }
  for (auto const& [name, why] : ladder::otherSumRungs()) {
    bool const isPeer = std::string(name).rfind("r16", 0) == 0;
    all.insert(all.end() - (isPeer ? 0 : 1),
               {name, "", "float", isPeer ? "peer" : "rung", bytesRead, nullptr, why});
  }
#if !defined(TWEED_LOOM)
  auto const addCeiling = [&](char const* name, char const* idea, double (*work)(long long),
                              void (SumData::*call)(long long)) {
    all.push_back(
        {name, idea, "float", "ceiling", work, [=](long long count) {
           return ladder::Ready{[=] { (data.get()->*call)(count); }, [] { return std::string(); }};
         }});
  };
  addCeiling("reading alone", "reads everything, adds nothing up", bytesRead, &SumData::read);
  addCeiling("copying", "cudaMemcpyAsync: bytes read and written", bytesCopied, &SumData::copy);
#endif
  return all;
}

}  // namespace

int main(int argc, char** argv) {
#if defined(TWEED_LOOM)
  std::vector<long long> const sizes = {1 << 15};
  long long const most = 1 << 20;
#else
  std::vector<long long> const sizes = {1 << 24, 1 << 28};
  long long const most = 1ll << 32;
#endif
  return ladder::run({"reduction", "GB/s", sizes, most, 1 << 18, bars}, argc, argv);
}
