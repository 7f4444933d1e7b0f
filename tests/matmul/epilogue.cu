// SPDX-License-Identifier: Apache-2.0
// tests/matmul/epilogue.cu - tests tweed/matmul/epilogue.cuh
#include <tweed/matmul/epilogue.cuh>

#include "support/device.cuh"

namespace {

struct AddPlace {
  TWEED_HOST_DEVICE float operator()(float value, tweed::Coord at) const {
    return value + float(100 * at.row + 10 * at.column + at.matrix);
  }
};
struct AddC {
  static constexpr bool needsC = true;
  float beta;
  TWEED_HOST_DEVICE float operator()(float value, float c, tweed::Coord) const {
    return value + beta * c;
  }
};

// out: the result, and how often the old item was read.
template <class Epilogue>
TWEED_KERNEL void finishOne(Epilogue epilogue, float value, float* out) {
  float reads = 0;
  out[0] =
      tweed::detail::finish(epilogue, value, tweed::Coord{1, 2, 3}, [&] { return ++reads, 5; });
  out[1] = reads;
}
template <class Epilogue>
std::vector<float> finishOne(Epilogue epilogue, float value) {
  tweedTest::DeviceArray<float> out(2);
  tweed::launch(finishOne<Epilogue>, {1, 1}, epilogue, value, out.data());
  return out.host();
}

}  // namespace

TEST_SUITE("epilogue") {
  TEST_CASE("the old C is read only if it is needed") {
    CHECK(finishOne(tweed::Identity{}, 7) == std::vector<float>{7, 0});
    CHECK(finishOne(AddPlace{}, 1000) == std::vector<float>{1123, 0});
    CHECK(finishOne(AddC{3}, 7) == std::vector<float>{22, 1});
  }
}
