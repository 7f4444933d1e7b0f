// SPDX-License-Identifier: Apache-2.0
// tweed/device/deviceArg.cuh - where the minimum or maximum of n values in device memory stands.
#pragma once

#include <tweed/core/argOps.cuh>
#include <tweed/device/deviceReduce.cuh>

// Hidden, as in launch/launch.cuh.
#pragma GCC visibility push(hidden)
namespace tweed {

namespace detail {

template <class Op, class T, class Index>
void argChecked(char const* call, T const* in, std::size_t n, Indexed<T, Index>* out,
                Workspace* workspace, cudaStream_t stream) {
  using Wide = Indexed<T, Index>;
  using Narrow = Indexed<T, unsigned>;
  checkReduce<Wide, Op, NoInit>(call, in, n, out);
  constexpr auto greatest = static_cast<unsigned long long>(Limits<Index>::greatest());
  if (n > 0 && n - 1 > greatest)
    fail(cudaErrorInvalidValue, std::string(call) + ": n is " + std::to_string(n) +
                                    "; the type of the index counts to " +
                                    std::to_string(greatest));
  if constexpr (sizeof(Index) <= sizeof(unsigned)) {
    reduceAs<Wide>(in, n, out, Op{}, NoInit{}, workspace, stream);
  } else if (n > 0 && n <= Limits<unsigned>::greatest()) {
    // Indices of 32 bits while they suffice: less to move and to compare.
    reduceAs<Narrow>(in, n, out, Op{}, NoInit{}, workspace, stream);
  } else {
    reduceAs<Wide, true>(in, n, out, Op{}, NoInit{}, workspace, stream);
  }
}

}  // namespace detail

/// The least of in[0..n) and its index, the lowest where several items have it. deviceArgMax: the
/// greatest.
///
///     tweed::Indexed<float>* best = ...;           // device memory
///     tweed::deviceArgMin(in, n, best, workspace);  // best->value, best->index
///     tweed::deviceArgMax<tweed::Nan::Ignore>(in, n, best, stream);
///
/// Shape    n values in device memory, as of deviceReduce. out: one Indexed<T, Index> in device
///          memory; Index is any integer that can count them, 64 bits wide by default.
/// Result   *out, in order of the stream: the element itself, so that in[index] is value. Of NaN,
///          the first one wins; with Nan::Ignore numbers win, and the first NaN is the answer if
///          there are none. -0 and +0 are the same value. n == 0 gives the worst value (+infinity
///          for the minimum of floats) at the greatest index.
/// Op       ArgMin, ArgMax, ArgMinNumber and ArgMaxNumber, which deviceReduce takes as well.
/// Sync     as deviceReduce: asynchronous; one kernel; can be captured in a graph.
/// Cost     reads the input once. Workspace as deviceReduceBytes<Indexed<T, Index>>().
/// Errors   throws tweed::Error with nothing written: as deviceReduce; n - 1 above the greatest
///          Index.
/// Source   as deviceReduce.
template <Nan Policy = Nan::Propagate, class T, class Index>
void deviceArgMin(T const* in, std::size_t n, Indexed<T, Index>* out, Workspace& workspace) {
  detail::argChecked<BasicArg<Policy, true>>("tweed::deviceArgMin", in, n, out, &workspace,
                                             workspace.stream());
}
template <Nan Policy = Nan::Propagate, class T, class Index>
void deviceArgMin(T const* in, std::size_t n, Indexed<T, Index>* out,
                  cudaStream_t stream = nullptr) {
  detail::argChecked<BasicArg<Policy, true>>("tweed::deviceArgMin", in, n, out, nullptr, stream);
}
template <Nan Policy = Nan::Propagate, class T, class Index>
void deviceArgMax(T const* in, std::size_t n, Indexed<T, Index>* out, Workspace& workspace) {
  detail::argChecked<BasicArg<Policy, false>>("tweed::deviceArgMax", in, n, out, &workspace,
                                              workspace.stream());
}
template <Nan Policy = Nan::Propagate, class T, class Index>
void deviceArgMax(T const* in, std::size_t n, Indexed<T, Index>* out,
                  cudaStream_t stream = nullptr) {
  detail::argChecked<BasicArg<Policy, false>>("tweed::deviceArgMax", in, n, out, nullptr, stream);
}

}  // namespace tweed
#pragma GCC visibility pop
