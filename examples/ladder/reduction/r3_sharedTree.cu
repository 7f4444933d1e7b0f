// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r3_sharedTree.cu && ./a.out
//
// Since r2: a block adds up its 256 values in shared memory first, in a tree, and does one atomic:
// n atomics become n / 256.
//
// In each level the lower half of the threads adds what the upper half holds. A level reads what
// other threads wrote in the one before it, so there is a barrier before each of the eight. A
// thread beyond the end must not leave early: it brings a 0 and comes to every barrier. The
// profiler shows atomics down to 1 in 256, and stalls that are now at the barriers.

#include <ladder/runSum.cuh>
#include <tweed/core/math.cuh>

namespace r3 {

constexpr int threads = 256;
static_assert(tweed::isPow2(threads), "the tree halves the block");

__global__ void sharedTree(float const* in, long long n, float* out) {
  __shared__ float values[threads];
  int const t = int(threadIdx.x);
  long long const i = 1ll * blockIdx.x * threads + t;
  values[t] = i < n ? in[i] : 0.f;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) values[t] += values[t + half];
  }
  if (t == 0) atomicAdd(out, values[0]);
}

void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  TWEED_CHECK(cudaMemsetAsync(out, 0, sizeof(float), workspace.stream()));
  tweed::launch(sharedTree, {tweed::ceilDiv(n, 1ll * threads), threads, 0, workspace.stream()}, in,
                n, out);
}

constexpr ladder::SumRung rung{"r3 sharedTree", "a tree in shared memory, one atomic a block", sum,
                               false};

}  // namespace r3

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r3::rung}, argc, argv); }
#endif
