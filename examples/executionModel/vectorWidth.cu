// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -Itweed/include -Itweed/examples vectorWidth.cu && ./a.out
//
// A copy by accesses of 4, 8 and 16 bytes, with hints to the caches. Wider accesses are fewer
// instructions and requests for the same bytes, and more bytes under way in each thread. From
// memory that is what counts: on an H200 4 bytes a thread leave the bus waiting, 8 fill it, and 16
// are no better. What fits L2 is copied in a few microseconds at all widths, most of which is the
// launch. Data that are touched once need no place in the caches, which Streaming says and ReadOnce
// promises; Keep asks for one, which pays only if there is a next time: here, where nobody else
// wants the caches, the hints change little. An address must be a multiple of the width, and what a
// whole number of vectors leaves over is copied one by one. (tweed::gridStrideVectors does both, at
// any address.)

#include <executionModel/experiment.cuh>
#include <tweed/grid/gridStride.cuh>
#include <tweed/launch/occupancy.cuh>
#include <tweed/memory/loadStore.cuh>

namespace vectorWidth {

constexpr int threads = 256;

template <int Width, tweed::Cache Load, tweed::Cache Store>
__global__ void copy(float const* in, float* out, long long n) {
  for (auto const i : tweed::gridStride(n / Width))
    tweed::storeVector<Store>(out + i * Width, tweed::loadVector<Width, Load>(in + i * Width));
  long long const rest = n / Width * Width + 1ll * blockIdx.x * blockDim.x + threadIdx.x;
  if (rest < n) out[rest] = in[rest];
}

template <int Width, tweed::Cache Load, tweed::Cache Store>
void row(model::Report& report, char const* hint, model::Array<float> const& in,
         std::vector<float> const& expected) {
  auto const n = static_cast<long long>(expected.size());
  model::Array<float> out(expected.size());
  out.fill(0xFF);
  auto const kernel = copy<Width, Load, Store>;
  unsigned const blocks = tweed::gridFor(std::uint64_t(n), kernel, threads);
  double const time = model::microsecondsOf([&] {
    tweed::launch(kernel, {blocks, threads}, in.data(), out.data(), n);
  });
  std::vector<float> const results = out.host();
  report.expect(std::memcmp(results.data(), expected.data(), results.size() * sizeof(float)) == 0,
                std::string(hint) + ": the copy differs");
  report.row({{"MB", 4e-6 * double(n)},
              {"bytes a lane", 4 * Width},
              {"hint", hint},
              {"loads of warps", tweed::ceilDiv(n / Width, 32ll) + (n % Width > 0)},
              {"us", time},
              {"GB/s", 8e-3 * double(n) / time}});
}

template <int Width>
void rows(model::Report& report, model::Array<float> const& in,
          std::vector<float> const& expected) {
  using tweed::Cache;
  row<Width, Cache::Normal, Cache::Normal>(report, "none", in, expected);
  row<Width, Cache::Streaming, Cache::Streaming>(report, "Streaming", in, expected);
  row<Width, Cache::ReadOnce, Cache::Normal>(report, "ReadOnce", in, expected);
  row<Width, Cache::Keep, Cache::Keep>(report, "Keep", in, expected);
}

void run(model::Report& report) {
  std::vector<std::size_t> sizes = {3, 10007};
  if (!report.isSmall) sizes = {(1 << 20) + 3, (1 << 26) + 3};
  for (std::size_t const n : sizes) {
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = float(i % 65521);
    model::Array<float> const in(values);
    rows<1>(report, in, values);
    rows<2>(report, in, values);
    rows<4>(report, in, values);
  }
  report.lookAt("GB/s by width where the data fit L2, and where they do not");
}

constexpr model::Experiment experiment{"vectorWidth", "a copy by 4, 8 and 16 bytes, with hints",
                                       run};

}  // namespace vectorWidth

#if !defined(MODEL_WITHOUT_MAIN)
int main(int argc, char** argv) { return model::program(vectorWidth::experiment, argc, argv); }
#endif
