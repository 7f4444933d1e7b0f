// SPDX-License-Identifier: Apache-2.0
// tests/matmul/wgmmaMatmul.cu - tests tweed/matmul/wgmmaMatmul.cuh inside kernels of one's own
#include <tweed/matmul/wgmmaMatmul.cuh>
#include <tweed/memory/dynamicShared.cuh>
#include <tweed/memory/tensorMap.cuh>

#include "support/wgmma.cuh"

namespace tweedTest {

// Row tiles of the block, each with all of k.
struct RowTiles {
  int rows, steps;
  TWEED_DEVICE bool operator()(int i, tweed::WgmmaTile& tile) const {
    int const row = int(blockIdx.x + i * gridDim.x) * 128;
    tile = {row, 0, 0, steps, 0, 0, 0};
    return row < rows;
  }
};

// The steps of k one run after the other, `some` at a time: out is the sum of what each has given.
struct SomeSteps {
  int begin, end;
  TWEED_DEVICE bool operator()(int i, tweed::WgmmaTile& tile) const {
    tile = {0, 0, begin, end, 0, 0, 0};
    return i == 0;
  }
};

}  // namespace tweedTest

namespace {

using namespace tweedTest;
using tweed::Major;
using tweed::WgmmaTile;

using Bf = __nv_bfloat16;
using Rows = tweed::WgmmaMatmul<tweed::WgmmaConfig<128, 256, 2, 3>, Bf, Major::K, Major::Mn>;
using Tall = tweed::WgmmaMatmul<tweed::WgmmaConfig<384, 64, 3, 3>, Bf, Major::K, Major::K>;
using Small = tweed::WgmmaMatmul<tweed::WgmmaConfig<64, 64, 1, 3>, Bf, Major::K, Major::K>;

#if !defined(TWEED_LOOM)
// out = softmax of each row of A * B, n up to 256: a row of the sums is in four lanes.
template <class Matmul>
__global__ void __launch_bounds__(Matmul::threads, 1)
    softmaxRows(tweed::arch::TensorMap const __grid_constant__ a,
                tweed::arch::TensorMap const __grid_constant__ b, int m, int n, int steps,
                float* out) {
  if constexpr (tweed::detail::isWgmmaTarget<Matmul>) {
    Matmul matmul(tweed::dynamicShared<unsigned char>(), &a, &b);
    matmul.run(RowTiles{m, steps}, [&](typename Matmul::Accumulator& sums, WgmmaTile const& tile) {
      float most[2] = {-INFINITY, -INFINITY}, total[2] = {};
      sums.forEach([&](float& value, int row, int column) {
        int const half = (row - sums.row) / 8;
        if (column < n) most[half] = fmaxf(most[half], value);
      });
      for (int half = 0; half < 2; ++half)
        for (int lanes = 1; lanes <= 2; lanes *= 2)
          most[half] =
              fmaxf(most[half], tweed::arch::shuffleXor(tweed::fullMask, most[half], lanes));
      sums.forEach([&](float& value, int row, int column) {
        int const half = (row - sums.row) / 8;
        value = column < n ? expf(value - most[half]) : 0.0f;
        total[half] += value;
      });
      for (int half = 0; half < 2; ++half)
        for (int lanes = 1; lanes <= 2; lanes *= 2)
          total[half] += tweed::arch::shuffleXor(tweed::fullMask, total[half], lanes);
      sums.forEach([&](float& value, int row, int column) {
        if (tile.row + row < m && column < n)
          out[(tile.row + row) * n + column] = value / total[(row - sums.row) / 8];
      });
    });
    matmul.finish();
  }
}

template <class Matmul>
__global__ void __launch_bounds__(Matmul::threads, 1)
    runByRun(tweed::arch::TensorMap const __grid_constant__ a,
             tweed::arch::TensorMap const __grid_constant__ b, int steps, int some, float* out) {
  if constexpr (tweed::detail::isWgmmaTarget<Matmul>) {
    Matmul matmul(tweed::dynamicShared<unsigned char>(), &a, &b);
    for (int begin = 0; begin < steps; begin += some) {
      SomeSteps const tiles{begin, tweed::smaller(begin + some, steps)};
      matmul.run(tiles, [&](typename Matmul::Accumulator& sums, WgmmaTile const&) {
        sums.forEach([&](float& value, int row, int column) {
          float& sum = out[row * 64 + column];
          sum = begin == 0 ? value : sum + value;
        });
      });
      __syncthreads();
    }
    matmul.finish();
  }
}

template <class Matmul>
tweed::arch::TensorMap mapOfA(DrawnMatrix<Bf, tweed::RowMajor> const& a) {
  return tweed::makeTensorMap("A", a.memory.data(),
                              tweed::detail::shapeOf(a.view(), Matmul::boxA(0), Matmul::boxA(1),
                                                     tweed::TensorShape::Element::Bfloat16));
}
template <class Matmul, class Layout>
tweed::arch::TensorMap mapOfB(DrawnMatrix<Bf, Layout> const& b) {
  return tweed::makeTensorMap("B", b.memory.data(),
                              tweed::detail::shapeOf(b.view(), Matmul::boxB(0), Matmul::boxB(1),
                                                     tweed::TensorShape::Element::Bfloat16));
}
#endif

}  // namespace

TEST_SUITE("wgmmaMatmul") {
  TEST_CASE("sizes are known at compile time") {
    CHECK(Rows::threads == 384);
    CHECK(Small::threads == 256);
    CHECK(Small::k == 64);
    CHECK(Rows::sharedBytes > 3 * (128 + 256) * 128);
    CHECK(Rows::sharedBytes <= 227 * 1024);
    CHECK(Rows::boxA(1) == 128);
    CHECK(Rows::boxB(0) == 64);
    CHECK(Rows::boxB(1) == 64);
    CHECK(Small::boxB(1) == 64);
    CHECK(Tall::boxA(1) == 192);
  }
#if !defined(TWEED_LOOM)
  TEST_CASE("softmax of the rows of a product") {
    if (!hasWgmmaHere()) return;
    for (int const n : {8, 56, 256})
      for (int const m : {1, 128, 1000})
        for (int const k : {8, 64, 520}) {
          CAPTURE(n);
          CAPTURE(m);
          CAPTURE(k);
          DrawnMatrix<Bf, tweed::RowMajor> const a(m, k, 0, 1, 0, 11), b(k, n, 0, 1, 0, 12);
          DeviceArray<float> const out(std::vector<float>(std::size_t(m) * n, NAN));
          tweed::launch(softmaxRows<Rows>, {3, Rows::threads, Rows::sharedBytes}, mapOfA<Rows>(a),
                        mapOfB<Rows>(b), m, n, (k + 63) / 64, out.data());
          tweed::synchronize();
          auto const found = out.host();
          double worst = 0;
          for (int row = 0; row < m; row += 1 + row % 13) {
            std::vector<double> value(std::size_t(n), 0.0);
            double most = -INFINITY, total = 0;
            for (int column = 0; column < n; ++column) {
              for (int i = 0; i < k; ++i)
                value[std::size_t(column)] += a.at(row, i, 0) * b.at(i, column, 0);
              most = std::fmax(most, value[std::size_t(column)]);
            }
            for (double& v : value) total += v = std::exp(v - most);
            for (int column = 0; column < n; ++column) {
              double const expected = value[std::size_t(column)] / total;
              double const error =
                  std::fabs(double(found[std::size_t(row * n + column)]) / expected - 1);
              if (!(error <= worst)) worst = error;
            }
          }
          CHECK(worst < 1e-4);
        }
  }
  TEST_CASE("runs go on where the last has stopped in the ring") {
    if (!hasWgmmaHere()) return;
    DrawnMatrix<Bf, tweed::RowMajor> const a(64, 11 * 64, 0, 1, 0, 13);
    DrawnMatrix<Bf, tweed::ColumnMajor> const b(11 * 64, 64, 0, 1, 0, 14);
    for (int const some : {1, 2, 3, 4, 5, 11}) {
      CAPTURE(some);
      DeviceArray<float> const out(64 * 64);
      tweed::launch(runByRun<Small>, {1, Small::threads, Small::sharedBytes}, mapOfA<Small>(a),
                    mapOfB<Small>(b), 11, some, out.data());
      tweed::synchronize();
      auto const found = out.host();
      double worst = 0;
      for (int row = 0; row < 64; ++row)
        for (int column = 0; column < 64; ++column) {
          double sum = 0;
          for (int i = 0; i < 11 * 64; ++i) sum += a.at(row, i, 0) * b.at(i, column, 0);
          double const error = std::fabs(double(found[std::size_t(row * 64 + column)]) - sum);
          if (!(error <= worst)) worst = error;
        }
      CHECK(worst < 1e-3);
    }
  }
#endif
}
