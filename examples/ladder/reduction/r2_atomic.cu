// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r2_atomic.cu && ./a.out
//
// Since r1: a thread for each value, which adds it to the answer by an atomic.
//
// The loads are now parallel and coalesced, but all threads meet at one address, and the L2 cache
// adds one value after the other there. The profiler shows as many atomics as values, warps that
// stall on them, and memory nearly idle. The order of the additions is that of arrival: other last
// bits on every run, unless the sums are exact.

#include <ladder/runSum.cuh>
#include <tweed/core/math.cuh>

namespace r2 {

constexpr int threads = 256;

__global__ void atomic(float const* in, long long n, float* out) {
  long long const i = 1ll * blockIdx.x * threads + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}

void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  TWEED_CHECK(cudaMemsetAsync(out, 0, sizeof(float), workspace.stream()));
  tweed::launch(atomic, {tweed::ceilDiv(n, 1ll * threads), threads, 0, workspace.stream()}, in, n,
                out);
}

constexpr ladder::SumRung rung{"r2 atomic", "a thread for each value, one hot address", sum, false};

}  // namespace r2

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r2::rung}, argc, argv); }
#endif
