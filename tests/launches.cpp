// SPDX-License-Identifier: Apache-2.0
// Comes behind each launch of a GPU test program (the linker's --wrap): of every kernel and block
// that any test launches, the occupancy function must say what the runtime says.
#include <tweed/launch/occupancy.cuh>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <tuple>

namespace {

// Not while a graph is captured, which may forbid questions.
bool isCaptured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (stream == nullptr) return false;
  return cudaStreamIsCapturing(stream, &status) != cudaSuccess ||
         status != cudaStreamCaptureStatusNone;
}

void compareWithRuntime(cudaLaunchConfig_t const& config, void const* kernel) {
  if (isCaptured(config.stream)) return;
  int const threads = int(config.blockDim.x * config.blockDim.y * config.blockDim.z);
  static std::mutex mutex;
  static std::set<std::tuple<void const*, int, std::size_t>> known;
  std::lock_guard<std::mutex> const lock(mutex);
  if (!known.emplace(kernel, threads, config.dynamicSmemBytes).second) return;
  cudaFuncAttributes attributes;
  int device = 0, blocks = -1;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess ||
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                    config.dynamicSmemBytes) != cudaSuccess) {
    (void)cudaGetLastError();  // the kernel has faulted by now, and whoever waits for it is told
    return;
  }
  char const* name = "?";
  if (cudaFuncGetName(&name, kernel) != cudaSuccess) (void)cudaGetLastError();
  // The one kernel of named barriers, of which the runtime does not tell; its highest is 15.
  int const barriers = std::strstr(name, "roundTwoParts") != nullptr ? 16 : 1;
  tweed::Occupancy const found =
      tweed::occupancy({attributes.numRegs, attributes.sharedSizeBytes, config.dynamicSmemBytes,
                        threads, attributes.maxThreadsPerBlock, barriers},
                       tweed::multiprocessorLimits(device));
  if (found.blocks == blocks) return;
  std::fprintf(stderr,
               "%s: %d threads, %d registers, %zu + %zu bytes of shared memory: tweed::occupancy "
               "says %d blocks, the runtime %d\n",
               name, threads, attributes.numRegs, attributes.sharedSizeBytes,
               config.dynamicSmemBytes, found.blocks, blocks);
  std::abort();
}

}  // namespace

extern "C" cudaError_t __real_cudaLaunchKernelExC(cudaLaunchConfig_t const* config,
                                                  void const* kernel, void** arguments);
extern "C" cudaError_t __wrap_cudaLaunchKernelExC(cudaLaunchConfig_t const* config,
                                                  void const* kernel, void** arguments) {
  cudaError_t const error = __real_cudaLaunchKernelExC(config, kernel, arguments);
  if (error == cudaSuccess) compareWithRuntime(*config, kernel);
  return error;
}
