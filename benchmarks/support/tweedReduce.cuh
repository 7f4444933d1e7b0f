// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/tweedReduce.cuh - tweed::deviceReduce as a peer, with one workspace.
#pragma once

#include "deviceCase.cuh"

#include <tweed/device/deviceReduce.cuh>

namespace bench {

template <class T, class Out, class Op>
MakeCall<T, Out> tweedReduce(Op op) {
  return [op](std::uint64_t n) {
    auto const workspace = std::make_shared<tweed::Workspace>(stream());
    return Call<T, Out>([op, workspace, n](T const* in, Out* out) {
      tweed::deviceReduce(in, n, out, op, *workspace);
    });
  };
}

}  // namespace bench
