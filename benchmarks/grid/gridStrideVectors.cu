// SPDX-License-Identifier: Apache-2.0
// benchmarks/grid/gridStrideVectors.cu - copy and a * x + y of arrays that lie at several
// alignments, against plain kernels and cub::DeviceTransform.
#include "support/arrayCase.cuh"

#include <tweed/grid/gridStride.cuh>
#include <tweed/grid/gridStrideVectors.cuh>
#include <tweed/launch/launch.cuh>

#include <cub/device/device_transform.cuh>

#include <cstdint>
#include <cstring>

namespace {

constexpr int threads = 256;

struct Same {
  template <class T>
  __host__ __device__ T operator()(T const& x) const {
    return x;
  }
};
struct Saxpy {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};

template <int N, class T, class F, class... In>
__global__ void __launch_bounds__(threads)
    byVectors(T* out, std::uint64_t n, F f, In const*... in) {
  tweed::gridStrideVectors<N>(out, in..., n, f);
}
template <class T, class F, class... In>
__global__ void __launch_bounds__(threads) byItems(T* out, std::uint64_t n, F f, In const*... in) {
  for (auto const i : tweed::gridStride(n)) out[i] = f(in[i]...);
}
template <class T, class F, class... In>
__global__ void __launch_bounds__(threads) oneItem(T* out, std::uint64_t n, F f, In const*... in) {
  std::uint64_t const i = blockIdx.x * std::uint64_t(threads) + threadIdx.x;
  if (i < n) out[i] = f(in[i]...);
}
template <class T, class F, class... In>
__global__ void countWrong(T const* out, std::uint64_t n, F f, unsigned long long* wrong,
                           In const*... in) {
  for (auto const i : tweed::gridStride(n))
    if (out[i] != f(in[i]...)) atomicAdd(wrong, 1ull);
}

unsigned blocksFor(std::uint64_t vectors) {
  auto const most = std::uint64_t(bench::multiprocessors() * (2048 / threads));
  return unsigned(
      std::max<std::uint64_t>(1, std::min(most, (vectors + threads - 1) / std::uint64_t(threads))));
}

// A T for each of a pack.
template <class, class T>
using For = T;

// The peers of one case.
template <class T>
class Adder {
 public:
  Adder(bench::Input<float> const& input, bench::DeviceArray<float> const& target,
        std::string const& work, std::uint64_t bytes, int shiftIn, int shiftOut, bool isGraph,
        bool isSaxpy)
      : case_(bench::addCase(work + (isGraph ? "/graph" : "/stream") + "/in+" +
                             std::to_string(shiftIn) + "/out+" + std::to_string(shiftOut) +
                             "/bytes:" + std::to_string(bytes))),
        input_(input),
        target_(target),
        n_(bytes / sizeof(T)),
        shiftIn_(shiftIn),
        shiftOut_(shiftOut),
        isGraph_(isGraph),
        moved_(double(bytes) * (isSaxpy ? 3 : 2)) {}

  // Read: which arrays of a call are f's arguments.
  template <class... Read, class F>
  void addAll(F f) {
    constexpr int items = 16 / int(sizeof(T));
    std::uint64_t const count = n_;
    auto const onStream = [](unsigned blocks) {
      return tweed::LaunchConfig{blocks, threads, 0, bench::stream()};
    };
    auto const check = [=](bench::Arrays<T> const& a, unsigned long long* wrong) {
      tweed::launch(countWrong<T, F, For<Read, T>...>, onStream(blocksFor(count)), a.out, count, f,
                    wrong, Read{}(a)...);
    };
    add("tweed", check, [=](bench::Arrays<T> const& a) {
      tweed::launch(byVectors<items, T, F, For<Read, T>...>, onStream(blocksFor(count / items)),
                    a.out, count, f, Read{}(a)...);
    });
    add("gridStride", check, [=](bench::Arrays<T> const& a) {
      tweed::launch(byItems<T, F, For<Read, T>...>, onStream(blocksFor(count)), a.out, count, f,
                    Read{}(a)...);
    });
    add("oneItem", check, [=](bench::Arrays<T> const& a) {
      tweed::launch(oneItem<T, F, For<Read, T>...>,
                    onStream(unsigned((count + threads - 1) / threads)), a.out, count, f,
                    Read{}(a)...);
    });
    add("cub", check, [=](bench::Arrays<T> const& a) {
      TWEED_CHECK(cub::DeviceTransform::Transform(cuda::std::make_tuple(Read{}(a)...), a.out,
                                                  (long long)(count), f, bench::stream()));
    });
    if constexpr (sizeof...(Read) == 1) {
      add("memcpy", check, [=](bench::Arrays<T> const& a) {
        TWEED_CHECK(cudaMemcpyAsync(a.out, a.x, count * sizeof(T), cudaMemcpyDeviceToDevice,
                                    bench::stream()));
      });
    }
  }

 private:
  void add(char const* name, bench::ArrayCheck<T> check, bench::ArrayCall<T> call) {
    bench::addArrayPeer<T>(case_, name, {input_, target_, n_, shiftIn_, shiftOut_}, isGraph_,
                           moved_, std::move(call), std::move(check));
  }

  bench::Case& case_;
  bench::Input<float> const& input_;
  bench::DeviceArray<float> const& target_;
  std::uint64_t n_;
  int shiftIn_, shiftOut_;
  bool isGraph_;
  double moved_;
};

struct ReadX {
  template <class T>
  T const* operator()(bench::Arrays<T> const& a) const {
    return a.x;
  }
};
struct ReadY {
  template <class T>
  T const* operator()(bench::Arrays<T> const& a) const {
    return a.y;
  }
};

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
  static bench::Input<float> const input(1ull << 28);
  static bench::DeviceArray<float> const target(1ull << 28);
  struct Shift {
    int in, out;
  };
  for (bool const isGraph : {false, true}) {
    for (int log2 : {18, 22, 26, 28}) {
      std::uint64_t const bytes = 1ull << log2;
      if (isGraph && log2 > 22) continue;
      for (Shift const s : {Shift{0, 0}, Shift{1, 1}, Shift{0, 2}, Shift{1, 0}}) {
        Adder<float>(input, target, "copyF32", bytes, s.in, s.out, isGraph, false)
            .addAll<ReadX>(Same{});
        Adder<float>(input, target, "saxpyF32", bytes, s.in, s.out, isGraph, true)
            .addAll<ReadX, ReadY>(Saxpy{2.5f});
      }
      for (Shift const s : {Shift{0, 0}, Shift{3, 3}, Shift{0, 4}, Shift{5, 0}})
        Adder<unsigned char>(input, target, "copyU8", bytes, s.in, s.out, isGraph, false)
            .addAll<ReadX>(Same{});
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run(argc, argv, "gridStrideVectors", 12, addCases);
}
