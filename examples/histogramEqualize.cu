// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -I tweed/include histogramEqualize.cu -o equalize && ./equalize
//
// Spreads the grey values of an image over the whole range: a kernel of your own made of four
// primitives. gridStrideVectors counts, lastBlock goes on when all is counted, blockInclusiveScan
// adds up the counts, blockReduce finds the darkest grey; one launch more applies the table.

#include <tweed/block/blockScan.cuh>
#include <tweed/grid/gridStrideVectors.cuh>
#include <tweed/grid/lastBlock.cuh>
#include <tweed/launch/occupancy.cuh>
#include <tweed/memory/workspace.cuh>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <vector>

using Grey = unsigned char;
constexpr int greys = 256;  // and threads of a block: one for each grey value

// All 0 before the launch and after it.
struct State {
  unsigned ticket;
  unsigned counts[greys];
};

__global__ void makeTable(Grey const* image, unsigned pixels, Grey* table, State* state) {
  __shared__ unsigned counts[greys];  // of this block
  int const grey = threadIdx.x;
  counts[grey] = 0;
  __syncthreads();
  tweed::gridStrideVectors<16>(image, pixels, [&](Grey x) { atomicAdd(&counts[x], 1u); });
  __syncthreads();
  if (counts[grey] > 0) atomicAdd(&state->counts[grey], counts[grey]);

  if (!tweed::lastBlock(&state->ticket)) return;
  unsigned const count = state->counts[grey];
  state->counts[grey] = 0;
  auto const [asBright, all] = tweed::blockInclusiveScan<greys>(count, tweed::Sum{});
  unsigned const darkest = tweed::blockReduce<greys>(count > 0 ? asBright : all, tweed::Min{});
  // From 0 for the darkest to 255 for the brightest, in steps as large as their shares, rounded.
  unsigned long long const range = tweed::larger(1u, all - darkest);
  unsigned long long const above = tweed::larger(asBright, darkest) - darkest;
  table[grey] = Grey((above * 255 + range / 2) / range);
}

__global__ void applyTable(Grey const* image, unsigned pixels, Grey const* table, Grey* out) {
  tweed::gridStrideVectors<16>(out, image, pixels, [=](Grey x) { return table[x]; });
}

std::vector<Grey> equalizeOnHost(std::vector<Grey> const& image) {
  double asBright[greys] = {};
  for (Grey const x : image) ++asBright[x];
  double const darkest =
      *std::find_if(asBright, asBright + greys - 1, [](double n) { return n > 0; });
  for (int grey = 1; grey < greys; ++grey) asBright[grey] += asBright[grey - 1];
  double const range = std::max(1.0, double(image.size()) - darkest);
  std::vector<Grey> result(image.size());
  std::transform(image.begin(), image.end(), result.begin(),
                 [&](Grey x) { return Grey(std::lround(255 * (asBright[x] - darkest) / range)); });
  return result;
}

int main(int argc, char** argv) try {
  constexpr long long most = 1ll << 30;
  char const* const usage = "usage: histogramEqualize [N]    N pixels, 0 to 1073741824\n";
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(usage, stdout), 0;
  char* end = nullptr;
  long long const asked = argc == 2 ? std::strtoll(argv[1], &end, 10) : 0;
  if (argc > 2 || (argc == 2 && (end == argv[1] || *end != '\0' || asked < 0 || asked > most))) {
    std::fprintf(stderr, "histogramEqualize: '%s' is not allowed\n%s", argv[argc - 1], usage);
    return 2;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  bool const isLoom = tweed::deviceInfo().isLoom;
  unsigned const pixels = argc == 2 ? unsigned(asked) : isLoom ? 99999 : 99999999;

  // Dim and flat: from 60 to 119, mostly near 90.
  std::vector<Grey> image(pixels), result(pixels);
  std::mt19937 random(1);
  for (Grey& x : image) x = Grey(60 + (random() % 60 + random() % 60) / 2);

  Grey *in, *out, *table;
  TWEED_CHECK(cudaMalloc(&in, pixels));
  TWEED_CHECK(cudaMalloc(&out, pixels));
  TWEED_CHECK(cudaMalloc(&table, greys));
  tweed::Workspace workspace;
  auto* const state =
      static_cast<State*>(workspace.takeState("makeTable", sizeof(State), workspace.stream()));

  for (int call = 0; call < 2;
       ++call) {  // the second takes the first's result, with the same state
    TWEED_CHECK(cudaMemcpy(in, image.data(), pixels, cudaMemcpyHostToDevice));
    TWEED_CHECK(cudaMemset(out, 0xAA, pixels));
    unsigned const blocks = tweed::gridFor(pixels, makeTable, greys);
    tweed::launch(makeTable, {blocks, greys}, in, pixels, table, state);
    tweed::launch(applyTable, {blocks, greys}, in, pixels, table, out);
    TWEED_CHECK(cudaMemcpy(result.data(), out, pixels, cudaMemcpyDeviceToHost));
    if (result != equalizeOnHost(image)) {
      std::printf("FAIL: the image of call %d is not the host's\n", call);
      return 1;
    }
    if (pixels > 0 && call == 0) {
      auto const [darkest, brightest] = std::minmax_element(image.begin(), image.end());
      auto const [least, greatest] = std::minmax_element(result.begin(), result.end());
      std::printf("greys from %d to %d become %d to %d\n", *darkest, *brightest, *least, *greatest);
    }
    image = result;
  }
  for (Grey* const memory : {in, out, table}) TWEED_CHECK(cudaFree(memory));
  std::printf("all %u pixels are the host's, and again when equalized again\n", pixels);
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "histogramEqualize: %s\n", error.what());
  return 1;
}
