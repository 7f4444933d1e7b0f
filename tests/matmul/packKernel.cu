// SPDX-License-Identifier: Apache-2.0
// tests/matmul/packKernel.cu - tests tweed/matmul/packKernel.cuh
#include <tweed/matmul/packKernel.cuh>

#include "support/device.cuh"

namespace {

using namespace tweedTest;
using tweed::ColumnMajor;
using tweed::RowMajor;
using Item2 = std::uint16_t;
using Item4 = std::uint32_t;

// A batch whose runs are `gap` items apart, its first item `shift` items off a 256-byte boundary;
// `stride` from one matrix to the next.
struct Place {
  int gap = 0;
  int shift = 0;
  long long batch = 1;
  long long stride = 0;
};

// Memory that ends with the last item, for the sanitizers.
template <class T>
struct Exact {
  T* data = nullptr;
  explicit Exact(std::vector<T> const& items) {
    if (items.empty()) return;
    TWEED_CHECK(cudaMalloc(reinterpret_cast<void**>(&data), items.size() * sizeof(T)));
    TWEED_CHECK(cudaMemcpy(data, items.data(), items.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Exact() { (void)cudaFree(data); }
  Exact(Exact const&) = delete;
  Exact& operator=(Exact const&) = delete;
};

// Compares what packMatrix makes of a view with the items that it views, and what stands between
// the runs with what must.
template <class T, class Layout>
void check(int rows, int columns, Place place = {}) {
  using View = tweed::MatrixView<T const, Layout>;
  INFO("rows ", rows, ", columns ", columns, ", gap ", place.gap, ", shift ", place.shift,
       ", batch ", place.batch, ", stride ", place.stride);
  long long const items = View::isRowMajor ? columns : rows;
  long long const runs = View::isRowMajor ? rows : columns;
  View view{nullptr, rows, columns, items + place.gap, place.batch, place.stride};
  long long const last = place.batch > 1 ? (place.batch - 1) * place.stride : 0;
  long long const origin = place.shift + (last < 0 ? -last : 0);
  bool const isEmpty = items == 0 || runs == 0 || place.batch == 0;
  long long const matrixItems = isEmpty ? 0 : (runs - 1) * view.leadingDimension + items;
  std::vector<T> host(std::size_t(isEmpty ? 0 : origin + (last > 0 ? last : 0) + matrixItems));
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = T(noise(i + 1));
  Exact<T> const from(host);
  view.data = isEmpty ? nullptr : from.data + origin;

  auto const bytes = std::size_t(tweed::packedBytes(view));
  DeviceArray<unsigned char> const memory(bytes);
  auto const packed = tweed::packedView(view, memory.data());
  CHECK(packed.rows == view.rows);
  CHECK(packed.columns == view.columns);
  CHECK(packed.batch == view.batch);
  CHECK((packed.batchStride == 0) == (view.batchStride == 0));
  CHECK(packed.leadingDimension * sizeof(T) % 128 == 0);
  CHECK(packed.leadingDimension >= items);
  CHECK((packed.leadingDimension - items) * sizeof(T) < 128);
  tweed::packMatrix(nullptr, view, memory.data());
  tweed::synchronize();

  long long const matrices = place.stride == 0 && place.batch > 1 ? 1 : place.batch;
  std::vector<unsigned char> want(bytes, 0xA5);
  for (long long matrix = 0; matrix < (isEmpty ? 0 : matrices); ++matrix)
    for (long long run = 0; run < runs; ++run) {
      auto const at = std::size_t((matrix * runs + run) * packed.leadingDimension) * sizeof(T);
      auto const source = origin + matrix * place.stride + run * view.leadingDimension;
      auto const length = std::size_t(items) * sizeof(T);
      std::memset(&want[at], 0, (length + 15) / 16 * 16);
      std::memcpy(&want[at], &host[std::size_t(source)], length);
    }
  CHECK(memory.host() == want);
}

template <class T>
void checkBoth(int items, int runs, Place place = {}) {
  check<T, RowMajor>(runs, items, place);
  check<T, ColumnMajor>(items, runs, place);
}

}  // namespace

TEST_SUITE("packKernel") {
  TEST_CASE_TEMPLATE("lengths of a run around 16 and 128 bytes", T, Item2, Item4) {
    for (int const items : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 257})
      checkBoth<T>(items, 3);
  }
  TEST_CASE_TEMPLATE("every alignment of the base and of the runs", T, Item2, Item4) {
    for (int shift = 0; shift < 8; ++shift)
      for (int gap = 0; gap < (isShort() ? 3 : 8); ++gap) check<T, RowMajor>(5, 21, {gap, shift});
  }
  TEST_CASE("numbers of runs") {
    for (int const runs : {0, 1, 2, 7, 31, 33, 257}) {
      checkBoth<Item2>(9, runs, {1});
      checkBoth<Item2>(1, runs);
    }
  }
  TEST_CASE("batches: apart, one for all, overlapping, backwards, and none") {
    for (int const shift : {0, 1})
      for (long long const stride : {63ll, 64ll, 70ll, 0ll, 1ll, -63ll, -64ll})
        checkBoth<Item2>(9, 7, {0, shift, 3, stride});
    checkBoth<Item4>(5, 3, {0, 1, 2, 15});
    checkBoth<Item4>(5, 3, {0, 1, 0, 15});
    checkBoth<Item2>(9, 7, {0, 1, 1, 3});
  }
  TEST_CASE("more runs and matrices than a grid has blocks for") {
    if (isShort()) return;
    check<Item2, RowMajor>(1024 * 256 + 3, 1);
    check<Item2, RowMajor>(2, 3, {0, 0, 65535 + 2, 7});
    check<Item4, ColumnMajor>(300001, 1, {0, 1});
  }
}
