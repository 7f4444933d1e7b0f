// SPDX-License-Identifier: Apache-2.0
// benchmarks/support/cubBlock.cuh - cub::BlockReduce as forms of collective.cuh. Each holds the
// barrier that CUB asks for before its storage is used again.
#pragma once

#include "collective.cuh"

#include <cub/block/block_reduce.cuh>

namespace bench {

/// CUB's reduction, by its own addition where the operator is that; the result in thread 0.
template <class Reduce, class Op, class T>
__device__ T cubReduced(typename Reduce::TempStorage& storage, T value) {
  if constexpr (std::is_same_v<Op, tweed::Sum>)
    return Reduce(storage).Sum(value);
  else
    return Reduce(storage).Reduce(value, Op{});
}

/// The result in thread 0.
template <class T, class Op, int Threads, cub::BlockReduceAlgorithm Algorithm>
struct CubReduce : FormOf<T, Op, Threads, Answer::First> {
  static __device__ T call(T value) {
    using Reduce = cub::BlockReduce<T, Threads, Algorithm>;
    __shared__ typename Reduce::TempStorage storage;
    T const result = cubReduced<Reduce, Op>(storage, value);
    __syncthreads();
    return result;
  }
};

/// Form with each of CUB's algorithms, as peers `prefix` + algorithm.
template <template <class, class, int, cub::BlockReduceAlgorithm> class Form, class T, class Op,
          int Threads>
void addCubReduce(Case& to, Load load, std::string const& prefix) {
  addForm<Form<T, Op, Threads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>>(to, load,
                                                                   prefix + "warpReductions");
  addForm<Form<T, Op, Threads, cub::BLOCK_REDUCE_RAKING>>(to, load, prefix + "raking");
  if constexpr (tweed::isCommutative<Op>)
    addForm<Form<T, Op, Threads, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>>(
        to, load, prefix + "rakingCommutative");
}

}  // namespace bench
