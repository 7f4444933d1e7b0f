// SPDX-License-Identifier: Apache-2.0
// tweed/block/blockArg.cuh - where a block's minimum or maximum stands; every thread gets it.
#pragma once

#include <tweed/block/blockReduce.cuh>
#include <tweed/core/argOps.cuh>

namespace tweed {

/// The least `value` of all threads of the block, and its index: the lowest where several threads
/// have it. blockArgMax: the greatest.
///
///     auto const [value, index] = tweed::blockArgMin<256>(x, int(threadIdx.x));
///     auto const best = tweed::blockArgMax<256, tweed::Nan::Ignore>(x, i, count);
///
/// Shape    one value and index per thread, no index twice; block as of blockReduce: BlockThreads,
///          Block<16, 16>, Dynamic<1024>. With `count` the first `count` threads alone hold data,
///          the same in all threads; a count of 0 gives the worst value at the greatest index.
/// Result   an Indexed{value, index} in every thread, same bits in each: the element itself, so
///          that a[index] is value. Of NaN, the first one wins; with Nan::Ignore numbers win, and
///          the first NaN is the answer if there are none. -0 and +0 are the same value.
/// Op       ArgMin, ArgMax, ArgMinNumber and ArgMaxNumber, which blockReduce takes as well.
/// Sync     as blockReduce: call it from all threads; two __syncthreads() (none up to 32 threads);
///          safe to call again at once.
/// Cost     as blockReduce of an Indexed<T, Index>: a 32-bit index is cheaper than one of 64 bits.
/// Errors   as blockReduce; compile time: an index or count that is no integer.
/// Source   as blockReduce.
template <class Shape, Nan Policy = Nan::Propagate, class T, class Index>
TWEED_DEVICE Indexed<T, Index> blockArgMin(T value, Index index) {
  return blockReduce<Shape>(Indexed<T, Index>{value, index}, BasicArg<Policy, true>{});
}
template <class Shape, Nan Policy = Nan::Propagate, class T, class Index, class Count>
TWEED_DEVICE Indexed<T, Index> blockArgMin(T value, Index index, Count count) {
  static_assert(isInteger<Count>, "tweed::blockArgMin: count must be an integer");
  return blockReduce<Shape>(Indexed<T, Index>{value, index}, BasicArg<Policy, true>{}, count);
}
template <int BlockThreads, Nan Policy = Nan::Propagate, class T, class Index>
TWEED_DEVICE Indexed<T, Index> blockArgMin(T value, Index index) {
  return blockReduce<BlockThreads>(Indexed<T, Index>{value, index}, BasicArg<Policy, true>{});
}
template <int BlockThreads, Nan Policy = Nan::Propagate, class T, class Index, class Count>
TWEED_DEVICE Indexed<T, Index> blockArgMin(T value, Index index, Count count) {
  static_assert(isInteger<Count>, "tweed::blockArgMin: count must be an integer");
  return blockReduce<BlockThreads>(Indexed<T, Index>{value, index}, BasicArg<Policy, true>{},
                                   count);
}

template <class Shape, Nan Policy = Nan::Propagate, class T, class Index>
TWEED_DEVICE Indexed<T, Index> blockArgMax(T value, Index index) {
  return blockReduce<Shape>(Indexed<T, Index>{value, index}, BasicArg<Policy, false>{});
}
template <class Shape, Nan Policy = Nan::Propagate, class T, class Index, class Count>
TWEED_DEVICE Indexed<T, Index> blockArgMax(T value, Index index, Count count) {
  static_assert(isInteger<Count>, "tweed::blockArgMax: count must be an integer");
  return blockReduce<Shape>(Indexed<T, Index>{value, index}, BasicArg<Policy, false>{}, count);
}
template <int BlockThreads, Nan Policy = Nan::Propagate, class T, class Index>
TWEED_DEVICE Indexed<T, Index> blockArgMax(T value, Index index) {
  return blockReduce<BlockThreads>(Indexed<T, Index>{value, index}, BasicArg<Policy, false>{});
}
template <int BlockThreads, Nan Policy = Nan::Propagate, class T, class Index, class Count>
TWEED_DEVICE Indexed<T, Index> blockArgMax(T value, Index index, Count count) {
  static_assert(isInteger<Count>, "tweed::blockArgMax: count must be an integer");
  return blockReduce<BlockThreads>(Indexed<T, Index>{value, index}, BasicArg<Policy, false>{},
                                   count);
}

}  // namespace tweed
