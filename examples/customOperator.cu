// SPDX-License-Identifier: Apache-2.0
// nvcc -std=c++17 -O2 -arch=native -I tweed/include customOperator.cu -o custom && ./custom
//
// An operator of your own, in which order matters, at three levels unchanged: the greatest loss
// that buying at one time and selling at a later one could make, in every 32 prices by warpReduce,
// in every 256 by blockReduce, and in all of them by deviceReduce.

#include <tweed/block/blockReduce.cuh>
#include <tweed/device/deviceReduce.cuh>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <vector>

constexpr int threads = 256;

// A stretch of prices: what its neighbours must know, and its own greatest loss.
struct Stretch {
  float lowest;
  float highest;
  float loss;
};

// Puts two neighbours together. Associative, for then it does not matter where prices are cut.
struct GreatestLoss {
  static constexpr bool isCommutative = false;  // the default: `a` comes before `b`
  // Of no prices; joined with any stretch it leaves that one as it is.
  static TWEED_HOST_DEVICE Stretch identity() { return {INFINITY, -INFINITY, 0}; }
  // Of one price. deviceReduce calls it for each item.
  static TWEED_HOST_DEVICE Stretch lift(float price) { return {price, price, 0}; }
  TWEED_HOST_DEVICE Stretch operator()(Stretch const& a, Stretch const& b) const {
    float const across = a.highest - b.lowest;  // bought in a, sold in b
    return {tweed::smaller(a.lowest, b.lowest), tweed::larger(a.highest, b.highest),
            tweed::larger(tweed::larger(a.loss, b.loss), across)};
  }
};

__global__ void lossesOfParts(float const* prices, long long n, float* ofWarps, float* ofBlocks) {
  long long const i = blockIdx.x * 1ll * threads + threadIdx.x;
  Stretch const own = i < n ? GreatestLoss::lift(prices[i]) : GreatestLoss::identity();
  Stretch const warp = tweed::warpReduce(own, GreatestLoss{});
  Stretch const block = tweed::blockReduce<threads>(own, GreatestLoss{});
  if (threadIdx.x % 32 == 0 && i < n) ofWarps[i / 32] = warp.loss;
  if (threadIdx.x == 0) ofBlocks[blockIdx.x] = block.loss;
}

// The same by a loop over `prices[first .. end)`.
float lossOnHost(std::vector<float> const& prices, std::size_t first, std::size_t end) {
  float highest = -INFINITY;
  float loss = 0;
  for (std::size_t i = first; i < std::min(end, prices.size()); ++i) {
    highest = std::max(highest, prices[i]);
    loss = std::max(loss, highest - prices[i]);
  }
  return loss;
}

// How many of `losses`, each of `items` prices, are not the host's.
int countWrong(std::vector<float> const& losses, std::vector<float> const& prices, int items) {
  int wrong = 0;
  for (std::size_t k = 0; k < losses.size(); ++k)
    wrong += losses[k] != lossOnHost(prices, k * items, (k + 1) * items);
  return wrong;
}

int main(int argc, char** argv) try {
  constexpr long long most = 1ll << 30;
  char const* const usage = "usage: customOperator [N]    N prices, 0 to 1073741824\n";
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(usage, stdout), 0;
  char* end = nullptr;
  long long n = argc == 2 ? std::strtoll(argv[1], &end, 10) : 0;
  if (argc > 2 || (argc == 2 && (end == argv[1] || *end != '\0' || n < 0 || n > most))) {
    std::fprintf(stderr, "customOperator: '%s' is not allowed\n%s", argv[argc - 1], usage);
    return 2;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIP: no CUDA device");
    return 77;
  }
  if (argc == 1) n = tweed::deviceInfo().isLoom ? 100003 : 10000003;

  // They rise in the long run: from last to first the losses would be others.
  std::vector<float> hostPrices(n);
  std::mt19937 random(1);
  float price = 100;
  for (float& x : hostPrices)
    x = price = std::max(1.0f, price + float(random() % 201) * 0.01f - 0.99f);

  std::vector<float> ofWarps(tweed::ceilDiv(n, 32ll)), ofBlocks(tweed::ceilDiv(n, 256ll));
  float *prices, *warps, *blocks;
  Stretch *all, total;
  TWEED_CHECK(cudaMalloc(&prices, n * sizeof(float)));
  TWEED_CHECK(cudaMalloc(&warps, ofWarps.size() * sizeof(float)));
  TWEED_CHECK(cudaMalloc(&blocks, ofBlocks.size() * sizeof(float)));
  TWEED_CHECK(cudaMalloc(&all, sizeof(Stretch)));
  TWEED_CHECK(cudaMemcpy(prices, hostPrices.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  tweed::launch(lossesOfParts, {unsigned(ofBlocks.size()), threads}, prices, n, warps, blocks);
  tweed::deviceReduce(prices, n, all, GreatestLoss{});

  TWEED_CHECK(
      cudaMemcpy(ofWarps.data(), warps, ofWarps.size() * sizeof(float), cudaMemcpyDeviceToHost));
  TWEED_CHECK(
      cudaMemcpy(ofBlocks.data(), blocks, ofBlocks.size() * sizeof(float), cudaMemcpyDeviceToHost));
  TWEED_CHECK(cudaMemcpy(&total, all, sizeof(Stretch), cudaMemcpyDeviceToHost));
  TWEED_CHECK(cudaFree(prices));
  TWEED_CHECK(cudaFree(warps));
  TWEED_CHECK(cudaFree(blocks));
  TWEED_CHECK(cudaFree(all));

  float const expected = lossOnHost(hostPrices, 0, n);
  int const wrongWarps = countWrong(ofWarps, hostPrices, 32);
  int const wrongBlocks = countWrong(ofBlocks, hostPrices, 256);
  std::printf("%lld prices from %g to %g: greatest loss %g (host: %g)\n", n, total.lowest,
              total.highest, total.loss, expected);
  std::printf("of %zu stretches of 32, %d differ from the host's; of %zu of 256, %d\n",
              ofWarps.size(), wrongWarps, ofBlocks.size(), wrongBlocks);
  if (total.loss != expected || wrongWarps > 0 || wrongBlocks > 0) {
    std::puts("FAIL: the device's are others");
    return 1;
  }
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "customOperator: %s\n", error.what());
  return 1;
}
