// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/mmaConfiguration.cuh - the kernels of mma.sync, as the host chooses among them.
#pragma once

#include <tweed/matmul/configuration.cuh>
#include <tweed/matmul/mmaKernel.cuh>
#include <tweed/matmul/wgmmaImage.cuh>

#if !defined(__CUDACC_RTC__)

#include <tweed/launch/launch.cuh>

// Hidden, as in launch/launch.cuh.
#pragma GCC visibility push(hidden)
namespace tweed {

/// A configuration, in the sense of configuration.cuh, of the kernel of mma.sync.
///
/// Shape    Config: an MmaConfig. FlopsPerClock: what a multiprocessor reaches with it.
/// Needs    half, bfloat16, or float as TF32; any layout and alignment; compute capability 8.0.
/// Result   the same bits on every run.
/// Sync     asynchronous, in order of the stream.
/// Cost     no workspace. Pieces of less than 16 bytes are loaded more slowly.
/// Errors   refusal() says why not, with the numbers.
template <class Config, int FlopsPerClock>
struct MmaConfiguration : detail::BareConfiguration {
  static constexpr Path path = Path::Mma;
  using Tile = typename Config::Tile;
  using Part = Tile;

  static std::string name() {
    auto const text = [](int number) { return std::to_string(number); };
    return text(Tile::m) + "x" + text(Tile::n) + "x" + text(Tile::k) + ", " + text(Config::stages) +
           " stages, warps of " + text(Config::warpM) + "x" + text(Config::warpN);
  }

 private:
  template <class Task>
  static constexpr bool canTake() {
    using T = RemoveConst<typename Task::A::Item>;
    return detail::isMmaType<T> && isSame<T, RemoveConst<typename Task::B::Item>> &&
           Tile::k * sizeof(T) == 128;
  }

 public:
  template <class Task>
  static constexpr bool takes = canTake<Task>();

  template <class Task>
  static std::string refusal(Task const& task, MatmulDevice const& device) {
    if (imageTarget().version < 80)
      return "it needs a device of compute capability 8.0 and code for it: pass -arch=sm_80 or "
             "later to nvcc, or CMAKE_CUDA_ARCHITECTURES=80";
    long long const tiles = task.template order<Tile>().count();
    if (tiles > 0x7fffffff)
      return "C has " + std::to_string(tiles) + " tiles; it takes at most 2147483647";
    return detail::sharedBytesRefusal(mmaSharedBytes<Config, Task>, device);
  }
  template <class Task>
  static double microseconds(Task const& task, MatmulDevice const& device) {
    int const depth = smaller(task.k(), Tile::k);
    double const copies = narrowCopies(task.a, smaller(task.m(), Tile::m), depth) +
                          narrowCopies(task.b, smaller(task.n(), Tile::n), depth);
    double const flops = 2.0 * Tile::m * Tile::n * Tile::k;  // of a tile and its k
    double const clocks = flops / FlopsPerClock + copies * clocksPerCopy;
    return detail::tiledMicroseconds<Tile>(
        task, device, {flops / clocks, 2500, detail::MmaProduct<Config, Task>::minBlocks});
  }
  template <class Task>
  static void launch(Task const& task, Prepared<Task> const&, MatmulDevice const&, void*,
                     cudaStream_t stream) {
    tweed::launch(mmaMatmul<Config, Task>,
                  {task.template order<Tile>().count(), Config::threads,
                   mmaSharedBytes<Config, Task>, stream},
                  task);
  }

 private:
  // Of a multiprocessor, for each piece of less than 16 bytes that a tile is loaded in: bfloat16
  // 4097^3, in pieces of 2, took 5.5 ms on an H200. Those of 4 and 8 bytes are taken to cost as
  // much.
  static constexpr double clocksPerCopy = 1.1;
  template <class View>
  static double narrowCopies(View const& v, int extent, int depth) {
    int const bytes = runAlignment(v);
    return bytes == 16 ? 0 : double(extent) * depth * sizeof(typename View::Item) / bytes;
  }
};

}  // namespace tweed
#pragma GCC visibility pop

#endif  // !defined(__CUDACC_RTC__)
