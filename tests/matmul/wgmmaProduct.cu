// SPDX-License-Identifier: Apache-2.0
// tests/matmul/wgmmaProduct.cu - tests tweed/matmul/wgmma{Product,Kernel,Store}.cuh
#include <tweed/matmul/wgmmaProduct.cuh>

#include "support/wgmma.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::RowMajor;
using tweed::WgmmaConfig;

using Bf = __nv_bfloat16;
using Large = WgmmaConfig<128, 256, 2, 4, 2>;

// The edges of a tile of 128 x 256, of a pair of them, and of 64 items of k and the ring.
template <class Config, class T, class LayoutA, class LayoutB>
void checkEdges() {
  for (int const k : {0, 1, 63, 64, 65, 255, 256, 257})
    checkProduct<Config, T, LayoutA, LayoutB>({129, 65, k});
  for (int const m : {1, 2, 63, 64, 65, 127, 128, 255, 256, 257})
    checkProduct<Config, T, LayoutA, LayoutB>({m, 33, 40, 1, 7});
  for (int const n : {1, 2, 7, 8, 63, 64, 65, 255, 256, 257, 513})
    checkProduct<Config, T, LayoutA, LayoutB>({9, n, 40, 2, 3});
  checkProduct<Config, T, LayoutA, LayoutB>({300, 296, 320});
}

using Task = tweed::MatmulTask<tweed::MatrixView<Bf const, RowMajor>,
                               tweed::MatrixView<Bf const, ColumnMajor>,
                               tweed::MatrixView<Bf, RowMajor>, tweed::Identity>;

std::string refusalOf(Task const& task) {
  return refusal([&] { tweed::WgmmaProduct<Large, Task>(task).launch(nullptr); });
}

}  // namespace

TEST_SUITE("wgmmaProduct") {
  TEST_CASE("without wgmma the host says so, and what to pass") {
    if (tweed::imageHasWgmma()) return;
    std::string const text = refusalOf({});
    CHECK(contains(text, "code for sm_90a"));
    CHECK(contains(text, "-gencode=arch=compute_90a,code=sm_90a"));
    CHECK(contains(text, "CMAKE_CUDA_ARCHITECTURES=90a-real"));
  }
#if !defined(TWEED_LOOM)
  TEST_CASE("all four layouts at every edge of a tile") {
    if (!hasWgmmaHere()) return;
    SUBCASE("A row-major, B column-major") { checkEdges<Large, Bf, RowMajor, ColumnMajor>(); }
    SUBCASE("A row-major, B row-major") { checkEdges<Large, Bf, RowMajor, RowMajor>(); }
    SUBCASE("A column-major, B column-major") { checkEdges<Large, Bf, ColumnMajor, ColumnMajor>(); }
    SUBCASE("A column-major, B row-major") { checkEdges<Large, Bf, ColumnMajor, RowMajor>(); }
  }
  TEST_CASE("batches, and a B that all share") {
    if (!hasWgmmaHere()) return;
    for (int const batch : {2, 3, 7}) {
      checkProduct<Large, Bf, RowMajor, ColumnMajor>({130, 72, 80, 0, 0, 0, batch});
      checkProduct<Large, Bf, RowMajor, ColumnMajor>({30, 71, 80, 0, 2, 0, batch, true});
    }
  }
  TEST_CASE("C anywhere: not aligned, and with any leading dimension") {
    if (!hasWgmmaHere()) return;
    for (int const shift : {1, 2, 4, 7, 8})
      checkProduct<Large, Bf, RowMajor, ColumnMajor>({150, 264, 70, 0, 0, shift});
    for (int const pad : {1, 2, 5, 8})
      checkProduct<Large, Bf, RowMajor, ColumnMajor>({150, 264, 70, 0, pad});
  }
  TEST_CASE("empty products write nothing") {
    if (!hasWgmmaHere()) return;
    checkProduct<Large, Bf, RowMajor, ColumnMajor>({0, 16, 16});
    checkProduct<Large, Bf, RowMajor, ColumnMajor>({16, 0, 16});
    checkProduct<Large, Bf, RowMajor, ColumnMajor>({0, 0, 0});
  }
  TEST_CASE("the same bits every time") {
    if (!hasWgmmaHere()) return;
    checkSameBits<Large, ColumnMajor>();
  }
  TEST_CASE("NaN and infinity reach their row or column and no other") {
    if (!hasWgmmaHere()) return;
    int const m = 150, n = 264, k = 72;
    auto itemsA = DrawnMatrix<Bf, RowMajor>::draw({nullptr, m, k, k}, 7);
    auto itemsB = DrawnMatrix<Bf, ColumnMajor>::draw({nullptr, k, n, k}, 8);
    auto const a = [&](int row, int at) -> Bf& { return itemsA[std::size_t(row * k + at)]; };
    a(11, k - 1) = Bf(NAN);
    a(140, 70) = Bf(INFINITY);
    a(5, 3) = Bf(0.f);
    itemsB[20 * k + 3] = Bf(INFINITY);
    itemsB[260 * k] = Bf(NAN);
    itemsB[0 * k + 70] = Bf(0.f);
    DeviceArray<Bf> const memoryA(itemsA), memoryB(itemsB), c(std::size_t(m * n));
    Bf const *const dataA = memoryA.data(), *const dataB = memoryB.data();
    tweed::WgmmaProduct<Large, Task>(Task{tweed::rowMajor(dataA, m, k),
                                          tweed::columnMajor(dataB, k, n),
                                          tweed::rowMajor(c.data(), m, n),
                                          {}})
        .launch(nullptr);
    tweed::synchronize();
    auto const got = c.host();
    int wrong = 0;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double const have = double(float(got[std::size_t(i * n + j)]));
        double term = 0;  // what is infinite, if anything is
        if (i == 140) term += INFINITY * double(float(itemsB[std::size_t(j * k + 70)]));
        if (j == 20) term += INFINITY * double(float(a(i, 3)));
        if (i == 11 || j == 260) term = NAN;
        wrong += std::isnan(term) ? !std::isnan(have)
                 : term != 0      ? have != term
                                  : !std::isfinite(have);
      }
    CHECK(wrong == 0);
  }
  TEST_CASE("what the copy engine cannot load is refused by name, and C stays") {
    if (!hasWgmmaHere()) return;
    DeviceArray<Bf> const memory(std::vector<Bf>(64 * 64, Bf(1.0f)));
    DeviceArray<Bf> const c(std::vector<Bf>(64, Bf(3.0f)));
    Task const good{tweed::rowMajor<Bf const>(memory.data(), 8, 8),
                    tweed::columnMajor<Bf const>(memory.data(), 8, 8),
                    tweed::rowMajor(c.data(), 8, 8),
                    {}};
    Task task = good;
    task.a.data += 1;
    CHECK(contains(refusalOf(task), "A begins 2 bytes behind a multiple of 16"));
    task = good;
    task.b.leadingDimension = 9;
    CHECK(contains(refusalOf(task), "B has a stride of 18 bytes in dimension 1"));
    task = good;
    task.a = task.a.batched(2, 65), task.c = task.c.batched(2, 64);
    CHECK(contains(refusalOf(task), "A has a stride of 130 bytes in dimension 2"));
    tweed::synchronize();
    for (Bf const value : c.host()) CHECK(float(value) == 3.0f);
  }
#endif
  TEST_CASE("what cannot be computed so is said without a device") {
    using Product = tweed::WgmmaProduct<Large, Task>;
    Bf const* const data = reinterpret_cast<Bf const*>(std::uintptr_t(4096));
    Bf* const c = reinterpret_cast<Bf*>(std::uintptr_t(4098));
    Task const good{tweed::rowMajor(data, 20, 24),
                    tweed::columnMajor(data, 24, 30),
                    tweed::rowMajor(c, 20, 30),
                    {}};
    CHECK(Product::complaint(good) == "");
    Task task = good;
    task.a.leadingDimension = 25;
    CHECK(contains(Product::complaint(task), "A has a stride of 50 bytes in dimension 1"));
    task = good, task.b.data += 4;
    CHECK(contains(Product::complaint(task), "B begins 8 bytes behind a multiple of 16"));
    task = good, task.c.rows = task.a.rows = (1 << 30) + 1;
    CHECK(contains(Product::complaint(task), "C is 1073741825 x 30; at most 1073741824 rows"));
    task = good, task.c.rows = task.c.columns = task.a.rows = task.b.columns = 1 << 30;
    CHECK(contains(Product::complaint(task), "C has 35184372088832 tiles"));
    task.a.columns = task.b.rows = task.c.rows = task.a.rows = 0;
    CHECK(Product::complaint(task) == "");
  }
}
