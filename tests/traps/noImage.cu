// SPDX-License-Identifier: Apache-2.0
// tests/traps/noImage.cu - what launch() says of a kernel that was compiled for another device.
#include <tweed/launch/launch.cuh>

#include "process.cuh"

namespace {

__global__ void fine(int*) {}

void otherDevice() {
  if (tweed::deviceInfo().computeCapability == 75)
    tweed::detail::fail(cudaErrorNotSupported, "SKIP: no CUDA device that lacks this code");
  tweed::launch(fine, {1, 1}, nullptr);
}

Case const cases[] = {{"otherDevice", otherDevice}};

}  // namespace

int main(int argc, char** argv) { return runCase(cases, argc, argv); }
