// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -Itweed/include -Itweed/examples occupancy.cu && ./a.out
//
// How many of a multiprocessor's warps a kernel can keep there, and which resource ends it. Blocks
// come whole: as many as all of threads, block slots, registers and shared memory allow. Registers
// go to a warp by 256 and warps come by 32 threads, so that the percentages move in steps.
//
// The first table is arithmetic alone, tweed::occupancy(resources, limits), for a card of compute
// capability 9.0. The second takes this file's kernels on the device that is there, over block
// sizes; the runtime's own count stands beside it. On the loom kernels have no registers.

#include <executionModel/experiment.cuh>
#include <tweed/launch/occupancy.cuh>
#include <tweed/memory/dynamicShared.cuh>

namespace occupancy {

/// CUDA C++ Programming Guide, technical specifications: compute capability 9.0.
inline tweed::MultiprocessorLimits const h200{90,    1024,      2048,       32,         65536,
                                              65536, 48 * 1024, 227 * 1024, 228 * 1024, 1024};

// Asked about, never launched.
__global__ void plain(float* data) { data[threadIdx.x] += 1; }

// Values of them live across the loop, and more registers than that.
template <int Values>
__global__ void manyValues(float* data, int turns) {
  float v[Values];
#pragma unroll
  for (int i = 0; i < Values; ++i) v[i] = data[i];
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < Values; ++i) v[i] = v[i] * v[(i + 7) % Values] + v[(i + 31) % Values];
  }
#pragma unroll
  for (int i = 0; i < Values; ++i) data[i] = v[i];
}

__global__ void tile(float* data) {
  float* const own = tweed::dynamicShared<float>(1024);
  own[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = own[blockDim.x - 1 - threadIdx.x];
}

template <class... Params>
void curve(model::Report& report, char const* name, void (*kernel)(Params...),
           std::size_t sharedBytes) {
  cudaFuncAttributes attributes;
  TWEED_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<void const*>(kernel)));
  for (int const threads : {32, 64, 96, 128, 192, 256, 384, 512, 640, 768, 1024}) {
    tweed::Occupancy const found = tweed::occupancy(kernel, threads, sharedBytes);
    int runtimes = 0;  // for a block that the kernel has no registers for
    if (threads <= attributes.maxThreadsPerBlock)
      TWEED_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
          &runtimes, reinterpret_cast<void const*>(kernel), threads, sharedBytes));
    report.row({{"kernel", name},
                {"registers", report.device.isLoom ? model::notMeasured : attributes.numRegs},
                {"shared bytes", sharedBytes},
                {"threads", threads},
                {"blocks", found.blocks},
                {"runtime's", runtimes},
                {"warps", found.warps},
                {"%", 100 * found.fraction},
                {"limited by", tweed::resourceName(found.limit)}});
    report.expect(found.blocks == runtimes,
                  std::string(name) + ": the runtime counts other blocks");
  }
}

void run(model::Report& report) {
  struct Worked {
    int registers, sharedKiB, threads;
  };
  for (Worked const& worked : {Worked{32, 0, 256}, Worked{64, 0, 256}, Worked{32, 48, 256},
                               Worked{32, 0, 32}, Worked{32, 0, 1024}, Worked{33, 0, 256}}) {
    tweed::Occupancy const found = tweed::occupancy(
        {worked.registers, 0, std::size_t(worked.sharedKiB) * 1024, worked.threads}, h200);
    report.row({{"of 9.0: registers", worked.registers},
                {"shared KiB", worked.sharedKiB},
                {"threads", worked.threads},
                {"blocks", found.blocks},
                {"warps", found.warps},
                {"%", 100 * found.fraction},
                {"limited by", tweed::resourceName(found.limit)}});
  }
  curve(report, "plain", plain, 0);
  curve(report, "32 values", manyValues<32>, 0);
  curve(report, "96 values", manyValues<96>, 0);
  curve(report, "48 KiB tile", tile, 48 * 1024);
  report.lookAt(
      "where the same kernel loses warps from one block size to the next, and what limits it");
}

constexpr model::Experiment experiment{"occupancy", "resident warps, and what limits them", run};

}  // namespace occupancy

#if !defined(MODEL_WITHOUT_MAIN)
int main(int argc, char** argv) { return model::program(occupancy::experiment, argc, argv); }
#endif
