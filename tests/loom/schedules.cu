// SPDX-License-Identifier: Apache-2.0
/// Kernels under several orders of threads and numbers of resident blocks: right ones stay right, a
/// planted race shows. The first half also runs on a GPU.
#include <doctest/doctest.h>

#include <numeric>

#include "support.cuh"

using loomTest::Array;
using loomTest::launch;
using loomTest::shape;

namespace {

/// Calls `f(name)` once a schedule; on a GPU once.
template <typename F>
void forEachSchedule(F f) {
#if defined(TWEED_LOOM)
  using namespace tweed::loom;
  for (Order order : {Order::forward, Order::reverse, Order::random}) {
    for (unsigned resident : {1u, 2u, 3u, 5u, 8u}) {
      for (std::uint64_t seed = 1; seed <= (order == Order::random ? 3 : 1); ++seed) {
        Options options;
        options.schedule = order;
        options.seed = seed;
        options.residentBlocks = resident;
        options.preempt = order == Order::random ? 4 : 0;
        ScopedOptions scope(options);
        CAPTURE(int(order));
        CAPTURE(resident);
        CAPTURE(seed);
        f();
      }
    }
  }
#else
  f();
#endif
}

template <bool Barriers>
__global__ void treeReduce(int const* in, int* out) {
  int* const shared = loomTest::dynamicShared<int>();
  unsigned const t = threadIdx.x;
  shared[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d) shared[t] += shared[t + d];
    if (Barriers) __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = shared[0];
}

__global__ void lastBlockReduce(int const* in, int* partials, unsigned* ticket, int* out) {
  __shared__ int parts[2];
  __shared__ bool last;
  int sum = in[blockIdx.x * 64 + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = parts[0] + parts[1];
    __threadfence();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  int total = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) total += static_cast<int volatile*>(partials)[b];
  *out = total;
}

// Each block adds to what the block before it published.
__global__ void chain(unsigned* tiles, unsigned* sums) {
  if (threadIdx.x != 0) return;
  unsigned const tile = atomicAdd(tiles, 1u);
  unsigned before = 0;
  if (tile > 0)
    while ((before = atomicAdd(&sums[tile - 1], 0u)) == 0) __nanosleep(20);
  atomicExch(&sums[tile], before + tile + 1);
}

__global__ void spinInBlock(unsigned* out) {
  __shared__ unsigned flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  // The first threads wait for the last one.
  if (threadIdx.x == blockDim.x - 1)
    atomicExch(&flag, 5u);
  else
    while (atomicAdd(&flag, 0u) != 5u) __nanosleep(20);
  atomicAdd(out, atomicAdd(&flag, 0u));
}

__global__ void whereAmI(uint3* threads, uint3* blocks) {
  unsigned const block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned const thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned const at = block * blockDim.x * blockDim.y * blockDim.z + thread;
  threads[at] = threadIdx;
  blocks[at] = blockIdx;
}

}  // namespace

TEST_CASE("loom schedules: right kernels are right under all") {
  forEachSchedule([] {
    Array<int> in(std::vector<int>(12 * 64, 3)), out(12), partials(12), total(1);
    launch(treeReduce<true>, shape(12, 64, 256), in.data(), out.data());
    CHECK(out.get() == std::vector<int>(12, 192));

    Array<unsigned> ticket(1);
    launch(lastBlockReduce, shape(12, 64), in.data(), partials.data(), ticket.data(), total.data());
    CHECK(total.get()[0] == 12 * 192);

    Array<unsigned> tiles(1), sums(12);
    launch(chain, shape(12, 32), tiles.data(), sums.data());
    CHECK(sums.get()[11] == 78);

    Array<unsigned> spun(1);
    launch(spinInBlock, shape(3, 70), spun.data());
    CHECK(spun.get()[0] == 3 * 70 * 5);
  });
}

TEST_CASE("loom schedules: indices of every shape") {
  dim3 const grid(3, 2, 2), block(5, 3, 2);
  Array<uint3> threads(12 * 30), blocks(12 * 30);
  launch(whereAmI, shape(grid, block), threads.data(), blocks.data());
  auto const t = threads.get(), b = blocks.get();
  for (unsigned i = 0; i < 12 * 30; ++i) {
    CHECK((t[i].z * 3 + t[i].y) * 5 + t[i].x == i % 30);
    CHECK((b[i].z * 2 + b[i].y) * 3 + b[i].x == i / 30);
  }
}

#if defined(TWEED_LOOM)
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

using namespace tweed::loom;

namespace {

__global__ void gridBarrier(unsigned* count, unsigned* flag, unsigned* out) {
  if (threadIdx.x == 0) {
    if (atomicAdd(count, 1u) == gridDim.x - 1)
      device::atomicStore(flag, 1u, __ATOMIC_RELEASE);
    else
      while (!device::atomicLoad(flag, __ATOMIC_ACQUIRE)) device::spinPause();
  }
  __syncthreads();
  atomicAdd(out, atomicAdd(count, 0u));
}

__global__ void sharedAtStart(float* out) {
  __shared__ float values[64];
  float* const dynamic = loomTest::dynamicShared<float>();
  if (threadIdx.x < 32) values[threadIdx.x] = dynamic[threadIdx.x] = 1.f;
  __syncthreads();
  out += 128 * blockIdx.x;
  out[threadIdx.x] = values[threadIdx.x];
  out[64 + threadIdx.x] = dynamic[threadIdx.x];
}

__global__ void deviceFunctions(unsigned* out) {
  unsigned const linear = threadIdx.y * blockDim.x + threadIdx.x;
  bool ok = device::laneId() == linear % 32 && device::inKernel();
  ok = ok && device::dynamicSharedBytes() == 96;
  ok = ok && reinterpret_cast<std::uintptr_t>(device::dynamicShared()) % 128 == 0;
  out[linear] = ok;
}

__global__ void producerConsumer(int* out) {
  __shared__ int value;
  if (threadIdx.x == 0) value = 42;
  if (threadIdx.x < 64) device::namedBarrier(1, 64);
  if (threadIdx.x >= 32 && threadIdx.x < 64) out[threadIdx.x - 32] = value;
}

__global__ void exchangeSum(int* out) {
  int value = int(threadIdx.x);
  device::warpExchange(
      0xffffffffu, &value,
      [](void* const* payloads, unsigned arrived) {
        int sum = 0;
        for (int lane = 0; lane < 32; ++lane) sum += *static_cast<int*>(payloads[lane]);
        for (int lane = 0; lane < 32; ++lane)
          *static_cast<int*>(payloads[lane]) = arrived == 0xffffffffu ? sum : -1;
      },
      "exchangeSum");
  out[threadIdx.x] = value;
}

/// What the variables give: "" or the error's text.
std::string environmentError(char const* schedule, char const* resident, Options& options) {
  struct Variable {
    explicit Variable(char const* name) : name_(name) {
      if (char const* value = std::getenv(name)) saved_ = value, wasSet_ = true;
    }
    ~Variable() { set(wasSet_ ? saved_.c_str() : nullptr); }
    void set(char const* value) { value ? setenv(name_, value, 1) : unsetenv(name_); }
    char const* name_;
    std::string saved_;
    bool wasSet_ = false;
  };
  Variable scheduleVariable("TWEED_LOOM_SCHEDULE"), residentVariable("TWEED_LOOM_RESIDENT");
  scheduleVariable.set(schedule);
  residentVariable.set(resident);
  try {
    options = optionsFromEnvironment();
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
  return "";
}

}  // namespace

// ThreadSanitizer would report what is planted here.
#if defined(__SANITIZE_THREAD__)
#define LOOM_UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LOOM_UNDER_TSAN 1
#endif
#endif
#if !defined(LOOM_UNDER_TSAN)
namespace {

int racySum(Order order, std::uint64_t seed) {
  Options options;
  options.schedule = order;
  options.seed = seed;
  ScopedOptions scope(options);
  Array<int> in(std::vector<int>(256, 1)), out(1);
  launch(treeReduce<false>, shape(1, 256, 1024), in.data(), out.data());
  return out.get()[0];
}

}  // namespace

TEST_CASE("loom schedules: a planted race shows under some, and repeats") {
  int wrong = 0;
  wrong += racySum(Order::forward, 1) != 256;
  wrong += racySum(Order::reverse, 1) != 256;
  for (std::uint64_t seed : {1, 2, 3}) {
    int const sum = racySum(Order::random, seed);
    wrong += sum != 256;
    CHECK(sum == racySum(Order::random, seed));
  }
  CHECK(wrong >= 1);
  CHECK(racySum(Order::random, 1) != racySum(Order::random, 2));
}
#endif

TEST_CASE("loom schedules: a barrier across the grid needs all blocks resident") {
  for (bool parallel : {false, true}) {
    Options options;
    options.parallel = parallel;
    for (unsigned resident : {16u, 4u}) {
      options.residentBlocks = resident;
      options.spinLimit = resident == 16 ? 100000 : 2000;
      ScopedOptions scope(options);
      Array<unsigned> count(1), flag(1), out(1);
      auto const run = [&] {
        launch(gridBarrier, shape(16, 64), count.data(), flag.data(), out.data());
      };
      if (resident == 16) {
        run();
        CHECK(out.get()[0] == 16 * 64 * 16);
      } else {
        CHECK_THROWS_AS(run(), Fault);
      }
    }
  }
  // A cooperative launch makes them resident by itself.
  Array<unsigned> count(1), flag(1), out(1);
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config = shape(16, 64);
  config.attrs = &cooperative;
  config.numAttrs = 1;
  launch(gridBarrier, config, count.data(), flag.data(), out.data());
  CHECK(out.get()[0] == 16 * 64 * 16);
}

TEST_CASE("loom schedules: shared memory is NaN at each block's start") {
  Array<float> out(256);
  launch(sharedAtStart, shape(2, 64, 256), out.data());
  auto const values = out.get();
  for (int i = 0; i < 256; ++i) CHECK((values[i] == 1.f) == (i % 64 < 32));
  for (int i = 32; i < 64; ++i) CHECK(values[i] != values[i]);
}

TEST_CASE("loom schedules: the device functions") {
  forEachSchedule([] {
    Array<unsigned> ok(70);
    launch(deviceFunctions, shape(1, dim3(7, 10), 96), ok.data());
    CHECK(ok.get() == std::vector<unsigned>(70, 1));
    Array<int> out(32);
    launch(producerConsumer, shape(1, 96), out.data());
    CHECK(out.get() == std::vector<int>(32, 42));
    launch(exchangeSum, shape(1, 32), out.data());
    CHECK(out.get() == std::vector<int>(32, 496));
  });
}

TEST_CASE("loom schedules: counters") {
  Array<int> in(std::vector<int>(256, 1)), out(4);
  takeCounters();
  launch(treeReduce<true>, shape(4, 64, 256), in.data(), out.data());
  Counters const counters = takeCounters();
  CHECK(counters.blocks == 4);
  CHECK(counters.threads == 4 * 64);
  CHECK(counters.barriers == 4 * 64 * 7);
  CHECK(counters.collectives == 0);
  CHECK(counters.switches >= 4 * 63 * 7);
  CHECK(counters.switches <= 4 * (64 * 8 + 1));
  CHECK(takeCounters().blocks == 0);
}

TEST_CASE("loom schedules: the environment") {
  Options options;
  CHECK(environmentError(nullptr, nullptr, options) == "");
  CHECK(options.schedule == Order::forward);
  CHECK(options.residentBlocks == 1);
  CHECK(environmentError("forward", "3", options) == "");
  CHECK(options.residentBlocks == 3);
  CHECK(environmentError("reverse", nullptr, options) == "");
  CHECK(options.schedule == Order::reverse);
  CHECK(environmentError("random", nullptr, options) == "");
  CHECK(options.schedule == Order::random);
  CHECK(options.preempt == 4);
  CHECK(environmentError("random:71", nullptr, options) == "");
  CHECK(options.seed == 71);
  for (char const* bad : {"", "forwards", "Random", "random:", "random:x", "random:7x", "random:-1",
                          "random: 7", "random:99999999999999999999"}) {
    std::string const text = environmentError(bad, nullptr, options);
    CAPTURE(bad);
    CHECK(text.find(std::string("TWEED_LOOM_SCHEDULE=") + bad + ":") != std::string::npos);
    CHECK(text.find("forward, reverse, random and random:SEED") != std::string::npos);
  }
  for (char const* bad : {"", "0", "-1", "two", "4x", "1025"}) {
    std::string const text = environmentError(nullptr, bad, options);
    CAPTURE(bad);
    CHECK(text.find(std::string("TWEED_LOOM_RESIDENT=") + bad + ":") != std::string::npos);
    CHECK(text.find("from 1 to 1024") != std::string::npos);
  }
}

TEST_CASE("loom schedules: stacks of another size") {
  Options options;
  options.stackBytes = 512 * 1024;
  ScopedOptions scope(options);
  Array<int> in(std::vector<int>(64, 1)), out(1);
  launch(treeReduce<true>, shape(1, 64, 256), in.data(), out.data());
  CHECK(out.get()[0] == 64);
}
#endif
