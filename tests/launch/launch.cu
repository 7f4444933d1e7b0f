// SPDX-License-Identifier: Apache-2.0
// tests/launch/launch.cu - tests tweed/launch/launch.cuh
#include <tweed/launch/launch.cuh>
#include <tweed/memory/dynamicShared.cuh>

#include <climits>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

__global__ void count(int* runs) { atomicAdd(runs, 1); }
__global__ void countBlocks(int* runs) {
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0) atomicAdd(runs, 1);
}
__global__ void nothing() {}

// Fills all of its dynamic shared memory, and reads it in another order.
__global__ void useShared(int* sum, unsigned bytes) {
  unsigned char* const shared = tweed::dynamicShared<unsigned char>();
  for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) shared[i] = (unsigned char)(i % 251);
  __syncthreads();
  int wrong = 0;
  for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) {
    unsigned const j = bytes - 1 - i;
    wrong += shared[j] != j % 251;
  }
  atomicAdd(sum, wrong + 1);
}

// One byte less would be enough for nothing: static and dynamic memory both count.
__global__ void useBoth(int* sum, unsigned bytes) {
  __shared__ int own[256];
  own[threadIdx.x % 256] = int(threadIdx.x);
  unsigned char* const shared = tweed::dynamicShared<unsigned char>();
  for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) shared[i] = (unsigned char)(i % 251);
  __syncthreads();
  int wrong = own[(threadIdx.x + 1) % blockDim.x] != int((threadIdx.x + 1) % blockDim.x);
  for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) wrong += shared[i] != i % 251;
  atomicAdd(sum, wrong + 1);
}

// The configuration is refused: the text holds all parts, no error stays, and the kernel did not
// run.
template <class Kernel, class... Args>
void checkRefused(std::vector<std::string> const& parts, tweed::LaunchConfig const& config,
                  Kernel kernel, Args... args) {
  DeviceArray<int> const out(std::vector<int>(1, 5));
  std::string const text = refusal([&] { tweed::launch(kernel, config, out.data(), args...); });
  CAPTURE(text);
  CHECK(contains(text, "tweed::launch"));
  for (std::string const& part : parts) {
    CAPTURE(part);
    CHECK(contains(text, part));
  }
  tweed::synchronize();
  CHECK(out.host()[0] == 5);
  tweed::launch(count, {1, 1}, out.data());  // the next launch is not blamed
  tweed::synchronize();
  CHECK(out.host()[0] == 6);
}

int runsOf(tweed::LaunchConfig const& config) {
  DeviceArray<int> const runs(std::vector<int>(1, 0));
  tweed::launch(countBlocks, config, runs.data());
  tweed::synchronize();
  return runs.host()[0];
}

struct Parameter {
  explicit Parameter(int v) : value(v) {}
  int value;
};
struct Convertible {
  operator double() const { return 2.5; }
};
enum class Color : unsigned char { red = 3 };

__global__ void takeMany(int* out, int i, long long l, float f, double d, bool b, Color c,
                         int const* p) {
  out[0] = i, out[1] = int(l >> 32), out[2] = int(f * 4), out[3] = int(d * 4), out[4] = b;
  out[5] = int(c), out[6] = p == nullptr ? -1 : *p;
}
__global__ void takeStruct(int* out, Parameter parameter) { *out = parameter.value; }

template <class F>
__global__ void apply(int* out, F f) {
  out[threadIdx.x] = f(int(threadIdx.x));
}
struct TimesSeven {
  TWEED_HOST_DEVICE int operator()(int x) const { return 7 * x; }
};

#if defined(TWEED_LOOM)
__global__ void stops(int*) { TWEED_ASSERT(false, "block %u stops", blockIdx.x); }
#else
// Keeps 200 values alive across a loop, so that a thread needs as many registers.
__global__ void needsRegisters(int* out, float* data, int turns) {
  float v[200];
#pragma unroll
  for (int i = 0; i < 200; ++i) v[i] = data[i * 32 + threadIdx.x % 32];
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < 200; ++i) v[i] = v[i] * v[(i + 7) % 200] + v[(i + 31) % 200];
  }
#pragma unroll
  for (int i = 0; i < 200; ++i) data[i * 32 + threadIdx.x % 32] = v[i];
  atomicAdd(out, 1);
}
__global__ __launch_bounds__(256) void boundTo256(int* out) { atomicAdd(out, 1); }

// How many blocks the cluster of each block has.
__global__ void countCluster(int* blocks) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if (threadIdx.x == 0) atomicAdd(blocks + __clusterSizeInBlocks(), 1);
#endif
}
// Ends once the next kernel runs, or after a tenth of a second and more; says which.
__global__ void awaitNext(int volatile* isNextRunning, int* sawIt) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
  for (int i = 0; i < 1 << 17 && *isNextRunning == 0; ++i) {
    long long const start = clock64();
    while (clock64() - start < 2000) {
    }
  }
  *sawIt = *isNextRunning;
}
__global__ void sayRunning(int volatile* isRunning, int const* sawIt, int* copy) {
  *isRunning = 1;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  *copy = 10 + *static_cast<int const volatile*>(sawIt);
}
#endif

}  // namespace

TEST_SUITE("launch") {
  TEST_CASE("every block and thread runs") {
    CHECK(runsOf({1, 1}) == 1);
    CHECK(runsOf({7, 33}) == 7);
    CHECK(runsOf({dim3(2, 3, 4), dim3(4, 3, 2)}) == 24);
    CHECK(runsOf({dim3(1, 1, 5), dim3(1, 1, 64)}) == 5);
    CHECK(runsOf({1, 1024}) == 1);
    CHECK(runsOf({1, dim3(1, 1024)}) == 1);
    DeviceArray<int> const runs(std::vector<int>(1, 0));
    tweed::launch(count, {dim3(2, 3), dim3(5, 7)}, runs.data());
    tweed::launch(nothing, {3, 3});
    tweed::synchronize();
    CHECK(runs.host()[0] == 210);
  }
  TEST_CASE("C38: an empty grid is success, and does nothing") {
    for (dim3 const grid : {dim3(0), dim3(5, 0), dim3(5, 5, 0), dim3(0, 0, 0)})
      CHECK(runsOf({grid, 32}) == 0);
    CHECK(runsOf({0, 32, 300 * 1024}) == 0);
    CHECK(cudaGetLastError() == cudaSuccess);
  }
  TEST_CASE("C38: grids beyond the limits are refused") {
    checkRefused({"grid.y", "65536", "65535"}, {dim3(1, 65536), 32}, count);
    checkRefused({"grid.z", "65536", "65535"}, {dim3(1, 1, 65536), 32}, count);
    checkRefused({"grid.x", "2147483648", "2147483647"}, {2147483648u, 32}, count);
    checkRefused({"grid.x", "4294967295"}, {unsigned(-1), 32}, count);
    checkRefused({"grid.y", "4294967295"}, {dim3(1, unsigned(-1)), 32}, count);
    // An empty grid does not excuse a wrong one.
    checkRefused({"grid.y", "70000", "65535"}, {dim3(0, 70000), 32}, count);
  }
  TEST_CASE("C03: numbers that no dim3 holds are refused, and do not become others") {
    checkRefused({"grid.x is 4294967296; at most 2147483647 is allowed"},
                 {((1ll << 40) + 255) / 256, 256}, count);
    checkRefused({"grid.x is -4194303"}, {-4194303, 512}, count);
    checkRefused({"grid.y is 4294967297"}, {tweed::Extent(1, (1ll << 32) + 1), 1}, count);
    checkRefused({"block.x is 4294967328"}, {1, (1ull << 32) + 32}, count);
    checkRefused({"block.y is -1"}, {1, tweed::Extent(1, -1)}, count);
  }
  TEST_CASE("S15, C38: rows over 8 as grid.y end at 524280 rows, and are not cut off") {
    auto const rowsOf8 = [](long long rows) {
      return tweed::LaunchConfig{tweed::Extent(1, (rows + 7) / 8), dim3(32, 8)};
    };
    checkRefused({"grid.y is 65536; at most 65535"}, rowsOf8(524288), count);
    checkRefused({"grid.y is 65536; at most 65535"}, rowsOf8(524281), count);
    checkRefused({"grid.y is 65536"}, {tweed::Extent(8192 / 32, 16384 * 4), 32}, count);
    CHECK(rowsOf8(524280).grid.y == 65535);
    CHECK(runsOf({tweed::Extent(1, 65535), 1}) == 65535);
  }
  TEST_CASE("a null kernel is refused") {
    void (*const none)(int*) = nullptr;
    CHECK(contains(refusal([&] {
                     tweed::launch(none, {1, 1}, nullptr);
                   }),
                   "kernel is a null pointer"));
  }
  TEST_CASE("C38: blocks beyond the limits are refused") {
    checkRefused({"(32, 64, 1)", "2048", "1024"}, {1, dim3(32, 64)}, count);
    checkRefused({"1025", "1024"}, {1, 1025}, count);
    checkRefused({"(0, 1, 1)", "no threads", "1024"}, {1, 0}, count);
    checkRefused({"(32, 0, 1)", "no threads"}, {1, dim3(32, 0)}, count);
    checkRefused({"block.z", "65", "64"}, {1, dim3(1, 1, 65)}, count);
    checkRefused({"(0, 1, 1)"}, {0, 0}, count);
    checkRefused({"4294967295"}, {1, unsigned(-1)}, count);
    // The product is 2^65 + 1, which 64 bits take for 1; and 2^64, which they take for 0.
    checkRefused({"block.y is 1119412321"}, {1, dim3(2996173443u, 1119412321u, 11)}, count);
    checkRefused({"block.z is 2097152"}, {1, dim3(1u << 22, 1u << 21, 1u << 21)}, count);
  }
  TEST_CASE("C38: more shared memory than a block has is refused") {
    auto const limit = tweed::deviceInfo().sharedBytesPerBlockOptIn;
    checkRefused({std::to_string(300 * 1024), std::to_string(limit)}, {1, 32, 300 * 1024},
                 useShared, 0u);
    checkRefused({std::to_string(limit + 1), std::to_string(limit)}, {1, 32, limit + 1}, useShared,
                 0u);
    checkRefused({std::to_string(SIZE_MAX), std::to_string(limit)}, {1, 32, SIZE_MAX}, useShared,
                 0u);
    // A multiple of 2^32 is not 0.
    checkRefused({"4294967296", std::to_string(limit)}, {1, 32, std::size_t(1) << 32}, useShared,
                 0u);
  }
  TEST_CASE("C38: shared memory above 48 KiB is opted in to by itself, and all of it is there") {
    auto const limit = unsigned(tweed::deviceInfo().sharedBytesPerBlockOptIn);
    for (unsigned const bytes :
         {1u, 48 * 1024u - 1, 48 * 1024u, 48 * 1024u + 1, 100 * 1024u, limit, 7u, limit}) {
      CAPTURE(bytes);
      DeviceArray<int> const sum(std::vector<int>(1, 0));
      tweed::launch(useShared, {2, 128, bytes}, sum.data(), bytes);
      tweed::synchronize();
      CHECK(sum.host()[0] == 256);
    }
  }
  TEST_CASE("C38: exactly 48 KiB beside static shared memory") {
    for (unsigned const bytes : {47 * 1024u, 47 * 1024u + 1, 48 * 1024u, 100 * 1024u}) {
      CAPTURE(bytes);
      DeviceArray<int> const sum(std::vector<int>(1, 0));
      tweed::launch(useBoth, {2, 256, bytes}, sum.data(), bytes);
      tweed::synchronize();
      CHECK(sum.host()[0] == 512);
    }
  }
#if !defined(TWEED_LOOM)  // the loom sees neither static shared memory nor registers
  TEST_CASE("C38: static shared memory counts towards the limit") {
    auto const limit = tweed::deviceInfo().sharedBytesPerBlockOptIn;
    checkRefused({std::to_string(limit), "1024"}, {1, 256, limit}, useBoth, 0u);
    checkRefused({std::to_string(limit - 1023), "1024"}, {1, 256, limit - 1023}, useBoth, 0u);
    checkRefused({std::to_string(SIZE_MAX), "1024"}, {1, 256, SIZE_MAX}, useBoth, 0u);
    auto const most = unsigned(limit - 1024);
    DeviceArray<int> const sum(std::vector<int>(1, 0));
    tweed::launch(useBoth, {1, 256, most}, sum.data(), most);
    tweed::synchronize();
    CHECK(sum.host()[0] == 256);
  }
  TEST_CASE("C38: more registers than a block has are refused") {
    cudaFuncAttributes attributes;
    TWEED_CHECK(cudaFuncGetAttributes(&attributes, needsRegisters));
    REQUIRE(attributes.numRegs > 64);
    DeviceArray<float> const data(std::vector<float>(200 * 32, 0.f));
    checkRefused({"needsRegisters", "1024 threads", std::to_string(attributes.maxThreadsPerBlock),
                  std::to_string(attributes.numRegs * 1024),
                  std::to_string(tweed::deviceInfo().registersPerBlock)},
                 {1, 1024}, needsRegisters, data.data(), 1);
    DeviceArray<int> const out(std::vector<int>(1, 0));
    tweed::launch(needsRegisters, {1, 128}, out.data(), data.data(), 1);
    tweed::synchronize();
    CHECK(out.host()[0] == 128);
  }
  TEST_CASE("C38: more threads than __launch_bounds__ says are refused") {
    checkRefused({"boundTo256", "257", "256"}, {1, 257}, boundTo256);
    CHECK(refusal([] {
            DeviceArray<int> const out(std::vector<int>(1, 0));
            tweed::launch(boundTo256, {1, 256}, out.data());
            tweed::synchronize();
          }).empty());
  }
#endif
  TEST_CASE("clusters that no device runs are refused, with both numbers") {
    auto const config = [](tweed::Extent grid, tweed::Extent cluster) {
      tweed::LaunchConfig config{grid, 32};
      config.cluster = cluster;
      return config;
    };
    checkRefused({"cluster.x is 17; at most 16"}, config(34, 17), count);
    checkRefused({"cluster.y is -1"}, config(dim3(2, 2), tweed::Extent(1, -1)), count);
    checkRefused({"cluster (4, 4, 2) has 32 blocks; 1 to 16"}, config(dim3(4, 4, 2), dim3(4, 4, 2)),
                 count);
    checkRefused({"cluster (0, 1, 1) has 0 blocks"}, config(4, 0), count);
    checkRefused({"cluster (2, 1, 1) does not divide grid (5, 1, 1)"}, config(5, 2), count);
    checkRefused({"(1, 2, 1)", "grid (2, 3, 1)"}, config(dim3(2, 3), dim3(1, 2)), count);
    checkRefused({"(1, 1, 4)", "grid (1, 1, 6)"}, config(dim3(1, 1, 6), dim3(1, 1, 4)), count);
    checkRefused({"does not divide"}, config(3, 2), count);
    CHECK(runsOf(config(0, 2)) == 0);
    CHECK(runsOf(config(7, dim3(1, 1, 1))) == 7);
    if (tweed::deviceAttribute(cudaDevAttrClusterLaunch, tweed::currentDevice()) == 0)
      checkRefused({"a cluster of 4 blocks is asked for; this device allows 1"},
                   config(8, dim3(4, 1)), count);
  }
#if defined(TWEED_LOOM)
  TEST_CASE("a kernel that may overlap the one before it") {
    DeviceArray<int> const runs(std::vector<int>(1, 0));
    tweed::LaunchConfig config{3, 32};
    config.overlapPrevious = true;
    for (int i = 0; i < 4; ++i) tweed::launch(count, config, runs.data());
    tweed::synchronize();
    CHECK(runs.host()[0] == 4 * 96);
  }
#else
  TEST_CASE("clusters have the size that was asked for") {
    if (tweed::deviceAttribute(cudaDevAttrClusterLaunch, tweed::currentDevice()) == 0) {
      MESSAGE("skipped: this device has no clusters");
      return;
    }
    for (dim3 const cluster : {dim3(1), dim3(2), dim3(3), dim3(8), dim3(2, 2), dim3(2, 2, 2)}) {
      CAPTURE(cluster.x);
      DeviceArray<int> const blocks(std::vector<int>(17, 0));
      tweed::LaunchConfig config{dim3(48, 4, 2), 64};
      config.cluster = cluster;
      tweed::launch(countCluster, config, blocks.data());
      tweed::synchronize();
      std::vector<int> expected(17, 0);
      expected[cluster.x * cluster.y * cluster.z] = 48 * 4 * 2;
      CHECK(blocks.host() == expected);
    }
  }
  TEST_CASE("16 blocks a cluster run where the device takes them, else the limit is named") {
    if (tweed::deviceAttribute(cudaDevAttrClusterLaunch, tweed::currentDevice()) == 0) {
      MESSAGE("skipped: this device has no clusters");
      return;
    }
    DeviceArray<int> const blocks(std::vector<int>(17, 0));
    tweed::LaunchConfig config{32, 64};
    config.cluster = 16;
    std::string const text = refusal([&] { tweed::launch(countCluster, config, blocks.data()); });
    CAPTURE(text);
    tweed::synchronize();
    if (text.empty()) {
      CHECK(blocks.host()[16] == 32);
    } else {
      CHECK(contains(text, "cluster of 16 blocks is asked for; this device allows"));
      CHECK(blocks.host() == std::vector<int>(17, 0));
    }
  }
  TEST_CASE("a kernel that may overlap the one before it starts before that has ended") {
    if (tweed::deviceInfo().computeCapability < 90) {
      MESSAGE("skipped: this device runs the kernels of a stream one after the other");
      return;
    }
    if (isShort()) {
      MESSAGE("skipped: under a sanitizer each kernel awaits the end of the one before it");
      return;
    }
    cudaFuncAttributes attributes;  // loads the kernel, which could not be while another one waits
    TWEED_CHECK(cudaFuncGetAttributes(&attributes, sayRunning));
    cudaStream_t stream = nullptr;
    TWEED_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (bool const overlaps : {true, false}) {
      CAPTURE(overlaps);
      DeviceArray<int> const flags(std::vector<int>(3, 0));
      tweed::LaunchConfig config{1, 1, 0, stream};
      tweed::launch(awaitNext, config, flags.data(), flags.data() + 1);
      config.overlapPrevious = overlaps;
      tweed::launch(sayRunning, config, flags.data(), flags.data() + 1, flags.data() + 2);
      tweed::synchronize(stream);
      CHECK(flags.host() == std::vector<int>{1, overlaps, 10 + overlaps});
    }
    TWEED_CHECK(cudaStreamDestroy(stream));
  }
#endif
  TEST_CASE("arguments are converted to the kernel's parameters") {
    DeviceArray<int> const out(std::vector<int>(7, 0));
    DeviceArray<int> const pointed(std::vector<int>(1, 77));
    short const narrow = -9;
    tweed::launch(takeMany, {1, 1}, out.data(), narrow, 1ll << 40, 3, Convertible{}, 1 == 1,
                  Color::red, pointed.data());
    tweed::synchronize();
    CHECK((out.host() == std::vector<int>{-9, 256, 12, 10, 1, 3, 77}));
    tweed::launch(takeMany, {1, 1}, out.data(), 'a', 5, 1.5, 2.25f, false, Color(4), nullptr);
    tweed::synchronize();
    CHECK((out.host() == std::vector<int>{97, 0, 6, 9, 0, 4, -1}));
    tweed::launch(takeStruct, {1, 1}, out.data(), Parameter(41));
    tweed::synchronize();
    CHECK(out.host()[0] == 41);
  }
  TEST_CASE("functors and lambdas are arguments like any other") {
    DeviceArray<int> const out(40);
    tweed::launch(apply<TimesSeven>, {1, 40}, out.data(), TimesSeven{});
    tweed::synchronize();
    std::vector<int> got = out.host();
    for (int i = 0; i < 40; ++i) REQUIRE(got[std::size_t(i)] == 7 * i);
    int const factor = 3, offset = 1000;
    auto const affine = [=] __device__(int x) { return factor * x + offset; };
    tweed::launch(apply<decltype(affine)>, {1, 40}, out.data(), affine);
    tweed::synchronize();
    got = out.host();
    for (int i = 0; i < 40; ++i) REQUIRE(got[std::size_t(i)] == 3 * i + 1000);
  }
  TEST_CASE("a launch goes to its stream, and waiting for it shows what it did") {
    cudaStream_t stream = nullptr;
    TWEED_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    DeviceArray<int> const runs(std::vector<int>(1, 0));
    for (int i = 0; i < 10; ++i) tweed::launch(count, {4, 32, 0, stream}, runs.data());
    tweed::synchronize(stream);
    CHECK(runs.host()[0] == 1280);
    TWEED_CHECK(cudaStreamDestroy(stream));
  }
#if defined(TWEED_LOOM)  // on a GPU it ends the context: tests/traps/faults.cu
  TEST_CASE("a kernel that failed is named, and nothing after it is blamed") {
    DeviceArray<int> const runs(std::vector<int>(1, 0));
    std::string const text = fault([&] { tweed::launch(stops, {2, 32}, runs.data()); });
    CAPTURE(text);
    CHECK(contains(text, "stops(int*)"));
    CHECK(contains(text, "block 0 stops"));
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK_NOTHROW(tweed::synchronize());
    CHECK_NOTHROW(tweed::launch(count, {1, 7}, runs.data()));
    CHECK(runs.host()[0] == 7);
  }
  // On a GPU a destroyed stream is undefined.
  TEST_CASE("a stream that is gone is refused") {
    cudaStream_t stream = nullptr;
    TWEED_CHECK(cudaStreamCreate(&stream));
    TWEED_CHECK(cudaStreamDestroy(stream));
    CHECK(!refusal([&] { tweed::launch(nothing, {1, 1, 0, stream}); }).empty());
    std::string const text = refusal([&] { tweed::synchronize(stream); });
    CHECK(contains(text, "tweed::synchronize: cannot wait for this stream: invalid resource"));
  }
#endif
  TEST_CASE("C38: an error that an earlier call left is neither taken nor blamed on a launch") {
    DeviceArray<int> const runs(std::vector<int>(1, 0));
    (void)cudaSetDevice(-1);
    REQUIRE(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    CHECK_NOTHROW(tweed::launch(count, {2, 32}, runs.data()));
    CHECK_NOTHROW(tweed::launch(useShared, {1, 32, 100 * 1024}, runs.data(), 0u));
    CHECK_NOTHROW(tweed::launch(count, {0, 32}, runs.data()));
    CHECK_NOTHROW(tweed::synchronize());
    CHECK_THROWS_AS(tweed::launch(count, {1, 2000}, runs.data()), tweed::Error);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(runs.host()[0] == 96);
  }
  TEST_CASE("kernels have their names in texts") {
    CHECK(contains(tweed::detail::nameOf(reinterpret_cast<void const*>(takeStruct)), "takeStruct"));
    CHECK(contains(tweed::detail::nameOf(reinterpret_cast<void const*>(apply<TimesSeven>)),
                   "TimesSeven>("));
#if defined(TWEED_LOOM)  // a GPU's runtime may take any pointer for a handle
    static int notAKernel = 0;
    CHECK(tweed::detail::nameOf(&notAKernel) == "a kernel");
#endif
    CHECK(cudaGetLastError() == cudaSuccess);
  }
  TEST_CASE("a kernel that is not there is refused") {
    checkRefused({}, {1, 32}, static_cast<void (*)(int*)>(nullptr));
  }
  TEST_CASE("the code is the runtime's") {
    auto const codeOf = [](tweed::LaunchConfig const& config) {
      try {
        tweed::launch(nothing, config);
      } catch (tweed::Error const& error) {
        return error.code();
      }
      return cudaSuccess;
    };
    CHECK(codeOf({1, 2000}) == cudaErrorInvalidConfiguration);
    CHECK(codeOf({dim3(1, 1, 70000), 1}) == cudaErrorInvalidConfiguration);
    CHECK(codeOf({1, 1, 1 << 20}) == cudaErrorInvalidValue);
    CHECK(codeOf({1, 1}) == cudaSuccess);
    tweed::synchronize();
  }
}
