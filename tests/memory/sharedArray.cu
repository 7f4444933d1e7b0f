// SPDX-License-Identifier: Apache-2.0
// tests/memory/sharedArray.cu - tests tweed/memory/sharedArray.cuh
#include <tweed/memory/sharedArray.cuh>

#include <tweed/arch/barrier.cuh>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

struct alignas(64) Line {
  int item[16];
};

static_assert(alignof(tweed::SharedArray<char, 3>) == 16, "16 bytes at least");
static_assert(alignof(tweed::SharedArray<Line, 2>) == 64, "and what the type asks for");
static_assert(sizeof(tweed::SharedArray<Bytes<3>, 16>) == 48, "no gaps between elements");
static_assert(sizeof(tweed::SharedArray<Line, 2>) == 128, "no gaps between elements");

template <class T>
struct Between {
  tweed::SharedArray<unsigned, 4> before;
  tweed::SharedArray<T, 33> items;
  tweed::SharedArray<unsigned, 4> after;
};

// Each thread makes one element and reads its neighbour's, in an array between two others.
template <class T, class Make>
__global__ void makeAndRead(Make make, int* wrong) {
  __shared__ Between<T> shared;
  int const t = int(threadIdx.x);
  if (t < 4) shared.before.construct(t, 0xBEEF0000u + t);
  if (t < 4) shared.after.construct(t, 0xFEED0000u + t);
  tweed::arch::syncBlock();
  shared.items.construct(t, make(t));
  tweed::arch::syncBlock();
  auto const& readable = shared.items;
  int const next = (t + 1) % 33;
  bool good = readable[next] == make(next) && readable.data() + next == &readable[next];
  good = good && reinterpret_cast<unsigned long long>(readable.data()) %
                         tweed::SharedArray<T, 33>::alignment ==
                     0;
  tweed::arch::syncBlock();
  shared.items[t] = make(t + 100);
  tweed::arch::syncBlock();
  good = good && shared.items[next] == make(next + 100);
  tweed::arch::syncBlock();
  shared.items.destroy(t);
  for (int i = 0; i < 4; ++i)
    good = good && shared.before[i] == 0xBEEF0000u + i && shared.after[i] == 0xFEED0000u + i;
  if (!good) atomicAdd(wrong, 1);
}

template <class T, class Make>
void checkArray(Make make) {
  DeviceArray<int> const wrong(std::vector<int>(1, 0));
  tweed::launch(makeAndRead<T, Make>, {3, 33}, make, wrong.data());
  tweed::synchronize();
  CHECK(wrong.host()[0] == 0);
}

struct MakeInt {
  TWEED_HOST_DEVICE int operator()(int i) const { return i * 7 - 3; }
};
struct MakeByte {
  TWEED_HOST_DEVICE signed char operator()(int i) const { return (signed char)(i); }
};
template <int N>
struct MakeBytes {
  TWEED_HOST_DEVICE Bytes<N> operator()(int i) const { return Bytes<N>::of(unsigned(i)); }
};

// A resource: every construction is matched by one destruction, in the memory it was made in.
class Owner {
 public:
  TWEED_HOST_DEVICE Owner(int id, int* alive) : id_(id), alive_(alive), self_(this) { count(1); }
  TWEED_HOST_DEVICE Owner(Owner const& o) : id_(o.id()), alive_(o.alive_), self_(this) { count(1); }
  TWEED_HOST_DEVICE Owner& operator=(Owner const& o) {
    id_ = o.id();
    return *this;
  }
  TWEED_HOST_DEVICE ~Owner() { count(-1); }
  TWEED_HOST_DEVICE int id() const { return self_ == this ? id_ : -1; }
  friend TWEED_HOST_DEVICE bool operator==(Owner const& x, Owner const& y) {
    return x.id() == y.id();
  }

 private:
  TWEED_HOST_DEVICE void count([[maybe_unused]] int by) const {
#if defined(__CUDA_ARCH__) || defined(TWEED_LOOM)
    atomicAdd(alive_, by);
#endif
  }
  int id_;
  int* alive_;
  Owner* self_;
};
struct MakeOwner {
  int* alive;
  TWEED_HOST_DEVICE Owner operator()(int i) const { return Owner(i, alive); }
};

__global__ void oneOfEach(int* out) {
  __shared__ tweed::SharedArray<Line, 1> line;
  __shared__ tweed::SharedArray<double, 1> number;
  if (threadIdx.x == 0) {
    Line made{};
    made.item[15] = 5;
    line.construct(0, made);
    number.construct(0, 2.5);
  }
  tweed::arch::syncBlock();
  out[threadIdx.x] = line[0].item[15] + int(number[0] * 2);
}

#if defined(TWEED_LOOM)
__global__ void readAt(int const* index, int* out) {
  __shared__ tweed::SharedArray<int, 5> items;
  if (threadIdx.x < 5) items.construct(int(threadIdx.x), int(threadIdx.x));
  tweed::arch::syncBlock();
  auto const& readable = items;
  int const value = readable[*index];
  if (threadIdx.x == 0) *out = value;
}
#endif

}  // namespace

TEST_SUITE("sharedArray") {
  TEST_CASE("elements of any size are made, read, assigned and ended, and nothing beside them") {
    checkArray<int>(MakeInt{});
    checkArray<signed char>(MakeByte{});
    checkArray<Bytes<3>>(MakeBytes<3>{});
    checkArray<Bytes<12>>(MakeBytes<12>{});
    checkArray<Bytes<40>>(MakeBytes<40>{});
  }
  TEST_CASE("elements with constructors exist from construct() to destroy()") {
    DeviceArray<int> const alive(std::vector<int>(1, 0));
    checkArray<Owner>(MakeOwner{alive.data()});
    CHECK(alive.host()[0] == 0);
  }
  TEST_CASE("an array of one") {
    DeviceArray<int> const out(32);
    tweed::launch(oneOfEach, {1, 32}, out.data());
    tweed::synchronize();
    for (int const got : out.host()) CHECK(got == 10);
  }
#if defined(TWEED_LOOM)
  TEST_CASE("an index out of range stops the kernel, with the range") {
    DeviceArray<int> const out(1);
    auto const run = [&](int index) {
      DeviceArray<int> const at(std::vector<int>(1, index));
      return fault([&] { tweed::launch(readAt, {1, 8}, at.data(), out.data()); });
    };
    CHECK(contains(run(5), "tweed::SharedArray: index is 5, allowed are 0 to 4"));
    CHECK(contains(run(-1), "tweed::SharedArray: index is -1, allowed are 0 to 4"));
    CHECK(run(4).empty());
    CHECK(out.host()[0] == 4);
    CHECK(run(0).empty());
  }
#endif
}
