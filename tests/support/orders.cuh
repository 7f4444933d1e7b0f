// SPDX-License-Identifier: Apache-2.0
// tests/support/orders.cuh - what the loom may find in one order of threads alone.
#pragma once

#if defined(TWEED_LOOM)
#include <tweed/loom/loom.hpp>

namespace tweedTest {

/// Calls it in each order of threads, one block at a time.
template <class Call>
void inEachOrder(Call call) {
  using tweed::loom::Order;
  for (Order const order : {Order::forward, Order::reverse, Order::random}) {
    tweed::loom::Options options = tweed::loom::defaults();
    options.schedule = order;
    options.preempt = 0;
    options.residentBlocks = 1;
    tweed::loom::ScopedOptions const scope(options);
    call();
  }
}

}  // namespace tweedTest
#endif
