// SPDX-License-Identifier: Apache-2.0
// tests/memory/workspace.cu - tests tweed/memory/workspace.cuh
#include <tweed/memory/workspace.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

static_assert(!std::is_copy_constructible_v<tweed::Workspace>, "it owns its memory");
static_assert(!std::is_copy_assignable_v<tweed::Workspace>, "it owns its memory");

struct Stream {
  cudaStream_t handle = nullptr;
  Stream() { TWEED_CHECK(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
  ~Stream() { (void)cudaStreamDestroy(handle); }
};

bool isZero(void const* device, std::size_t bytes, cudaStream_t stream) {
  std::vector<unsigned char> host(bytes, 0xEE);
  TWEED_CHECK(cudaMemcpyAsync(host.data(), device, bytes, cudaMemcpyDeviceToHost, stream));
  tweed::synchronize(stream);
  return std::all_of(host.begin(), host.end(), [](unsigned char b) { return b == 0; });
}

// Leaves memory behind in the pool that is not zero.
void soilThePool(std::size_t bytes, cudaStream_t stream) {
  void* p = nullptr;
  TWEED_CHECK(cudaMallocAsync(&p, bytes, stream));
  TWEED_CHECK(cudaMemsetAsync(p, 0xA5, bytes, stream));
  TWEED_CHECK(cudaFreeAsync(p, stream));
}

}  // namespace

TEST_SUITE("workspace") {
  TEST_CASE("it names its stream and size, and starts as zeros") {
    Stream const stream;
    for (std::size_t const bytes : {std::size_t(1), std::size_t(1000), std::size_t(3) << 20}) {
      CAPTURE(bytes);
      soilThePool(bytes, stream.handle);
      tweed::Workspace workspace(stream.handle, bytes);
      CHECK(workspace.stream() == stream.handle);
      CHECK(workspace.bytes() == bytes);
      void* const p = workspace.take("test", bytes, stream.handle);
      REQUIRE(p != nullptr);
      CHECK(reinterpret_cast<std::uintptr_t>(p) % 256 == 0);
      CHECK(isZero(p, bytes, stream.handle));
      CHECK(workspace.take("test", 1, stream.handle) == p);
      CHECK(workspace.take("test", 0, stream.handle) == p);
    }
  }
  TEST_CASE("without arguments it is of the default stream and size") {
    tweed::Workspace workspace;
    CHECK(workspace.stream() == nullptr);
    CHECK(workspace.bytes() == tweed::Workspace::defaultBytes);
    CHECK(isZero(workspace.take("test", workspace.bytes(), nullptr), workspace.bytes(), nullptr));
  }
  TEST_CASE("one that is too small says what is needed and what is there") {
    tweed::Workspace workspace(nullptr, 12345);
    std::string const text =
        refusal([&] { workspace.take("tweed::deviceReduce", 12346, nullptr); });
    CAPTURE(text);
    CHECK(contains(text, "tweed::deviceReduce"));
    CHECK(contains(text, "12346"));
    CHECK(contains(text, "12345"));
    CHECK(refusal([&] { workspace.take("tweed::deviceReduce", 12345, nullptr); }).empty());
    CHECK(contains(refusal([&] { workspace.take("test", SIZE_MAX, nullptr); }),
                   std::to_string(SIZE_MAX)));
  }
  TEST_CASE("one that serves kernels serves no whole-array function, and the other way round") {
    tweed::Workspace kernels(nullptr, 64), functions(nullptr, 64);
    void* const state = kernels.takeState("mine", 64, nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(state) % 256 == 0);
    CHECK(isZero(state, 64, nullptr));
    CHECK(kernels.takeState("yours", 4, nullptr) == state);
    CHECK(contains(refusal([&] { kernels.take("tweed::deviceReduce", 4, nullptr); }),
                   "tweed::deviceReduce: the workspace serves kernels (takeState) already"));
    CHECK(contains(refusal([&] { kernels.takeState("mine", 65, nullptr); }),
                   "mine: needs a workspace of 65 bytes, this one has 64"));
    functions.take("test", 4, nullptr);
    CHECK(contains(refusal([&] { functions.takeState("mine", 4, nullptr); }),
                   "mine: the workspace serves whole-array functions already"));
    functions.take("test", 4, nullptr);
    tweed::Workspace products(nullptr, 64);
    CHECK(products.takeScratch("tweed::matmul", 64, nullptr) != nullptr);
    CHECK(contains(refusal([&] { products.take("tweed::deviceReduce", 4, nullptr); }),
                   "tweed::deviceReduce: the workspace serves products (takeScratch) already"));
    CHECK(contains(refusal([&] { functions.takeScratch("tweed::matmul", 4, nullptr); }),
                   "tweed::matmul: the workspace serves whole-array functions already"));
    // A refusal claims nothing.
    tweed::Workspace fresh(nullptr, 64);
    CHECK(!refusal([&] { fresh.takeState("mine", 65, nullptr); }).empty());
    CHECK(refusal([&] { fresh.take("test", 64, nullptr); }).empty());
  }
  TEST_CASE("a call on another stream is refused") {
    Stream const own;
    Stream const other;
    tweed::Workspace workspace(own.handle, 64);
    for (cudaStream_t const stream : {other.handle, cudaStream_t(nullptr)}) {
      std::string const text = refusal([&] { workspace.take("tweed::deviceScan", 64, stream); });
      CAPTURE(text);
      CHECK(contains(text, "tweed::deviceScan"));
      CHECK(contains(text, "stream"));
    }
    CHECK(workspace.take("tweed::deviceScan", 64, own.handle) != nullptr);
  }
  TEST_CASE("an empty one gives no memory and refuses all that need some") {
    tweed::Workspace workspace(nullptr, 0);
    CHECK(workspace.bytes() == 0);
    CHECK(workspace.take("test", 0, nullptr) == nullptr);
    std::string const text = refusal([&] { workspace.take("test", 1, nullptr); });
    CHECK(contains(text, "1 bytes"));
    CHECK(contains(text, "has 0"));
  }
  TEST_CASE("memory that does not exist is refused and leaves no error behind") {
    for (std::size_t const bytes : {std::size_t(1) << 50, std::size_t(1) << 62, SIZE_MAX}) {
      CAPTURE(bytes);
      std::string const text = refusal([&] { tweed::Workspace workspace(nullptr, bytes); });
      CAPTURE(text);
      CHECK(contains(text, "cudaMallocAsync"));
      CHECK(contains(text, "cudaErrorMemoryAllocation"));
    }
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    tweed::Workspace workspace(nullptr, 64);
    CHECK(isZero(workspace.take("test", 64, nullptr), 64, nullptr));
  }
#if defined(TWEED_LOOM)  // on a GPU a destroyed stream is undefined
  TEST_CASE("a destructor that cannot free leaves no error behind") {
    cudaStream_t stream = nullptr;
    TWEED_CHECK(cudaStreamCreate(&stream));
    {
      tweed::Workspace const workspace(stream, 64);
      TWEED_CHECK(cudaStreamDestroy(stream));
    }
    CHECK(cudaGetLastError() == cudaSuccess);
  }
#endif
  TEST_CASE("its memory is given back") {
#if defined(TWEED_LOOM)
    tweed::loom::Options options = tweed::loom::defaults();
    options.limits.globalBytes = std::size_t(1) << 26;
    tweed::loom::ScopedOptions const small(options);
#endif
    std::size_t available = 0, total = 0;
    TWEED_CHECK(cudaMemGetInfo(&available, &total));
    REQUIRE(available > total / 4);
    for (int i = 0; i < 10; ++i) tweed::Workspace workspace(nullptr, available / 3);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
  }
}
