// SPDX-License-Identifier: Apache-2.0
// tests/matmul/tileReduce.cu - tests tweed/matmul/tileReduce.cuh: partials of tiles whose items any
// thread may hold, and their fold.
#include <tweed/matmul/tileReduce.cuh>

#include <cmath>

#include "support/device.cuh"

namespace {

using Part = tweed::TileShape<12, 20, 1>;
using View = tweed::MatrixView<float const, tweed::RowMajor>;

// Who holds which item: thread t items t, t + Threads, ... of the part by rows, or by columns.
template <bool IsByRows, int Bytes, class Task>
TWEED_KERNEL void reduceParts(Task const __grid_constant__ task) {
  alignas(16) __shared__ unsigned char scratch[Bytes];
  constexpr int threads = 64;
  // The scratch is anybody's before a call and behind it.
  auto const spoil = [&] {
    for (int i = int(threadIdx.x); i < Bytes; i += threads) scratch[i] = 0xff;
  };
  auto const order = task.template order<Part>();
  for (long long t = blockIdx.x; t < order.count(); t += gridDim.x) {
    tweed::TileIndex const tile = order.at(t);
    spoil();
    tweed::reduceTile<Part, threads, Bytes>(
        task, tile, scratch, int(threadIdx.x), [] { __syncthreads(); },
        [&](auto put) {
          for (int i = int(threadIdx.x); i < Part::m * Part::n; i += threads) {
            int const row = IsByRows ? i / Part::n : i % Part::m;
            int const column = IsByRows ? i % Part::n : i / Part::m;
            int const r = tile.row * Part::m + row, c = tile.column * Part::n + column;
            bool const isInside = r < task.m() && c < task.n();
            put(isInside ? task.c(r, c, tile.matrix) : NAN, row, column);
          }
        });
    spoil();
  }
}

template <int I, class Task>
void fold(Task const& task) {
  using Reduction = tweed::detail::ReductionOf<typename Task::Epilogue, I>;
  tweed::launch(tweed::foldReduction<I, Task>, {2, 32}, task,
                task.partials + tweed::detail::partialsBefore<Part, I>(task),
                tweed::detail::reductionParts<Part, Reduction>(task));
}

template <bool IsByRows, int Bytes, class Epilogue>
void reduceWith(std::vector<float> const& items, int m, int n, int batch, Epilogue epilogue) {
  tweedTest::DeviceArray<float> c(items);
  using Task = tweed::MatmulTask<View, View, tweed::MatrixView<float, tweed::RowMajor>, Epilogue>;
  View const nothing{nullptr, 0, 0, 0};
  Task task{nothing, nothing, {c.data(), m, n, n, batch, 1ll * m * n}, epilogue};
  constexpr int count = tweed::detail::Reductions<Epilogue>::count;
  tweedTest::DeviceArray<float> partials(
      std::size_t(tweed::detail::partialsBefore<Part, count>(task)));
  task.partials = partials.data();
  tweed::launch(reduceParts<IsByRows, Bytes, Task>, {3, 64}, task);
  fold<0>(task);
  if constexpr (count > 1) fold<1>(task);
  if constexpr (count > 2) fold<2>(task);
  TWEED_CHECK(cudaDeviceSynchronize());
}

// Integers of either sign, so that sums are exact.
std::vector<float> items(int m, int n, int batch) {
  std::vector<float> values(std::size_t(m) * n * batch);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = float(int(tweedTest::noise(i) % 2001) - 1000);
  return values;
}

template <bool IsByRows, int Bytes>
void check(int m, int n, int batch) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(batch);
  auto const values = items(m, n, batch);
  tweedTest::DeviceArray<float> rows(std::size_t(m) * batch), columns(std::size_t(n) * batch);
  tweedTest::DeviceArray<double> tops(std::size_t(m) * batch);
  reduceWith<IsByRows, Bytes>(values, m, n, batch,
                              tweed::Identity{} | tweed::rowSum(rows.data()) |
                                  tweed::columnMax(columns.data()) | tweed::rowMax(tops.data()));
  std::vector<float> rowSums(std::size_t(m) * batch, 0),
      columnTops(std::size_t(n) * batch, -INFINITY);
  std::vector<double> rowTops(std::size_t(m) * batch, -INFINITY);
  for (int b = 0; b < batch; ++b)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        float const item = values[(std::size_t(b) * m + i) * n + j];
        rowSums[std::size_t(b) * m + i] += item;
        rowTops[std::size_t(b) * m + i] = std::max(rowTops[std::size_t(b) * m + i], double(item));
        columnTops[std::size_t(b) * n + j] = std::max(columnTops[std::size_t(b) * n + j], item);
      }
  CHECK(rows.host() == rowSums);
  CHECK(columns.host() == columnTops);
  CHECK(tops.host() == rowTops);
}

constexpr int least = tweed::leastReduceBytes<Part, float>;
constexpr int most = tweed::mostReduceBytes<Part, float>;

}  // namespace

TEST_SUITE("tileReduce") {
  TEST_CASE("parts at the edges, in one strip or many, whoever holds the items") {
    for (int m : {1, 11, 12, 13, 30})
      for (int n : {1, 19, 20, 21, 45}) {
        if (tweedTest::isShort() && (m + n) % 2 == 0) continue;
        check<true, most>(m, n, 1);
        check<false, most>(m, n, 2);
        check<true, least>(m, n, 2);
        check<false, 5 * least + 4>(m, n, 3);
      }
  }
  TEST_CASE("the same bits whoever holds the items, and however many strips they come in") {
    int const m = 30, n = 45;
    std::vector<float> values = items(m, n, 1);
    for (float& value : values) value /= 7;
    tweedTest::DeviceArray<float> rows(m), columns(n), otherRows(m), otherColumns(n);
    reduceWith<true, most>(
        values, m, n, 1,
        tweed::Identity{} | tweed::rowSum(rows.data()) | tweed::columnSum(columns.data()));
    reduceWith<false, least>(values, m, n, 1,
                             tweed::Identity{} | tweed::rowSum(otherRows.data()) |
                                 tweed::columnSum(otherColumns.data()));
    CHECK(rows.host() == otherRows.host());
    CHECK(columns.host() == otherColumns.host());
  }
  TEST_CASE("a NaN reaches its row and column, and no other") {
    int const m = 13, n = 21;
    std::vector<float> values = items(m, n, 1);
    values[12 * n + 20] = NAN;
    tweedTest::DeviceArray<float> rows(m), columns(n);
    reduceWith<true, most>(
        values, m, n, 1,
        tweed::Identity{} | tweed::rowMax(rows.data()) | tweed::columnSum(columns.data()));
    auto const r = rows.host(), c = columns.host();
    for (int i = 0; i < m; ++i) CHECK(std::isnan(r[i]) == (i == 12));
    for (int j = 0; j < n; ++j) CHECK(std::isnan(c[j]) == (j == 20));
  }
}
