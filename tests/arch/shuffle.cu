// SPDX-License-Identifier: Apache-2.0
// tests/arch/shuffle.cu - tests tweed/arch/shuffle.cuh
#include <tweed/arch/shuffle.cuh>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;
using tweed::arch::laneId;

enum class Move { index, up, down, flip };

// Row k of `out` is what each lane got for the argument first + k * step; lanes outside the mask
// write nothing, and wait.
template <class T>
__global__ void shuffleAll(T const* in, T* out, Move move, unsigned mask, int width, int first,
                           int step, int rows) {
  int const lane = int(threadIdx.x);
  for (int k = 0; k < rows && (mask >> lane & 1u) != 0; ++k) {
    int const argument = first + k * step;
    T& to = out[k * 32 + lane];
    if (move == Move::index) to = tweed::arch::shuffle(mask, in[lane], argument, width);
    if (move == Move::up) to = tweed::arch::shuffleUp(mask, in[lane], unsigned(argument), width);
    if (move == Move::down)
      to = tweed::arch::shuffleDown(mask, in[lane], unsigned(argument), width);
    if (move == Move::flip) to = tweed::arch::shuffleXor(mask, in[lane], argument, width);
  }
  __syncthreads();
}

// Row d of `out`: what lies d lanes below, and of `isThere` whether that lane is in the group.
template <class T>
__global__ void shuffleUpAll(T const* in, T* out, int* isThere, int width) {
  int const lane = int(threadIdx.x);
  for (unsigned d = 0; d < 32; ++d) {
    auto const below = tweed::arch::shuffleUpIfThere(0xffffffffu, in[lane], d, width);
    out[d * 32 + threadIdx.x] = below.value;
    isThere[d * 32 + threadIdx.x] = below.isThere;
  }
}

int sourceOf(Move move, int lane, int width, int argument) {
  int const first = lane / width * width, last = first + width - 1;
  if (move == Move::index) return first + argument % width;
  if (move == Move::up) return lane - argument < first ? lane : lane - argument;
  if (move == Move::down) return lane + argument > last ? lane : lane + argument;
  return (lane ^ argument) > last ? lane : lane ^ argument;
}

template <class T, class Make>
void checkMove(Make make, Move move, unsigned mask, int width, int first, int step, int rows,
               unsigned threads = 32) {
  CAPTURE(int(move));
  CAPTURE(mask);
  CAPTURE(width);
  std::vector<T> in;
  for (unsigned lane = 0; lane < 32; ++lane) in.push_back(make(lane));
  DeviceArray<T> const dIn(in);
  DeviceArray<T> const out(std::size_t(rows) * 32);
  tweed::launch(shuffleAll<T>, {1, threads}, dIn.data(), out.data(), move, mask, width, first, step,
                rows);
  tweed::synchronize();
  std::vector<T> const got = out.host();
  for (int k = 0; k < rows; ++k)
    for (int lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1u) == 0) continue;
      int const source = sourceOf(move, lane, width, first + k * step);
      CAPTURE(lane);
      CAPTURE(source);
      REQUIRE(got[std::size_t(k * 32 + lane)] == in[std::size_t(source)]);
    }
}

template <class T, class Make>
void checkUpIfThere(Make make) {
  std::vector<T> in;
  for (unsigned lane = 0; lane < 32; ++lane) in.push_back(make(lane));
  DeviceArray<T> const dIn(in);
  for (int width = 1; width <= 32; width *= 2) {
    CAPTURE(width);
    DeviceArray<T> const out(32 * 32);
    DeviceArray<int> const isThere(std::vector<int>(32 * 32, -1));
    tweed::launch(shuffleUpAll<T>, {1, 32}, dIn.data(), out.data(), isThere.data(), width);
    tweed::synchronize();
    std::vector<T> const got = out.host();
    std::vector<int> const gotThere = isThere.host();
    for (int d = 0; d < 32; ++d)
      for (int lane = 0; lane < 32; ++lane) {
        CAPTURE(d);
        CAPTURE(lane);
        REQUIRE(gotThere[std::size_t(d * 32 + lane)] == int(lane % width >= d));
        REQUIRE(got[std::size_t(d * 32 + lane)] ==
                in[std::size_t(sourceOf(Move::up, lane, width, d))]);
      }
  }
}

// Every argument that names a lane of the group, and for up and down every other one too.
template <class T, class Make>
void checkWidths(Make make) {
  for (int width = 1; width <= 32; width *= 2) {
    checkMove<T>(make, Move::index, 0xffffffffu, width, 0, 1, width);
    checkMove<T>(make, Move::up, 0xffffffffu, width, 0, 1, 32);
    checkMove<T>(make, Move::down, 0xffffffffu, width, 0, 1, 32);
    checkMove<T>(make, Move::flip, 0xffffffffu, width, 0, 1, width);
  }
}

template <int N>
void checkBytes() {
  checkWidths<Bytes<N>>([](unsigned seed) { return Bytes<N>::of(seed); });
}

// Trivially copyable, but made only from a value.
class Made {
 public:
  TWEED_HOST_DEVICE explicit Made(double value) : value_(value) {}
  friend TWEED_HOST_DEVICE bool operator==(Made const& x, Made const& y) {
    return x.value_ == y.value_;
  }

 private:
  double value_;
};

__global__ void writeLanes(int* out) {
  out[threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)] = laneId();
}

// Each half of the warp is in a branch of its own, and moves values without the other.
__global__ void shuffleHalves(int* out) {
  int const lane = laneId();
  if (lane < 16) {
    int value = lane;
    for (int i = 0; i < 5; ++i) value = tweed::arch::shuffle(0x0000ffffu, value, (lane + 1) % 16);
    out[lane] = value;
  } else {
    int value = lane;
    for (int d = 1; d < 16; d *= 2) value += tweed::arch::shuffleXor(0xffff0000u, value, d);
    out[lane] = value;
  }
}

}  // namespace

TEST_SUITE("shuffle") {
  TEST_CASE("numbers move whole") {
    checkWidths<int>([](unsigned seed) { return int(noise(seed)); });
    checkWidths<double>([](unsigned seed) { return double(noise(seed)); });
    checkWidths<unsigned short>([](unsigned seed) { return (unsigned short)(noise(seed)); });
  }
#if defined(__SIZEOF_INT128__)
  TEST_CASE("integers of 128 bits move whole, of either sign") {
    __extension__ typedef __int128 Signed;
    __extension__ typedef unsigned __int128 Unsigned;
    auto const make = [](unsigned seed) {
      return Unsigned(noise(seed)) << 64 | Unsigned(noise(seed + 1000));
    };
    checkWidths<Unsigned>(make);
    checkWidths<Signed>([&](unsigned seed) { return Signed(make(seed)); });
    Signed const least = Signed(Unsigned(1) << 127);
    for (Signed const value : {least, Signed(least + 1), Signed(-1), Signed(0), Signed(~least)})
      checkMove<Signed>([&](unsigned) { return value; }, Move::down, 0xffffffffu, 32, 1, 1, 1);
  }
#endif
  TEST_CASE("structures of any size move whole") {
    checkBytes<1>(), checkBytes<3>(), checkBytes<7>(), checkBytes<12>();
    if (isShort()) return;
    checkBytes<2>(), checkBytes<4>(), checkBytes<8>(), checkBytes<16>(), checkBytes<40>();
  }
  TEST_CASE("a type without a default constructor moves") {
    checkWidths<Made>([](unsigned seed) { return Made(seed * 0.5); });
  }
  TEST_CASE("shuffleUpIfThere tells whether the group has the lane") {
    checkUpIfThere<int>([](unsigned seed) { return int(noise(seed)); });
    checkUpIfThere<unsigned short>([](unsigned seed) { return (unsigned short)(noise(seed)); });
    checkUpIfThere<Bytes<3>>([](unsigned seed) { return Bytes<3>::of(seed); });
  }
  TEST_CASE("a mask of every other lane") {
    auto const make = [](unsigned seed) { return Bytes<12>::of(seed); };
    for (unsigned mask : {0x55555555u, 0xaaaaaaaau})
      for (int width : {4, 16, 32}) {
        checkMove<Bytes<12>>(make, Move::up, mask, width, 0, 2, 16);
        checkMove<Bytes<12>>(make, Move::down, mask, width, 0, 2, 16);
        checkMove<Bytes<12>>(make, Move::flip, mask, width, 0, 2, width / 2);
        checkMove<Bytes<12>>(make, Move::index, mask, width, int(mask & 2) / 2, 2, width / 2);
      }
  }
  TEST_CASE("a mask of one lane, of a group, and of all lanes of a short warp") {
    auto const make = [](unsigned seed) { return (long long)(noise(seed)); };
    for (int lane = 0; lane < 32; lane += 5) {
      checkMove<long long>(make, Move::index, 1u << lane, 32, lane, 1, 1);
      checkMove<long long>(make, Move::flip, 1u << lane, 1, 0, 1, 1);
    }
    for (int first = 0; first < 32; first += 8) {
      checkMove<long long>(make, Move::index, 0xffu << first, 8, 0, 1, 8);
      checkMove<long long>(make, Move::up, 0xffu << first, 8, 0, 1, 32);
      checkMove<long long>(make, Move::down, 0xffu << first, 8, 0, 1, 32);
      checkMove<long long>(make, Move::flip, 0xffu << first, 8, 0, 1, 8);
    }
    checkMove<long long>(make, Move::index, 0x1fu, 32, 0, 1, 5, 5);
    checkMove<long long>(make, Move::up, 0x1fu, 32, 0, 1, 32, 5);
  }
  // PTX: an index wraps within the group; an xor out of the group reads a lower one, not a higher.
  TEST_CASE("arguments that name no lane of the group") {
    auto const make = [](unsigned seed) { return int(noise(seed)); };
    for (int width : {1, 4, 16}) {
      checkMove<int>(make, Move::index, 0xffffffffu, width, 0, 1, 32);
      checkMove<int>(make, Move::flip, 0xffffffffu, width, 0, 1, 32);
    }
  }
  TEST_CASE("halves of a warp in branches of their own move values independently (C14)") {
    DeviceArray<int> const out(32);
    tweed::launch(shuffleHalves, {1, 32}, out.data());
    tweed::synchronize();
    std::vector<int> const got = out.host();
    for (int lane = 0; lane < 16; ++lane) CHECK(got[std::size_t(lane)] == (lane + 5) % 16);
    for (int lane = 16; lane < 32; ++lane) CHECK(got[std::size_t(lane)] == 376);
  }
  TEST_CASE("the lane is the rank in the block modulo 32") {
    for (dim3 block : {dim3(100), dim3(5, 13), dim3(3, 7, 4), dim3(1, 1, 64)}) {
      unsigned const threads = block.x * block.y * block.z;
      DeviceArray<int> const out(threads);
      tweed::launch(writeLanes, {1, block}, out.data());
      tweed::synchronize();
      std::vector<int> const lanes = out.host();
      for (unsigned i = 0; i < threads; ++i) REQUIRE(lanes[i] == int(i % 32));
    }
  }
#if defined(TWEED_LOOM)
  TEST_CASE("a source that the mask omits, or that has left, is named") {
    DeviceArray<int> const in(std::vector<int>(32, 7));
    DeviceArray<int> const out(32);
    auto const run = [&](unsigned mask, int source) {
      return fault([&] {
        tweed::launch(shuffleAll<int>, {1, 32}, in.data(), out.data(), Move::index, mask, 32,
                      source, 0, 1);
      });
    };
    CHECK(run(0x0000ffffu, 3).empty());
    std::string const text = run(0x0000ffffu, 20);
    CAPTURE(text);
    CHECK(contains(text, "0x0000ffff"));
    CHECK(contains(text, "reads lane 20"));
  }
#endif
}
