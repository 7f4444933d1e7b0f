// SPDX-License-Identifier: Apache-2.0
// tests/support/hopper.cuh - where the instructions of Hopper can be tested.
#pragma once

#include <tweed/matmul/wgmmaImage.cuh>

#include "support/device.cuh"

namespace tweedTest {

/// True if the device has the instructions of compute capability 9.0; else says what is skipped.
inline bool hasHopperHere() {
  int const device = tweed::currentDevice();
  int const major = tweed::deviceAttribute(cudaDevAttrComputeCapabilityMajor, device);
  if (major >= 9 && !isLoom) return true;
  MESSAGE("skipped: the device is of compute capability ", major, ".x, 9.0 is needed");
  return false;
}

/// What the tests of wgmma say where it cannot run; true if it can.
inline bool hasWgmmaHere() {
  if (tweed::imageHasWgmma()) return true;
  MESSAGE("skipped: no wgmma on this device, or no code for sm_90a");
  return false;
}

}  // namespace tweedTest
