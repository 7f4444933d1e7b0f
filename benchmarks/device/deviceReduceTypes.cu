// SPDX-License-Identifier: Apache-2.0
// benchmarks/device/deviceReduceTypes.cu - deviceReduce of other types and operators, against CUB.
#include "support/cubCall.cuh"
#include "support/reading.cuh"
#include "support/tweedReduce.cuh"

#include <thrust/iterator/tabulate_output_iterator.h>
#include <cub/device/device_scan.cuh>

#if defined(TWEED_HAS_FAST_CU)
#include "support/fastCu.cuh"
#endif

namespace {

using bench::Affine;
using bench::Case;
using bench::Compose;
using bench::Mode;

template <class T>
bench::Input<T> const& input() {
  static bench::Input<T> const only(std::min<std::uint64_t>(1ull << 30, (1ull << 32) / sizeof(T)));
  return only;
}

// A kind of work: tweed, the toolkit's CUB, reading alone, and what addMore(case, mode, n) adds.
template <class T, class Out, class Op, class AddMore>
void addKind(char const* kind, std::vector<int> const& sizes, Op op, bench::MakeCall<T, Out> cub,
             bench::Check<T, Out> check, AddMore addMore) {
  bench::addDeviceCases<T>(kind, sizes, [&](Case& each, Mode mode, std::uint64_t n) {
    bench::addDevicePeer<T, Out>(each, input<T>(), mode, n, "tweed", bench::tweedReduce<T, Out>(op),
                                 check);
    bench::addDevicePeer<T, Out>(each, input<T>(), mode, n, "cub", cub, check);
    addMore(each, mode, n);
    bench::addReading<Out>(each, input<T>(), mode, n);
  });
}
void addNothing(Case&, Mode, std::uint64_t) {}

std::vector<int> const sizes = {20, 24, 28};

void addFastCu([[maybe_unused]] Case& each, [[maybe_unused]] Mode mode,
               [[maybe_unused]] std::uint64_t n) {
#if defined(TWEED_HAS_FAST_CU)
  auto const add = [&](char const* name, auto kernel) {
    bench::addDevicePeer<int, int>(each, input<int>(), mode, n, name, bench::fastCuSum(kernel),
                                   bench::checkSum<int, int>);
  };
  add("fastCu2", fastCu::sumKernel2<1024, 16>);
  add("fastCu3", fastCu::sumKernel3<1024, 16>);
  add("fastCu4", fastCu::sumKernel4<1024, 16>);
#endif
}

// Short types are added up in float. plus<float>: a float and a half have no sum of their own.
template <class T>
void addShort(char const* kind) {
  addKind<T, float>(kind, sizes, tweed::Sum{},
                    bench::cubCall<T, float>([](void* temp, std::size_t& bytes, T const* in,
                                                float* out, int n, cudaStream_t stream) {
                      return cub::DeviceReduce::Reduce(temp, bytes, in, out, n,
                                                       cuda::std::plus<float>{}, 0.f, stream);
                    }),
                    bench::checkSum<T, float>, addNothing);
}

void addExtremes() {
  addKind<float, float>(
      "min", sizes, tweed::Min{},
      bench::cubCall<float, float>([](void* temp, std::size_t& bytes, float const* in, float* out,
                                      int n, cudaStream_t stream) {
        return cub::DeviceReduce::Min(temp, bytes, in, out, n, stream);
      }),
      [](bench::NumberFacts const& facts, std::uint64_t, float const& found) {
        return bench::wrongBy(found, facts.least, 0);
      },
      addNothing);
  addKind<float, float>(
      "max", sizes, tweed::Max{},
      bench::cubCall<float, float>([](void* temp, std::size_t& bytes, float const* in, float* out,
                                      int n, cudaStream_t stream) {
        return cub::DeviceReduce::Max(temp, bytes, in, out, n, stream);
      }),
      [](bench::NumberFacts const& facts, std::uint64_t, float const& found) {
        return bench::wrongBy(found, facts.greatest, 0);
      },
      addNothing);
}

struct KeepLast {
  Affine* out;
  int last;
  __device__ void operator()(int i, Affine const& prefix) const {
    if (i == last) *out = prefix;
  }
};

// CUB's reduction does not keep the order; its scan does, and need not write all that it finds.
bench::MakeCall<Affine, Affine> cubScan() {
  return bench::cubCall<Affine, Affine>([](void* temp, std::size_t& bytes, Affine const* in,
                                           Affine* out, int n, cudaStream_t stream) {
    auto const last = thrust::make_tabulate_output_iterator(KeepLast{out, n - 1});
    return cub::DeviceScan::InclusiveScan(temp, bytes, in, last, Compose{}, n, stream);
  });
}
bench::MakeCall<Affine, Affine> cubAnyOrder() {
  return bench::cubCall<Affine, Affine>([](void* temp, std::size_t& bytes, Affine const* in,
                                           Affine* out, int n, cudaStream_t stream) {
    return cub::DeviceReduce::Reduce(temp, bytes, in, out, n, Compose{}, Affine{1, 0}, stream);
  });
}

void addOrdered() {
  addKind<Affine, Affine>(
      "affine", sizes, Compose{}, cubScan(),
      [](bench::AffineFacts const& facts, std::uint64_t, Affine const& found) -> std::string {
        return found == facts.map ? "" : "wrong result";
      },
      [](Case& each, Mode mode, std::uint64_t n) {
        // Its result is wrong here, and not looked at.
        bench::addDevicePeer<Affine, Affine>(each, input<Affine>(), mode, n, "anyOrder",
                                             cubAnyOrder(), {});
      });
}

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
  addKind<int, int>("i32", {20, 24, 28, 30}, tweed::Sum{}, bench::cubSum<int>(),
                    bench::checkSum<int, int>, addFastCu);
  addKind<double, double>("f64", sizes, tweed::Sum{}, bench::cubSum<double>(),
                          bench::checkSum<double, double>, addNothing);
  addShort<__half>("f16");
  addShort<__nv_bfloat16>("bf16");
  addExtremes();
  addOrdered();
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run(argc, argv, "deviceReduceTypes", 12, addCases);
}
