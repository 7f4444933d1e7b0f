// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/configuration.cuh - what a kernel for products tells the host about itself.
#pragma once

#include <tweed/matmul/task.cuh>

#if !defined(__CUDACC_RTC__)

#include <tweed/arch/overlap.cuh>
#include <tweed/launch/launch.cuh>

#include <cstddef>
#include <string>

namespace tweed {

/// What a choice among kernels depends on beside the product.
struct MatmulDevice {
  int computeCapability;  ///< major * 10 + minor
  int multiprocessors;
  std::size_t sharedBytes;  ///< of one block at most
};

// Hidden, as in launch/launch.cuh.
#pragma GCC visibility push(hidden)

/// The current device. A few queries that the runtime answers at once.
inline MatmulDevice matmulDevice() {
  int const device = currentDevice();
  auto const ask = [=](cudaDeviceAttr attribute) { return deviceAttribute(attribute, device); };
  return {ask(cudaDevAttrComputeCapabilityMajor) * 10 + ask(cudaDevAttrComputeCapabilityMinor),
          ask(cudaDevAttrMultiProcessorCount),
          std::size_t(ask(cudaDevAttrMaxSharedMemoryPerBlockOptin))};
}

// What a configuration is: a type without data, one for each kernel and its tile, with
//
//     static constexpr Path path;
//     using Part = TileShape<...>;         // of C, that one call of reduceTile sees: the tile, or
//                                          // a block's share of it
//     static std::string name();           // "simt 128x128x16, 2 stages"
//
//     static constexpr bool reduces;       // takes the reductions of an epilogue: calls reduceTile
//     template <class Task>
//     static constexpr bool takes;         // its types and layouts; nothing below is instantiated
//                                          // if not. Floats of the mma and wgmma paths are TF32,
//                                          // chosen only where that is asked for
//     template <class Task>                // why not, if it does not take them
//     static constexpr char const* untaken();
//     template <class Task>                // empty, or why it cannot do this product here, with
//     static std::string refusal(Task const&, MatmulDevice const&);    // the operand, as
//                                          // Task::nameOfA calls it, and the numbers
//     template <class Task>                // by a small model: see tiledMicroseconds; asked also
//                                          // of what is refused, for which neverMicroseconds
//                                          // spares asking for the refusal
//     static double microseconds(Task const&, MatmulDevice const&);
//     template <class Task>                // what it does beside multiplying; mostly empty
//     static std::string remark(Task const&);
//     template <class Task>                // of its own, beside that of reductions; mostly 0
//     static std::size_t workspaceBytes(Task const&, MatmulDevice const&);
//
//     template <class Task>
//     struct Prepared;                     // what is made once for many launches: tensor maps
//     template <class Task>
//     static Prepared<Task> prepare(Task const&, MatmulDevice const&);
//     template <class Task>                // starts the kernel; throws tweed::Error
//     static void launch(Task const&, Prepared<Task> const&, MatmulDevice const&, void* workspace,
//                        cudaStream_t);
//
// It gets m, n, k and batch of at least 1 and at most 2^31 - 1, checked pointers and leading
// dimensions (any that are not less than a run of items; those of a single run may be anything),
// and computes all of C. The kernel calls the epilogue as epilogue.cuh says, by task.store() or
// detail::finish(), and if detail::hasReductions<Epilogue>, reduceTile() once for each part.

namespace detail {

/// No product takes so long.
inline constexpr double neverMicroseconds = 1e300;

/// For configurations that take reductions, need no workspace and make nothing once for many
/// launches.
struct BareConfiguration {
  static constexpr bool reduces = true;
  template <class Task>
  static constexpr char const* untaken() {
    return "it does not take items of these types";
  }
  template <class Task>
  static std::string remark(Task const&) {
    return "";
  }
  template <class Task>
  static std::size_t workspaceBytes(Task const&, MatmulDevice const&) {
    return 0;
  }
  template <class Task>
  struct Prepared {};
  template <class Task>
  static Prepared<Task> prepare(Task const&, MatmulDevice const&) {
    return {};
  }
};

/// Whether a kernel that waits (arch::waitForPrevious) is to be launched with overlapPrevious. Of a
/// block a multiprocessor, with a warpgroup that loads, it then takes 0.3 to 1 us less; others take
/// longer (1024^3 by mma: 16.8 us for 11.1). Not in a graph, where it takes longer behind what does
/// not let it start.
inline bool mayOverlap(MatmulDevice const& device, cudaStream_t stream) {
  return arch::canOverlapOn(device.computeCapability) &&
         captureStatus("tweed::matmul", stream) == cudaStreamCaptureStatusNone;
}

inline std::string sharedBytesRefusal(std::size_t bytes, MatmulDevice const& device) {
  return bytes <= device.sharedBytes
             ? ""
             : "it needs " + std::to_string(bytes) + " bytes of shared memory, the device has " +
                   std::to_string(device.sharedBytes);
}

/// What a kernel is worth, measured on one kind of device.
struct MatmulSpeed {
  double flopsPerClock;    ///< of one multiprocessor, that many tiles in full flow reach
  double overheadClocks;   ///< of a tile beside its sum: fill the pipeline, epilogue
  int blocksPerProcessor;  ///< at once
  double launchMicroseconds = 2.5;
  double clocksPerMicrosecond = 1750;
};

/// The time of a product by tiles of Shape, each split among `split` blocks along K: whole waves of
/// blocks, none shorter than the memory takes.
template <class Shape, class Task>
double tiledMicroseconds(Task const& task, MatmulDevice const& device, MatmulSpeed const& speed,
                         int split = 1) {
  double const tiles = double(task.template order<Shape>().count());
  double const blocks = tiles * split;
  double const slots = double(device.multiprocessors) * speed.blocksPerProcessor;
  double const waves = double(ceilDiv((long long)(blocks), (long long)(slots)));
  double const steps = double(ceilDiv(ceilDiv(task.k(), split), Shape::k));
  // Blocks beside each other on a multiprocessor share its speed; a lone one has all of it.
  double const sharing =
      smaller(double(speed.blocksPerProcessor), larger(1.0, blocks / device.multiprocessors));
  double const clocks =
      waves * (2.0 * Shape::m * Shape::n * Shape::k * steps * sharing / speed.flopsPerClock +
               speed.overheadClocks);
  return speed.launchMicroseconds + clocks / speed.clocksPerMicrosecond;
}

}  // namespace detail
#pragma GCC visibility pop
}  // namespace tweed

#endif  // !defined(__CUDACC_RTC__)
