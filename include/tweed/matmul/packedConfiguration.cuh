// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/packedConfiguration.cuh - kernels that want aligned operands, of copies of others.
#pragma once

#include <tweed/matmul/packKernel.cuh>
#include <tweed/matmul/wgmmaConfiguration.cuh>

#if !defined(__CUDACC_RTC__)

#include <cstdint>

// Hidden, as in launch/launch.cuh.
#pragma GCC visibility push(hidden)
namespace tweed {

/// A configuration, in the sense of configuration.cuh: copies what is not aligned of A and B, then
/// multiplies by the kernel of Inner.
///
/// Two bytes at a time, a multiprocessor takes longer to load the tiles of a product than to
/// multiply them, and each tile is loaded many times. A copy is made once, at the speed of memory,
/// and then the copy engine loads the tiles without a thread.
///
/// Shape    Inner: a WgmmaConfiguration. Its kernel is the one that runs also by itself.
/// Result   Inner's, bit for bit.
/// Needs    A or B, its leading dimension or its batch stride no multiple of 16 bytes, or a batch
///          stride that is negative; else what Inner needs.
/// Cost     a workspace for the copies: each run of neighbours takes whole lines of 128 bytes. One
///          launch for each copy, and two or three tensor maps, as the workspace may be another one
///          each time.
/// Sync     asynchronous, in order of the stream.
/// Errors   refusal() says why not: Inner's reasons, nothing to copy, copies above 2^50 bytes.
template <class Inner>
struct PackedConfiguration : Inner {
  static std::string name() { return Inner::name() + ", of packed copies"; }

  template <class Task>
  static std::string refusal(Task const& task, MatmulDevice const& device) {
    if (!isNeeded(task)) return "A and B are aligned as they are, so there is nothing to pack";
    constexpr double most = 0x1p50;  // far below what a double counts exactly
    if (packedBytes(task.a) > most || packedBytes(task.b) > most)
      return "a copy of an operand would take more than 2^50 bytes of workspace";
    return Inner::refusal(withCopies(task, somewhere()), device);
  }
  template <class Task>
  static double microseconds(Task const& task, MatmulDevice const& device) {
    if (!isNeeded(task)) return detail::neverMicroseconds;
    constexpr double mapsMicroseconds = 2;  // and the workspace, on the host
    return Inner::microseconds(withCopies(task, somewhere()), device) + mapsMicroseconds +
           copyMicroseconds(task.a) + copyMicroseconds(task.b);
  }
  template <class Task>
  static std::size_t workspaceBytes(Task const& task, MatmulDevice const&) {
    return bytesFor(task.a) + bytesFor(task.b);
  }
  template <class Task>
  static std::string remark(Task const& task) {
    auto const copy = [](char const* name, std::size_t bytes) {
      return bytes == 0 ? "" : std::string(name) + " (" + std::to_string(bytes) + " bytes)";
    };
    std::string const a = copy(Task::nameOfA, bytesFor(task.a));
    std::string const b = copy(Task::nameOfB, bytesFor(task.b));
    return "copies " + a + (a.empty() || b.empty() ? "" : " and ") + b;
  }

  template <class Task>
  struct Prepared {};
  template <class Task>
  static Prepared<Task> prepare(Task const&, MatmulDevice const&) {
    return {};
  }
  template <class Task>
  static void launch(Task const& task, Prepared<Task> const&, MatmulDevice const& device,
                     void* workspace, cudaStream_t stream) {
    Task const packed = withCopies(task, workspace);
    auto const prepared = Inner::prepare(packed, device);  // may throw, so it comes first
    if (!detail::isLoadable(task.a)) packMatrix(stream, task.a, workspace);
    if (!detail::isLoadable(task.b))
      packMatrix(stream, task.b, static_cast<char*>(workspace) + bytesFor(task.a));
    Inner::launch(packed, prepared, device, nullptr, stream);
  }

 private:
  static constexpr std::size_t alignment = 256;  // of a copy

  template <class Task>
  static bool isNeeded(Task const& task) {
    return !detail::isLoadable(task.a) || !detail::isLoadable(task.b);
  }
  template <class View>
  static std::size_t bytesFor(View const& view) {
    return detail::isLoadable(view) ? 0 : roundUp(std::size_t(packedBytes(view)), alignment);
  }
  // A launch, and memory that is read and written at 2.5 TB/s.
  template <class View>
  static double copyMicroseconds(View const& v) {
    if (detail::isLoadable(v)) return 0;
    double const matrices = v.batchStride == 0 ? 1.0 : double(v.batch);
    double const bytes = sizeof(typename View::Item) * double(v.rows) * double(v.columns);
    return 2.5 + 2 * matrices * bytes / 2.5e6;
  }

  // The product of the copies.
  template <class Task>
  static Task withCopies(Task task, void* memory) {
    auto const address = reinterpret_cast<std::uintptr_t>(memory);
    auto const ofB = reinterpret_cast<void*>(address + bytesFor(task.a));
    if (!detail::isLoadable(task.a)) task.a = packedView(task.a, memory);
    if (!detail::isLoadable(task.b)) task.b = packedView(task.b, ofB);
    return task;
  }
  // For those who only ask.
  static void* somewhere() { return reinterpret_cast<void*>(std::uintptr_t(alignment)); }
};

}  // namespace tweed
#pragma GCC visibility pop

#endif  // !defined(__CUDACC_RTC__)
