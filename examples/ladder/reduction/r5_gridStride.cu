// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r5_gridStride.cu && ./a.out
//
// Since r4: as many blocks as the device holds at once, each thread strides over the array by the
// whole grid.
//
// The tree and the atomic come once for each resident block, not once for each 512 values: their
// cost no longer grows with n. The stride and the index are 64 bits wide (tweed::gridStride): in 32
// bits the last step may pass 2^31 and come out negative, from n well below that on. The profiler
// shows one wave of blocks and stalls at loads alone.

#include <ladder/runSum.cuh>
#include <tweed/core/math.cuh>
#include <tweed/grid/gridStride.cuh>
#include <tweed/launch/occupancy.cuh>

namespace r5 {

constexpr int threads = 256;
static_assert(tweed::isPow2(threads), "the tree halves the block");

__global__ void strided(float const* in, long long n, float* out) {
  __shared__ float values[threads];
  int const t = int(threadIdx.x);
  float share = 0;
  for (auto const i : tweed::gridStride(n)) share += in[i];
  values[t] = share;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) values[t] += values[t + half];
  }
  if (t == 0) atomicAdd(out, values[0]);
}

void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  TWEED_CHECK(cudaMemsetAsync(out, 0, sizeof(float), workspace.stream()));
  tweed::launch(strided, {tweed::gridFor(n, strided, threads), threads, 0, workspace.stream()}, in,
                n, out);
}

constexpr ladder::SumRung rung{"r5 gridStride", "resident blocks only, each strides over the array",
                               sum, false};

}  // namespace r5

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r5::rung}, argc, argv); }
#endif
