// SPDX-License-Identifier: Apache-2.0
// tests/headers/nvrtc.cpp - compiles each device header alone, and kernels that use them, by NVRTC.
// Needs no GPU. Arguments: options of NVRTC, and headers as they are included.
#include <nvrtc.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

std::vector<char const*> options = {"--gpu-architecture=sm_90", "--std=c++17"};

// True if NVRTC compiles it; prints its log otherwise. `kernel` is a name expression, or null.
bool compiles(std::string const& name, std::string const& source, char const* kernel) {
  nvrtcProgram program;
  if (nvrtcCreateProgram(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr) !=
      NVRTC_SUCCESS)
    return false;
  if (kernel != nullptr) nvrtcAddNameExpression(program, kernel);
  bool good = nvrtcCompileProgram(program, int(options.size()), options.data()) == NVRTC_SUCCESS;
  std::size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  std::string log(size, '\0');
  nvrtcGetProgramLog(program, log.data());
  if (good && kernel != nullptr) {
    char const* lowered = nullptr;
    std::size_t cubinSize = 0;
    good = nvrtcGetLoweredName(program, kernel, &lowered) == NVRTC_SUCCESS &&
           nvrtcGetCUBINSize(program, &cubinSize) == NVRTC_SUCCESS;
    std::vector<char> cubin(cubinSize);
    if (good) good = nvrtcGetCUBIN(program, cubin.data()) == NVRTC_SUCCESS;
    // The kernel that was asked for is in the code.
    if (good) good = std::string(cubin.begin(), cubin.end()).find(lowered) != std::string::npos;
  }
  bool const isSilent = log.size() <= 1;
  std::printf("%s %s\n", good && isSilent ? "ok    " : "FAILED", name.c_str());
  if (!isSilent) std::printf("%s\n", log.c_str());
  nvrtcDestroyProgram(&program);
  return good && isSilent;
}

// One kernel with a primitive of each layer.
char const* const kernelSource = R"(
#include <tweed/block/blockReduce.cuh>
#include <tweed/block/blockScan.cuh>
#include <tweed/grid/gridStride.cuh>
#include <tweed/warp/warpReduce.cuh>

template <class T, int Threads>
__global__ void useAll(T const* in, T* out, long long n) {
  T sum = 0;
  for (auto const i : tweed::gridStride(n)) sum += in[i];
  T const top = tweed::warpReduce(sum, tweed::Max{});
  T const total = tweed::blockReduce<Threads>(sum, [](T a, T b) { return a + b; });
  auto const scan = tweed::blockExclusiveScan<Threads>(sum, tweed::Sum{}, T(0));
  out[blockIdx.x * Threads + threadIdx.x] = top + total + scan.prefix;
}
)";

}  // namespace

int main(int argc, char** argv) {
  bool good = true;
  int headers = 0;
  for (int i = 1; i < argc; ++i)
    if (argv[i][0] == '-') options.push_back(argv[i]);
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-') continue;
    std::string const include = std::string("#include <") + argv[i] + ">\n";
    good = compiles(std::string("alone: ") + argv[i],
                    include + include + "__global__ void empty() {}\n", nullptr) &&
           good;
    ++headers;
  }
  good = compiles("useAll<float, 256>", kernelSource, "useAll<float, 256>") && good;
  good = compiles("useAll<double, 96>", kernelSource, "useAll<double, 96>") && good;
  std::printf("%d headers\n", headers);
  return good && headers > 0 ? 0 : 1;
}
