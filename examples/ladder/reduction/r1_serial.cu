// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -arch=native -Itweed/include -Itweed/examples r1_serial.cu && ./a.out
//
// One thread adds everything: the baseline, and the only rung that adds in the order of the array.
//
// The thread waits for its loads, of which the compiler keeps four under way, then adds them one
// after the other, and nothing else is there to run meanwhile: the latency of memory is its time.
// The profiler shows one warp on one multiprocessor, one lane of it busy, and memory idle.

#include <ladder/runSum.cuh>

namespace r1 {

__global__ void serial(float const* in, long long n, float* out) {
  float total = 0;
  for (long long i = 0; i < n; ++i) total += in[i];
  *out = total;
}

void sum(float const* in, long long n, float* out, tweed::Workspace& workspace) {
  tweed::launch(serial, {1, 1, 0, workspace.stream()}, in, n, out);
}

constexpr ladder::SumRung rung{"r1 serial", "one thread adds everything", sum, true};

}  // namespace r1

#if !defined(LADDER_WITHOUT_MAIN)
int main(int argc, char** argv) { return ladder::runSum({r1::rung}, argc, argv); }
#endif
