// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r4_twoPerThread.cu && ./a.out
//
// Since r3: each thread loads two values and adds them before the tree.
//
// In r3 half of the threads never do an addition. With two loads each of them does, there are half
// as many blocks, barriers and atomics, and each thread has two loads under way. Both loads are
// guarded on their own: the second may lie beyond the end where the first does not. The profiler
// shows half the warps launched for the same bytes.

#include <ladder/runSum.cuh>
#include <tweed/core/math.cuh>

namespace r4 {

constexpr int threads = 256;
static_assert(tweed::isPow2(threads), "the tree halves the block");

__global__ void twoPerThread(float const* in, long long n, float* out) {
  __shared__ float values[threads];
  int const t = int(threadIdx.x);
  long long const i = 2ll * blockIdx.x * threads + t;
  values[t] = (i < n ? in[i] : 0.f) + (i + threads < n ? in[i + threads] : 0.f);
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) values[t] += values[t + half];
  }
  if (t == 0) atomicAdd(out, values[0]);
}

void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  TWEED_CHECK(cudaMemsetAsync(out, 0, sizeof(float), workspace.stream()));
  tweed::launch(twoPerThread, {tweed::ceilDiv(n, 2ll * threads), threads, 0, workspace.stream()},
                in, n, out);
}

constexpr ladder::SumRung rung{"r4 twoPerThread",
                               "two loads a thread before the tree, half the blocks", sum, false};

}  // namespace r4

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r4::rung}, argc, argv); }
#endif
