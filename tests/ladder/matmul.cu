// SPDX-License-Identifier: Apache-2.0
// Every rung of the product ladder against the host, and what becomes of the usual mistakes.
#include <doctest/doctest.h>

#if defined(TWEED_LOOM)
#define LADDER_WITHOUT_TWEED  // loom.m7_tweed runs the rung
#endif
#include <cmath>
#include <ladder/matmul/rungs.cuh>

#include "support/device.cuh"
#include "support/orders.cuh"

// ThreadSanitizer would report what is planted here.
#if defined(__SANITIZE_THREAD__)
#define LADDER_UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LADDER_UNDER_TSAN 1
#endif
#endif

namespace {

using ladder::ProductRung;
using ladder::ProductShape;
using tweedTest::DeviceArray;

std::vector<ProductRung> rungsHere() {
  std::vector<ProductRung> rungs;
  for (ProductRung const& rung : ladder::productRungs()) {
    if (rung.canRun != nullptr && !rung.canRun()) {
      MESSAGE("skipped: ", rung.name, ": this device or build does not have its instructions");
      continue;
    }
    // The loom compiles the three of m5 to the same code.
    if (tweedTest::isLoom && (rung.ofFloats == m5::product<1> || rung.ofFloats == m5::product<3>))
      continue;
    if (std::string(rung.name).rfind("m7", 0) == 0) continue;  // tests/matmul/ has its kernels
    rungs.push_back(rung);
  }
  return rungs;
}

// The numbers, then NaN, for whoever reads too far.
template <class T>
std::vector<T> withPoison(std::vector<float> const& values) {
  std::vector<T> items(values.begin(), values.end());
  items.insert(items.end(), 600, T(NAN));
  return items;
}

// A product on the host, exact; `shift` items keep all matrices from multiples of 16 bytes.
struct Case {
  ProductShape shape;
  std::vector<float> a, b, c;

  explicit Case(ProductShape s)
      : shape(s),
        a(ladder::wholeNumbers(s.m * s.n, 31, 3)),
        b(ladder::wholeNumbers(s.n * s.k, 31, 4)) {
    multiply();
  }
  void multiply() {
    std::size_t const m = std::size_t(shape.m), n = std::size_t(shape.n), k = std::size_t(shape.k);
    c.assign(m * k, 0.f);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t l = 0; l < n; ++l)
        for (std::size_t j = 0; j < k; ++j) c[i * k + j] += a[i * n + l] * b[l * k + j];
  }

  std::vector<float> resultOf(ProductRung const& rung, std::size_t shift = 0) const {
    tweed::Workspace workspace(nullptr, ladder::workspaceBytes(shape));
    TWEED_CHECK(cudaMemset(workspace.takeScratch("resultOf", workspace.bytes(), nullptr), 0xFF,
                           workspace.bytes()));
    DeviceArray<float> const out(c.size(), shift);
    if (rung.ofFloats != nullptr)
      call(rung.ofFloats, out, shift, workspace);
    else
      call(rung.ofHalves, out, shift, workspace);
    return out.host();
  }

  void check(ProductRung const& rung, std::size_t shift) const {
    CAPTURE(shift);
    std::vector<float> const result = resultOf(rung, shift);
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (result[i] == c[i] || (std::isnan(c[i]) && std::isnan(result[i]))) continue;
      FAIL_CHECK("C[", i / std::size_t(shape.k), ", ", i % std::size_t(shape.k), "] is ", result[i],
                 ", the host's is ", c[i]);
      return;
    }
  }

 private:
  template <class T>
  void call(ladder::Product<T> product, DeviceArray<float> const& out, std::size_t shift,
            tweed::Workspace& workspace) const {
    std::vector<T> const hostA = withPoison<T>(a), hostB = withPoison<T>(b);
    DeviceArray<T> const inA(hostA, shift), inB(hostB, shift);
    product(inA.data(), inB.data(), out.data(), shape, workspace);
    tweed::synchronize();
    CHECK(std::memcmp(inA.host().data(), hostA.data(), hostA.size() * sizeof(T)) == 0);
    CHECK(std::memcmp(inB.host().data(), hostB.data(), hostB.size() * sizeof(T)) == 0);
  }
};

std::vector<ProductShape> shapes() {
  if (tweedTest::isShort()) return {{5, 0, 3}, {17, 17, 17}, {3, 130, 20}};
  std::vector<ProductShape> all = {
      {0, 0, 0},    {0, 5, 3},    {5, 0, 3},    {5, 3, 0},     {1, 1, 1},     {1, 16, 1},
      {2, 16, 5},   {16, 16, 16}, {17, 17, 17}, {15, 18, 31},  {32, 32, 32},  {33, 31, 36},
      {31, 65, 33}, {64, 63, 8},  {3, 129, 40}, {129, 9, 127}, {127, 64, 129}};
  if (!tweedTest::isLoom)
    for (ProductShape const s : {ProductShape{128, 128, 128},
                                 {256, 257, 255},
                                 {255, 512, 264},
                                 {257, 1000, 513},
                                 {1, 4099, 1},
                                 {1000, 1, 1000},
                                 {520, 8, 1032}})
      all.push_back(s);
  return all;
}

}  // namespace

TEST_CASE("product ladder: every rung multiplies as the host does and leaves its operands") {
  for (ProductShape const s : shapes()) {
    CAPTURE(s.m);
    CAPTURE(s.n);
    CAPTURE(s.k);
    Case const product(s);
    for (ProductRung const& rung : rungsHere()) {
      CAPTURE(rung.name);
      product.check(rung, 0);
      // One item off, where whole pieces could move otherwise.
      if (s.n % 4 == 0 && s.k % 4 == 0 && (!tweedTest::isLoom || s.m < 64)) product.check(rung, 1);
    }
  }
  std::string others;
  for (auto const& [name, type] : ladder::otherProductRungs())
    others += std::string(others.empty() ? "" : ", ") + name + " (" + type + ")";
  std::string const why = tweedTest::isLoom ? "for the GPU alone" : "not linked";
  if (!others.empty()) MESSAGE("skipped, ", why, ": ", others);
}

#if !defined(TWEED_LOOM)
TEST_CASE("product ladder: m7, by the model and by the clock, at sizes 0, 1 and 17") {
  for (ProductShape const s : {ProductShape{0, 0, 0},
                               {0, 17, 1},
                               {17, 0, 1},
                               {17, 1, 0},
                               {1, 1, 1},
                               {1, 17, 1},
                               {17, 1, 17},
                               {17, 17, 17}}) {
    if (tweedTest::isShort() && s.m != 17) continue;
    CAPTURE(s.m);
    CAPTURE(s.n);
    CAPTURE(s.k);
    Case const product(s);
    for (ProductRung const& rung : m7::rungs) {
      CAPTURE(rung.name);
      CAPTURE(rung.type());
      product.check(rung, 0);
      product.check(rung, 0);  // if the memory is the same, by the plan that is there
      product.check(rung, 1);
    }
  }
}
#endif

TEST_CASE("product ladder: NaN and infinities stay in their rows and columns") {
  if (tweedTest::isShort()) return;
  Case product({18, 9, 20});
  product.a[3 * 9 + 8] = NAN;
  product.a[17 * 9] = INFINITY;
  for (std::size_t j = 0; j < 20; ++j) product.b[j] = float(j % 5) + 1;  // no infinity times 0
  product.multiply();
  for (ProductRung const& rung : rungsHere()) {
    CAPTURE(rung.name);
    product.check(rung, 0);
  }
}

// -------------------------------------------------------------- what the rungs' programs see
namespace {

__global__ void addOne(float* c, long long i) { c[i] += 1; }

// m1, but that the last item but one is too large.
void wrongProduct(float const* a, float const* b, float* c, ProductShape s, tweed::Workspace& w) {
  m1::product(a, b, c, s, w);
  tweed::launch(addOne, {1, 1, 0, w.stream()}, c, s.m * s.k - 2);
}
void noProduct(float const*, float const*, float*, ProductShape, tweed::Workspace&) {}

}  // namespace

TEST_CASE("product ladder: the programs see one wrong item, and a result that is not written") {
  ladder::ProductData data({17, 9, 21});
  data.forgetResult();
  data.call(m1::rung);
  CHECK(data.complaint().empty());
  data.call({"wrong", "", wrongProduct});
  CHECK(tweedTest::contains(data.complaint(), "C[16, 19] is "));
  data.forgetResult();
  data.call({"none", "", noProduct});
  CHECK(tweedTest::contains(data.complaint(), "C[0, 0] is "));
  data.use(ladder::Numbers::Real);
  data.call(m1::rung);
  CHECK(tweedTest::contains(data.complaint(), "C[0, 0] is "));
  CHECK(data.check(m1::rung).empty());  // with whole numbers again
  CHECK(tweedTest::contains(data.check({"none", "", noProduct}), "C[0, 0] is "));
  std::vector<float> const reals = ladder::realNumbers(10000, 3);
  double sum = 0, squares = 0;
  for (float const x : reals) {
    REQUIRE((x >= -1 && x < 1));
    sum += x, squares += double(x) * x;
  }
  CHECK(std::fabs(sum) < 4 * std::sqrt(10000 / 3.0));
  CHECK(std::fabs(squares - 10000 / 3.0) < 4 * std::sqrt(10000 * 4 / 45.0));
  char name[] = "program", size[] = "17";
  char* arguments[] = {name, size, size, size};
  CHECK(ladder::runProduct({m1::rung}, 4, arguments) == 0);
  CHECK(ladder::runProduct({m1::rung, {"wrong", "", wrongProduct}}, 4, arguments) == 1);
  CHECK(ladder::runProduct({{"not here", "", wrongProduct, nullptr, [] { return false; }}}, 4,
                           arguments) == 77);
}

#if !defined(TWEED_LOOM)
namespace {

// Memory of zeros, or null if there is not so much.
template <class T>
T* zeros(long long items) {
  T* data = nullptr;
  TWEED_CHECK(cudaMalloc(&data, std::size_t(items) * sizeof(T)));
  TWEED_CHECK(cudaMemset(data, 0, std::size_t(items) * sizeof(T)));
  return data;
}
template <class T>
void set(T* data, long long i, float value) {
  T const item = T(value);
  TWEED_CHECK(cudaMemcpy(data + i, &item, sizeof(T), cudaMemcpyHostToDevice));
}
float get(float const* data, long long i) {
  float value = 0;
  TWEED_CHECK(cudaMemcpy(&value, data + i, sizeof(float), cudaMemcpyDeviceToHost));
  return value;
}

// Single items that are not 0, at the corners of A and B: C is 0 but where they meet.
template <class T>
void checkLarge(ProductRung const& rung, ladder::Product<T> product, ProductShape s) {
  T* const a = zeros<T>(s.m * s.n);
  T* const b = zeros<T>(s.n * s.k);
  float* const c = zeros<float>(s.m * s.k);
  TWEED_CHECK(cudaMemset(c, 0xFF, std::size_t(s.m * s.k) * sizeof(float)));
  set(a, 0, 2), set(a, s.m * s.n - 1, 3);
  set(b, 0, 5), set(b, s.n * s.k - 1, 7);
  {
    tweed::Workspace workspace(nullptr, ladder::workspaceBytes(s));
    product(a, b, c, s, workspace);
    tweed::synchronize();
  }
  CAPTURE(rung.name);
  CHECK(get(c, 0) == 10);
  CHECK(get(c, s.m * s.k - 1) == 21);
  if (s.m * s.k > 4) CHECK(get(c, s.m * s.k / 2 + 1) == 0);
  TWEED_CHECK(cudaFree(a));
  TWEED_CHECK(cudaFree(b));
  TWEED_CHECK(cudaFree(c));
}

}  // namespace

// More than 2^31 items of C, of A and of B; and more rows of blocks than a grid has in y (C38).
TEST_CASE("product ladder: large matrices (C02, C38)") {
  if (tweedTest::isShort()) {
    MESSAGE("skipped: a sanitizer takes longer for them than a test may");
    return;
  }
  std::size_t free = 0, total = 0;
  TWEED_CHECK(cudaMemGetInfo(&free, &total));
  if (free < std::size_t(40) << 30) {
    MESSAGE("skipped: 40 GiB of device memory are not free");
    return;
  }
  for (ProductShape const s : {ProductShape{65539, 2, 32771},
                               {65539, 32771, 2},
                               {2, 32771, 65539},
                               {(1 << 20) + 17, 3, 5}})
    for (ProductRung const& rung : rungsHere()) {
      CAPTURE(s.m);
      CAPTURE(s.n);
      CAPTURE(s.k);
      if (rung.ofFloats != nullptr)
        checkLarge(rung, rung.ofFloats, s);
      else
        checkLarge(rung, rung.ofHalves, s);
    }
}
#endif

// -------------------------------------------------------------- what the usual printed forms do
#if defined(TWEED_LOOM)
namespace {

using tweedTest::inEachOrder;

enum class Lacks { nothing, threadsBeyondTheEdge, barrierBehindStore, barrierBehindUse, tail };

// m2 with one fault.
template <Lacks What>
__global__ void naiveTile(float const* a, float const* b, float* c, int m, int n, int k) {
  constexpr int edge = 16;
  __shared__ float tileA[edge][edge], tileB[edge][edge];
  int const x = int(threadIdx.x), y = int(threadIdx.y);
  int const row = int(blockIdx.y) * edge + y, column = int(blockIdx.x) * edge + x;
  if (What == Lacks::threadsBeyondTheEdge && (row >= m || column >= k)) return;
  float sum = 0;
  int const tiles = What == Lacks::tail ? n / edge : (n + edge - 1) / edge;
  for (int first = 0; first < tiles * edge; first += edge) {
    tileA[y][x] = row < m && first + x < n ? a[row * n + first + x] : 0.f;
    tileB[y][x] = first + y < n && column < k ? b[(first + y) * k + column] : 0.f;
    if (What != Lacks::barrierBehindStore) __syncthreads();
    for (int i = 0; i < edge; ++i) sum += tileA[y][i] * tileB[i][x];
    if (What != Lacks::barrierBehindUse) __syncthreads();
  }
  if (row < m && column < k) c[row * k + column] = sum;
}

// m4's load, without asking whether the row begins at a multiple of 16 bytes.
__global__ void naiveFours(float const* a, float* out, int n) {
  int const row = int(threadIdx.y), x = int(threadIdx.x);
  if (4 * x + 3 < n)
    tweed::storeVector(out + 4 * (row * int(blockDim.x) + x),
                       tweed::loadVector<4>(a + row * n + 4 * x));
}

template <Lacks What>
std::vector<float> naive(Case const& p) {
  DeviceArray<float> const a(p.a), b(p.b), c(p.c.size());
  auto const [m, n, k] = p.shape;
  tweed::launch(naiveTile<What>, {{(k + 15) / 16, (m + 15) / 16}, {16, 16}}, a.data(), b.data(),
                c.data(), int(m), int(n), int(k));
  tweed::synchronize();
  return c.host();
}

}  // namespace

TEST_CASE("product ladder: a thread that leaves above the tile's barriers is named (S6)") {
  Case const row({1, 16, 1}), cube({17, 17, 17});
  inEachOrder([&] {
    std::string const ofRow = tweedTest::fault([&] { naive<Lacks::threadsBeyondTheEdge>(row); });
    std::string const ofCube = tweedTest::fault([&] { naive<Lacks::threadsBeyondTheEdge>(cube); });
    CAPTURE(ofRow);
    CAPTURE(ofCube);
    CHECK(tweedTest::contains(ofRow, "barrier divergence: __syncthreads at matmul.cu:"));
    CHECK(tweedTest::contains(ofRow, "is reached by 1 of 256 threads, the others have exited"));
    CHECK(tweedTest::contains(ofCube, "is reached by 16 of 256 threads, the others have exited"));
  });
}

#if !defined(LADDER_UNDER_TSAN)
// ThreadSanitizer names the two lines; here some thread reads what is not there yet, or no more.
TEST_CASE("product ladder: a tile without one of its barriers gives another C in some order") {
  Case const product({16, 48, 16});
  int withoutFirst = 0, withoutSecond = 0;
  inEachOrder([&] {
    CHECK(naive<Lacks::nothing>(product) == product.c);
    withoutFirst += naive<Lacks::barrierBehindStore>(product) != product.c;
    withoutSecond += naive<Lacks::barrierBehindUse>(product) != product.c;
  });
  CHECK(withoutFirst > 0);
  CHECK(withoutSecond > 0);
}
#endif

TEST_CASE("product ladder: whole tiles of the sum alone skip its tail") {
  Case const all({17, 19, 18});
  Case whole = all;
  for (std::size_t i = 0; i < 17; ++i)
    for (std::size_t l = 16; l < 19; ++l) whole.a[i * 19 + l] = 0;
  whole.multiply();
  CHECK(whole.c != all.c);
  CHECK(naive<Lacks::nothing>(all) == all.c);
  CHECK(naive<Lacks::tail>(all) == whole.c);
}

TEST_CASE("product ladder: four items at once from a row of 17 are named (S7)") {
  DeviceArray<float> const a(ladder::wholeNumbers(2 * 17, 31)), out(32);
  std::string const text = tweedTest::fault([&] {
    tweed::launch(naiveFours, {1, {4, 2}}, a.data(), out.data(), 17);
    tweed::synchronize();
  });
  CAPTURE(text);
  CHECK(tweedTest::contains(text, "loadVector: the pointer is 4 bytes behind a multiple of 16"));
}
#endif
