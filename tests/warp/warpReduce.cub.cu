// SPDX-License-Identifier: Apache-2.0
// tests/warp/warpReduce.cub.cu - compares tweed/warp/warpReduce.cuh with cub::WarpReduce, whose
// result is defined in the first lane only
#include <tweed/warp/warpReduce.cuh>

#include <cub/warp/warp_reduce.cuh>

#include <cmath>
#include <limits>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

constexpr int warps = 4;

template <class T>
struct Both {
  T tweed, cub;
};

template <int Width, class T, class Op>
__global__ void reduceBoth(T const* in, Both<T>* out, Op op, int count) {
  using Cub = cub::WarpReduce<T, Width>;
  __shared__ typename Cub::TempStorage storage[32 * warps / Width];
  int const t = int(threadIdx.x);
  T const mine = count == Width ? tweed::warpReduce<Width>(in[t], op)
                                : tweed::warpReduce<Width>(in[t], op, count);
  T const theirs = count == Width ? Cub(storage[t / Width]).Reduce(in[t], op)
                                  : Cub(storage[t / Width]).Reduce(in[t], op, count);
  if (t % Width == 0) out[t / Width] = {mine, theirs};
}

template <int Width, class T, class Op, class Check>
void compare(std::vector<T> const& in, Op op, Check check) {
  CAPTURE(Width);
  DeviceArray<T> const dIn(in);
  DeviceArray<Both<T>> const out(in.size() / Width);
  for (int count : {1, 2, 3, Width / 2, Width - 1, Width}) {  // 0 is undefined in CUB
    if (count < 1 || count > Width) continue;
    CAPTURE(count);
    tweed::launch(reduceBoth<Width, T, Op>, {1, unsigned(in.size())}, dIn.data(), out.data(), op,
                  count);
    tweed::synchronize();
    std::vector<Both<T>> const got = out.host();
    for (std::size_t g = 0; g < got.size(); ++g) check(got[g], in.data() + g * Width, count);
  }
}

template <class T, class Op>
void compareExact(std::vector<T> const& in, Op op) {
  auto const check = [](Both<T> const& both, T const*, int) { CHECK(both.tweed == both.cub); };
  compare<2>(in, op, check), compare<8>(in, op, check), compare<32>(in, op, check);
}

}  // namespace

TEST_SUITE("warpReduce.cub") {
  TEST_CASE_TEMPLATE("integers are equal", T, signed char, unsigned short, int,
                     unsigned long long) {
    compareExact(smallIntegers<T>(32 * warps, 11), tweed::Sum{});
    compareExact(smallIntegers<T>(32 * warps, 12), tweed::Max{});
  }
  TEST_CASE("ordered operators are equal") {
    std::vector<Affine> maps;
    std::vector<Stretch> stretches;
    for (unsigned i = 0; i < 32 * warps; ++i) {
      maps.push_back({unsigned(2 * noise(i) + 1), unsigned(noise(i + 5000))});
      stretches.push_back(Stretch::at(i));
    }
    compareExact(maps, Compose{});
    compareExact(stretches, Join{});
  }
  TEST_CASE_TEMPLATE("sums of floats are within the bound of their length", T, float, double) {
    std::vector<T> in;
    for (std::uint64_t i = 0; i < 32 * warps; ++i)
      in.push_back(T(noise(i) % 1000003) * T(1e-3) - T(400));
    auto const check = [](Both<T> const& both, T const* first, int count) {
      long double exact = 0, size = 0;
      for (int i = 0; i < count; ++i) exact += first[i], size += std::fabs(first[i]);
      long double const bound = count * std::numeric_limits<T>::epsilon() * size;
      CHECK(std::fabs(both.tweed - exact) <= bound);
      CHECK(std::fabs(both.cub - exact) <= bound);
    };
    compare<8>(in, tweed::Sum{}, check), compare<32>(in, tweed::Sum{}, check);
  }
}
