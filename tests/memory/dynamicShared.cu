// SPDX-License-Identifier: Apache-2.0
// tests/memory/dynamicShared.cu - tests tweed/memory/dynamicShared.cuh
#include <tweed/memory/dynamicShared.cuh>

#include <tweed/arch/barrier.cuh>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

struct alignas(128) Line {
  unsigned item[32];
};

// Each thread writes one item and reads that of the thread opposite, behind static memory of an odd
// size that must keep its bytes.
template <class T, class Make>
__global__ void mirror(Make make, int* wrong) {
  __shared__ unsigned char before[21];
  int const t = int(threadIdx.x), count = int(blockDim.x);
  if (t < 21) before[t] = (unsigned char)(t + 7);
  T* const items = tweed::dynamicShared<T>(blockDim.x);
  bool good = reinterpret_cast<unsigned long long>(items) % 128 == 0;
  items[t] = make(t + 1000 * int(blockIdx.x));
  tweed::arch::syncBlock();
  good = good && items[count - 1 - t] == make(count - 1 - t + 1000 * int(blockIdx.x));
  if (t < 21) good = good && before[t] == t + 7;
  if (!good) atomicAdd(wrong, 1);
}

template <class T, class Make>
void checkMirror(Make make) {
  for (unsigned threads : {1u, 33u, 128u}) {
    DeviceArray<int> const wrong(std::vector<int>(1, 0));
    tweed::launch(mirror<T, Make>, {3, threads, threads * sizeof(T)}, make, wrong.data());
    tweed::synchronize();
    CHECK(wrong.host()[0] == 0);
  }
}

template <class T>
struct Number {
  TWEED_HOST_DEVICE T operator()(int i) const { return T(i * 3 - 7); }
};
template <int N>
struct MakeBytes {
  TWEED_HOST_DEVICE Bytes<N> operator()(int i) const { return Bytes<N>::of(unsigned(i)); }
};
struct MakeLine {
  TWEED_HOST_DEVICE Line operator()(int i) const {
    Line line{};
    line.item[31] = unsigned(i);
    return line;
  }
};
TWEED_HOST_DEVICE bool operator==(Line const& x, Line const& y) {
  return x.item[31] == y.item[31] && x.item[0] == 0;
}

// All types name the same bytes.
__global__ void sameMemory(unsigned* out) {
  unsigned* const words = tweed::dynamicShared<unsigned>(64);
  words[threadIdx.x] = threadIdx.x * 0x01010101u;
  tweed::arch::syncBlock();
  unsigned char const* const bytes = tweed::dynamicShared<unsigned char>();
  auto const* const wide = tweed::dynamicShared<unsigned long long>(32);
  out[threadIdx.x] = bytes[threadIdx.x * 4 + 3] + 256 * unsigned(wide[threadIdx.x / 2] >> 56) +
                     65536 * tweed::dynamicSharedBytes();
}

#if defined(TWEED_LOOM)
template <class T>
__global__ void ask(unsigned long long count) {
  tweed::dynamicShared<T>(count);
}
#endif

}  // namespace

TEST_SUITE("dynamicShared") {
  TEST_CASE("items of any type up to the last byte, and static memory beside them") {
    checkMirror<unsigned char>(Number<unsigned char>{});
    checkMirror<float>(Number<float>{});
    checkMirror<double>(Number<double>{});
    checkMirror<Bytes<3>>(MakeBytes<3>{});
    checkMirror<Bytes<40>>(MakeBytes<40>{});
    checkMirror<Line>(MakeLine{});
  }
  TEST_CASE("all types name the same memory, and the size is the launch's") {
    DeviceArray<unsigned> const out(64);
    tweed::launch(sameMemory, {1, 64, 256}, out.data());
    tweed::synchronize();
    std::vector<unsigned> const got = out.host();
    for (unsigned t = 0; t < 64; ++t) CHECK(got[t] == t + 256 * (t / 2 * 2 + 1) + 65536 * 256);
  }
#if defined(TWEED_LOOM)
  TEST_CASE("more than the launch has is stopped, with both numbers") {
    auto const askFor = [](auto kernel, unsigned long long count, std::size_t bytes) {
      return fault([&] { tweed::launch(kernel, {1, 1, bytes}, count); });
    };
    CHECK(askFor(ask<float>, 8, 32) == "");
    CHECK(askFor(ask<float>, 0, 0) == "");
    CHECK(askFor(ask<Bytes<12>>, 2, 35) == "");
    CHECK(contains(askFor(ask<float>, 9, 32),
                   "dynamicShared: 9 items of 4 bytes are asked for, the launch has 32 bytes"));
    CHECK(contains(askFor(ask<float>, 9, 35), "the launch has 35 bytes"));
    CHECK(contains(askFor(ask<Bytes<12>>, 1, 0), "1 items of 12 bytes are asked for"));
    // The product of both numbers is 0 in 64 bits.
    CHECK(askFor(ask<double>, 1ull << 61, 64) != "");
  }
#endif
}
