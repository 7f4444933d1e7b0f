// SPDX-License-Identifier: Apache-2.0
// tests/cases/backToBack.cu - calls of many kinds and types that follow each other at once, with
// warps held up at random and no barrier of the caller's between
#include <tweed/block/blockArg.cuh>
#include <tweed/block/blockScan.cuh>
#include <tweed/grid/gridReduce.cuh>
#include <tweed/warp/laneMask.cuh>

#include "support/device.cuh"
#include "support/folds.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

// Sets bit `call` of `wrong`, and holds up another set of warps before the next call.
TWEED_DEVICE void expect(bool isRight, int turn, int call, unsigned* wrong) {
  if (!isRight) atomicOr(wrong, 1u << call);
  delayWarps(turn * 16 + call);
}

// The sums of t + turn, and the greatest, over the first n threads; one thread has the greatest.
TWEED_DEVICE int sumUpTo(int n, int turn) { return n * turn + n * (n - 1) / 2; }
TWEED_DEVICE int value(int t, int n, int turn) {
  return t == turn * 31 % n ? 3 * turn + 2000 : 3 * turn + t % 900;
}

template <int Threads>
__global__ void __launch_bounds__(Threads) alternate(int turns, unsigned* wrong) {
  int const t = int(threadIdx.x);
  for (int turn = 0; turn < turns; ++turn) {
    int const top = tweed::blockReduce<Threads>(value(t, Threads, turn), tweed::Max{});
    expect(top == 3 * turn + 2000, turn, 0, wrong);
    int const sum = tweed::blockReduce<Threads>(t + turn);
    expect(sum == sumUpTo(Threads, turn), turn, 1, wrong);
    auto const scan = tweed::blockInclusiveScan<Threads>(t + turn, tweed::Sum{});
    expect(scan.prefix == sumUpTo(t + 1, turn) && scan.total == sum, turn, 2, wrong);
  }
}

// One type and operator again and again, as raking reductions of 65 bytes raced.
template <int Threads>
__global__ void bytes(int turns, unsigned* wrong) {
  using Byte = unsigned char;
  int const t = int(threadIdx.x);
  for (int turn = 0; turn < turns; ++turn) {
    Byte const sum = tweed::blockReduce<Threads>(Byte(t + turn));
    expect(sum == Byte(sumUpTo(Threads, turn)), turn, 0, wrong);
    Byte const top = tweed::blockReduce<Threads>(Byte(turn % 100 + t), tweed::Max{}, Threads - 1);
    expect(top == Byte(turn % 100 + Threads - 2), turn, 1, wrong);
  }
}

template <int Threads>
__global__ void __launch_bounds__(Threads)
    everything(int turns, unsigned char* states, unsigned stateBytes, unsigned* wrong) {
  int const t = int(threadIdx.x);
  int const lane = t % 32, first = t - lane;
  __shared__ tweed::BlockScratch<tweed::Block<Threads>, int> scratch;
  for (int turn = 0; turn < turns; ++turn) {
    float const ofFloat = tweed::blockReduce<Threads>(float(t + turn));
    expect(ofFloat == float(sumUpTo(Threads, turn)), turn, 0, wrong);
    unsigned const present = tweed::presentLanes();
    int const lanes = __popc(present);
    int const ofWarp = tweed::warpReduce(tweed::LaneMask{present}, t + turn);
    expect(ofWarp == sumUpTo(lanes, first + turn), turn, 1, wrong);
    int const count = turn * 7 % Threads + 1;
    double const ofDouble = tweed::blockReduce<Threads>(t < count ? double(t + turn) : double(NAN),
                                                        tweed::Sum{}, count);
    expect(ofDouble == double(sumUpTo(count, turn)), turn, 2, wrong);
    auto const least = tweed::blockArgMin<Threads>(-value(t, Threads, turn), t);
    expect(least.index == turn * 31 % Threads && least.value == -3 * turn - 2000, turn, 3, wrong);
    unsigned char const ofByte = tweed::blockReduce<Threads>((unsigned char)(t + turn));
    expect(ofByte == (unsigned char)(sumUpTo(Threads, turn)), turn, 4, wrong);
    auto const scan = tweed::blockExclusiveScan<Threads>(t + turn, tweed::Sum{}, 5);
    expect(scan.prefix == 5 + sumUpTo(t, turn), turn, 5, wrong);
    Stretch const joined = tweed::blockReduce<Threads>(Stretch::at(unsigned(t + turn)), Join{});
    expect(joined == Stretch{unsigned(turn), unsigned(turn + Threads), 0x600D600D}, turn, 6, wrong);
    auto const joinedScan =
        tweed::blockInclusiveScan<Threads>(Stretch::at(unsigned(t + turn)), Join{});
    expect(joinedScan.prefix == Stretch{unsigned(turn), unsigned(turn + t + 1), 0x600D600D}, turn,
           7, wrong);
    void* const state = states + unsigned(turn) * stateBytes;
    auto const total = tweed::gridReduce<Threads>(t + turn, tweed::Sum{}, state);
    int const want = sumUpTo(Threads, turn) * (total.isLast ? int(gridDim.x) : 1);
    expect(!total.isLast || total.value == want, turn, 8, wrong);
    auto const doubles = tweed::blockInclusiveScan<Threads>(double(t + turn), tweed::Sum{});
    expect(doubles.prefix == double(sumUpTo(t + 1, turn)), turn, 9, wrong);
    int const inScratch = tweed::blockReduce(t + turn, tweed::Sum{}, scratch);
    expect(inScratch == sumUpTo(Threads, turn), turn, 10, wrong);
    int items[2] = {2 * t + turn, 2 * t + 1 + turn};
    int const ofItems = tweed::blockReduce<Threads>(items, tweed::Sum{}, 2 * Threads - 1);
    expect(ofItems == sumUpTo(2 * Threads - 1, turn), turn, 11, wrong);
    int const scanned = tweed::blockInclusiveScan<Threads>(items, tweed::Sum{});
    expect(scanned == sumUpTo(2 * Threads, turn) && items[1] == sumUpTo(2 * t + 2, turn), turn, 12,
           wrong);
  }
}

int turnsOf(int loom) { return isShort() ? 3 : isLoom ? loom : 1000; }

template <int Threads>
void checkEverything(unsigned blocks) {
  CAPTURE(Threads);
  int const turns = turnsOf(12);
  unsigned const bytes = unsigned(tweed::gridReduceBytes<int>(blocks) + 15) / 16 * 16;
  DeviceArray<unsigned> const wrong(std::vector<unsigned>(1, 0));
  DeviceArray<unsigned char> const states(std::vector<unsigned char>(unsigned(turns) * bytes, 0));
  tweed::launch(everything<Threads>, {blocks, Threads}, turns, states.data(), bytes, wrong.data());
  tweed::synchronize();
  CHECK(wrong.host()[0] == 0);
}

}  // namespace

TEST_SUITE("cases of calls back to back") {
  TEST_CASE("C17: maxima, sums and scans of a block of 1024 in turns") {
    DeviceArray<unsigned> const wrong(std::vector<unsigned>(1, 0));
    tweed::launch(alternate<1024>, {2, 1024}, turnsOf(30), wrong.data());
    tweed::launch(alternate<65>, {2, 65}, turnsOf(100), wrong.data());
    tweed::synchronize();
    CHECK(wrong.host()[0] == 0);
  }
  TEST_CASE("C17: bytes in a block of 65") {
    DeviceArray<unsigned> const wrong(std::vector<unsigned>(1, 0));
    tweed::launch(bytes<65>, {2, 65}, turnsOf(300), wrong.data());
    tweed::synchronize();
    CHECK(wrong.host()[0] == 0);
  }
  TEST_CASE("C17: every kind of call and types of 1, 4, 8, 12 and 16 bytes in one kernel") {
    checkEverything<1024>(3);
    checkEverything<256>(5);
    checkEverything<65>(7);
    checkEverything<32>(3);
    checkEverything<17>(2);
  }
}
