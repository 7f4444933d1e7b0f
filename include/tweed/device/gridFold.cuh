// SPDX-License-Identifier: Apache-2.0
// tweed/device/gridFold.cuh - the last step of a reduction over a grid; no function of its own to
// call.
#pragma once

#include <tweed/arch/atomic.cuh>
#include <tweed/arch/barrier.cuh>
#include <tweed/warp/warpReduce.cuh>

namespace tweed::detail {

// Each block takes a ticket when it has read its items, folds them, and leaves its partial. The
// block that came last for a ticket waits for the others, all of which run or have ended, and folds
// the partials in block order: no block ever waits for one that has not started, and no one resets
// anything between launches. (A ticket at the start costs 0.4 us more: the blocks' atomics delay
// their loads, and the block that started last is not the one that ends last.)
//
// A partial is stored as 32-bit pieces, each with the mark of this launch beside it in one 64-bit
// word. A word is stored and loaded whole, so no fence is needed, and a type of any size fits. The
// mark comes from the device, with the ticket: arguments of a replayed graph are always the same.
struct GridState {
  unsigned long long* ticket = nullptr;  // marks given out : 32, tickets given out : 32
  unsigned long long* words = nullptr;
  unsigned long long wordCount = 0;  // that the workspace has room for
};

// The folding warp has so many partials a lane on their way at a time, as registers allow.
template <class Acc>
inline constexpr int partialBatch = arch::Words<Acc>::count <= 2   ? 9
                                    : arch::Words<Acc>::count <= 4 ? 5
                                                                   : 1;

struct GridTurn {
  unsigned long long ticket;  // in thread 0
};

TWEED_DEVICE GridTurn takeTurn(GridState const& state) {
  unsigned long long ticket = 0;
  if (threadIdx.x == 0) ticket = atomicAdd(state.ticket, 1ull);
  return {ticket};
}

// For warp 0.
TWEED_DEVICE bool isLast(GridTurn turn) {
  return arch::shuffle(fullMask, unsigned(turn.ticket), 0) == gridDim.x - 1;
}

TWEED_DEVICE unsigned long long marked(unsigned mark, unsigned piece) {
  return static_cast<unsigned long long>(mark) << 32 | piece;
}

// Marks run from 1 to 2^32 - 1; 0 is what no launch has written.
TWEED_DEVICE unsigned markOf(GridTurn turn) { return unsigned(turn.ticket >> 32) + 1; }

// Where a block's partial lies. The lanes of the folding warp load neighbours. Order kept: lane l
// folds a run of neighbouring blocks, so the k-th blocks of all runs lie side by side.
template <bool IsOrdered>
TWEED_DEVICE unsigned partialSlot(unsigned block) {
  if constexpr (!IsOrdered) return block;
  unsigned const run = ceilDiv(gridDim.x, 32u);
  return block % run * 32 + block / run;
}

template <bool IsOrdered, class Acc>
TWEED_DEVICE void putPartial(GridState const& state, GridTurn turn, Acc const& value) {
  if (threadIdx.x != 0) return;
  auto const pieces = arch::Words<Acc>::of(value);
  unsigned long long* const words = state.words + partialSlot<IsOrdered>(blockIdx.x) * pieces.count;
#pragma unroll
  for (int i = 0; i < pieces.count; ++i)
    arch::storeRelaxed(words + i, marked(markOf(turn), pieces.word[i]));
}

// The fold of all partials, `own` among them, in every lane. IsFew: of so few blocks that each lane
// has one batch. The less code the better: it is not yet in the cache of this multiprocessor.
template <bool IsOrdered, bool IsFew, class Acc, class Op>
TWEED_DEVICE Acc foldPartials(GridState const& state, GridTurn turn, Acc const& own, Op op) {
  using Words = arch::Words<Acc>;
  constexpr int pieces = Words::count;
  constexpr int batch = partialBatch<Acc>;
  unsigned const lane = threadIdx.x;
  unsigned const run = ceilDiv(gridDim.x, 32u);
  unsigned const mark = arch::shuffle(fullMask, markOf(turn), 0);
  auto const blockOf = [&](unsigned k) { return IsOrdered ? lane * run + k : k * 32 + lane; };
  auto const hasBlock = [&](unsigned k) {
    return (k < run || !IsOrdered) && blockOf(k) < gridDim.x;
  };
  // What stands for the partial of a block that is not there: it must not change the fold.
  Words nothing = Words::of(own);
  if constexpr (hasIdentity<Op, Acc>) nothing = Words::of(identityOf<Op, Acc>());
  Words total = nothing;
  for (unsigned k = 0; k < (IsFew ? 1 : run); k += batch) {
    unsigned long long found[batch][pieces];
    // All that are missing are asked for again together: one after the other would add up the way
    // to L2 and back.
    for (bool isWaiting = true; isWaiting;) {
      isWaiting = false;
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        bool const isOwn = hasBlock(k + u) && blockOf(k + u) == blockIdx.x;
        bool const isOther = hasBlock(k + u) && blockOf(k + u) != blockIdx.x;
#pragma unroll
        for (int i = 0; i < pieces; ++i) {
          found[u][i] = marked(mark, isOwn ? Words::of(own).word[i] : nothing.word[i]);
          if (isOther)
            found[u][i] = arch::loadRelaxed(state.words + ((k + u) * 32 + lane) * pieces + i);
        }
      }
#pragma unroll
      for (int u = 0; u < batch; ++u)
#pragma unroll
        for (int i = 0; i < pieces; ++i)
          isWaiting = isWaiting || unsigned(found[u][i] >> 32) != mark;
      if (isWaiting) arch::spinPause();
    }
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      Words partial;
#pragma unroll
      for (int i = 0; i < pieces; ++i) partial.word[i] = unsigned(found[u][i]);
      if constexpr (hasIdentity<Op, Acc>) {
        total = Words::of(op(total.value(), partial.value()));
      } else if (hasBlock(k + u)) {
        total = k + u == 0 ? partial : Words::of(op(total.value(), partial.value()));
      }
    }
  }
  // The marks are used up once in 2^32 launches: then all words start again from zero.
  bool const isUsedUp = __builtin_expect(mark == ~0u, false);
  if (isUsedUp) {
#pragma unroll 1
    for (unsigned long long i = lane; i < state.wordCount; i += 32)
      arch::storeRelaxed(state.words + i, 0);
  }
  if (lane == 0) arch::storeRelaxed(state.ticket, isUsedUp ? 0 : marked(mark, 0));
  if constexpr (hasIdentity<Op, Acc>) {
    return foldLanes<warpThreads>(fullMask, total.value(), op, int(lane));
  } else {
    int const lanes = int(IsOrdered ? ceilDiv(gridDim.x, run) : smaller(gridDim.x, 32u));
    return foldFirstLanes<warpThreads>(fullMask, total.value(), op, int(lane), lanes);
  }
}

}  // namespace tweed::detail
