// SPDX-License-Identifier: Apache-2.0
// tests/property/grid.cu - properties of gridReduce on drawn grids, blocks and data
#include <tweed/grid/gridReduce.cuh>

#include "data.cuh"

namespace {

using namespace tweedTest;

// Every thread of the last block writes the result.
template <class T, class Op>
__global__ void __launch_bounds__(1024)
    runGrid(T const* in, void* state, T* out, int* lasts, Op op) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  auto const total = tweed::gridReduce<tweed::Dynamic<1024>>(in[i], op, state);
  if (!total.isLast) return;
  out[threadIdx.x] = total.value;
  if (threadIdx.x == 0) atomicAdd(lasts, 1);
}

// A case is a launch; those of a batch share the grid, and a state, which nothing resets.
template <class T, class Op>
void checkGrids(char const* name, unsigned kinds, unsigned loomCases, Op op) {
  constexpr unsigned mostBlocks = isLoom ? 70 : 200, mostThreads = isLoom ? 300 : 1024;
  Space const space{{1, 1, 0, 0, 0, 0},
                    {mostThreads, mostBlocks, 0, 15, kinds, 9999},
                    [](Case const&) { return 0u; }};
  checkProperty(
      name, space, loomCases,
      [&](std::vector<Case> const& cases) {
        unsigned const threads = cases[0].threads, blocks = cases[0].blocks;
        Inputs<T> inputs;
        for (Case const& c : cases) inputs.add(c, threads * blocks);
        DeviceArray<T> const in(inputs.items), out(cases.size() * threads);
        DeviceArray<unsigned char> const state(tweed::gridReduceBytes<T>(blocks));
        TWEED_CHECK(cudaMemset(state.data(), 0, sizeof(unsigned)));  // the rest is poison
        DeviceArray<int> const lasts(std::vector<int>(cases.size(), 0));
        watchCalls(op);
        for (std::size_t i = 0; i < cases.size(); ++i)
          tweed::launch(runGrid<T, Op>, {blocks, threads}, in.data() + inputs.firsts[i],
                        state.data(), out.data() + i * threads, lasts.data() + i, op);
        tweed::synchronize();
        std::vector<T> const got = out.host();
        std::vector<int> const wasLast = lasts.host();
        for (std::size_t i = 0; i < cases.size(); ++i) {
          unsigned const n = threads * blocks;
          Reference<T, Op> const want(cases[i], inputs.items.data() + inputs.firsts[i], n, op);
          if (wasLast[i] != 1)
            return Verdict{int(i), std::to_string(wasLast[i]) + " blocks are last"};
          for (unsigned t = 0; t < threads; ++t)
            if (!want.agrees(got[i * threads + t], want.first(n)) ||
                !same(got[i * threads + t], got[i * threads]))
              return Verdict{int(i), "gridReduce, thread " + std::to_string(t)};
        }
        return judgeCalls(op);
      },
      isLoom ? 8 : 64);
}

}  // namespace

TEST_SUITE("properties of grids") {
  TEST_CASE("sums and extremes") {
    checkGrids<unsigned>("sums of unsigned", Extremes, 300, tweed::Sum{});
    checkGrids<double>("sums of double", Random, 300, tweed::Sum{});
    checkGrids<float>("minima of float", Nans, 300, tweed::Min{});
    checkGrids<tweed::Indexed<float, int>>("greatest of float", Nans, 300, tweed::ArgMax{});
  }
  TEST_CASE("order is kept, and the operator is called on data alone") {
    DeviceArray<int> const bad(std::vector<int>(1, 0));
    checkGrids<Stretch>("stretches", Ascending, 300, WatchedJoin{bad.data()});
    checkGrids<Wide>("40 bytes", Ties, 200, AddWide{});
  }
}
