// SPDX-License-Identifier: Apache-2.0
// nvcc -arch=native -rdc=true -Itweed/include -Itweed/examples nestedLaunch.cu && ./a.out
//
// The smallest kernel that launches kernels: each level has half as many threads as the one above
// and notes how many there were, and its last act is to launch the next. A tail launch starts when
// the whole grid that asked for it has ended and sees all that it wrote; since CUDA 12 it takes the
// place of waiting for a child, which a kernel no longer can. It needs relocatable device code
// (-rdc=true) and a GPU.

#include <executionModel/experiment.cuh>
#include <tweed/core/math.cuh>

namespace nestedLaunch {

#if !defined(TWEED_LOOM)
constexpr int threads = 256;

__global__ void level(int depth, int* threadsOf) {
  atomicAdd(&threadsOf[depth], 1);
  if (threadIdx.x != 0 || blockIdx.x != 0 || blockDim.x == 1) return;
  level<<<gridDim.x, blockDim.x / 2, 0, cudaStreamTailLaunch>>>(depth + 1, threadsOf);
  if (cudaGetLastError() != cudaSuccess) __trap();
}
#endif

void run(model::Report& report) {
#if defined(TWEED_LOOM)
  report.skip("kernels that launch kernels need a GPU");
#else
  constexpr int blocks = 3, levels = 9;
  model::Array<int> threadsOf(levels);
  threadsOf.fill(0);
  tweed::launch(level, {blocks, threads}, 0, threadsOf.data());
  tweed::synchronize();
  std::vector<int> const counts = threadsOf.host();
  for (int depth = 0; depth < levels; ++depth) {
    int const expected = blocks * (threads >> depth);
    report.row({{"depth", depth}, {"threads", counts[std::size_t(depth)]}, {"expected", expected}});
    report.expect(counts[std::size_t(depth)] == expected, "a level had other threads");
  }
  for (int const first : {1, 2, 16, 256})
    report.row({{"threads of the first level", first},
                {"levels", 1 + tweed::log2Floor(first)},
                {"us", model::microsecondsOf([&] {
                   tweed::launch(level, {1, first}, 0, threadsOf.data());
                 })}});
  report.lookAt("what a level more costs, beside a launch from the host (launchOverhead)");
#endif
}

constexpr model::Experiment experiment{"nestedLaunch", "a kernel that launches kernels", run};

}  // namespace nestedLaunch

#if !defined(MODEL_WITHOUT_MAIN)
int main(int argc, char** argv) { return model::program(nestedLaunch::experiment, argc, argv); }
#endif
