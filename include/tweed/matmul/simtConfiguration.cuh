// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/simtConfiguration.cuh - the kernels for CUDA cores, as the host chooses among them.
#pragma once

#include <tweed/matmul/configuration.cuh>
#include <tweed/matmul/simtKernel.cuh>
#include <tweed/matmul/wgmmaImage.cuh>

#if !defined(__CUDACC_RTC__)

#include <tweed/launch/launch.cuh>

// Hidden, as in launch/launch.cuh.
#pragma GCC visibility push(hidden)
namespace tweed {

/// A configuration, in the sense of configuration.cuh, of the kernel for CUDA cores.
///
/// Shape    Config: a SimtConfig. Split: 1, or the blocks of a cluster that share each tile, 2 to
///          8, each with a piece of the sum; or `balanced`. FlopsPerClock: what a multiprocessor
///          reaches with it.
/// Result   the same bits on every run; of another Split they are others.
/// Needs    any number type, layout and alignment. Split > 1: compute capability 9.0. Split other
///          than 1: no reductions in the epilogue. Loading::ByWarpgroup: sm_90a, items of 4, 8 or
///          16 bytes.
/// Cost     no workspace; balanced, that of two tiles for each block, unless the blocks divide the
///          tiles, and one more node of a graph.
/// Sync     asynchronous, in order of the stream.
/// Errors   refusal() says why not, with the numbers; compile time: another Split.
template <class Config, int Split, int FlopsPerClock>
struct SimtConfiguration : detail::BareConfiguration {
  static constexpr Path path = Path::Simt;
  using Tile = typename Config::Tile;
  using Part = Tile;
  static constexpr bool reduces = Split == 1;
  static_assert(Split == balanced || (Split >= 1 && Split <= 8 && isPow2(Split)),
                "tweed::SimtConfiguration: Split is 1, 2, 4 or 8, the blocks of a cluster, or "
                "tweed::balanced");

  static std::string name() {
    auto const text = [](int number) { return std::to_string(number); };
    return text(Tile::m) + "x" + text(Tile::n) + "x" + text(Tile::k) + ", " + text(Config::stages) +
           (Config::stages == 1 ? " stage" : " stages") +
           (Config::hasProducers ? ", a warpgroup that loads" : "") +
           (Split > 1 ? ", the sum split by " + text(Split) : "") +
           (Split == balanced ? ", balanced" : "");
  }

 private:
  template <class Task>
  using Body = detail::SimtBody<Config, Split, Task>;
  template <class Task>
  static constexpr bool canTake() {
    using A = RemoveConst<typename Task::A::Item>;
    constexpr bool isCopied = detail::isCopiedItem<A>;
    constexpr int runItems =
        detail::fragmentItems<typename Conditional<isCopied, A, typename Task::Acc>::Type,
                              Config::threadN>;
    constexpr bool isWide = runItems * sizeof(typename Task::Acc) == 16;
    return (Split <= 1 || isWide) && (!Config::hasProducers || isCopied);
  }
  template <class Task>
  static constexpr auto kernel = &detail::simtMatmul<Config, Split, Task>;

 public:
  template <class Task>
  static constexpr bool takes = canTake<Task>();

  template <class Task>
  static std::string refusal(Task const&, MatmulDevice const& device) {
    if (Config::hasProducers && !imageHasWgmma())
      return "it needs a device of compute capability 9.0 and code for sm_90a: pass "
             "-gencode=arch=compute_90a,code=sm_90a to nvcc, or CMAKE_CUDA_ARCHITECTURES=90a-real";
    if (Split > 1 && !hasClusters<Task>())
      return "it needs clusters: a device of compute capability 9.0 or later and code for it (the "
             "loom has none)";
    return detail::sharedBytesRefusal(sizeof(typename Body<Task>::Shared), device);
  }
  template <class Task>
  static double microseconds(Task const& task, MatmulDevice const& device) {
    constexpr double overheadClocks = Split > 1 ? 4500 : 3000;
    detail::MatmulSpeed const speed{double(FlopsPerClock), overheadClocks, Body<Task>::minBlocks};
    if (Split != balanced)
      return detail::tiledMicroseconds<Tile>(task, device, speed, larger(Split, 1));
    // No waves; but tiles in parts pass through memory, all parts of one in one block.
    double const tiles = double(task.template order<Tile>().count());
    double const steps = double(ceilDiv(task.k(), Tile::k));
    double const flops = tiles * steps * (2.0 * Tile::m * Tile::n * Tile::k);
    double const parts = double(blocks<Task>(device)) / tiles;
    double const addingClocks = Tile::m * Tile::n * (1 + larger(parts - 2, 0.0) / 5);
    return speed.launchMicroseconds + (flops / (device.multiprocessors * speed.flopsPerClock) +
                                       overheadClocks + addingClocks) /
                                          speed.clocksPerMicrosecond;
  }
  template <class Task>
  static std::size_t workspaceBytes(Task const& task, MatmulDevice const& device) {
    if (Split != balanced || task.template order<Tile>().count() % blocks<Task>(device) == 0)
      return 0;
    return std::size_t(2 * blocks<Task>(device)) * (sumsOfPart<Task> + sizeof(unsigned));
  }

  template <class Task>
  static void launch(Task const& task, Prepared<Task> const&, MatmulDevice const& device,
                     void* workspace, cudaStream_t stream) {
    long long const tiles = task.template order<Tile>().count();
    typename Body<Task>::Sharing sharing{};
    LaunchConfig config{1, Config::threads, sizeof(typename Body<Task>::Shared), stream};
    if (Split == balanced) {
      long long const all = blocks<Task>(device);
      config.grid = all;
      if (workspaceBytes(task, device) > 0) {
        auto* const bytes = static_cast<unsigned char*>(workspace);
        sharing = {reinterpret_cast<typename Body<Task>::Run*>(bytes),
                   reinterpret_cast<unsigned*>(bytes + 2 * all * sumsOfPart<Task>)};
        TWEED_CHECK(cudaMemsetAsync(sharing.tickets, 0, 2 * all * sizeof(unsigned), stream));
      }
    } else {
      // Those with producers stay, and load the next tile while they store one.
      long long const most = Config::hasProducers ? device.multiprocessors : 0x7fffffff;
      config.grid = smaller(tiles, larger(most / larger(Split, 1), 1ll)) * Split;
      config.cluster = Split;
    }
    config.overlapPrevious =
        Config::hasProducers && sharing.tickets == nullptr && detail::mayOverlap(device, stream);
    tweed::launch(kernel<Task>, config, task, sharing);
  }

 private:
  // Of one multiprocessor, if the work is balanced: all are there at once.
  template <class Task>
  static long long blocks(MatmulDevice const& device) {
    return 1ll * device.multiprocessors * Body<Task>::minBlocks;
  }
  template <class Task>
  static constexpr std::size_t sumsOfPart = sizeof(typename Body<Task>::Run) * Body<Task>::runs;

  template <class Task>
  static bool hasClusters() {
#if defined(TWEED_LOOM)
    return false;
#else
    cudaFuncAttributes attributes{};
    if (cudaFuncGetAttributes(&attributes, reinterpret_cast<void const*>(kernel<Task>)) ==
        cudaSuccess)
      return attributes.ptxVersion >= 90;
    (void)cudaGetLastError();
    return false;
#endif
  }
};

}  // namespace tweed
#pragma GCC visibility pop

#endif  // !defined(__CUDACC_RTC__)
