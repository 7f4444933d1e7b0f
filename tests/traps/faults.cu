// SPDX-License-Identifier: Apache-2.0
// tests/traps/faults.cu - what the host functions say of a kernel that failed while it ran, each
// case a process of its own, since a fault ends the context. Prints the text; the test expects it.
// On the loom a fault is an exception out of launch(), and an ordinary test.
#undef NDEBUG  // a release build would take the assertion out
#include <tweed/tweed.cuh>

#include <cassert>
#include <cstdio>
#include <cstring>

#include "process.cuh"

namespace {

__global__ void fine(int* x) { x[threadIdx.x] = 1; }
__global__ void useShared(int* x) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = 1;
  x[threadIdx.x] = shared[threadIdx.x];
}
__global__ void writeNull(int* x) { x[threadIdx.x] = 1; }
__global__ void writeMisaligned(int* x) {
  *reinterpret_cast<int*>(reinterpret_cast<char*>(x) + 1 + threadIdx.x) = 1;
}
__global__ void assertPositive(int* x) { assert(x[threadIdx.x] > 0); }
__global__ void trap(int*) { __trap(); }

struct Fault {
  int* memory = nullptr;
  cudaStream_t stream = nullptr;
  Fault() {
    TWEED_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    TWEED_CHECK(cudaMalloc(&memory, 4096));
    TWEED_CHECK(cudaMemset(memory, 0, 4096));
    TWEED_CHECK(cudaDeviceSynchronize());
  }
  void happens() const {
    tweed::launch(writeNull, {1, 32, 0, stream}, nullptr);
    (void)cudaDeviceSynchronize();
  }
};

void nullAddress() {
  Fault const fault;
  tweed::launch(writeNull, {1, 32, 0, fault.stream}, nullptr);
  tweed::synchronize(fault.stream);
}
void misaligned() {
  Fault const fault;
  tweed::launch(writeMisaligned, {1, 32, 0, fault.stream}, fault.memory);
  tweed::synchronize(fault.stream);
}
void assertion() {
  Fault const fault;
  tweed::launch(assertPositive, {1, 32, 0, fault.stream}, fault.memory);
  tweed::synchronize(fault.stream);
}
void trapped() {
  Fault const fault;
  tweed::launch(trap, {1, 32, 0, fault.stream}, fault.memory);
  tweed::synchronize(fault.stream);
}
void launchAfter() {
  Fault const fault;
  fault.happens();
  tweed::launch(fine, {1, 32, 0, fault.stream}, fault.memory);
}
void sharedLaunchAfter() {
  Fault const fault;
  fault.happens();
  tweed::launch(useShared, {1, 32, 100 * 1024, fault.stream}, fault.memory);
}
void clusterLaunchAfter() {
  Fault const fault;
  fault.happens();
  tweed::LaunchConfig config{16, 32, 0, fault.stream};
  config.cluster = 16;
  tweed::launch(fine, config, fault.memory);
}
void checkAfter() {
  Fault const fault;
  fault.happens();
  TWEED_CHECK(cudaMemset(fault.memory, 0, 64));
}
void workspaceAfter() {  // its destructor throws nothing
  Fault const fault;
  tweed::Workspace const before(fault.stream, 4096);
  fault.happens();
  tweed::Workspace const after(fault.stream, 4096);
}
void reduceAfter() {
  Fault const fault;
  tweed::Workspace workspace(fault.stream);
  fault.happens();
  tweed::deviceReduce(fault.memory, 1000, fault.memory + 1000, tweed::Sum{}, workspace);
}

Case const cases[] = {{"nullAddress", nullAddress},
                      {"misaligned", misaligned},
                      {"assertion", assertion},
                      {"trapped", trapped},
                      {"launchAfter", launchAfter},
                      {"sharedLaunchAfter", sharedLaunchAfter},
                      {"clusterLaunchAfter", clusterLaunchAfter},
                      {"checkAfter", checkAfter},
                      {"workspaceAfter", workspaceAfter},
                      {"reduceAfter", reduceAfter}};

}  // namespace

int main(int argc, char** argv) { return runCase(cases, argc, argv); }
