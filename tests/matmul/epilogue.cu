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
struct PerhapsC {
  static constexpr bool needsC = true;
  bool isRead;
  TWEED_HOST_DEVICE bool readsC() const { return isRead; }
  TWEED_HOST_DEVICE float operator()(float value, float c, tweed::Coord) const {
    return value + (isRead ? 1000 * c : 0);
  }
};
struct TimesTen {
  template <class Acc>
  TWEED_HOST_DEVICE Acc operator()(Acc value, tweed::Coord) const {
    return 10 * value;
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

using Pair = std::vector<float>;
constexpr tweed::Identity first;

}  // namespace

TEST_SUITE("epilogue") {
  TEST_CASE("the old C is read only if it is needed") {
    CHECK(finishOne(tweed::Identity{}, 7) == Pair{7, 0});
    CHECK(finishOne(AddPlace{}, 1000) == Pair{1123, 0});
    CHECK(finishOne(AddC{3}, 7) == Pair{22, 1});
    CHECK(finishOne(PerhapsC{true}, 7) == Pair{5007, 1});
    CHECK(finishOne(PerhapsC{false}, 7) == Pair{7, 0});
  }
  TEST_CASE("pieces follow each other from left to right") {
    CHECK(finishOne(first | AddPlace{} | TimesTen{}, 1) == Pair{1240, 0});
    CHECK(finishOne(first | TimesTen{} | AddPlace{}, 1) == Pair{133, 0});
    CHECK(finishOne(first | TimesTen{} | AddC{3}, 1) == Pair{25, 1});
    CHECK(finishOne(first | AddC{3} | TimesTen{}, 1) == Pair{160, 1});
    CHECK(finishOne(TimesTen{} | (first | TimesTen{} | AddPlace{}), 1) == Pair{223, 0});
  }
  TEST_CASE("pieces of a chain see the same old C, and it is read once") {
    CHECK(finishOne(AddC{3} | first | TimesTen{} | AddC{2}, 1) == Pair{170, 1});
    CHECK(finishOne(PerhapsC{false} | first | TimesTen{} | AddC{2}, 1) == Pair{20, 1});
    CHECK(finishOne(TimesTen{} | first | PerhapsC{false}, 1) == Pair{10, 0});
  }
  TEST_CASE("the transposed one sees the rows as columns") {
    using tweed::TransposedEpilogue;
    CHECK(finishOne(TransposedEpilogue<AddPlace>{{}}, 1000) == Pair{1213, 0});
    auto const chain = first | TimesTen{} | AddPlace{} | AddC{1};
    CHECK(finishOne(TransposedEpilogue<decltype(chain)>{chain}, 1) == Pair{228, 1});
    CHECK(finishOne(TransposedEpilogue<PerhapsC>{{false}}, 7) == Pair{7, 0});
  }
  TEST_CASE("a lambda, which the host calls nowhere") {
    float const by = 3;
    auto const lambda = [=] __device__(float value, tweed::Coord at) {
      return by * value + float(at.column);
    };
    CHECK(finishOne(lambda, 7) == Pair{23, 0});
    CHECK(finishOne(first | TimesTen{} | lambda | TimesTen{}, 7) == Pair{2120, 0});
  }
}
