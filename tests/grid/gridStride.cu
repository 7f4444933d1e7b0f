// SPDX-License-Identifier: Apache-2.0
// tests/grid/gridStride.cu - tests tweed/grid/gridStride.cuh
#include <tweed/grid/gridStride.cuh>

#include <limits>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

// Counts the visits of each index; `wrong` those out of range or out of order.
template <class Index>
__global__ void visit(Index n, int* visits, int* wrong) {
  long long last = -1;
  for (auto const i : tweed::gridStride(n)) {
    static_assert(tweed::isSame<decltype(i), Index const>, "the type of the count");
    if (i >= n || (long long)(i) <= last) {
      atomicAdd(wrong, 1);
      return;
    }
    last = (long long)(i);
    atomicAdd(&visits[i], 1);
  }
}

template <class Index>
void checkVisits(Index n, unsigned blocks, unsigned threads) {
  CAPTURE(n);
  CAPTURE(blocks);
  CAPTURE(threads);
  std::size_t const size = n > Index(0) ? std::size_t(n) : 0;
  DeviceArray<int> const visits(std::vector<int>(size, 0));
  DeviceArray<int> const wrong(std::vector<int>(1, 0));
  tweed::launch(visit<Index>, {blocks, threads}, n, visits.data(), wrong.data());
  tweed::synchronize();
  CHECK(wrong.host()[0] == 0);
  int once = 0;
  for (int const times : visits.host()) once += times == 1;
  CHECK(std::size_t(once) == size);
}

// Neighbouring threads get neighbours: thread t of the grid starts with index t.
__global__ void firstIndices(int n, int* first) {
  for (int const i : tweed::gridStride(n)) {
    first[blockIdx.x * blockDim.x + threadIdx.x] = i;
    break;
  }
}

#if defined(TWEED_LOOM)
// What the host pretends to be: one thread of a launch that is too large to run here.
struct Pretend {
  Pretend(unsigned grid, unsigned block, unsigned inGrid, unsigned inBlock) {
    gridDim = dim3(grid), blockDim = dim3(block);
    blockIdx = uint3{inGrid, 0, 0}, threadIdx = uint3{inBlock, 0, 0};
  }
  ~Pretend() {
    gridDim = blockDim = dim3(1);
    blockIdx = threadIdx = uint3{0, 0, 0};
  }
};
template <class Index>
std::vector<Index> indicesOf(Index n, unsigned grid, unsigned block, unsigned inGrid,
                             unsigned inBlock) {
  Pretend const thread(grid, block, inGrid, inBlock);
  std::vector<Index> indices;
  for (Index const i : tweed::gridStride(n)) {
    indices.push_back(i);
    if (indices.size() > 100) break;  // does not end
  }
  return indices;
}
#else
// Every thread's indices are what 64-bit arithmetic says; no memory is touched unless they are not.
template <class Index>
__global__ void visitLarge(Index n, unsigned long long* wrong) {
  unsigned long long const rank = blockIdx.x * (unsigned long long)(blockDim.x) + threadIdx.x;
  unsigned long long const stride = gridDim.x * (unsigned long long)(blockDim.x);
  unsigned long long want = rank;
  for (Index const i : tweed::gridStride(n)) {
    if ((unsigned long long)(i) != want || want >= (unsigned long long)(n)) {
      atomicAdd(wrong, 1ull);
      return;
    }
    want += stride;
  }
  if (want < (unsigned long long)(n)) atomicAdd(wrong, 1ull);
}
template <class Index>
void checkLarge(Index n, unsigned blocks, unsigned threads) {
  DeviceArray<unsigned long long> const wrong(std::vector<unsigned long long>(1, 0));
  tweed::launch(visitLarge<Index>, {blocks, threads}, n, wrong.data());
  tweed::synchronize();
  CHECK(wrong.host()[0] == 0);
}
#endif

}  // namespace

#if defined(TWEED_LOOM)
namespace {
__global__ void strideAlong(int* x) {
  for (int const i : tweed::gridStride(4)) x[i] = 1;
}
}  // namespace
#endif

TEST_SUITE("gridStride") {
#if defined(TWEED_LOOM)
  TEST_CASE("a grid or block of more dimensions is stopped") {
    tweedTest::DeviceArray<int> const x(4);
    std::string const text = tweedTest::fault([&] {
      tweed::launch(strideAlong, {1, dim3(2, 2)}, x.data());
    });
    CHECK(tweedTest::contains(text,
                              "needs a 1-D grid of 1-D blocks; y and z are (2, 1) of the block"));
    CHECK(tweedTest::fault([&] { tweed::launch(strideAlong, {dim3(1, 3), 2}, x.data()); }) != "");
  }
#endif
  TEST_CASE("every index once, in ascending order, for any grid") {
    for (int n : {1, 2, 31, 32, 33, 100, 1000, 1025})
      for (unsigned blocks : {1u, 2u, 3u, 7u})
        for (unsigned threads : {1u, 31u, 32u, 45u, 128u}) checkVisits(n, blocks, threads);
    checkVisits(isShort() ? 1003 : 100003, 5, 96);
    checkVisits(5, 64, 64);
  }
  TEST_CASE("nothing to do for n == 0, and for a negative one (C22)") {
    for (unsigned threads : {1u, 64u}) {
      checkVisits(0, 3, threads);
      checkVisits(-1, 3, threads);
      checkVisits(std::numeric_limits<int>::min(), 3, threads);
      checkVisits(std::numeric_limits<long long>::min(), 3, threads);
      checkVisits(0ull, 3, threads);
      checkVisits((signed char)(-128), 3, threads);
    }
  }
  TEST_CASE_TEMPLATE("indices of every integer type", T, signed char, unsigned char, short,
                     unsigned short, int, unsigned, long, unsigned long long) {
    checkVisits(T(101), 2, 33);
    checkVisits(T(127), 1, 64);
    // The last step passes the end of the type.
    if (sizeof(T) <= 2) checkVisits(std::numeric_limits<T>::max(), 3, 100);
  }
  TEST_CASE("neighbouring threads start with neighbouring indices") {
    DeviceArray<int> const first(std::vector<int>(3 * 40, -1));
    tweed::launch(firstIndices, {3, 40}, 100, first.data());
    tweed::synchronize();
    std::vector<int> const got = first.host();
    for (int t = 0; t < 120; ++t) CHECK(got[std::size_t(t)] == (t < 100 ? t : -1));
  }
#if defined(TWEED_LOOM)
  TEST_CASE("an index near the end of its type does not overflow (C04)") {
    int const n = 1799989091;
    unsigned const blocks = 7031208;  // one index a thread: rounded up, by 256
    for (unsigned block : {0u, 1u, blocks - 2, blocks - 1})
      for (unsigned t : {0u, 1u, 98u, 99u, 100u, 255u}) {
        CAPTURE(block);
        CAPTURE(t);
        long long const rank = block * 256ll + t;
        std::vector<int> const want =
            rank < n ? std::vector<int>(1, int(rank)) : std::vector<int>();
        CHECK((indicesOf(n, blocks, 256, block, t) == want));
      }
    int const most = std::numeric_limits<int>::max();
    CHECK((indicesOf(most, 1u << 20, 1024, 5, 7) == std::vector<int>{5127, 1073746951}));
    CHECK((indicesOf(most, 2000000, 1024, 0, 7) == std::vector<int>{7, 2048000007}));
  }
  TEST_CASE("a stride of 2^32 is not one of 0, and one beyond is not its remainder (C05)") {
    unsigned const blocks = 4194304;
    CHECK((indicesOf(4294967168u, blocks, 1024, 0, 0) == std::vector<unsigned>{0}));
    CHECK((indicesOf(4294967168u, blocks, 1024, blocks - 1, 895) ==
           std::vector<unsigned>{4294967167u}));
    CHECK(indicesOf(4294967168u, blocks, 1024, blocks - 1, 896).empty());
    using Wide = std::vector<unsigned long long>;
    CHECK((indicesOf(8589934597ull, blocks, 1024, 0, 4) == Wide{4, 4294967300ull, 8589934596ull}));
    CHECK((indicesOf(8589934597ull, blocks, 1024, 0, 5) == Wide{5, 4294967301ull}));
    CHECK((indicesOf(1ll << 41, 2147483647, 1024, 0, 9) ==
           std::vector<long long>{9, 2199023254537ll}));
  }
#else
  TEST_CASE("an index near the end of its type does not overflow (C04)") {
    if (tweedTest::isShort()) return;
    checkLarge(1799989091, 7031208, 256);
    checkLarge(std::numeric_limits<int>::max(), 1u << 20, 1024);
    checkLarge(std::numeric_limits<int>::max(), 2000000, 1024);
  }
  TEST_CASE("a stride of 2^32 is not one of 0 (C05)") {
    if (tweedTest::isShort()) return;
    checkLarge(4294967168u, 4194304, 1024);
    checkLarge(8589934597ull, 4194304, 1024);
  }
#endif
}
