// SPDX-License-Identifier: Apache-2.0
// tweed/arch/registers.cuh - registers that one warpgroup of a block gives up and another takes.
#pragma once

#include <tweed/arch/target.cuh>

namespace tweed::arch {

// Shape    registers a thread from here on: a multiple of 8 from 24 to 256.
// Needs    the target sm_90a; a kernel with __launch_bounds__(threads, 1), from which the compiler
//          takes how many a thread has at first: 65536 / threads, at most 255, a multiple of 8.
// Sync     all four warps of a warpgroup, each role in one branch. raiseRegisters() waits until
//          others of the block have given up as many.
// Source   PTX ISA, setmaxnreg.

template <int Registers, bool Has = hasWgmma>
TWEED_DEVICE void lowerRegisters() {
  needsWgmma<Has>();
  static_assert(Registers >= 24 && Registers <= 256 && Registers % 8 == 0,
                "tweed::arch::lowerRegisters: a multiple of 8 from 24 to 256");
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

template <int Registers, bool Has = hasWgmma>
TWEED_DEVICE void raiseRegisters() {
  needsWgmma<Has>();
  static_assert(Registers >= 24 && Registers <= 256 && Registers % 8 == 0,
                "tweed::arch::raiseRegisters: a multiple of 8 from 24 to 256");
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

}  // namespace tweed::arch
