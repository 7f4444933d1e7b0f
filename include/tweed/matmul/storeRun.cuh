// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/storeRun.cuh - finish neighbours of a row of C and store them together.
#pragma once

#include <tweed/matmul/task.cuh>
#include <tweed/memory/loadStore.cuh>

namespace tweed::detail {

/// Whether runs of `Items` neighbours of C, the first at a multiple of Items, are aligned for
/// storeRun() to move at once.
template <int Items, class Task>
TWEED_DEVICE bool hasAlignedRuns(Task const& task) {
  using Item = typename Task::C::Item;
  constexpr int bytes = Items * int(sizeof(Item));
  if constexpr (Items == 1 || !isPow2(bytes) || bytes > 128 || !isTriviallyCopyable<Item>) {
    return false;
  } else {
    auto const misplaced = reinterpret_cast<unsigned long long>(task.c.data) |
                           task.c.leadingDimension * sizeof(Item) |
                           task.c.batchStride * sizeof(Item);
    return misplaced % smaller(bytes, 16) == 0;
  }
}

/// Finishes and stores the items from `at` on, those of them that C has; reads the old ones if the
/// epilogue does. `items` are then as Task::store() returns them.
template <int Items, class Acc, class Task>
TWEED_DEVICE void storeRun(Task const& task, Acc (&items)[Items], Coord at, bool areRunsAligned) {
  using Item = typename Task::C::Item;
  int const left = task.n() - at.column;
  if (at.row >= task.m() || left <= 0) return;
  constexpr bool canMoveRun =
      Items > 1 && isPow2(Items * int(sizeof(Item))) && isTriviallyCopyable<Item>;
  using Epilogue = typename Task::Epilogue;
  if constexpr (!needsC<Epilogue> && !isIdentity<Epilogue>) {
    // The epilogue, which may be long, is once in the code for both ways to store.
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (i < left) items[i] = task.epilogue(items[i], Coord{at.row, at.column + i, at.matrix});
    Item* const place = &task.c(at.row, at.column, at.matrix);
    if constexpr (canMoveRun) {
      if (areRunsAligned && left >= Items) {
        Vector<Item, Items> finished;
#pragma unroll
        for (int i = 0; i < Items; ++i) finished.item[i] = Item(items[i]);
        return storeVector(place, finished);
      }
    }
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (i < left) place[i] = Item(items[i]);
  } else {
    if constexpr (canMoveRun) {
      if (areRunsAligned && left >= Items) {
        Item* const place = &task.c(at.row, at.column, at.matrix);
        Vector<Item, Items> old{};
        if (readsC(task.epilogue)) old = loadVector<Items>(place);
        Vector<Item, Items> finished;
#pragma unroll
        for (int i = 0; i < Items; ++i) {
          items[i] = finish(task.epilogue, items[i], Coord{at.row, at.column + i, at.matrix},
                            [&] { return old.item[i]; });
          finished.item[i] = Item(items[i]);
        }
        storeVector(place, finished);
        return;
      }
    }
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (i < left) items[i] = task.store(items[i], Coord{at.row, at.column + i, at.matrix});
  }
}

}  // namespace tweed::detail
