// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/wgmmaConfiguration.cuh - the kernels of wgmma, as the host chooses among them.
#pragma once

#include <tweed/matmul/configuration.cuh>
#include <tweed/matmul/wgmmaProduct.cuh>
#include <tweed/matmul/wgmmaTuning.cuh>

#if !defined(__CUDACC_RTC__)

// Hidden, as in launch/launch.cuh.
#pragma GCC visibility push(hidden)
namespace tweed {

/// A configuration, in the sense of configuration.cuh, of the kernel of wgmma.
///
/// Shape    Config: a WgmmaConfig.
/// Needs    half, bfloat16, or float as TF32 with A row-major and B column-major; C one of these.
///          A and B, their leading dimensions and batch strides multiples of 16 bytes
///          (PackedConfiguration makes copies of others). sm_90a. A split sum has no reductions in
///          its epilogue.
/// Result   the same bits on every run; of another SplitK they are others.
/// Sync     asynchronous, in order of the stream.
/// Cost     no workspace; tensor maps are made once, by prepare().
/// Errors   refusal() says why not, with the numbers; untaken() of types and layouts.
template <class Config>
struct WgmmaConfiguration : detail::BareConfiguration {
  static constexpr Path path = Path::Wgmma;
  using Tile = TileShape<Config::m, Config::n, 64>;               // k of 16-bit floats
  using Part = TileShape<64 * Config::fragments, Config::n, 64>;  // a consumer's
  static constexpr bool reduces = Config::splitK == 1;

  static std::string name() {
    auto const text = [](int number) { return std::to_string(number); };
    return text(Config::m) + "x" + text(Config::n) + ", " + text(Config::stages) + " stages" +
           (Config::clusterRows > 1 ? ", pairs of blocks" : "") +
           (Config::splitK > 1 ? ", the sum split by " + text(Config::splitK) : "");
  }

 private:
  template <class Task>
  static constexpr bool hasTypes = detail::isWgmmaType<RemoveConst<typename Task::A::Item>>&&
      isSame<typename Task::A::Item, typename Task::B::Item>&&
          detail::isWgmmaType<typename Task::C::Item>;
  template <class Task>
  static constexpr bool isByK = majorOfA<typename Task::A::Layout> ==
                                Major::K&& majorOfB<typename Task::B::Layout> == Major::K;
  template <class Task>
  static constexpr bool canTake() {
    if constexpr (hasTypes<Task>) {
      constexpr int bytes = detail::WgmmaMemory<Config>::template total<typename Task::C::Item>;
      return (sizeof(typename Task::A::Item) == 2 || isByK<Task>)&&bytes + detail::wgmmaAlignment <=
             detail::wgmmaMostShared;
    } else {
      return false;
    }
  }

 public:
  template <class Task>
  static constexpr bool takes = canTake<Task>();
  template <class Task>
  static constexpr char const* untaken() {
    using T = typename Task::A::Item;
    return !hasTypes<Task> ? "it takes half, bfloat16 and float alone"
           : !isByK<Task> && isSame<T, float const>
               ? "it takes TF32 of a row-major A and a column-major B alone"
               : "items of C of this size leave no room for its stages";
  }

  template <class Task>
  static std::string refusal(Task const& task, MatmulDevice const&) {
    if (!imageHasWgmma())
      return "it needs a device of compute capability 9.0 and code for sm_90a: pass "
             "-gencode=arch=compute_90a,code=sm_90a to nvcc, or CMAKE_CUDA_ARCHITECTURES=90a-real";
    return WgmmaProduct<Config, Task>::complaint(task);
  }
  template <class Task>
  static double microseconds(Task const& task, MatmulDevice const& device) {
    if (!detail::isLoadable(task.a) || !detail::isLoadable(task.b))
      return detail::neverMicroseconds;
    constexpr long long itemBytes = sizeof(typename Task::A::Item);
    return wgmmaMicroseconds<Config>(task.m(), task.n(), task.k() * itemBytes, task.batch(),
                                     device.multiprocessors,
                                     isSame<typename Task::A::Layout, ColumnMajor>);
  }
  template <class Task>
  using Prepared = WgmmaProduct<Config, Task>;
  template <class Task>
  static Prepared<Task> prepare(Task const& task, MatmulDevice const&) {
    return Prepared<Task>(task);
  }
  template <class Task>
  static void launch(Task const& task, Prepared<Task> const& prepared, MatmulDevice const& device,
                     void*, cudaStream_t stream) {
    prepared.launch(stream, detail::mayOverlap(device, stream), task.partials);
  }
};

}  // namespace tweed
#pragma GCC visibility pop

#endif  // !defined(__CUDACC_RTC__)
