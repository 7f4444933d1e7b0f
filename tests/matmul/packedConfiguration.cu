// SPDX-License-Identifier: Apache-2.0
// tests/matmul/packedConfiguration.cu - tests tweed/matmul/packedConfiguration.cuh
#include <tweed/matmul/packedConfiguration.cuh>
#include <tweed/matmul/tune.cuh>

#include "support/hopper.cuh"
#include "support/product.cuh"

using tweed::detail::isLoadable;

namespace tweedTest {

/// Wants aligned operands as wgmma does, runs everywhere, and multiplies what it was prepared for.
struct [[gnu::visibility("hidden")]] Aligned : tweed::PlainConfiguration {
  static std::string name() { return "aligned"; }
  template <class Task>
  static std::string refusal(Task const& task, tweed::MatmulDevice const&) {
    return isLoadable(task.a) && isLoadable(task.b) ? "" : "it wants aligned operands";
  }
  template <class Task>
  static double microseconds(Task const& task, tweed::MatmulDevice const& device) {
    if (!refusal(task, device).empty()) return tweed::detail::neverMicroseconds;
    return tweed::PlainConfiguration::microseconds(task, device);
  }
  template <class Task>
  struct Prepared {
    Task task;
  };
  template <class Task>
  static Prepared<Task> prepare(Task const& task, tweed::MatmulDevice const&) {
    return {task};
  }
  template <class Task>
  static void launch(Task const& task, Prepared<Task> const& prepared,
                     tweed::MatmulDevice const& device, void* workspace, cudaStream_t stream) {
    CHECK(refusal(prepared.task, device) == "");
    CHECK(prepared.task.c.data == task.c.data);
    Task product = prepared.task;
    product.partials = task.partials;  // of this launch
    tweed::PlainConfiguration::launch(product, {}, device, workspace, stream);
  }
};

}  // namespace tweedTest

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::RowMajor;
using Bf = __nv_bfloat16;
using Packed = tweed::PackedConfiguration<Aligned>;
using Wgmma = tweed::WgmmaConfiguration<tweed::WgmmaConfig<64, 64, 1, 8>>;
constexpr auto packed = tweed::among<Packed, Aligned>;
constexpr auto packedWgmma = tweed::tf32 | tweed::among<tweed::PackedConfiguration<Wgmma>, Wgmma>;

// A product with a reduction, by kernels of which those of copies must be taken, or those without:
// by matmul(), and twice by a plan with a workspace.
template <class T, class LayoutA, class LayoutB, class LayoutC, class Options>
void check(int m, int n, int k, Options options, Placing ofA, Placing ofB, bool areCopies = true) {
  INFO("m ", m, ", n ", n, ", k ", k, ", A ", ofA.padding, " ", ofA.shift, ", B ", ofB.padding, " ",
       ofB.shift);
  Matrix<T, LayoutA> const a(m, k, 1, ofA);
  Matrix<T, LayoutB> const b(k, n, 2, ofB);
  auto const c = Matrix<float, LayoutC>::poison(m, n, {1, 1, std::max(ofA.batch, ofB.batch)});
  DeviceArray<float> sums(std::size_t(m) * std::size_t(c.view().batch));
  std::vector<float> rowSums(sums.size(), 0);
  std::vector<float> product;
  for (long long matrix = 0; matrix < c.view().batch; ++matrix)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        product.push_back(float(productOf(a, b, i, j, matrix)));
        rowSums[std::size_t(matrix * m + i)] += product.back();
      }
  auto const isRight = [&] {
    CHECK(c.holds([&](long long i, long long j, long long matrix) {
      return product[std::size_t((matrix * m + i) * n + j)];
    }));
    CHECK(sums.host() == rowSums);
    c.restore();
    TWEED_CHECK(cudaMemset(sums.data(), 0xff, sums.size() * sizeof(float)));
  };
  auto const epilogue = tweed::rowSum(sums.data());
  tweed::matmul(nullptr, a.constView(), b.constView(), c.view(), epilogue, options);
  isRight();
  tweed::MatmulPlan const plan(a.constView(), b.constView(), c.view(), epilogue, options);
  CHECK(contains(plan.explain(), ", of packed copies, with ") == areCopies);
  CHECK(contains(plan.explain(), " by the model; copies ") == areCopies);
  tweed::Workspace workspace(nullptr, plan.workspaceBytes());
  plan(workspace);
  isRight();
  plan(workspace);
  isRight();
  CHECK(a.isUnchanged());
  CHECK(b.isUnchanged());
}

template <class T, class LayoutA, class LayoutB, class LayoutC, class Options>
void checkPlaces(Options options) {
  Placing const aligned{0, 0}, gap{3, 0}, shifted{0, 1}, both{5, 3};
  auto const product = [&](Placing ofA, Placing ofB, bool areCopies = true) {
    check<T, LayoutA, LayoutB, LayoutC>(16, 40, 64, options, ofA, ofB, areCopies);
  };
  product(aligned, aligned, false);
  product(gap, aligned);
  product(aligned, shifted);
  product(both, gap);
  product({8, 8}, {16, 0}, false);
  product({0, 1, 3}, {3, 0, 3});
  product({3, 0, 3, true}, {8, 0, 3});
  product({8, 0, 2}, {0, 1, 2, true});
  product({8, 0, 2}, {0, 1});  // one matrix for all of a batch
  if (isShort()) return;
  int const sizes[][3] = {{1, 1, 1}, {1, 65, 9}, {67, 1, 130}, {65, 67, 33}, {9, 7, 257}};
  for (auto const& size : sizes)
    check<T, LayoutA, LayoutB, LayoutC>(size[0], size[1], size[2], options, {1, 1}, {1, 3});
}

template <class T>
T* address(long long bytes) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(bytes));
}
// Of memory that nobody touches.
template <class LayoutA = RowMajor, class LayoutB = ColumnMajor, class LayoutC = RowMajor>
auto taskOf(int m, int n, int k, int padA, int padB, int shiftA = 0, int shiftB = 0) {
  using A = tweed::MatrixView<Bf, LayoutA>;
  using B = tweed::MatrixView<Bf, LayoutB>;
  using C = tweed::MatrixView<Bf, LayoutC>;
  A const a{address<Bf>(1ll << 40) + shiftA, m, k, (A::isRowMajor ? k : m) + padA};
  B const b{address<Bf>(1ll << 42) + shiftB, k, n, (B::isRowMajor ? n : k) + padB};
  C const c{address<Bf>(1ll << 44), m, n, C::isRowMajor ? n : m};
  return tweed::detail::matmulTask(a, b, c, tweed::Identity{});
}
using Task = decltype(taskOf(1, 1, 1, 0, 0));
constexpr tweed::MatmulDevice hopper{90, 132, 227 * 1024};

// The kernel of tweed's list for 16-bit floats that the model holds for the fastest.
std::string fastestOf(Task const& task) {
  using List = tweed::MatmulList<Bf>::Type;
  std::string name;
  double least = tweed::detail::neverMicroseconds;
  for (int i = 0; i < List::count; ++i)
    tweed::detail::withConfiguration(List{}, i, [&](auto configuration) {
      using Configuration = decltype(configuration);
      double const time = Configuration::microseconds(task, hopper);
      if (time >= least) return;
      least = time;
      name = tweed::detail::wholeName<Configuration>();
    });
  return name;
}

}  // namespace

TEST_SUITE("packedConfiguration") {
  TEST_CASE("copies are multiplied, and as many as are needed") {
    checkPlaces<Bf, RowMajor, ColumnMajor, RowMajor>(packed);
    checkPlaces<float, ColumnMajor, RowMajor, ColumnMajor>(packed);
  }
  TEST_CASE("the same by wgmma") {
    if (!hasWgmmaHere()) return;
    checkPlaces<Bf, RowMajor, ColumnMajor, RowMajor>(packedWgmma);
    checkPlaces<Bf, ColumnMajor, RowMajor, ColumnMajor>(packedWgmma);
    checkPlaces<float, RowMajor, ColumnMajor, RowMajor>(packedWgmma);
  }
  TEST_CASE("a batch that runs backwards, which no tensor map describes") {
    Matrix<Bf, RowMajor> const a(16, 32, 1, {0, 0, 3});
    Matrix<Bf, ColumnMajor> const b(32, 24, 2);
    auto const c = Matrix<float, RowMajor>::poison(16, 24, {0, 0, 3});
    auto last = a.constView();
    last.data += 2 * last.batchStride;
    last.batchStride = -last.batchStride;
    auto const run = [&](auto options) {
      c.restore();
      tweed::matmul(nullptr, last, b.constView(), c.view(), tweed::Identity{}, options);
      CHECK(c.holds([&](long long i, long long j, long long matrix) {
        double sum = 0;
        for (int l = 0; l < 32; ++l) sum += a.at(i, l, 2 - matrix) * b.at(l, j, 0);
        return sum;
      }));
    };
    run(packed);
    if (tweed::imageHasWgmma()) run(packedWgmma);
  }
  TEST_CASE("tune has room for the copies, and C stays") {
    Matrix<float, RowMajor> const a(20, 30, 1, {1, 1}), b(30, 35, 2), c(20, 35, 3);
    tweed::MatmulPlan plan(a.view(), b.view(), c.view(), tweed::Identity{},
                           tweed::among<Packed, tweed::PlainConfiguration>);
    auto const timings = tweed::tune(plan);
    CHECK(timings.size() == 2);
    CHECK(c.isUnchanged());
    plan();
    CHECK(c.holds([&](long long i, long long j, long long) { return productOf(a, b, i, j, 0); }));
  }
  TEST_CASE("a workspace that is too small for the copies, by both numbers") {
    Matrix<Bf, RowMajor> const a(20, 31, 1);
    Matrix<Bf, ColumnMajor> const b(31, 40, 2, {1});
    auto const c = Matrix<float, RowMajor>::poison(20, 40);
    tweed::Workspace workspace(nullptr, 2000);  // 20 runs of 128 bytes
    CHECK(contains(refusal([&] {
                     tweed::matmul(workspace, a.view(), b.view(), c.view(), tweed::Identity{},
                                   packed);
                   }),
                   "needs a workspace of 2560 bytes, this one has 2000"));
    CHECK(c.isUnchanged());
  }
  TEST_CASE("views that the copy engine can load are those of which tensor maps can be made") {
    for (int const shift : {0, 1, 4, 8})
      for (long long const pitch : {0ll, 40ll, 41ll, 44ll, (1ll << 39) - 8, 1ll << 39})
        for (int const runs : {1, 2})
          for (long long const stride : {0ll, 400ll, 404ll, -400ll, (1ll << 39) - 8, 1ll << 39})
            for (int const batch : {1, 2}) {
              tweed::MatrixView<Bf const, RowMajor> const view{
                  address<Bf>(4096) + shift,
                  runs,
                  40,
                  runs == 1 ? pitch : pitch + (pitch == 0) * 8,
                  batch,
                  stride};
              if (runs > 1 && pitch == 0) continue;  // no leading dimension
              auto const element = tweed::TensorShape::Element::Bfloat16;
              std::string const complaint = tweed::detail::tensorMapComplaint(
                  view.data, tweed::detail::shapeOf(view, 64, 64, element));
              CAPTURE(complaint);
              CHECK(isLoadable(view) == complaint.empty());
            }
  }
  TEST_CASE("what is copied, and the bytes of it") {
    auto const bytes = [](auto const& task) { return Packed::workspaceBytes(task, hopper); };
    auto task = taskOf(20, 30, 65, 0, 7);  // runs of 130 bytes, B's 144 apart
    CHECK(bytes(task) == 20 * 256);
    CHECK(Packed::remark(task) == "copies A (5120 bytes)");
    task = taskOf(20, 30, 64, 0, 1);
    CHECK(bytes(task) == 3840);
    CHECK(Packed::remark(task) == "copies B (3840 bytes)");
    task = taskOf(3, 5, 64, 1, 1);
    CHECK(bytes(task) == 512 + 768);  // each begins at a multiple of 256
    CHECK(Packed::remark(task) == "copies A (512 bytes) and B (768 bytes)");
    task.b.batch = 9;
    task.b.batchStride = 5 * 65;
    CHECK(bytes(task) == 512 + 5888);  // 9 matrices of 640
    task.b.batchStride = 0;
    CHECK(bytes(task) == 512 + 768);
    auto const turned = taskOf<RowMajor, ColumnMajor, ColumnMajor>(20, 30, 64, 0, 1);
    CHECK(Packed::remark(turned) == "copies B (3840 bytes)");
    CHECK(bytes(taskOf(20, 30, 64, 0, 0)) == 0);
  }
  TEST_CASE("what it refuses") {
    auto const text = [](auto const& task) { return Packed::refusal(task, hopper); };
    CHECK(text(taskOf(20, 30, 65, 0, 0)) == "");
    CHECK(text(taskOf(20, 30, 64, 0, 0)) ==
          "A and B are aligned as they are, so there is nothing to pack");
    Task task = taskOf(20, 30, 65, 0, 0);
    task.a = task.a.batched(0x7fffffff, 1);  // each its own, but for one item
    task.a.columns = task.b.rows = 0x7fffffff;
    CHECK(text(task) == "a copy of an operand would take more than 2^50 bytes of workspace");
    using PackedWgmma = tweed::PackedConfiguration<Wgmma>;
    std::string const ofWgmma = PackedWgmma::refusal(taskOf(20, 30, 65, 0, 0), hopper);
    if (tweed::imageHasWgmma()) {
      CHECK(ofWgmma == "");
      CHECK(contains(PackedWgmma::refusal(taskOf((1 << 30) + 1, 30, 65, 0, 0), hopper),
                     "C is 1073741825 x 30; at most 1073741824 rows"));
    } else {
      CHECK(contains(ofWgmma, "it needs a device of compute capability 9.0 and code for sm_90a"));
    }
    CHECK(contains(Wgmma::name(), "64x64, 8 stages"));
    CHECK(PackedWgmma::name() == "64x64, 8 stages, of packed copies");
  }
  TEST_CASE("the model packs large products, and neither little ones nor aligned ones") {
    auto const isPacked = [](std::string const& name) {
      CAPTURE(name);
      return contains(name, "wgmma ") && contains(name, ", of packed copies");
    };
    for (int const n : {129, 257, 511, 1025, 4097, 8191})
      CHECK(isPacked(fastestOf(taskOf(n, n, n, 0, 0))));
    CHECK(isPacked(fastestOf(taskOf(4096, 4096, 4096, 0, 0, 1, 0))));
    CHECK(isPacked(fastestOf(taskOf(4096, 4096, 4096, 0, 1))));
    CHECK(isPacked(fastestOf(taskOf(1, 4097, 4097, 0, 0))));
    CHECK(fastestOf(taskOf(4097, 4097, 4097, 0, 0)) ==
          "wgmma 128x256, 4 stages, pairs of blocks, of packed copies");
    for (int const n : {7, 9, 17, 31, 33}) {
      std::string const name = fastestOf(taskOf(n, n, n, 0, 1));
      CAPTURE(name);
      CHECK(!contains(name, "wgmma "));
    }
    for (int const n : {8, 64, 256, 4096}) {
      std::string const name = fastestOf(taskOf(n, n, n, 0, 8));
      CHECK(contains(name, "wgmma "));
      CHECK(!isPacked(name));
    }
  }
  TEST_CASE("a copy is worth its bytes") {
    auto const time = [](auto const& task) { return Packed::microseconds(task, hopper); };
    double const one = time(taskOf(4096, 4096, 4096, 1, 0));
    double const two = time(taskOf(4096, 4096, 4096, 1, 1));
    double const none = Aligned::microseconds(taskOf(4096, 4096, 4096, 0, 0), hopper);
    double const bytes = 2.0 * 4096 * 4096;
    CHECK(two - one == doctest::Approx(2.5 + 2 * bytes / 2.5e6));
    CHECK(one - none == doctest::Approx(2 + two - one));
    Task task = taskOf(4096, 4096, 4096, 1, 0);
    task.a = task.a.batched(9, 0);
    CHECK(time(task) == one);
    task.a = task.a.batched(9, 4096 * 4097);
    CHECK(time(task) - one == doctest::Approx(8 * 2 * bytes / 2.5e6));
    CHECK(time(taskOf(4096, 4096, 4096, 0, 0)) == tweed::detail::neverMicroseconds);
  }
}
