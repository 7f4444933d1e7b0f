// SPDX-License-Identifier: Apache-2.0
// tests/device/deviceReduce.cu - tests tweed/device/deviceReduce.cuh
#include <tweed/device/deviceReduce.cuh>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>

#include "support/device.cuh"
#include "support/ops.cuh"

namespace {

using namespace tweedTest;

// Sizes around a vector, a block's first batch, the step from one block to many, and the grid.
std::vector<std::size_t> sizes() {
  if (isShort()) return {0, 1, 3, 4, 5, 1023, 4097, 16384, 16385, 30001};
  return {0,     1,     2,     3,     4,     5,     15,    31,    32,     33,     127,    1023,
          1024,  1025,  4095,  4096,  4097,  16383, 16384, 16385, 16400,  20479,  20480,  20481,
          32767, 32768, 32769, 65535, 65536, 65537, 98304, 98305, 131071, 131073, 200003, 300001};
}

template <class T, class Out, class Op>
Out reduceWith(tweed::Workspace& workspace, DeviceArray<T> const& in, Out before, Op op) {
  DeviceArray<Out> const out(std::vector<Out>(1, before));
  tweed::deviceReduce(in.data(), in.size(), out.data(), op, workspace);
  tweed::synchronize(workspace.stream());
  return out.host()[0];
}

template <class T>
void checkSum(std::size_t n, std::size_t shift) {
  CAPTURE(n);
  CAPTURE(shift);
  std::vector<T> const in = smallIntegers<T>(n, n + shift);
  DeviceArray<T> const dIn(in, shift);
  tweed::Workspace workspace;
  long long const want = std::accumulate(in.begin(), in.end(), 0ll);
  // Of its own kind, and once of the other.
  using Out = std::conditional_t<std::is_floating_point_v<T>, double, long long>;
  CHECK(reduceWith(workspace, dIn, Out(-1), tweed::Sum{}) == Out(want));
  // Again with the same workspace: it was left clean.
  CHECK(reduceWith(workspace, dIn, Out(-1), tweed::Sum{}) == Out(want));
  if constexpr (std::is_same_v<T, int>)
    CHECK(reduceWith(workspace, dIn, -1.0, tweed::Sum{}) == double(want));
}

std::vector<Stretch> stretches(std::size_t n) {
  std::vector<Stretch> s;
  for (std::size_t i = 0; i < n; ++i) s.push_back(Stretch::at(std::uint32_t(i)));
  return s;
}

// x, x^2, ... x^N.
template <int N>
struct Powers {
  long long p[N];
  Powers() = default;
  TWEED_HOST_DEVICE explicit Powers(int x) {
    p[0] = x;
    for (int i = 1; i < N; ++i) p[i] = p[i - 1] * x;
  }
};
struct AddPowers {
  template <int N>
  TWEED_HOST_DEVICE Powers<N> operator()(Powers<N> const& a, Powers<N> const& b) const {
    Powers<N> sum = a;
    for (int i = 0; i < N; ++i) sum.p[i] += b.p[i];
    return sum;
  }
};

// A map of 24 bytes: another number of pieces.
struct WideAffine : Affine {
  unsigned more[4] = {1, 2, 3, 4};
  WideAffine() = default;
  TWEED_HOST_DEVICE WideAffine(Affine const& map) : Affine(map) {}
};
template <class Map>
struct ComposeAs {
  TWEED_HOST_DEVICE Map operator()(Map const& a, Map const& b) const { return Compose{}(a, b); }
  static TWEED_HOST_DEVICE Map identity() { return Compose::identity(); }
};

}  // namespace

TEST_SUITE("deviceReduce") {
  TEST_CASE_TEMPLATE("sums of every size at every alignment are exact", T, signed char, int, float,
                     double) {
    std::size_t const shifts = tweed::vectorItems<T>;
    for (std::size_t const n : sizes()) {
      for (std::size_t shift = 0; shift < shifts; shift += n < 5000 && !isShort() ? 1 : 3)
        checkSum<T>(n, shift);
    }
  }
  TEST_CASE("order is kept, every item is taken once, and nothing else is (C25, C27)") {
    tweed::Workspace workspace;
    for (std::size_t const n : sizes()) {
      if (n == 0) continue;
      CAPTURE(n);
      DeviceArray<Stretch> const in(stretches(n));
      Stretch const want{0, unsigned(n), 0x600D600D};
      CHECK(reduceWith(workspace, in, Stretch{}, Join{}) == want);
    }
  }
  TEST_CASE_TEMPLATE("order is kept by operators with an identity (C25)", Map, Affine, WideAffine) {
    tweed::Workspace workspace;
    for (std::size_t const n : sizes()) {
      CAPTURE(n);
      std::vector<Map> maps;
      Map want = Compose::identity();
      for (std::size_t i = 0; i < n; ++i) {
        maps.push_back(Affine{unsigned(noise(i)) | 1u, unsigned(i)});
        want = Compose{}(want, maps.back());
      }
      CHECK(reduceWith(workspace, DeviceArray<Map>(maps), Map(Affine{7, 7}), ComposeAs<Map>{}) ==
            want);
    }
  }
  TEST_CASE("order is kept over bytes read sixteen at a time") {
    tweed::Workspace workspace;
    for (std::size_t const n : sizes()) {
      for (std::size_t shift = 0; shift < 16; shift += isShort() ? 7 : 3) {
        CAPTURE(n);
        CAPTURE(shift);
        if (n == 0) continue;
        std::vector<unsigned char> text(n);
        for (std::size_t i = 0; i < n; ++i) text[i] = (unsigned char)(noise(i + n));
        TextHash want(text[0]);
        for (std::size_t i = 1; i < n; ++i) want = HashText{}(want, TextHash(text[i]));
        DeviceArray<unsigned char> const in(text, shift);
        TextHash const got = reduceWith(workspace, in, TextHash{}, HashText{});
        CHECK(got.value == want.value);
        CHECK(got.power == want.power);
      }
    }
  }
  TEST_CASE("large types") {
    tweed::Workspace workspace;
    for (std::size_t const n : {std::size_t(1), std::size_t(1000), std::size_t(5003)}) {
      std::vector<Wide> in;
      Wide want{};
      for (std::size_t i = 0; i < n; ++i) {
        long long const k = (long long)(i);
        in.push_back({{k, -k, k * k, 1, k % 7}});
        want = AddWide{}(want, in.back());
      }
      DeviceArray<Wide> const dIn(in);
      CHECK(reduceWith(workspace, dIn, Wide{}, AddWide{}) == want);
    }
  }
  TEST_CASE("accumulators of 48 and 64 bytes") {
    tweed::Workspace workspace;
    for (std::size_t const n : {std::size_t(3), std::size_t(1000), std::size_t(30001)}) {
      CAPTURE(n);
      std::vector<int> const in = smallIntegers<int>(n, n);
      DeviceArray<int> const dIn(in);
      long long const sum = std::accumulate(in.begin(), in.end(), 0ll);
      Powers<6> const six = reduceWith(workspace, dIn, Powers<6>(0), AddPowers{});
      Powers<8> const eight = reduceWith(workspace, dIn, Powers<8>(0), AddPowers{});
      long long last = 0;
      for (int const x : in) last += Powers<8>(x).p[7];
      CHECK(six.p[0] == sum);
      CHECK(eight.p[0] == sum);
      CHECK(eight.p[7] == last);
    }
  }
  TEST_CASE("the marks of a workspace start again after 2^32 launches") {
    std::vector<int> const in = smallIntegers<int>(300001, 3);
    DeviceArray<int> const dIn(in);
    long long const want = std::accumulate(in.begin(), in.end(), 0ll);
    tweed::Workspace workspace;
    CHECK(reduceWith(workspace, dIn, 0ll, tweed::Sum{}) == want);
    // As it looks after 2^32 - 3 launches; the words of all blocks hold older marks.
    auto* const ticket =
        static_cast<unsigned long long*>(workspace.take("test", workspace.bytes(), nullptr));
    unsigned long long const late = 0xfffffffdull << 32;
    TWEED_CHECK(cudaMemcpy(ticket, &late, sizeof late, cudaMemcpyHostToDevice));
    for (int launch = 0; launch < 4; ++launch) {
      CAPTURE(launch);
      CHECK(reduceWith(workspace, dIn, 0ll, tweed::Sum{}) == want);
      CHECK(reduceWith(workspace, dIn, 0, tweed::Max{}) == 9);
    }
    std::vector<unsigned long long> words(workspace.bytes() / 8);
    TWEED_CHECK(cudaMemcpy(words.data(), ticket, workspace.bytes(), cudaMemcpyDeviceToHost));
    unsigned long long const marks = words[0] >> 32;
    CHECK(marks == 6);  // two launches used up the last marks, six came after them
  }
  TEST_CASE("init comes first, and an empty input gives init or the identity") {
    tweed::Workspace workspace;
    DeviceArray<Stretch> const rest(std::vector<Stretch>{Stretch::at(1), Stretch::at(2)});
    DeviceArray<Stretch> const out(1);
    tweed::deviceReduce(rest.data(), 2, out.data(), Join{}, Stretch::at(0), workspace);
    tweed::synchronize();
    CHECK(out.host()[0] == Stretch{0, 3, 0x600D600D});
    tweed::deviceReduce(rest.data(), 0, out.data(), Join{}, Stretch::at(7), workspace);
    tweed::synchronize();
    CHECK(out.host()[0] == Stretch::at(7));

    DeviceArray<float> const x(std::vector<float>{5, 3, 4});
    DeviceArray<float> const result(1);
    tweed::deviceReduce(x.data(), 3, result.data(), tweed::Min{}, 2, nullptr);
    tweed::synchronize();
    CHECK(result.host()[0] == 2.f);
    // A literal in the place of init is an init, not a stream.
    tweed::deviceReduce(x.data(), 3, result.data(), tweed::Min{}, 0);
    tweed::synchronize();
    CHECK(result.host()[0] == 0.f);
    tweed::deviceReduce(x.data(), 3, result.data(), tweed::Max{}, 4.5f);
    tweed::synchronize();
    CHECK(result.host()[0] == 5.f);
    tweed::deviceReduce(x.data(), 3, result.data(), tweed::Max{}, nullptr);
    tweed::synchronize();
    CHECK(result.host()[0] == 5.f);
    tweed::deviceReduce(static_cast<float*>(nullptr), 0, result.data(), tweed::Min{});
    tweed::synchronize();
    CHECK(result.host()[0] == std::numeric_limits<float>::infinity());
  }
  TEST_CASE("narrow items, wide accumulator (C01)") {
    tweed::Workspace workspace;
    DeviceArray<int> const big(std::vector<int>(4, 1 << 30));
    CHECK(reduceWith(workspace, big, 0ll, tweed::Sum{}) == 4294967296ll);
    DeviceArray<unsigned char> const bytes(std::vector<unsigned char>(100000, 255));
    CHECK(reduceWith(workspace, bytes, 0u, tweed::Sum{}) == 25500000u);
  }
  TEST_CASE("infinities and NaN (C07, C10)") {
    tweed::Workspace workspace;
    float const inf = std::numeric_limits<float>::infinity();
    float const nan = std::numeric_limits<float>::quiet_NaN();
    DeviceArray<float> const infinities(std::vector<float>(10, inf));
    CHECK(reduceWith(workspace, infinities, 0.f, tweed::Min{}) == inf);
    std::vector<float> x(70001, -3.f);
    x[40000] = -1.f;
    x[54321] = nan;
    DeviceArray<float> const dX(x);
    CHECK(std::isnan(reduceWith(workspace, dX, 0.f, tweed::Max{})));
    CHECK(reduceWith(workspace, dX, 0.f, tweed::MaxNumber{}) == -1.f);
  }
  TEST_CASE("float sums: same bits on every run, close to the exact sum (C28, C30)") {
    tweed::Workspace workspace;
    std::size_t const n = isShort() ? 40001 : 400001;
    std::vector<float> x;
    double exact = 0, magnitude = 0;
    for (std::size_t i = 0; i < n; ++i) {
      x.push_back(float(noise(i) >> 40) * 0x1p-23f - 1.f);
      exact += x.back();
      magnitude += std::fabs(x.back());
    }
    DeviceArray<float> const dX(x);
    float const first = reduceWith(workspace, dX, 0.f, tweed::Sum{});
    for (int run = 0; run < 3; ++run)
      CHECK(sameBits(reduceWith(workspace, dX, 0.f, tweed::Sum{}), first));
    CHECK(std::fabs(first - exact) <= 1e-6 * magnitude);
    // One running sum would stick at 2^24.
    std::size_t const ones = isShort() ? 1 << 16 : 1 << 25;
    DeviceArray<float> const dOnes(std::vector<float>(ones, 1.f));
    CHECK(reduceWith(workspace, dOnes, 0.f, tweed::Sum{}) == float(ones));
  }
  TEST_CASE("the result may replace the first item; calls of several types share a workspace") {
    std::vector<int> const in = smallIntegers<int>(70000, 9);
    DeviceArray<int> const x(in);
    tweed::Workspace workspace;
    DeviceArray<double> const other(1);
    tweed::deviceReduce(x.data(), x.size(), other.data(), tweed::Max{}, workspace);
    tweed::deviceReduce(x.data(), x.size(), x.data(), tweed::Sum{}, workspace);
    tweed::synchronize();
    CHECK(other.host()[0] == 9.0);
    CHECK(x.host()[0] == std::accumulate(in.begin(), in.end(), 0));
    CHECK(x.host()[1] == in[1]);
  }
  TEST_CASE("bad input is refused with both numbers, and nothing is written") {
    std::vector<float> const in(70000, 1.f);  // more than one block takes
    DeviceArray<float> const x(in);
    DeviceArray<float> const out(std::vector<float>(1, 42.f));
    tweed::Workspace workspace;
    using doctest::Contains;
    CHECK_THROWS_WITH_AS(
        tweed::deviceReduce(static_cast<float*>(nullptr), 5, out.data(), tweed::Sum{}, workspace),
        Contains("tweed::deviceReduce: in is a null pointer, with n = 5"), tweed::Error);
    CHECK_THROWS_WITH_AS(
        tweed::deviceReduce(x.data(), std::size_t(1) << 50, out.data(), tweed::Sum{}, workspace),
        Contains("n is 1125899906842624; at most 549755813888 is allowed"), tweed::Error);
    CHECK_THROWS_WITH_AS(
        tweed::deviceReduce(x.data(), 5, static_cast<float*>(nullptr), tweed::Sum{}, workspace),
        Contains("tweed::deviceReduce: out is a null pointer"), tweed::Error);
    DeviceArray<Stretch> const s(stretches(1));
    CHECK_THROWS_WITH_AS(tweed::deviceReduce(s.data(), 0, s.data(), Join{}, workspace),
                         Contains("n = 0 needs an init or an operator with an identity"),
                         tweed::Error);
    tweed::Workspace small(nullptr, 100);
    std::string const message =
        refusal([&] { tweed::deviceReduce(x.data(), x.size(), out.data(), tweed::Sum{}, small); });
    CHECK(message.find("tweed::deviceReduce: needs a workspace of ") != std::string::npos);
    CHECK(message.find("bytes, this one has 100") != std::string::npos);
    cudaStream_t other = nullptr;
    TWEED_CHECK(cudaStreamCreate(&other));
    CHECK_THROWS_WITH_AS(
        tweed::deviceReduce(x.data(), x.size(), out.data(), tweed::Sum{}, workspace, other),
        Contains("the workspace belongs to another stream"), tweed::Error);
    CHECK_THROWS_WITH_AS(
        tweed::deviceReduce(x.data(), 5, out.data(), tweed::Sum{}, workspace, other),
        Contains("the workspace belongs to another stream"), tweed::Error);
    TWEED_CHECK(cudaStreamDestroy(other));
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(out.host()[0] == 42.f);
    tweed::Workspace exact(nullptr, tweed::deviceReduceBytes<float>());
    CHECK(reduceWith(exact, x, 0.f, tweed::Sum{}) == 70000.f);
  }
  TEST_CASE("work in another stream, with a workspace and without") {
    cudaStream_t stream = nullptr;
    TWEED_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    {
      std::vector<int> const in = smallIntegers<int>(70000, 10);
      DeviceArray<int> const x(in);
      DeviceArray<int> const out(2);
      tweed::Workspace workspace(stream);
      tweed::deviceReduce(x.data(), x.size(), out.data(), tweed::Sum{}, workspace);
      tweed::deviceReduce(x.data(), x.size(), out.data() + 1, tweed::Sum{}, stream);
      tweed::synchronize(stream);
      int const want = std::accumulate(in.begin(), in.end(), 0);
      CHECK(out.host() == std::vector<int>{want, want});
    }
    TWEED_CHECK(cudaStreamDestroy(stream));
  }
}

#if !defined(TWEED_LOOM)
namespace {
__global__ void fillBytes(signed char* x, std::size_t n, std::size_t special) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n;
       i += std::size_t(blockDim.x) * gridDim.x)
    x[i] = i == special ? 2 : 1;
}
}  // namespace

TEST_SUITE("deviceReduce on the GPU") {
  TEST_CASE("more than 2^31 and 2^32 items (C02)") {
    for (std::size_t const n : {(std::size_t(1) << 31) + 7, (std::size_t(1) << 32) + 5}) {
      signed char* x = nullptr;
      TWEED_CHECK(cudaMalloc(&x, n));
      fillBytes<<<1024, 512>>>(x, n, n - 2);
      tweed::Workspace workspace;
      DeviceArray<long long> const out(1);
      tweed::deviceReduce(x, n, out.data(), tweed::Sum{}, workspace);
      tweed::synchronize();
      CHECK(out.host()[0] == (long long)(n) + 1);
      TWEED_CHECK(cudaFree(x));
    }
  }
  TEST_CASE("captured in a graph and replayed") {
    cudaStream_t stream = nullptr;
    TWEED_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    {
      std::vector<int> in = smallIntegers<int>(300000, 11);
      DeviceArray<int> const x(in);
      DeviceArray<int> const out(8);
      tweed::Workspace workspace(stream);
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t replay = nullptr;
      TWEED_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
      for (int i = 0; i < 8; ++i)
        tweed::deviceReduce(x.data(), x.size(), out.data() + i, tweed::Sum{}, workspace);
      TWEED_CHECK(cudaStreamEndCapture(stream, &graph));
      TWEED_CHECK(cudaGraphInstantiate(&replay, graph, 0));
      int want = std::accumulate(in.begin(), in.end(), 0);
      for (int round = 0; round < 20; ++round) {
        TWEED_CHECK(cudaMemcpyAsync(x.data(), &round, sizeof(int), cudaMemcpyHostToDevice, stream));
        want += round - in[0];
        in[0] = round;
        TWEED_CHECK(cudaGraphLaunch(replay, stream));
        tweed::synchronize(stream);
        REQUIRE(out.host() == std::vector<int>(8, want));
      }
      TWEED_CHECK(cudaGraphExecDestroy(replay));
      TWEED_CHECK(cudaGraphDestroy(graph));
    }
    TWEED_CHECK(cudaStreamDestroy(stream));
  }
  TEST_CASE("a device lambda is an ordered operator") {
    DeviceArray<int> const x(smallIntegers<int>(100000, 12));
    DeviceArray<int> const out(1);
    tweed::deviceReduce(
        x.data(), x.size(), out.data(), [] __device__(int a, int b) { return a > b ? a : b; }, 0,
        nullptr);
    tweed::synchronize();
    CHECK(out.host()[0] == 9);
  }
}
#endif
