// SPDX-License-Identifier: Apache-2.0
// tests/matmul/matmul.accuracy.cu - tests tweed/matmul/matmul.cuh: errors of products within the
// bounds of their paths, for many kinds of data, and of large products on the GPU.
#include <tweed/matmul/matmul.cuh>

#if defined(TWEED_TEST_CUBLAS)
#include <cublas_v2.h>
#endif

#include "support/sampled.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::Path;
using tweed::RowMajor;

// The parts that a sum is added up in, where the shape alone tells.
template <class Configuration>
constexpr int partsOf = 1;
template <class Config, int Split, int Flops>
constexpr int partsOf<tweed::SimtConfiguration<Config, Split, Flops>> =
    Split == tweed::balanced ? 1 : Split;

// Of random data: errors of CUDA cores have random signs. Tensor cores cut off, so theirs add up;
// and of floats as TF32, each of the two may lose its 11th bit.
template <class Configuration, class T>
ItemBound boundOf(int k, Data data) {
  ItemBound bound;
  if (data == Data::Integers || data == Data::Ones) return bound;
  if (data == Data::TinyResults) bound.atAll = k * 0x1p-149;
  double const parts = partsOf<Configuration>;
  if (Configuration::path == Path::Simt)
    bound.ofSizes = 2 * std::sqrt(k / parts + parts) * 0x1p-24;
  else if (sizeof(T) == 2)
    bound.ofSizes = (k / 16.0 + 2) * 0x1p-23;
  else
    bound.ofSizes = 2 * 0x1p-10 + (k / 8.0 + 2) * 0x1p-23;
  return bound;
}

// Each kernel of those that can do it. Returns how many there are.
template <class T, class LayoutA, class LayoutB, class Options>
int checkData(int m, int n, int k, Data data, Options) {
  CAPTURE(int(data));
  CAPTURE(k);
  DrawnProduct<T, LayoutA, LayoutB, float> const p(m, n, k, data);
  auto const task = tweed::detail::matmulTask(p.inA(), p.inB(), p.out(), tweed::Identity{});
  using Task = tweed::RemoveConst<decltype(task)>;
  using List = tweed::detail::CandidatesOf<Task, Options>;
  auto const device = tweed::matmulDevice();
  int runs = 0;
  for (int i = 0; i < List::count; ++i)
    tweed::detail::withConfiguration(List{}, i, [&](auto configuration) {
      using Configuration = decltype(configuration);
      if (!Configuration::refusal(task, device).empty()) return;
      std::string const name = tweed::pathName(Configuration::path) + (" " + Configuration::name());
      CAPTURE(name);
      p.poisonC();
      DeviceArray<unsigned char> const workspace(
          tweed::detail::workspaceBytes<Configuration>(task, device));
      tweed::detail::MatmulRun<Configuration, Task>(task, device)(task, device, workspace.data(),
                                                                  nullptr);
      CHECK(worstItem(p, boundOf<Configuration, T>(k, data), m * n) <= 1);
      ++runs;
    });
  return runs;
}

template <class T, class LayoutA, class LayoutB, class Options>
void checkAllData(Options options) {
  Data const all[] = {Data::Integers,  Data::Uniform,     Data::Positive,
                      Data::Normal,    Data::Wide,        Data::Cancelling,
                      Data::Subnormal, Data::TinyResults, Data::Ones};
  constexpr bool isPrecise = sizeof(T) == 4 && !Options::isTf32;
  int const m = isLoom ? 37 : 300, n = isLoom ? 40 : 264;
  for (Data const data : all) {
    // Of tensor cores nobody says what becomes of subnormal sums; TF32 has fewer subnormal items.
    if (!isPrecise && data == Data::TinyResults) continue;
    if (!isPrecise && sizeof(T) == 4 && data == Data::Subnormal) continue;
    if (isShort() && data != Data::Wide && data != Data::Cancelling) continue;
    int const k = isLoom || isShort() ? 200 : 2000;
    CHECK(checkData<T, LayoutA, LayoutB>(m, n, k, data, options) > 0);
  }
}

// Of tensor cores a kernel of each path that compiles fast.
template <class T>
constexpr auto fewTensor =
    tweed::tf32 |
    tweed::among<
        tweed::WgmmaConfiguration<tweed::WgmmaConfig<64, 64, 1, 8>>,
        tweed::MmaConfiguration<
            tweed::MmaConfig<tweed::TileShape<64, 64, 128 / int(sizeof(T))>, 32, 32, 3>, 400>>;
// On a GPU all that tweed chooses from.
#if defined(TWEED_LOOM)
using SmallTile = tweed::SimtConfig<tweed::TileShape<16, 32, 8>, 2, 4, 3>;
constexpr auto listOfFloat = tweed::among<tweed::SimtConfiguration<SmallTile, 1, 50>,
                                          tweed::SimtConfiguration<SmallTile, tweed::balanced, 50>>;
constexpr auto listOfBf = fewTensor<__nv_bfloat16>;
#else
constexpr tweed::AnyPath listOfFloat{}, listOfBf{};
#endif

using Floats = DrawnProduct<float, RowMajor, RowMajor, float>;
using Bfs = DrawnProduct<__nv_bfloat16, RowMajor, ColumnMajor, float>;
using RoundedBfs = DrawnProduct<__nv_bfloat16, RowMajor, ColumnMajor, __nv_bfloat16>;

template <class Product>
void multiply(Product const& p) {
  auto const run = [&](auto options) {
    tweed::matmul(nullptr, p.inA(), p.inB(), p.out(), tweed::Identity{}, options);
  };
  if constexpr (tweed::isSame<Product, Floats>)
    run(listOfFloat);
  else if constexpr (tweed::isSame<Product, RoundedBfs>)  // the largest alone
    run(tweed::among<tweed::WgmmaConfiguration<tweed::WgmmaConfig<128, 256, 2, 4, 2>>>);
  else
    run(listOfBf);
}

// Of integers all is exact, of numbers within the bound of the type; but for what C rounds off.
template <class Product>
void checkBoth(int m, int n, int k) {
  constexpr bool isFloat = tweed::isSame<Product, Floats>;
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  for (Data const data : {Data::Integers, Data::Uniform}) {
    CAPTURE(int(data));
    Product const p(m, n, k, data);
    multiply(p);
    ItemBound bound;
    if (data == Data::Uniform)
      bound.ofSizes = isFloat ? 2 * std::sqrt(k) * 0x1p-24 : (k / 16.0 + 2) * 0x1p-23;
    if (tweed::isSame<Product, RoundedBfs>) bound.ofItem = 1.01 * 0x1p-8;
    CHECK(worstItem(p, bound) <= 1);
    CHECK(worstRow(p, bound) <= 1);
  }
}

// A product by both checks, and then with an item wrong, wherever it stands.
template <class Product>
void checkPlanted(Data data, ItemBound bound, float by) {
  CAPTURE(int(data));
  Product const p(23, 35, 40, data);
  multiply(p);
  tweed::synchronize();
  double const share = worstRow(p, bound);
  CHECK(share <= 1);
  CHECK((data == Data::Integers || share > 0));
  CHECK(worstItem(p, bound, 23 * 35) <= 1);
  for (std::size_t const at : {0, 34, 400, 23 * 35 - 1}) {
    CAPTURE(at);
    float right;
    TWEED_CHECK(cudaMemcpy(&right, p.c.data() + at, sizeof right, cudaMemcpyDeviceToHost));
    for (float const wrong : {right + by, right - by, NAN}) {
      if (isLoom && at != 400 && !(wrong > right)) continue;
      CAPTURE(wrong);
      TWEED_CHECK(cudaMemcpy(p.c.data() + at, &wrong, sizeof wrong, cudaMemcpyHostToDevice));
      CHECK(worstRow(p, bound) > 1);
      CHECK(worstItem(p, bound, 23 * 35) > 1);
    }
    TWEED_CHECK(cudaMemcpy(p.c.data() + at, &right, sizeof right, cudaMemcpyHostToDevice));
  }
}

// Late enough for a kernel that does not wait.
template <class T>
__global__ void writeLate(T* out, int n) {
#if !defined(TWEED_LOOM)
  for (int i = 0; i < 100; ++i) __nanosleep(1000);
#endif
  int const row = int(blockIdx.x);
  for (int column = int(threadIdx.x); column < n; column += int(blockDim.x))
    out[row * n + column] = T(float((row * 7 + column * 3) % 251));
}

// Each product moves all rows up by one, from what the one before has just left.
template <class T, class Options>
void checkChain(int n, Options options) {
  CAPTURE(n);
  std::size_t const items = std::size_t(n) * std::size_t(n);
  std::vector<T> up(items, T(0.f));
  for (int i = 0; i < n; ++i) up[std::size_t(i * n + (i + 1) % n)] = T(1.f);
  DeviceArray<T> const a(up), x(items), y(items);
  auto const of = [n](auto const& array) { return tweed::rowMajor(array.data(), n, n); };
  constexpr int turns = isLoom ? 2 : 20;  // even
  tweed::launch(writeLate<T>, {n, 256}, x.data(), n);
  for (int turn = 0; turn < turns; turn += 2) {
    tweed::matmul(nullptr, of(a), of(x), of(y), tweed::Identity{}, options);
    tweed::matmul(nullptr, of(a), of(y), of(x), tweed::Identity{}, options);
  }
  tweed::synchronize();
  std::vector<T> const got = x.host();
  int wrong = 0;
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column)
      wrong += float(got[std::size_t(row * n + column)]) !=
               float(((row + turns) % n * 7 + column * 3) % 251);
  CHECK(wrong == 0);
}

#if defined(TWEED_TEST_CUBLAS)
template <class T>
constexpr cudaDataType_t blasType = tweed::isSame<T, double>   ? CUDA_R_64F
                                    : tweed::isSame<T, float>  ? CUDA_R_32F
                                    : tweed::isSame<T, __half> ? CUDA_R_16F
                                                               : CUDA_R_16BF;

// cuBLAS counts by columns: C is the transposed product, with the operands exchanged.
template <class A, class B, class C>
void multiplyByCublas(A const& a, B const& b, C const& c, cublasComputeType_t compute) {
  constexpr auto type = blasType<tweed::RemoveConst<typename A::Item>>;
  constexpr auto operation = [](auto const& view) {
    return std::decay_t<decltype(view)>::isRowMajor ? CUBLAS_OP_N : CUBLAS_OP_T;
  };
  double const one = 1, zero = 0;
  float const oneFloat = 1, zeroFloat = 0;
  bool const isDouble = compute == CUBLAS_COMPUTE_64F;
  auto const scalar = [&](double const& x, float const& inFloat) {
    return isDouble ? static_cast<void const*>(&x) : &inFloat;
  };
  cublasHandle_t handle = nullptr;
  REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
  CHECK(cublasGemmEx(handle, operation(b), operation(a), int(c.columns), int(c.rows),
                     int(a.columns), scalar(one, oneFloat), b.data, type, int(b.leadingDimension),
                     a.data, type, int(a.leadingDimension), scalar(zero, zeroFloat), c.data,
                     blasType<typename C::Item>, int(c.leadingDimension), compute,
                     CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
  CHECK(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS);
}

template <class T>
std::vector<double> doubles(DeviceArray<T> const& items) {
  std::vector<double> values;
  for (T const item : items.host()) values.push_back(double(float(item)));
  return values;
}
template <class View>
tweed::MatrixView<double const, typename View::Layout> withItems(View const& view,
                                                                 double const* data) {
  return {data, view.rows, view.columns, view.leadingDimension};
}

// The error of C in the Frobenius norm against a product in double, tweed's over cuBLAS's.
template <class T, class LayoutB, class Options>
double errorOverCublas(int m, int n, int k, Options options, cublasComputeType_t compute) {
  DrawnProduct<T, RowMajor, LayoutB, float> const p(m, n, k, Data::Uniform);
  DeviceArray<double> const a(doubles(p.a)), b(doubles(p.b)), c(p.c.size());
  multiplyByCublas(withItems(p.inA(), a.data()), withItems(p.inB(), b.data()),
                   tweed::rowMajor(c.data(), m, n), CUBLAS_COMPUTE_64F);
  std::vector<double> const exact = c.host();
  auto const error = [&] {
    std::vector<double> const found = doubles(p.c);
    double off = 0, all = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      off += (found[i] - exact[i]) * (found[i] - exact[i]);
      all += exact[i] * exact[i];
    }
    return std::sqrt(off / all);
  };
  multiplyByCublas(p.inA(), p.inB(), p.out(), compute);
  double const ofCublas = error();
  CHECK(ofCublas > 0);
  CHECK(ofCublas < 1e-2);
  p.poisonC();
  tweed::matmul(nullptr, p.inA(), p.inB(), p.out(), tweed::Identity{}, options);
  double const ofTweed = error();
  MESSAGE(m, " x ", n, " x ", k, ": ", ofTweed, ", cuBLAS ", ofCublas);
  return ofTweed / ofCublas;
}
#endif

}  // namespace

TEST_SUITE("matmulAccuracy") {
  TEST_CASE("the checks of large products find one wrong item") {
    checkPlanted<Floats>(Data::Integers, {}, 1);
    checkPlanted<Floats>(Data::Uniform, {2 * std::sqrt(40.) * 0x1p-24, 0, 0}, 0.01f);
    checkPlanted<Bfs>(Data::Integers, {}, 1);
    checkPlanted<Bfs>(Data::Uniform, {(40 / 16.0 + 2) * 0x1p-23, 0, 0}, 0.1f);
    // Items that were sampled are the corners at least.
    Floats const p(300, 300, 5, Data::Integers);
    multiply(p);
    tweed::synchronize();
    float const wrong = 1000;
    CHECK(worstItem(p, {}, 100) == 0);
    TWEED_CHECK(cudaMemcpy(p.c.data() + 300 * 300 - 1, &wrong, 4, cudaMemcpyHostToDevice));
    CHECK(worstItem(p, {}, 100) > 1);
  }
  TEST_CASE("floats by CUDA cores: all kinds of data") {
    checkAllData<float, RowMajor, RowMajor>(listOfFloat);
  }
  TEST_CASE("bfloat16: all kinds of data") {
    checkAllData<__nv_bfloat16, RowMajor, ColumnMajor>(listOfBf);
  }
  TEST_CASE("half: all kinds of data") {
    checkAllData<__half, RowMajor, ColumnMajor>(fewTensor<__half>);
  }
  TEST_CASE("floats as TF32: all kinds of data") {
    checkAllData<float, RowMajor, ColumnMajor>(fewTensor<float>);
  }
  TEST_CASE_TEMPLATE("skinny products", Product, Floats, Bfs) {
    int const shapes[][3] = {{1, 4096, 4096},  {4096, 1, 4096},   {8, 7168, 2048},
                             {16, 2112, 7168}, {64, 24576, 1536}, {4096, 16, 65536},
                             {32, 32, 1 << 20}};
    auto const size = [](int whole) { return isLoom ? std::min(whole, 40) : whole; };
    for (auto const& [m, n, k] : shapes) {
      checkBoth<Product>(size(m), size(n), size(k));
      if (isShort()) break;
    }
  }
  TEST_CASE("products wait for what the stream wrote before them") {
    for (int const n : isLoom ? std::vector<int>{40} : std::vector<int>{64, 256, 512, 1024, 2048}) {
      checkChain<float>(n, listOfFloat);
      checkChain<__nv_bfloat16>(n, fewTensor<__nv_bfloat16>);
      checkChain<__nv_bfloat16>(n, tweed::require<Path::Mma> | fewTensor<__nv_bfloat16>);
      if (isShort()) break;
    }
  }
#if defined(TWEED_TEST_CUBLAS)
  TEST_CASE("errors are at most 1.5 times cuBLAS's") {
    using Bf = __nv_bfloat16;
    int const shapes[][3] = {{192, 160, 300}, {512, 512, 512}, {1024, 768, 2048}};
    for (auto const& [m, n, k] : shapes) {
      if (isShort() && m > 192) return;  // cuBLAS takes minutes under a sanitizer
      auto const exact = CUBLAS_COMPUTE_32F_PEDANTIC, tf32 = CUBLAS_COMPUTE_32F_FAST_TF32;
      CHECK(errorOverCublas<float, RowMajor>(m, n, k, listOfFloat, exact) <= 1.5);
      CHECK(errorOverCublas<float, ColumnMajor>(m, n, k, fewTensor<float>, tf32) <= 1.5);
      CHECK(errorOverCublas<Bf, ColumnMajor>(m, n, k, listOfBf, CUBLAS_COMPUTE_32F) <= 1.5);
      CHECK(errorOverCublas<__half, ColumnMajor>(m, n, k, fewTensor<__half>, CUBLAS_COMPUTE_32F) <=
            1.5);
    }
    // What must not pass: TF32 in place of floats as they are.
    CHECK(errorOverCublas<float, ColumnMajor>(512, 512, 512, fewTensor<float>,
                                              CUBLAS_COMPUTE_32F_PEDANTIC) > 100);
  }
#endif
#if !defined(TWEED_LOOM)
  TEST_CASE_TEMPLATE("products of models", Product, Floats, Bfs, RoundedBfs) {
    if (isShort()) return;
    if (tweed::isSame<Product, RoundedBfs> && !tweed::imageHasWgmma()) return;
    int const shapes[][3] = {
        {4096, 4096, 14336}, {4096, 14336, 4096}, {2040, 3584, 3584}, {8192, 10240, 8192}};
    for (auto const& [m, n, k] : shapes) checkBoth<Product>(m, n, k);
  }
  TEST_CASE_TEMPLATE("squares", Product, Floats, Bfs) {
    if (isShort()) return;
    for (int const n : {1000, 1023, 1024, 1025, 2048, 4096, 4097, 8192})
      checkBoth<Product>(n, n, n);
  }
  TEST_CASE_TEMPLATE("one tile more or less than there are multiprocessors", Product, Floats, Bfs) {
    int const multiprocessors = tweed::matmulDevice().multiprocessors;
    for (int const tiles : {multiprocessors - 1, multiprocessors + 1})
      checkBoth<Product>(128 * tiles, 256, isShort() ? 40 : 512);
  }
#endif
}
