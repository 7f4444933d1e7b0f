// SPDX-License-Identifier: Apache-2.0
// tests/arch/mma.cu - tests tweed/arch/mma.cuh
#include <tweed/arch/ldmatrix.cuh>
#include <tweed/arch/mma.cuh>
#include <tweed/core/half.cuh>
#include <tweed/memory/sharedArray.cuh>

#include <cmath>

#include "support/device.cuh"

namespace {

using namespace tweedTest;
using tweed::arch::MmaInput;

template <MmaInput Input>
using ItemOf = typename tweed::Conditional<
    Input == MmaInput::Half, __half,
    typename tweed::Conditional<Input == MmaInput::Bfloat16, __nv_bfloat16, float>::Type>::Type;

/// x as the factor holds it.
template <MmaInput Input>
double rounded(double x) {
  if constexpr (Input == MmaInput::Half) return double(__half2float(__float2half(float(x))));
  if constexpr (Input == MmaInput::Bfloat16)
    return double(__bfloat162float(__float2bfloat16(float(x))));
  unsigned const bits = __builtin_bit_cast(unsigned, float(x)) & ~0x1fffu;
  return double(__builtin_bit_cast(float, bits));
}

// One product by the table in the header: a is 16 x depth by rows, b is 8 columns of `depth`.
template <MmaInput Input>
__global__ void product(ItemOf<Input> const* a, ItemOf<Input> const* b, float* c, int leaves) {
  constexpr int depth = tweed::arch::mmaDepth<Input>, each = depth / 8;
  int const lane = int(threadIdx.x), g = lane / 4, t = lane % 4;
  if (lane == leaves) return;
  unsigned wordA[4], wordB[2];
  float sum[4];
  for (int i = 0; i < 4; ++i) {
    memcpy(&wordA[i], &a[(g + i % 2 * 8) * depth + each * t + i / 2 * (depth / 2)], 4);
    sum[i] = c[(g + i / 2 * 8) * 8 + 2 * t + i % 2];
  }
  for (int i = 0; i < 2; ++i) memcpy(&wordB[i], &b[g * depth + each * t + i * (depth / 2)], 4);
  tweed::arch::mma<Input>(sum, wordA, wordB);
  for (int i = 0; i < 4; ++i) c[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = sum[i];
}

// The same through shared memory and ldmatrix. Deep: k runs fastest in both. Else a is `depth` rows
// of 16 and b `depth` rows of 8 (16-bit items).
template <MmaInput Input, bool Deep>
__global__ void productOfTiles(ItemOf<Input> const* a, ItemOf<Input> const* b, float* c) {
  constexpr int depth = tweed::arch::mmaDepth<Input>;
  using Item = ItemOf<Input>;
  __shared__ tweed::SharedArray<unsigned char, 24 * depth* int(sizeof(Item))> bytes;
  Item* const tileA = reinterpret_cast<Item*>(bytes.data());
  Item* const tileB = tileA + 16 * depth;
  int const lane = int(threadIdx.x), g = lane / 4, t = lane % 4;
  for (int i = lane; i < 16 * depth; i += 32) tileA[i] = a[i];
  for (int i = lane; i < 8 * depth; i += 32) tileB[i] = b[i];
  __syncthreads();
  unsigned wordA[4], wordB[2];
  float sum[4] = {};
  int const row = lane % 8, right = lane / 8 % 2, below = lane / 16;
  constexpr int half = depth / 2;
  if constexpr (Deep) {
    tweed::arch::ldmatrix(wordA, tileA + (row + right * 8) * depth + below * half);
    tweed::arch::ldmatrix(wordB, tileB + row * depth + right * half);
  } else {
    tweed::arch::ldmatrix<4, true>(wordA, tileA + (row + below * half) * 16 + right * 8);
    tweed::arch::ldmatrix<2, true>(wordB, tileB + (row + right * half) * 8);
  }
  tweed::arch::mma<Input>(sum, wordA, wordB);
  for (int i = 0; i < 4; ++i) c[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = sum[i];
}

/// A 16 x depth by rows, B as 8 columns of depth, C 16 x 8 by rows.
struct Factors {
  std::vector<double> a, b, c;
};

template <MmaInput Input, class Draw>
Factors factors(Draw draw) {
  constexpr std::size_t depth = tweed::arch::mmaDepth<Input>;
  Factors f{std::vector<double>(16 * depth), std::vector<double>(8 * depth),
            std::vector<double>(16 * 8)};
  std::uint64_t seed = 0;
  for (double& x : f.a) x = rounded<Input>(draw(noise(++seed)));
  for (double& x : f.b) x = rounded<Input>(draw(noise(++seed)));
  for (double& x : f.c) x = double(float(draw(noise(++seed))));
  return f;
}

template <MmaInput Input>
std::vector<ItemOf<Input>> items(std::vector<double> const& values) {
  std::vector<ItemOf<Input>> result;
  for (double x : values) {
    if constexpr (Input == MmaInput::Half)
      result.push_back(__float2half(float(x)));
    else if constexpr (Input == MmaInput::Bfloat16)
      result.push_back(__float2bfloat16(float(x)));
    else
      result.push_back(float(x));
  }
  return result;
}

// Checks out = c + a * b; exact, or within the bound of one instruction.
template <MmaInput Input>
void checkProduct(Factors const& f, std::vector<float> const& out, bool addsC, bool exact) {
  constexpr std::size_t depth = tweed::arch::mmaDepth<Input>;
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t column = 0; column < 8; ++column) {
      double want = addsC ? f.c[row * 8 + column] : 0, size = std::fabs(want);
      for (std::size_t k = 0; k < depth; ++k) {
        double const term = f.a[row * depth + k] * f.b[column * depth + k];
        want += term, size += std::fabs(term);
      }
      CAPTURE(row);
      CAPTURE(column);
      double const got = double(out[row * 8 + column]);
      if (std::isnan(want))
        CHECK(std::isnan(got));
      else if (exact || std::isinf(want))
        CHECK(got == want);
      else
        CHECK(std::fabs(got - want) <= size * 0x1p-21);
    }
}

template <MmaInput Input>
void checkFactors(Factors const& f, bool exact) {
  DeviceArray<ItemOf<Input>> const a(items<Input>(f.a)), b(items<Input>(f.b));
  DeviceArray<float> const c(std::vector<float>(f.c.begin(), f.c.end()));
  tweed::launch(product<Input>, {1, 32}, a.data(), b.data(), c.data(), -1);
  tweed::synchronize();
  checkProduct<Input>(f, c.host(), true, exact);
}

template <MmaInput Input, bool Deep>
void checkTiles(Factors const& f) {
  constexpr std::size_t depth = tweed::arch::mmaDepth<Input>;
  auto itemsA = items<Input>(f.a), itemsB = items<Input>(f.b);
  if (!Deep) {
    auto const deepA = itemsA, deepB = itemsB;
    for (std::size_t k = 0; k < depth; ++k) {
      for (std::size_t row = 0; row < 16; ++row) itemsA[k * 16 + row] = deepA[row * depth + k];
      for (std::size_t column = 0; column < 8; ++column)
        itemsB[k * 8 + column] = deepB[column * depth + k];
    }
  }
  DeviceArray<ItemOf<Input>> const a(itemsA), b(itemsB);
  DeviceArray<float> const c(16 * 8);
  tweed::launch(productOfTiles<Input, Deep>, {1, 32}, a.data(), b.data(), c.data());
  tweed::synchronize();
  checkProduct<Input>(f, c.host(), false, true);
}

double smallInteger(std::uint64_t bits) { return double(int(bits % 17) - 8); }
double fraction(std::uint64_t bits) { return double(std::int64_t(bits)) * 0x1p-63; }

template <MmaInput Input>
void checkInput() {
  auto const exact = factors<Input>(smallInteger);
  checkFactors<Input>(exact, true);
  checkFactors<Input>(factors<Input>(fraction), false);
  auto tiny = exact;  // subnormal halves
  for (double& x : tiny.a) x *= Input == MmaInput::Half ? 0x1p-24 : 0x1p-70;
  for (double& x : tiny.c) x *= Input == MmaInput::Half ? 0x1p-24 : 0x1p-70;
  checkFactors<Input>(tiny, true);
  auto special = exact;
  special.a[0] = std::nan("");
  special.b[3] = INFINITY;  // column 0: times what may be 0
  special.c[127] = -INFINITY;
  checkFactors<Input>(special, true);
  checkTiles<Input, true>(exact);
  if constexpr (Input != MmaInput::Tf32) checkTiles<Input, false>(exact);
}

__global__ void roundAll(float const* in, unsigned* out) {
  out[threadIdx.x] = tweed::arch::toTf32(in[threadIdx.x]);
}

}  // namespace

TEST_SUITE("mma") {
  TEST_CASE("the product of half factors") { checkInput<MmaInput::Half>(); }
  TEST_CASE("the product of bfloat16 factors") { checkInput<MmaInput::Bfloat16>(); }
  TEST_CASE("the product of tf32 factors") { checkInput<MmaInput::Tf32>(); }

  TEST_CASE("tf32 is the nearest of 10 bits, halves away from zero") {
    unsigned const in[] = {0x3f800000u, 0x3f800fffu, 0x3f801000u, 0x3f801001u,
                           0x3f802fffu, 0x3f803000u, 0xbf801000u, 0xbf800fffu,
                           0x3fffffffu, 0x00000000u, 0x80000000u, 0x00000fffu,
                           0x00001000u, 0x7f800000u, 0xff800000u, 0x7f7fe000u};
    unsigned const want[] = {0x3f800000u, 0x3f800000u, 0x3f802000u, 0x3f802000u,
                             0x3f802000u, 0x3f804000u, 0xbf802000u, 0xbf800000u,
                             0x40000000u, 0x00000000u, 0x80000000u, 0x00000000u,
                             0x00002000u, 0x7f800000u, 0xff800000u, 0x7f7fe000u};
    constexpr std::size_t count = sizeof in / sizeof in[0];
    // The NaN with all bits set would become a zero, were it rounded.
    unsigned const nans[] = {0x7fc00000u, 0x7fffffffu, 0xffffffffu};
    std::vector<float> values(count + 3);
    std::memcpy(values.data(), in, sizeof in);
    std::memcpy(values.data() + count, nans, sizeof nans);
    DeviceArray<float> const dIn(values);
    DeviceArray<unsigned> const out(count + 3);
    tweed::launch(roundAll, {1, unsigned(count + 3)}, dIn.data(), out.data());
    tweed::synchronize();
    auto const got = out.host();
    for (std::size_t i = 0; i < count; ++i) {
      CAPTURE(i);
      CHECK(got[i] == want[i]);
    }
    for (std::size_t i = count; i < count + 3; ++i)
      CHECK(std::isnan(__builtin_bit_cast(float, got[i])));
  }
#if defined(TWEED_LOOM)
  TEST_CASE("a lane that never comes is named") {
    DeviceArray<float> const a(128), b(64), c(128);
    auto const run = [&](unsigned threads, int leaves) {
      return fault([&] {
        tweed::launch(product<MmaInput::Tf32>, {1, threads}, a.data(), b.data(), c.data(), leaves);
      });
    };
    CHECK(run(32, -1).empty());
    CHECK(contains(run(32, 5), "mma(0xffffffff)"));
    CHECK(contains(run(32, 5), "needs lane 5, which has exited"));
    CHECK(contains(run(16, -1), "the mask names lanes that warp 0 does not have"));
  }
#endif
}
