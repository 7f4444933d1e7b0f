// SPDX-License-Identifier: Apache-2.0
// tests/grid/gridStride2D.cu - tests tweed/grid/gridStride2D.cuh
#include <tweed/grid/gridStride2D.cuh>

#include <limits>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

// Counts the visits of each pair; `wrong` those out of range or out of order.
template <class Row, class Col>
__global__ void visit(Row rows, Col cols, int* visits, int* wrong) {
  long long last = -1;
  for (auto const [row, col] : tweed::gridStride2D(rows, cols)) {
    static_assert(tweed::isSame<decltype(row), Row const>, "the type of the count");
    static_assert(tweed::isSame<decltype(col), Col const>, "the type of the count");
    long long const at = (long long)(row) * (long long)(cols) + (long long)(col);
    if (row >= rows || col >= cols || at <= last) {  // negative ones are not above the last
      atomicAdd(wrong, 1);
      return;
    }
    last = at;
    atomicAdd(&visits[at], 1);
  }
}

template <class Row, class Col>
void checkVisits(Row rows, Col cols, dim3 grid, dim3 block) {
  CAPTURE(rows);
  CAPTURE(cols);
  CAPTURE(grid.x);
  CAPTURE(grid.y);
  CAPTURE(grid.z);
  CAPTURE(block.x);
  CAPTURE(block.y);
  CAPTURE(block.z);
  bool const isEmpty = rows <= Row(0) || cols <= Col(0);
  std::size_t const size = isEmpty ? 0 : std::size_t(rows) * std::size_t(cols);
  DeviceArray<int> const visits(std::vector<int>(size, 0));
  DeviceArray<int> const wrong(std::vector<int>(1, 0));
  tweed::launch(visit<Row, Col>, {grid, block}, rows, cols, visits.data(), wrong.data());
  tweed::synchronize();
  CHECK(wrong.host()[0] == 0);
  std::size_t once = 0;
  for (int const times : visits.host()) once += times == 1;
  CHECK(once == size);
}

// The first pair of each thread, as row * cols + col.
__global__ void firstPairs(int rows, int cols, int* first) {
  unsigned const block = blockIdx.y * gridDim.x + blockIdx.x;
  unsigned const t = (block * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  first[t] = -1;
  for (auto const [row, col] : tweed::gridStride2D(rows, cols)) {
    first[t] = row * cols + col;
    break;
  }
}

#if defined(TWEED_LOOM)
// What the host pretends to be: one thread of a launch that is too large to run here.
struct Pretend {
  Pretend(dim3 grid, dim3 block, uint3 inGrid, uint3 inBlock) {
    gridDim = grid, blockDim = block, blockIdx = inGrid, threadIdx = inBlock;
  }
  ~Pretend() {
    gridDim = blockDim = dim3(1);
    blockIdx = threadIdx = uint3{0, 0, 0};
  }
};
template <class Row, class Col>
using Pairs = std::vector<std::pair<Row, Col>>;

template <class Row, class Col>
Pairs<Row, Col> pairsOf(Row rows, Col cols, Pretend const&, std::size_t most = 100) {
  Pairs<Row, Col> pairs;
  for (auto const [row, col] : tweed::gridStride2D(rows, cols)) {
    pairs.push_back({row, col});
    if (pairs.size() >= most) break;
  }
  return pairs;
}
#else
// What arithmetic without limits says of a 1-D launch; no memory is touched unless it is not so.
template <class Row, class Col>
__global__ void visitLarge(Row rows, Col cols, unsigned long long* wrong) {
  unsigned long long const rank = blockIdx.x * (unsigned long long)(blockDim.x) + threadIdx.x;
  unsigned long long const stride = gridDim.x * (unsigned long long)(blockDim.x);
  unsigned long long const all = (unsigned long long)(rows) * (unsigned long long)(cols);
  unsigned long long want = rank;
  for (auto const [row, col] : tweed::gridStride2D(rows, cols)) {
    unsigned long long const at =
        (unsigned long long)(row) * (unsigned long long)(cols) + (unsigned long long)(col);
    if (at != want || row >= rows || col >= cols) {
      atomicAdd(wrong, 1ull);
      return;
    }
    want += stride;
  }
  if (want < all) atomicAdd(wrong, 1ull);
}
#endif

}  // namespace

TEST_SUITE("gridStride2D") {
  TEST_CASE("every pair once, in ascending order, for any grid and block") {
    std::vector<std::pair<dim3, dim3>> const shapes = {
        {1, 1},  {3, 32},           {7, 45},           {dim3(2, 3), dim3(8, 4)},
        {2, 96}, {dim3(1, 5), 33},  {1, dim3(1, 40)},  {dim3(3, 2, 2), dim3(4, 3, 2)},
        {64, 8}, {dim3(40, 1), 16}, {dim3(1, 1, 3), 5}};
    for (auto const& [grid, block] : shapes) {
      checkVisits(1, 1, grid, block);
      checkVisits(1, 131, grid, block);
      checkVisits(131, 1, grid, block);
      checkVisits(17, 3, grid, block);
      checkVisits(3, 17, grid, block);
      checkVisits(31, 33, grid, block);
      if (!isShort()) checkVisits(64, 96, grid, block);
    }
  }
  TEST_CASE("rows of any length are walked by a 1-D launch without a gap") {
    for (int cols = 1; cols <= (isShort() ? 9 : 70); ++cols) checkVisits(11, cols, 3, 13);
    for (int rows = 1; rows <= (isShort() ? 5 : 40); ++rows) checkVisits(rows, 7, 2, 37);
  }
  TEST_CASE("nothing to do for no rows, no columns, and for negative ones") {
    std::vector<std::pair<dim3, dim3>> const shapes = {{3, 32}, {dim3(2, 2), dim3(4, 4)}};
    for (auto const& [grid, block] : shapes) {
      checkVisits(0, 0, grid, block);
      checkVisits(0, 5, grid, block);
      checkVisits(5, 0, grid, block);
      checkVisits(-1, 5, grid, block);
      checkVisits(5, std::numeric_limits<int>::min(), grid, block);
      checkVisits(std::numeric_limits<long long>::min(), 5ull, grid, block);
      checkVisits(0ull, 1u << 31, grid, block);
    }
  }
  TEST_CASE_TEMPLATE("counts of every integer type, and of two", T, signed char, unsigned char,
                     short, unsigned short, int, unsigned, long, unsigned long long) {
    checkVisits(T(19), T(101), dim3(2, 2), dim3(8, 2));
    checkVisits(T(101), 19, 3, 40);
    checkVisits(19ll, T(101), 1, 64);
    // A step passes the end of the type.
    checkVisits(T(127), T(127), 3, 100);
    if (sizeof(T) <= 2) checkVisits(std::numeric_limits<T>::max(), T(1), 3, 100);
    if (sizeof(T) <= 2) checkVisits(T(1), std::numeric_limits<T>::max(), dim3(3, 1), dim3(25, 2));
  }
  TEST_CASE("neighbouring threads start side by side in a row") {
    DeviceArray<int> const first(2 * 2 * 32);
    tweed::launch(firstPairs, {dim3(2, 2), dim3(16, 2)}, 50, 40, first.data());
    tweed::synchronize();
    std::vector<int> got = first.host();
    for (int b = 0; b < 4; ++b)
      for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 16; ++x)
          CHECK(got[std::size_t(b * 32 + y * 16 + x)] == (b / 2 * 2 + y) * 40 + b % 2 * 16 + x);
    tweed::launch(firstPairs, {2, 64}, 50, 3, first.data());
    tweed::synchronize();
    got = first.host();
    for (int t = 0; t < 128; ++t) CHECK(got[std::size_t(t)] == t);
  }
  TEST_CASE("more rows than a grid has in y (S15)") {
    int const rows = isShort() ? 4099 : 70000;  // 65535 is the most that grid.y takes
    checkVisits(rows, 3, dim3(1, 300), dim3(2, 2));
    checkVisits(rows, 2, dim3(1, 7, 5), dim3(2, 2, 2));
  }
#if defined(TWEED_LOOM)
  TEST_CASE("grids at their limits in y and z") {
    dim3 const grid(1, 65535, 65535), block(4, 4, 64);
    // Rows of the launch: 65535 * 4 * 65535 * 64 = 1099478073600.
    long long const launched = 1099478073600ll;
    using Wide = Pairs<long long, int>;
    CHECK((pairsOf(launched + 7, 4, {grid, block, {0, 0, 0}, {3, 2, 0}}) ==
           Wide{{2, 3}, {launched + 2, 3}}));
    CHECK((pairsOf(launched + 7, 4, {grid, block, {0, 65534, 65534}, {1, 3, 63}}) ==
           Wide{{launched - 1, 1}}));
    CHECK((pairsOf(launched + 7, 4, {grid, block, {0, 1, 0}, {1, 3, 0}}) == Wide{{7, 1}}));
    // The same launch, of which an int holds only the first rows.
    CHECK((pairsOf(2147483647, 5, {grid, block, {0, 1, 0}, {0, 3, 0}}) ==
           Pairs<int, int>{{7, 0}, {7, 4}}));
    CHECK(pairsOf(2147483647, 5, {grid, block, {0, 65534, 65534}, {0, 3, 63}}).empty());
  }
  TEST_CASE("65536 x 65536 and larger: no product overflows (C02, C03)") {
    // Element 2^32 - 1, the last one, belongs to the last thread.
    dim3 const grid(1u << 22), block(1024);
    CHECK((pairsOf(65536, 65536, {grid, block, {(1u << 22) - 1, 0, 0}, {1023, 0, 0}}) ==
           Pairs<int, int>{{65535, 65535}}));
    CHECK((pairsOf(65536, 65536, {1u << 21, block, {5, 0, 0}, {7, 0, 0}}) ==
           Pairs<int, int>{{0, 5127}, {32768, 5127}}));
    CHECK((pairsOf(65537, 65537, {grid, block, {0, 0, 0}, {0, 0, 0}}) ==
           Pairs<int, int>{{0, 0}, {65535, 1}}));
    // 2^63 - 1 columns twice: their number has 64 bits.
    long long const most = std::numeric_limits<long long>::max();
    unsigned long long const blocks = 2147483647;
    auto const pairs = pairsOf(2, most, {unsigned(blocks), block, {0, 0, 0}, {0, 0, 0}}, 3);
    CHECK((pairs == Pairs<int, long long>{{0, 0}, {0, 2199023254528ll}, {0, 4398046509056ll}}));
    CHECK((pairsOf(most, most, {1, 1, {0, 0, 0}, {0, 0, 0}}, 2) ==
           Pairs<long long, long long>{{0, 0}, {0, 1}}));
    unsigned long long const all = ~0ull;
    CHECK((pairsOf(all, 1, {1, 1, {0, 0, 0}, {0, 0, 0}}, 2) ==
           Pairs<unsigned long long, int>{{0, 0}, {1, 0}}));
  }
  TEST_CASE("an index near the end of its type does not overflow (C04)") {
    int const n = 1799989091;
    unsigned const blocks = 7031208;  // one pair a thread: rounded up, by 256
    for (unsigned b : {0u, 1u, blocks - 2, blocks - 1})
      for (unsigned t : {0u, 98u, 99u, 100u, 255u}) {
        long long const rank = b * 256ll + t;
        bool const has = rank < n;
        Pretend const thread(blocks, 256, {b, 0, 0}, {t, 0, 0});
        CHECK(
            (pairsOf(1, n, thread) == (has ? Pairs<int, int>{{0, int(rank)}} : Pairs<int, int>{})));
        CHECK(
            (pairsOf(n, 1, thread) == (has ? Pairs<int, int>{{int(rank), 0}} : Pairs<int, int>{})));
      }
    int const most = std::numeric_limits<int>::max();
    CHECK((pairsOf(1, most, {1u << 20, 1024, {5, 0, 0}, {7, 0, 0}}) ==
           Pairs<int, int>{{0, 5127}, {0, 1073746951}}));
    CHECK((pairsOf(most, 1, {dim3(1, 65535), dim3(1, 1024), {0, 5, 0}, {0, 7, 0}}).size() == 33));
    CHECK((pairsOf(1, most, {dim3(2000000, 2), 1024, {0, 0, 0}, {7, 0, 0}}) ==
           Pairs<int, int>{{0, 7}, {0, 2048000007}}));
    unsigned const all = ~0u;
    CHECK((pairsOf(all, 1, {2147483647, 2, {0, 0, 0}, {0, 0, 0}}) ==
           Pairs<unsigned, int>{{0, 0}, {all - 1, 0}}));
    CHECK((pairsOf(all, 1, {2147483647, 3, {0, 0, 0}, {0, 0, 0}}) == Pairs<unsigned, int>{{0, 0}}));
    CHECK((pairsOf(all, 3, {2147483647, 1024, {0, 0, 0}, {1, 0, 0}}) ==
           Pairs<unsigned, int>{{0, 1}}));
    // 2 200 000 000 rows further, and again as many would pass 2^32.
    CHECK((pairsOf(all, 1, {dim3(1, 55000, 40), dim3(1, 1000), {0, 0, 0}, {0, 5, 0}}) ==
           Pairs<unsigned, int>{{5, 0}, {2200000005, 0}}));
  }
  TEST_CASE("a stride of 2^32 is not one of 0 (C05)") {
    unsigned const blocks = 4194304;
    Pretend const first(blocks, 1024, {0, 0, 0}, {0, 0, 0});
    CHECK((pairsOf(1, 4294967168u, first) == Pairs<int, unsigned>{{0, 0}}));
    CHECK((pairsOf(4294967168u, 1, first) == Pairs<unsigned, int>{{0, 0}}));
    CHECK((pairsOf(2, 4294967168u, first) == Pairs<int, unsigned>{{0, 0}, {1, 128}}));
    CHECK((pairsOf(3, 4294967295u, first) == Pairs<int, unsigned>{{0, 0}, {1, 1}, {2, 2}}));
    CHECK((pairsOf(3, 8589934597ll, first) == Pairs<int, long long>{{0, 0},
                                                                    {0, 4294967296ll},
                                                                    {0, 8589934592ll},
                                                                    {1, 4294967291ll},
                                                                    {1, 8589934587ll},
                                                                    {2, 4294967286ll},
                                                                    {2, 8589934582ll}}));
    // 2^32 + 1 columns are not one.
    CHECK((pairsOf(2, 4294967297ll, {1, 64, {0, 0, 0}, {5, 0, 0}}, 1) ==
           Pairs<int, long long>{{0, 5}}));
    // 2^32 rows of threads are not none.
    dim3 const high(1, 32768, 128);
    CHECK((pairsOf(9, 4, {high, dim3(2, 1024), {0, 0, 0}, {1, 3, 0}}) ==
           Pairs<int, int>{{3, 1}, {3, 3}}));
    Pretend const flat(dim3(blocks, 2), 1024, {0, 1, 0}, {5, 0, 0});
    CHECK((pairsOf(4, 4294967168u, flat) == Pairs<int, unsigned>{{1, 5}, {3, 5}}));
  }
#else
  TEST_CASE("large matrices: 65536 x 65536, strides of 2^32 (C02, C04, C05)") {
    if (tweedTest::isShort()) return;
    DeviceArray<unsigned long long> const wrong(std::vector<unsigned long long>(1, 0));
    tweed::launch(visitLarge<int, int>, {2112, 512}, 65536, 65536, wrong.data());
    tweed::launch(visitLarge<int, int>, {7031208, 256}, 1, 1799989091, wrong.data());
    tweed::launch(visitLarge<int, int>, {7031208, 256}, 1799989091, 1, wrong.data());
    tweed::launch(visitLarge<unsigned, int>, {4194304, 1024}, 4294967168u, 1, wrong.data());
    tweed::launch(visitLarge<int, unsigned>, {4194304, 1024}, 2, 4294967295u, wrong.data());
    tweed::launch(visitLarge<int, long long>, {2112, 512}, 3, 1431655769ll, wrong.data());
    tweed::synchronize();
    CHECK(wrong.host()[0] == 0);
  }
#endif
}
