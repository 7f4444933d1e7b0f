// SPDX-License-Identifier: Apache-2.0
// tweed/device/deviceReduceReproducible.cuh - deviceReduce with the same bits everywhere.
#pragma once

#include <tweed/device/deviceReduce.cuh>

// Hidden, as in launch/launch.cuh.
#pragma GCC visibility push(hidden)
namespace tweed {

namespace detail {

// What deviceReduce takes from the device and from the address is fixed here: two blocks for each
// of an H100's 132 multiprocessors, and vectors from the first item on.
inline constexpr unsigned reproducibleBlocks = 264;

template <class T, class Out, class Op, class Init>
void reduceReproducibly(T const* in, std::size_t n, Out* out, Op op, Init init,
                        Workspace* workspace, cudaStream_t stream) {
  using Acc = AccumulatorOf<Out>;
  constexpr char const* call = "tweed::deviceReduceReproducible";
  checkReduce<Acc, Op, Init>(call, in, n, out);
  constexpr int items = vectorItems<T>;
  VectorSplit const split{0, n / items, n % items};
  if constexpr (items > 1) {
    if (reinterpret_cast<unsigned long long>(in) % 16 != 0)
      return reduceSplit<Acc, false, false>(call, in, n, split, reproducibleBlocks, out, op, init,
                                            workspace, stream);
  }
  reduceSplit<Acc, false, true>(call, in, n, split, reproducibleBlocks, out, op, init, workspace,
                                stream);
}

}  // namespace detail

/// The bytes of workspace that deviceReduceReproducible may need for results of type Out, whatever
/// n.
template <class Out>
std::size_t deviceReduceReproducibleBytes() {
  return detail::reduceBytes<AccumulatorOf<Out>>(detail::reproducibleBlocks);
}

/// deviceReduce() in an order that follows from n alone.
///
///     tweed::deviceReduceReproducible(in, n, out, tweed::Sum{}, workspace);
///
/// Shape    as deviceReduce().
/// Result   *out, as of deviceReduce(). Same bits on every run, on every device, wherever in memory
///          the items stand: of float sums too, which depend on the order. As long as the same
///          build of the same version computes it, and `op` gives the same bits for the same
///          values (a division or exp() by --use_fast_math may differ among architectures).
/// Op       as of deviceReduce().
/// Sync     as deviceReduce().
/// Cost     as deviceReduce(), but for arrays that do not begin at a multiple of 16 bytes, which
///          are read item by item, and for devices of other sizes than 132 multiprocessors. Both
///          may share a workspace.
/// Errors   throws tweed::Error with nothing written: as deviceReduce(), with
///          deviceReduceReproducibleBytes<Out>().
/// Source   as deviceReduce().
template <class T, class Out, class Op>
void deviceReduceReproducible(T const* in, std::size_t n, Out* out, Op op, Workspace& workspace) {
  detail::reduceReproducibly(in, n, out, op, detail::NoInit{}, &workspace, workspace.stream());
}
template <class T, class Out, class Op>
void deviceReduceReproducible(T const* in, std::size_t n, Out* out, Op op,
                              cudaStream_t stream = nullptr) {
  detail::reduceReproducibly(in, n, out, op, detail::NoInit{}, nullptr, stream);
}
template <class T, class Out, class Op>
void deviceReduceReproducible(T const* in, std::size_t n, Out* out, Op op, decltype(nullptr)) {
  detail::reduceReproducibly(in, n, out, op, detail::NoInit{}, nullptr, nullptr);
}
template <class T, class Out, class Op, class Init>
void deviceReduceReproducible(T const* in, std::size_t n, Out* out, Op op, Init init,
                              Workspace& workspace) {
  detail::reduceReproducibly(in, n, out, op, AccumulatorOf<Out>(init), &workspace,
                             workspace.stream());
}
template <class T, class Out, class Op, class Init>
void deviceReduceReproducible(T const* in, std::size_t n, Out* out, Op op, Init init,
                              cudaStream_t stream = nullptr) {
  detail::reduceReproducibly(in, n, out, op, AccumulatorOf<Out>(init), nullptr, stream);
}

}  // namespace tweed
#pragma GCC visibility pop
