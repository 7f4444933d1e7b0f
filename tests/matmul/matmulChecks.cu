// SPDX-License-Identifier: Apache-2.0
// tests/matmul/matmulChecks.cu - tests tweed/matmul/matmulChecks.cuh: what matmul() refuses, by its
// text, with C as it was.
#include <tweed/matmul/matmul.cuh>

#include "support/product.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::RowMajor;

// What is refused is none of the kernels' business: one suffices.
constexpr auto plain = tweed::among<tweed::PlainConfiguration>;

// Three operands that fit, of which a case breaks one.
struct Operands {
  Matrix<float, RowMajor> const a{4, 6, 1};
  Matrix<float, ColumnMajor> const b{6, 5, 2};
  Matrix<float, RowMajor> const c = Matrix<float, RowMajor>::poison(4, 5);
  tweed::MatrixView<float, RowMajor> A = a.view();
  tweed::MatrixView<float, ColumnMajor> B = b.view();
  tweed::MatrixView<float, RowMajor> C = c.view();
};

// Breaks them, and compares what matmul() and a plan say.
template <class Epilogue = tweed::Identity>
void checkRefusal(std::string const& text, void (*breakOne)(Operands&), Epilogue epilogue = {}) {
  CAPTURE(text);
  Operands o;
  breakOne(o);
  std::string const whole = "tweed::matmul: " + text + " [cudaErrorInvalidValue]";
  CHECK(refusal([&] { tweed::matmul(nullptr, o.A, o.B, o.C, epilogue, plain); }) == whole);
  CHECK(refusal([&] { tweed::MatmulPlan plan(o.A, o.B, o.C, epilogue, plain); }) == whole);
  CHECK(o.c.isUnchanged());
  CHECK(o.a.isUnchanged());
  CHECK(o.b.isUnchanged());
}

// A view of `rows` runs of `columns` bytes, for overlap alone.
using Bytes = tweed::MatrixView<unsigned char, RowMajor>;
Bytes bytes(std::size_t address, long long rows, long long columns, long long pitch,
            long long batch = 1, long long stride = 0) {
  return {reinterpret_cast<unsigned char*>(address), rows, columns, pitch, batch, stride};
}
bool overlapBothWays(Bytes const& a, Bytes const& b) {
  auto const runsA = tweed::detail::runsOf(a), runsB = tweed::detail::runsOf(b);
  bool const answer = tweed::detail::overlap(runsA, runsB);
  CHECK(answer == tweed::detail::overlap(runsB, runsA));
  return answer;
}

}  // namespace

TEST_SUITE("matmulChecks") {
  TEST_CASE("nothing is wrong with the operands that the cases break") {
    Operands const o;
    CHECK_NOTHROW(tweed::matmul(nullptr, o.A, o.B, o.C, tweed::Identity{}, plain));
  }
  TEST_CASE("shapes that disagree") {
    checkRefusal("A is 4 x 6 and B 7 x 5; A must have as many columns as B has rows",
                 [](Operands& o) { o.B.rows = 7, o.B.leadingDimension = 7; });
    checkRefusal("A is 4 x 6 and B 6 x 5, so C must be 4 x 5; it is 3 x 5",
                 [](Operands& o) { o.C.rows = 3; });
    checkRefusal("A is 4 x 6 and B 6 x 5, so C must be 4 x 5; it is 4 x 4",
                 [](Operands& o) { o.C.columns = 4; });
    checkRefusal(
        "A is a batch of 3, B of 1 and C of 2; A and B have as many matrices as C, or 1 for all",
        [](Operands& o) { o.A.batch = 3, o.C.batch = 2; });
    checkRefusal(
        "A is a batch of 2, B of 1 and C of 1; A and B have as many matrices as C, or 1 for all",
        [](Operands& o) { o.A.batch = 2; });
  }
  TEST_CASE("null and misaligned pointers") {
    checkRefusal("A is a null pointer, with 4 x 6 items", [](Operands& o) { o.A.data = nullptr; });
    checkRefusal("B is a null pointer, with 6 x 5 items", [](Operands& o) { o.B.data = nullptr; });
    checkRefusal("C is a null pointer, with 4 x 5 items", [](Operands& o) { o.C.data = nullptr; });
    checkRefusal("B is 2 bytes behind a multiple of 4, its items' alignment", [](Operands& o) {
      o.B.data = reinterpret_cast<float*>(reinterpret_cast<char*>(o.B.data) + 2);
    });
  }
  TEST_CASE("leading dimensions") {
    checkRefusal("A's leading dimension is 5; at least 6, the number of its columns, is needed",
                 [](Operands& o) { o.A.leadingDimension = 5; });
    checkRefusal("B's leading dimension is 5; at least 6, the number of its rows, is needed",
                 [](Operands& o) { o.B.leadingDimension = 5; });
    checkRefusal("C's leading dimension is -1; at least 5, the number of its columns, is needed",
                 [](Operands& o) { o.C.leadingDimension = -1; });
  }
  TEST_CASE("sizes below 0 and above 2^31 - 1") {
    checkRefusal("A has -1 rows; 0 to 2147483647 are allowed", [](Operands& o) { o.A.rows = -1; });
    checkRefusal("B has 2147483648 columns; 0 to 2147483647 are allowed",
                 [](Operands& o) { o.B.columns = 1ll << 31; });
    checkRefusal("C has -3 matrices; 0 to 2147483647 are allowed",
                 [](Operands& o) { o.C.batch = -3; });
    checkRefusal("C has 4294967297 rows; 0 to 2147483647 are allowed",
                 [](Operands& o) { o.C.rows = (1ll << 32) + 1; });
  }
  TEST_CASE("C that overlaps A, B or itself") {
    checkRefusal("C overlaps A, which is read while C is written",
                 [](Operands& o) { o.A.data = o.C.data + 19; });
    checkRefusal("C overlaps B, which is read while C is written",
                 [](Operands& o) { o.B.data = o.C.data - 29; });
    checkRefusal(
        "the matrices of C overlap: they are 0 items apart, with 4 x 5 items and a leading "
        "dimension of 5",
        [](Operands& o) { o.C.batch = 2; });
    checkRefusal(
        "the matrices of C overlap: they are 19 items apart, with 4 x 5 items and a leading "
        "dimension of 5",
        [](Operands& o) { o.C.batch = 2, o.C.batchStride = 19; });
    checkRefusal(
        "the matrices of C overlap: they are -4 items apart, with 4 x 5 items and a leading "
        "dimension of 5",
        [](Operands& o) { o.C.batch = 2, o.C.batchStride = -4; });
  }
  TEST_CASE("what a piece of the epilogue refuses") {
    float const* const none = nullptr;
    auto const nothing = [](Operands&) {};
    checkRefusal("the epilogue's biasPerColumn: the pointer is null", nothing,
                 tweed::scale(2) | tweed::biasPerColumn(none) | tweed::relu());
    checkRefusal("the epilogue's residual: it is 5 x 4, C is 4 x 5", nothing,
                 tweed::scale(2) | (tweed::relu() | tweed::residual(tweed::rowMajor(none, 5, 4))));
    checkRefusal("the epilogue's row reduction: the pointer is null", nothing,
                 tweed::rowSum(static_cast<float*>(nullptr)));
  }
  TEST_CASE("reductions that write where A, B, C or another reduction are") {
    Operands const o;
    DeviceArray<float> const own(std::vector<float>(9, 7.f));
    // No kernel for each of them: matmul() itself below.
    auto const said = [&](auto const& epilogue) {
      std::string const text =
          refusal([&] { tweed::detail::checkMatmul(o.A, o.B, o.C, epilogue); });
      std::string const before = "tweed::matmul: the epilogue's ";
      std::string const behind = " [cudaErrorInvalidValue]";
      if (text == "") return text;
      CHECK(contains(text, before));
      CHECK(contains(text, behind));
      return text.substr(before.size(), text.size() - before.size() - behind.size());
    };
    std::string const row = "row reduction: what it writes overlaps ";
    std::string const column = "column reduction: what it writes overlaps ";
    // Of 4 rows and 5 columns: the last item is the first of the operand, or the other way round.
    CHECK(said(tweed::rowSum(o.C.data - 3)) == row + "C");
    CHECK(said(tweed::relu() | tweed::columnMax(o.C.data + 19)) == column + "C");
    CHECK(said(tweed::rowSum(o.A.data - 3)) == row + "A");
    CHECK(said(tweed::columnSum(o.A.data + 23)) == column + "A");
    CHECK(said(tweed::columnSum(o.B.data - 4)) == column + "B");
    CHECK(said(tweed::rowMax(o.B.data + 29)) == row + "B");
    // Items of another size; the second of two.
    auto* const doubles = reinterpret_cast<double*>(o.C.data + 18);
    CHECK(said(tweed::rowSum(own.data()) | tweed::columnSum(doubles)) == column + "C");
    CHECK(said(tweed::rowSum(own.data()) | tweed::columnMax(own.data() + 3)) ==
          column + "what the row reduction before it writes");
    CHECK(said(tweed::columnSum(own.data() + 3) | tweed::rowMax(own.data())) ==
          row + "what the column reduction before it writes");
    // Beside each other they may stand.
    CHECK(said(tweed::rowSum(own.data()) | tweed::columnMax(own.data() + 4)) == "");
    for (float* out : {o.C.data + 1, o.A.data, o.B.data + 29})
      CHECK(contains(
          refusal([&] { tweed::matmul(nullptr, o.A, o.B, o.C, tweed::rowSum(out), plain); }),
          "tweed::matmul: the epilogue's row reduction: what it writes overlaps "));
    CHECK(o.c.isUnchanged());
    CHECK(o.a.isUnchanged());
    CHECK(o.b.isUnchanged());
    CHECK(own.host() == std::vector<float>(9, 7.f));
  }
  TEST_CASE("reductions of no items, of a batch, and in the gaps of C") {
    DeviceArray<float> const memory(std::vector<float>(40, 7.f));
    float* const data = memory.data();
    float* const none = nullptr;
    auto const said = [&](auto const& a, auto const& b, auto const& c, float* sums) {
      return refusal([&] { tweed::detail::checkMatmul(a, b, c, tweed::rowSum(sums)); });
    };
    // No items of C, but of A; a null A has none that could be written.
    CHECK(contains(said(tweed::rowMajor(data, 5, 3), tweed::rowMajor(none, 3, 0),
                        tweed::rowMajor(none, 5, 0), data + 14),
                   "row reduction: what it writes overlaps A"));
    CHECK(said(tweed::rowMajor(none, 5, 3), tweed::rowMajor(none, 3, 0),
               tweed::rowMajor(none, 5, 0), data + 35) == "");
    // 2 x 3 and 3 x 1, three times: 6 sums.
    DeviceArray<float> const factors(18 + 9);
    auto const a = tweed::rowMajor(factors.data(), 2, 3).batched(3, 6);
    auto const b = tweed::rowMajor(factors.data() + 18, 3, 1).batched(3, 3);
    CHECK(contains(said(a, b, tweed::rowMajor(data + 11, 2, 1).batched(3, 2), data + 6),
                   "row reduction: what it writes overlaps C"));
    CHECK(said(a, b, tweed::rowMajor(data + 12, 2, 1).batched(3, 2), data + 6) == "");
    // Between two rows of C.
    auto const c = tweed::rowMajor(data + 20, 2, 1, 8);
    CHECK(said(a.batched(1, 0), b.batched(1, 0), c, data + 22) == "");
    CHECK(contains(said(a.batched(1, 0), b.batched(1, 0), c, data + 27), "overlaps C"));
  }
  TEST_CASE("a residual that is C, or that overlaps it otherwise") {
    Operands const o;
    auto const run = [&](auto const& residual, auto const& c) {
      return refusal([&] {
        tweed::matmul(nullptr, o.A, o.B, c, tweed::relu() | tweed::residual(residual), plain);
      });
    };
    std::string const text =
        "tweed::matmul: the epilogue's residual: it overlaps C, which is written while it is read; "
        "it may only be C itself [cudaErrorInvalidValue]";
    auto shifted = o.C;
    shifted.data += 1;
    CHECK(run(shifted, o.C) == text);
    auto wide = o.C;
    wide.leadingDimension = 6;
    CHECK(run(wide, o.C) == text);
    CHECK(run(tweed::columnMajor(o.C.data, 4, 5), o.C) == text);
    CHECK(o.c.isUnchanged());
    CHECK(run(o.C, o.C) == "");
    CHECK(run(tweed::rowMajor<float const>(o.C.data, 4, 5), o.C) == "");
    // Of one row, the layout says nothing.
    auto const row = tweed::rowMajor(o.C.data, 1, 5);
    auto a = o.A;
    a.rows = 1;
    CHECK(refusal([&] {
            tweed::matmul(nullptr, a, o.B, row, tweed::residual(tweed::columnMajor(o.C.data, 1, 5)),
                          plain);
          }) == "");
    // One matrix of a batch for all.
    DeviceArray<float> const two(std::vector<float>(40, 0.f));
    auto const batch = tweed::rowMajor(two.data(), 4, 5).batched(2, 20);
    CHECK(run(batch.batched(2, 0), batch) == text);
    CHECK(run(batch, batch) == "");
  }
  TEST_CASE("a workspace that is too small, or of another stream") {
    Operands const o;
    DeviceArray<float> sums(4);
    auto const epilogue = tweed::rowSum(sums.data());
    tweed::MatmulPlan const plan(o.A, o.B, o.C, epilogue, plain);
    REQUIRE(plan.workspaceBytes() > 0);
    tweed::Workspace none(nullptr, plan.workspaceBytes() - 1);
    std::string const text = "tweed::matmul: needs a workspace of " +
                             std::to_string(plan.workspaceBytes()) + " bytes, this one has " +
                             std::to_string(plan.workspaceBytes() - 1);
    CHECK(contains(refusal([&] { plan(none); }), text));
    CHECK(contains(refusal([&] { tweed::matmul(none, o.A, o.B, o.C, epilogue, plain); }), text));
    cudaStream_t stream;
    TWEED_CHECK(cudaStreamCreate(&stream));
    {
      tweed::Workspace other(stream);
      CHECK(contains(refusal([&] { plan(nullptr, other); }), "belongs to another stream"));
    }
    TWEED_CHECK(cudaStreamDestroy(stream));
    CHECK(o.c.isUnchanged());
  }
  TEST_CASE("which matrices share bytes") {
    CHECK(overlapBothWays(bytes(100, 3, 10, 10), bytes(129, 1, 1, 1)));
    CHECK(!overlapBothWays(bytes(100, 3, 10, 10), bytes(130, 1, 1, 1)));
    CHECK(!overlapBothWays(bytes(100, 3, 10, 10), bytes(99, 1, 1, 1)));
    // Columns 0 to 9 and 10 to 19 of the same rows of 20.
    CHECK(!overlapBothWays(bytes(100, 5, 10, 20), bytes(110, 5, 10, 20)));
    CHECK(overlapBothWays(bytes(100, 5, 10, 20), bytes(109, 5, 10, 20)));
    CHECK(overlapBothWays(bytes(100, 5, 10, 20), bytes(110, 5, 11, 20)));
    // So many rows and matrices that none can be looked at by itself.
    constexpr long long many = 2147483647;
    CHECK(!overlapBothWays(bytes(100, many, 10, 20, 1 << 20, 20 * many),
                           bytes(110, many, 10, 20, 1 << 20, 20 * many)));
    // The only row may have any leading dimension.
    constexpr long long anything = 0x7fffffffffffffff;
    tweed::MatrixView<int, RowMajor> const row{nullptr, 1, 10, anything, 2, 10};
    CHECK(tweed::detail::areApart(tweed::detail::runsOf(row)));
    // The same as the rows of 20, but for the last row, which nothing follows.
    CHECK(!overlapBothWays(bytes(100, 5, 10, 20), bytes(190, 5, 10, 20)));
    CHECK(overlapBothWays(bytes(100, 5, 10, 20), bytes(189, 5, 10, 20)));
    // Gaps that two pitches meet or miss: runs of 2 every 10 against single bytes every 15.
    CHECK(overlapBothWays(bytes(100, 10, 2, 10), bytes(105, 3, 1, 15)));
    CHECK(!overlapBothWays(bytes(100, 10, 2, 10), bytes(103, 6, 1, 15)));
    // In a batch: backwards, broadcast, one in the gap of another.
    CHECK(overlapBothWays(bytes(100, 1, 4, 4, 3, -8), bytes(84, 1, 1, 1)));
    CHECK(!overlapBothWays(bytes(100, 1, 4, 4, 3, -8), bytes(88, 1, 4, 4)));
    CHECK(!overlapBothWays(bytes(100, 2, 4, 4, 1000000, 0), bytes(108, 1, 4, 4)));
    CHECK(!overlapBothWays(bytes(100, 1, 4, 4, 3, 8), bytes(104, 1, 4, 4, 3, 8)));
    CHECK(overlapBothWays(bytes(100, 1, 4, 4, 3, 8), bytes(103, 1, 4, 4, 3, 8)));
    // No bytes, no overlap.
    CHECK(!overlapBothWays(bytes(100, 0, 4, 4), bytes(100, 1, 4, 4)));
    CHECK(!overlapBothWays(bytes(100, 3, 0, 4), bytes(100, 1, 4, 4)));
  }
  TEST_CASE("overlap against all bytes, drawn") {
    for (unsigned draw = 0; draw < (isShort() ? 200u : 3000u); ++draw) {
      unsigned count = 0;
      auto const pick = [&](unsigned most) { return int(noise(draw * 100 + count++) % most); };
      auto const make = [&] {
        int const columns = 1 + pick(6), rows = 1 + pick(5);
        int const pitch = columns + pick(9), batch = 1 + pick(3);
        return bytes(std::size_t(1000 + pick(60)), rows, columns, pitch, batch, pick(60) - 30);
      };
      Bytes const a = make(), b = make();
      std::vector<int> marks(3000, 0);
      bool isShared = false;
      for (int matrix = 0; matrix < a.batch; ++matrix)
        for (int i = 0; i < a.rows; ++i)
          for (int j = 0; j < a.columns; ++j)
            marks[reinterpret_cast<std::size_t>(a.data) + std::size_t(a.offset(i, j, matrix))] = 1;
      for (int matrix = 0; matrix < b.batch; ++matrix)
        for (int i = 0; i < b.rows; ++i)
          for (int j = 0; j < b.columns; ++j)
            isShared =
                isShared ||
                marks[reinterpret_cast<std::size_t>(b.data) + std::size_t(b.offset(i, j, matrix))];
      CHECK(overlapBothWays(a, b) == isShared);
    }
  }
}
