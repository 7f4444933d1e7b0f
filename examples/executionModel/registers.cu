// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -Itweed/include -Itweed/examples registers.cu && ./a.out
//
// One kernel body that keeps 80 numbers alive, compiled under different bounds. Left alone it takes
// the registers that it needs, and few warps fit. Asked for more blocks (__launch_bounds__) or
// given fewer registers (__maxnreg__), the compiler puts numbers into local memory, which is global
// memory behind caches: spills. Occupancy goes up, and the time shows whether that was worth it.
//
// `nvcc -maxrregcount=64` bounds a whole file so, and `nvcc -Xptxas -v` prints registers and spills
// while it compiles; here the runtime is asked. The loom has no registers.

#include <executionModel/experiment.cuh>
#include <tweed/launch/occupancy.cuh>

namespace registers {

constexpr int threads = 256;
constexpr int values = 80;

// Whole numbers, so that any order of instructions gives the same.
TWEED_DEVICE void mix(unsigned* out, int turns) {
  unsigned const own = blockIdx.x * unsigned(threads) + threadIdx.x;
  unsigned v[values];
#pragma unroll
  for (int i = 0; i < values; ++i) v[i] = own * 2654435761u + unsigned(i) * 40503u;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < values; ++i) v[i] = v[i] * v[(i + 7) % values] + v[(i + 31) % values];
  }
  unsigned all = 0;
#pragma unroll
  for (int i = 0; i < values; ++i) all ^= v[i];
  out[own] = all;
}

// The same on the host.
inline unsigned mixed(unsigned own, int turns) {
  std::vector<unsigned> v(values);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = own * 2654435761u + unsigned(i) * 40503u;
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = v[i] * v[(i + 7) % v.size()] + v[(i + 31) % v.size()];
  unsigned all = 0;
  for (unsigned const value : v) all ^= value;
  return all;
}

__global__ void unbounded(unsigned* out, int turns) { mix(out, turns); }
__global__ __launch_bounds__(threads) void boundBlock(unsigned* out, int turns) { mix(out, turns); }
__global__ __launch_bounds__(threads, 4) void fourBlocks(unsigned* out, int turns) {
  mix(out, turns);
}
__global__ __launch_bounds__(threads, 6) void sixBlocks(unsigned* out, int turns) {
  mix(out, turns);
}
#if defined(__CUDACC__) && defined(__maxnreg__)  // since CUDA 12.4
__global__ __maxnreg__(32) void thirtyTwoRegisters(unsigned* out, int turns) { mix(out, turns); }
#define REGISTERS_HAS_MAXNREG
#endif

struct Variant {
  char const* name;
  void (*kernel)(unsigned*, int);
};
inline Variant const variants[] = {{"none", unbounded},
                                   {"__launch_bounds__(256)", boundBlock},
                                   {"__launch_bounds__(256, 4)", fourBlocks},
                                   {"__launch_bounds__(256, 6)", sixBlocks},
#if defined(REGISTERS_HAS_MAXNREG)
                                   {"__maxnreg__(32)", thirtyTwoRegisters}
#endif
};

void run(model::Report& report) {
  bool const isLoom = report.device.isLoom;
  int const blocks = report.isSmall ? 2 : 16 * report.device.multiprocessors,
            turns = report.isSmall ? 3 : 200;
  std::vector<unsigned> expected(std::size_t(report.isSmall ? blocks : 8) * threads);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = mixed(unsigned(i), turns);
  model::Array<unsigned> out(std::size_t(blocks) * threads);
  for (Variant const& variant : variants) {
    out.fill(0);
    double const time = model::microsecondsOf([&] {
      tweed::launch(variant.kernel, {blocks, threads}, out.data(), turns);
    });
    std::vector<unsigned> const results = out.host();
    report.expect(std::equal(expected.begin(), expected.end(), results.begin()),
                  std::string(variant.name) + ": a result differs from the host's");
    cudaFuncAttributes attributes;
    TWEED_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<void const*>(variant.kernel)));
    tweed::Occupancy const found = tweed::occupancy(variant.kernel, threads);
    auto const known = [&](double value) { return isLoom ? model::notMeasured : value; };
    report.row({{"bound", variant.name},
                {"registers", known(attributes.numRegs)},
                {"local bytes", known(double(attributes.localSizeBytes))},
                {"occupancy %", known(100 * found.fraction)},
                {"us", time}});
  }
  report.lookAt("local bytes, which are spills: more warps do not pay for many of them");
}

constexpr model::Experiment experiment{"registers", "the price of registers and of spills", run};

}  // namespace registers

#if !defined(MODEL_WITHOUT_MAIN)
int main(int argc, char** argv) { return model::program(registers::experiment, argc, argv); }
#endif
