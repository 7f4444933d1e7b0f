// SPDX-License-Identifier: Apache-2.0
// tests/matmul/epiloguePieces.cu - tests tweed/matmul/epiloguePieces.cuh
#include <tweed/core/half.cuh>
#include <tweed/matmul/epiloguePieces.cuh>

#include <cmath>
#include <limits>

#include "support/device.cuh"

namespace {

// out: the result at each place of a rows x columns x matrices C that holds 1000.
template <class Epilogue, class Acc>
TWEED_KERNEL void finishAll(Epilogue epilogue, Acc value, int rows, int columns, int matrices,
                            Acc* out) {
  for (int matrix = 0; matrix < matrices; ++matrix)
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        *out++ = tweed::detail::finish(epilogue, value, tweed::Coord{row, column, matrix},
                                       [] { return 1000; });
}
template <class Acc, class Epilogue>
std::vector<Acc> finishAll(Epilogue epilogue, Acc value, int rows, int columns, int matrices) {
  tweedTest::DeviceArray<Acc> out(std::size_t(rows) * columns * matrices);
  tweed::launch(finishAll<Epilogue, Acc>, {1, 1}, epilogue, value, rows, columns, matrices,
                out.data());
  return out.host();
}
template <class Acc, class Epilogue>
Acc finishOne(Epilogue epilogue, Acc value) {
  return finishAll<Acc>(epilogue, value, 1, 1, 1)[0];
}

constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_SUITE("epiloguePieces") {
  TEST_CASE("scale in the accumulator's type") {
    CHECK(finishOne(tweed::scale(0.37), 3.0f) == 3.0f * 0.37f);
    CHECK(finishOne(tweed::scale(0.1f), 3.0) == 3.0 * double(0.1f));
    CHECK(finishOne(tweed::scale(-1), 3) == -3);
    CHECK(finishOne(tweed::scale(0.5f), 7) == 3);
    CHECK(finishOne(tweed::scale(-1), 3.0f) == -3.0f);
  }
  TEST_CASE("addC, which reads no C for a beta of 0") {
    CHECK(finishOne(tweed::addC(0.5f), 3.0f) == 503);
    CHECK(finishOne(tweed::addC(-1), 3) == -997);
    CHECK(finishOne(tweed::addC(0.5), 3) == 503);
    CHECK(!tweed::detail::readsC(tweed::addC(0.0f)));
    CHECK(!tweed::detail::readsC(tweed::addC(-0.0f)));
    CHECK(tweed::detail::readsC(tweed::addC(notANumber)));
    CHECK(std::signbit(finishOne(tweed::addC(0.0f), -0.0f)));
    CHECK(finishOne(tweed::scale(2.0f) | tweed::addC(0.0f) | tweed::scale(3.0f), 1.0f) == 6);
  }
  TEST_CASE("vectors along rows and columns, one for each matrix or one for all") {
    tweedTest::DeviceArray<float> const v(std::vector<float>{10, 20, 30, 40, 50, 60, 70, 80});
    using V = std::vector<float>;
    CHECK(finishAll(tweed::biasPerRow(v.data()), 1.0f, 2, 3, 1) == V{11, 11, 11, 21, 21, 21});
    CHECK(finishAll(tweed::biasPerColumn(v.data()), 1.0f, 2, 3, 1) == V{11, 21, 31, 11, 21, 31});
    CHECK(finishAll(tweed::scalePerRow(v.data()), 3.0f, 2, 2, 1) == V{30, 30, 60, 60});
    CHECK(finishAll(tweed::scalePerColumn(v.data()), 3.0f, 2, 2, 1) == V{30, 60, 30, 60});
    CHECK(finishAll(tweed::biasPerRow(v.data(), 4), 0.0f, 1, 2, 2) == V{10, 10, 50, 50});
    CHECK(finishAll(tweed::biasPerColumn(v.data(), 3), 0.0f, 1, 2, 2) == V{10, 20, 40, 50});
    CHECK(finishAll(tweed::scalePerColumn(v.data()), 1.0f, 1, 2, 2) == V{10, 20, 10, 20});
  }
  TEST_CASE("a vector of half for a float accumulator, of float for an integer one") {
    tweedTest::DeviceArray<__half> const h(std::vector<__half>{__half(0.5f), __half(2.5f)});
    CHECK(finishAll(tweed::biasPerColumn(h.data()), 1.0f, 1, 2, 1) ==
          std::vector<float>{1.5f, 3.5f});
    tweedTest::DeviceArray<float> const f(std::vector<float>{0.5f, 2.5f});
    CHECK(finishAll(tweed::scalePerColumn(f.data()), 3, 1, 2, 1) == std::vector<int>{1, 7});
  }
  TEST_CASE("residual of either layout, and of a batch") {
    tweedTest::DeviceArray<float> const r(
        std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    using V = std::vector<float>;
    float const* const data = r.data();
    CHECK(finishAll(tweed::residual(tweed::rowMajor(data, 2, 3, 4)), 100.0f, 2, 3, 1) ==
          V{101, 102, 103, 105, 106, 107});
    CHECK(finishAll(tweed::residual(tweed::columnMajor(data, 2, 3, 4)), 100.0f, 2, 3, 1) ==
          V{101, 105, 109, 102, 106, 110});
    CHECK(finishAll(tweed::residual(tweed::rowMajor(data, 1, 2).batched(2, 6)), 0.0f, 1, 2, 2) ==
          V{1, 2, 7, 8});
  }
  TEST_CASE("clamp keeps NaN and both ends") {
    CHECK(finishOne(tweed::clamp(-1, 6), 7.5f) == 6);
    CHECK(finishOne(tweed::clamp(-1, 6), -7.5f) == -1);
    CHECK(finishOne(tweed::clamp(-1, 6), 2.5f) == 2.5f);
    CHECK(finishOne(tweed::clamp(-1.0f, 6.0f), -infinity) == -1);
    CHECK(finishOne(tweed::clamp(0, 6), -3) == 0);
    CHECK(std::isnan(finishOne(tweed::clamp(-1.0f, 6.0f), notANumber)));
  }
  TEST_CASE("cast rounds in between") {
    CHECK(finishOne(tweed::cast<__half>(), 1.0001f) == 1.0f);
    CHECK(finishOne(tweed::cast<int>() | tweed::scale(10), 2.75f) == 20.0f);
    CHECK(finishOne(tweed::cast<__half>(), 1e6f) == infinity);
    CHECK(finishOne(tweed::cast<__nv_bfloat16>() | tweed::scale(1), 1.001f) == 1.0f);
  }
  TEST_CASE("what does not fit C is told") {
    float const* const none = nullptr;
    alignas(16) static float some[4];
    CHECK(tweed::biasPerRow(some).refusal(2, 3, 1) == "");
    CHECK(tweed::biasPerRow(none).refusal(2, 3, 1) == "biasPerRow: the pointer is null");
    CHECK(tweed::biasPerColumn(none).refusal(2, 3, 1) == "biasPerColumn: the pointer is null");
    CHECK(tweed::scalePerRow(none).refusal(2, 3, 1) == "scalePerRow: the pointer is null");
    CHECK(tweed::scalePerColumn(none).refusal(2, 3, 1) == "scalePerColumn: the pointer is null");
    float const* const data = some;
    CHECK(tweed::residual(tweed::rowMajor(data, 2, 3)).refusal(2, 3, 1) == "");
    CHECK(tweed::residual(tweed::rowMajor(data, 2, 3)).refusal(3, 2, 1) ==
          "residual: it is 2 x 3, C is 3 x 2");
    CHECK(tweed::residual(tweed::rowMajor(data, 2, 3)).refusal(2, 3, 5) == "");
    CHECK(tweed::residual(tweed::rowMajor(data, 2, 3).batched(4, 6)).refusal(2, 3, 5) ==
          "residual: it is a batch of 4, C one of 5");
    CHECK(tweed::residual(tweed::columnMajor(data, 2, 3, 1)).refusal(2, 3, 1) ==
          "residual: its leading dimension is 1; at least 2 is needed");
    CHECK(tweed::residual(tweed::rowMajor(none, 2, 3)).refusal(2, 3, 1) ==
          "residual: the pointer is null");
  }
}
