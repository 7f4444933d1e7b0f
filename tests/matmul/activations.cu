// SPDX-License-Identifier: Apache-2.0
// tests/matmul/activations.cu - tests tweed/matmul/activations.cuh
#include <tweed/matmul/activations.cuh>

#include <cmath>
#include <limits>

#include "support/device.cuh"

namespace {

template <class Piece, class Acc>
TWEED_KERNEL void applyEach(Piece piece, Acc const* in, Acc* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = piece(in[i], tweed::Coord{i, 2 * i, 0});
}
template <class Piece, class Acc>
std::vector<Acc> applyEach(Piece piece, std::vector<Acc> const& in) {
  tweedTest::DeviceArray<Acc> values(in), out(in.size());
  tweed::launch(applyEach<Piece, Acc>, {1, 1}, piece, values.data(), out.data(), int(in.size()));
  return out.host();
}

// Checks the piece against `expected`, computed in double, where both are finite.
template <class Acc, class Piece, class Expected>
void checkPiece(Piece piece, Expected expected, double relative, double ofInput) {
  std::vector<Acc> in;
  for (int i = -2000; i <= 2000; ++i) in.push_back(Acc(i) / Acc(98.7));
  in.push_back(Acc(-1e30));
  in.push_back(Acc(1e30));
  in.push_back(Acc(-87.5));
  in.push_back(Acc(1e-30));
  std::vector<Acc> const out = applyEach(piece, in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    double const want = expected(double(in[i]));
    CAPTURE(in[i]);
    CHECK(std::abs(double(out[i]) - want) <=
          relative * std::abs(want) + ofInput * std::abs(double(in[i])));
  }
}

double const pi = std::acos(-1.0);
double trueGelu(double x) { return x * 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double trueGeluTanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / pi) * (x + 0.044715 * x * x * x)));
}
double trueSilu(double x) { return x < -700 ? 0 : x / (1 + std::exp(-x)); }

constexpr float infinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_SUITE("activations") {
  TEST_CASE("values against double") {
    double const step = 0x1p-23;
    checkPiece<float>(tweed::gelu(), trueGelu, 0, 4 * step);
    checkPiece<float>(tweed::geluTanh(), trueGeluTanh, 4 * step, step);
    checkPiece<float>(tweed::silu(), trueSilu, 24 * step, 0x1p-126);
    checkPiece<double>(tweed::gelu(), trueGelu, 0x1p-48, 0x1p-52);
    checkPiece<double>(tweed::geluTanh(), trueGeluTanh, 0x1p-48, 0x1p-52);
    checkPiece<double>(tweed::silu(), trueSilu, 0x1p-48, 0);
  }
  TEST_CASE("relu, of integers too") {
    CHECK(applyEach(tweed::relu(), std::vector<float>{-2, -0.5f, 0, 0.5f, 2}) ==
          std::vector<float>{0, 0, 0, 0.5f, 2});
    CHECK(applyEach(tweed::relu(), std::vector<int>{-2147483647, 0, 9}) ==
          std::vector<int>{0, 0, 9});
  }
  TEST_CASE("NaN stays NaN") {
    std::vector<float> const nan{std::numeric_limits<float>::quiet_NaN()};
    CHECK(std::isnan(applyEach(tweed::relu(), nan)[0]));
    CHECK(std::isnan(applyEach(tweed::gelu(), nan)[0]));
    CHECK(std::isnan(applyEach(tweed::geluTanh(), nan)[0]));
    CHECK(std::isnan(applyEach(tweed::silu(), nan)[0]));
  }
  TEST_CASE("infinities") {
    std::vector<float> const both{infinity, -infinity};
    CHECK(applyEach(tweed::relu(), both) == std::vector<float>{infinity, 0});
    CHECK(applyEach(tweed::gelu(), both)[0] == infinity);
    CHECK(applyEach(tweed::geluTanh(), both)[0] == infinity);
    CHECK(applyEach(tweed::silu(), both)[0] == infinity);
    CHECK(applyEach(tweed::gelu(), both)[1] == 0);
    CHECK(std::isnan(applyEach(tweed::geluTanh(), both)[1]));
    CHECK(std::isnan(applyEach(tweed::silu(), both)[1]));
  }
}
