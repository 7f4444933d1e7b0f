// SPDX-License-Identifier: Apache-2.0
// tests/core/opsTypes.cu - tests tweed/core/ops.cuh with types of other widths and kinds, in warps,
// blocks and whole arrays
#include <tweed/core/argOps.cuh>
#include <tweed/core/ops.cuh>

#include "support/everyLevel.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;
__extension__ using Int128 = __int128;
__extension__ using Unsigned128 = unsigned __int128;

// Up to 104 bits, so that a sum of 5000 does not overflow; of both signs if T has them.
template <class T>
std::vector<T> wideIntegers(int count) {
  std::vector<T> all;
  for (int i = 0; i < count; ++i) {
    T const x = T(noise(std::uint64_t(i))) << 40 | T(noise(std::uint64_t(~i)) >> 24);
    all.push_back(tweed::Limits<T>::isSigned && i % 3 == 0 ? T(-x) : x);
  }
  return all;
}

// Numbers of Gauss: exact, and a product of them is commutative.
struct Complex {
  unsigned re, im;
  Complex() = default;
  TWEED_HOST_DEVICE constexpr Complex(unsigned r, unsigned i = 0) : re(r), im(i) {}
  friend TWEED_HOST_DEVICE constexpr Complex operator+(Complex a, Complex b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend TWEED_HOST_DEVICE constexpr Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend TWEED_HOST_DEVICE constexpr bool operator==(Complex a, Complex b) {
    return a.re == b.re && a.im == b.im;
  }
};

struct MapAndTop {  // 12 bytes, aligned to 4
  Affine map;
  float top;
  friend TWEED_HOST_DEVICE bool operator==(MapAndTop const& a, MapAndTop const& b) {
    return a.map == b.map && a.top == b.top;
  }
};
static_assert(sizeof(MapAndTop) == 12 && sizeof(Bytes<3>) == 3 && sizeof(Wide) == 40);
struct JoinMaps {
  TWEED_HOST_DEVICE MapAndTop operator()(MapAndTop const& a, MapAndTop const& b) const {
    return {Compose{}(a.map, b.map), tweed::Max{}(a.top, b.top)};
  }
};
// The last byte that is not zero, the sum of all first bytes, and how many there are: by order.
struct JoinBytes {
  TWEED_HOST_DEVICE Bytes<3> operator()(Bytes<3> const& a, Bytes<3> const& b) const {
    return {{b.byte[0] != 0 ? b.byte[0] : a.byte[0], (unsigned char)(a.byte[1] + b.byte[1]),
             (unsigned char)(a.byte[2] + b.byte[2])}};
  }
};

}  // namespace

TEST_SUITE("opsTypes") {
  TEST_CASE_TEMPLATE("integers of 128 bits", T, Int128, Unsigned128) {
    std::vector<T> const in = wideIntegers<T>(5003);
    checkEveryLevelAndDevice(in, tweed::Sum{});
    checkEveryLevel(in, tweed::Max{});
    CHECK((tweed::Min{}(in[0], in[1]) == (in[1] < in[0] ? in[1] : in[0])));
    CHECK((tweed::Min{}(in[1], in[0]) == tweed::Min{}(in[0], in[1])));
    CHECK((tweed::BitXor{}(in[1], in[2]) == (in[1] ^ in[2])));
    CHECK((tweed::BitAnd{}(tweed::identityOf<tweed::BitAnd, T>(), in[1]) == in[1]));
    CHECK((tweed::BitOr{}(in[1], in[2]) == (in[1] | in[2])));
    CHECK((tweed::Product{}(T(1) << 63, T(6)) == T(3) << 64));
    T const least = tweed::Limits<T>::least(), greatest = tweed::Limits<T>::greatest();
    CHECK((tweed::identityOf<tweed::Max, T>() == least));
    CHECK((tweed::identityOf<tweed::MinNumber, T>() == greatest));
    CHECK(least < in[0]);
    CHECK(in[1] < greatest);
  }
  TEST_CASE("the place of the least integer of 128 bits") {
    std::vector<tweed::Indexed<Int128, int>> in;
    for (Int128 const x : wideIntegers<Int128>(3001)) in.push_back({x, int(in.size())});
    in[700].value = in[600].value = tweed::Limits<Int128>::least();
    checkEveryLevel(in, tweed::ArgMin{});
    checkEveryLevel(in, tweed::ArgMaxNumber{});
  }
  TEST_CASE("complex numbers add and multiply by their operators") {
    std::vector<Complex> in;
    for (unsigned i = 0; i < 5003; ++i)
      in.push_back({unsigned(noise(i)) | 1u, unsigned(noise(i + 9000))});
    checkEveryLevel(in, tweed::Sum{});
    checkEveryLevelAndDevice(in, tweed::Product{});
    CHECK((tweed::identityOf<tweed::Product, Complex>() == Complex{1, 0}));
    CHECK((tweed::identityOf<tweed::Sum, Complex>() == Complex{0, 0}));
  }
  TEST_CASE("structures of 3, 12 and 40 bytes") {
    std::vector<Bytes<3>> three;
    std::vector<MapAndTop> twelve;
    std::vector<Wide> forty;
    for (int i = 0; i < 5003; ++i) {
      int const n = int(noise(std::uint64_t(i)) % 251);
      three.push_back({{(unsigned char)(n % 5 == 0 ? n : 0), (unsigned char)(n), 1}});
      twelve.push_back({Affine{unsigned(2 * n + 1), unsigned(i)}, float(n) - 300.f});
      forty.push_back({{i, -i, n, 1, n % 7}});
    }
    checkEveryLevelAndDevice(three, JoinBytes{});
    checkEveryLevelAndDevice(twelve, JoinMaps{});
    checkEveryLevel(forty, AddWide{});
  }
}
